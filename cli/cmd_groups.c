/* octant groups: friends of friends in a file of bodies, and their catalogue. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "command.h"

static const oct_option options[] = {
    {.name = "linking",
     .value = "B",
     .doc = "friends are B mean separations apart, of a periodic box (default: 0.2)"},
    {.name = "length",
     .value = "L",
     .doc = "friends are this far apart, as in '0.5 kpc', in place of --linking"},
    {.name = "least", .value = "N", .doc = "members that make a group (default: 20)"},
    {.name = "periodic", .doc = "the box that FILE has repeats, though it does not say so"},
    {.name = "from", .value = "UNITS", .doc = "what FILE is in, where it does not say"},
    {.name = "out", .value = "FILE", .doc = "write the catalogue (.csv, .hdf5)"},
    {.name = "bodies",
     .value = "FILE",
     .doc = "write the bodies with a column `group`, 0 for those in none (.hdf5, .csv)"},
    OCT_OPTION_DEVICE,
    OCT_OPTION_JSON,
    {0}};

enum { SHOWN = 10 };

/* A snapshot, its groups, and how they were asked for. */
typedef struct work {
    oct_bodies bodies;
    oct_file_info info;
    oct_groups *groups;
    oct_groups_options options;
} work;

static oct_status read_options(work *w, const oct_call *call, bool *bad)
{
    const char *length = oct_call_option(call, "length");
    w->options = (oct_groups_options){.size = sizeof w->options};
    w->options.linking = oct_call_number(call, "linking", 0.2, bad);
    w->options.least = oct_call_count(call, "least", 20, bad);
    if (!*bad && (w->options.linking <= 0 || w->options.least == 0)) {
        oct_report_usage("--linking and --least are numbers above 0");
        *bad = true;
    }
    if (!*bad && length && oct_call_option(call, "linking")) {
        oct_report_usage("--linking and --length both say how far apart friends are; expected one");
        *bad = true;
    }
    return *bad || !length ? OCT_STATUS_OK
                           : oct_units_read(&w->options.link, length, &w->info.units, 1, 0, 0);
}

/* A file that has no columns would be without what it is for. */
static bool has_columns(const char *path)
{
    const oct_file_kind *kind = NULL;
    if (!path || oct_file_kind_for(&kind, NULL, path) != OCT_STATUS_OK || !kind->lost)
        return true;
    oct_report_usage("--bodies: a file of the kind %s has no place for a column `group`; expected "
                     ".hdf5 or .csv",
                     kind->name);
    return false;
}

static oct_status read_bodies(work *w, const oct_call *call)
{
    const char *text = oct_call_option(call, "from");
    oct_units from;
    w->info = (oct_file_info){.size = sizeof w->info};
    oct_status status = text ? oct_units_from_text(&from, text) : OCT_STATUS_OK;
    if (status == OCT_STATUS_OK)
        status = oct_bodies_read_from(&w->bodies, &w->info, call->arguments[0], text ? &from : NULL,
                                      NULL);
    if (status == OCT_STATUS_OK && oct_call_option(call, "periodic"))
        w->info.periodic = true;
    return status;
}

static oct_status find_groups(work *w, const oct_call *call)
{
    oct_device *device = NULL;
    oct_status status = oct_device_open(&device, oct_call_option(call, "device"));
    if (status == OCT_STATUS_OK)
        status = oct_groups_find(&w->groups, device, &w->bodies, &w->info, &w->options);
    oct_device_free(device);
    return status;
}

/* The bodies as they came, with one column more. */
static oct_status write_bodies(work *w, const char *path)
{
    oct_status status = oct_bodies_add_column(&w->bodies, "group", "", 1, true, NULL);
    oct_user_column *column = oct_bodies_column(&w->bodies, "group");
    if (status != OCT_STATUS_OK)
        return status;
    for (size_t i = 0; i < w->bodies.n; i++)
        column->data[i] = w->groups->of_body[i];
    return oct_bodies_write(&w->bodies, &w->info, path);
}

static oct_status write_files(work *w, const oct_call *call)
{
    const char *catalogue = oct_call_option(call, "out"), *bodies = oct_call_option(call, "bodies");
    oct_status status = OCT_STATUS_OK;
    if (catalogue)
        status = oct_groups_write(w->groups, &w->info, catalogue);
    if (status == OCT_STATUS_OK && bodies)
        status = write_bodies(w, bodies);
    return status;
}

static uint64_t count_members(const oct_groups *groups)
{
    uint64_t n = 0;
    for (size_t g = 0; g < groups->n; g++)
        n += groups->groups[g].n;
    return n;
}

static void print_vector(const char *name, const double v[3])
{
    printf(", \"%s\": [", name);
    for (int k = 0; k < 3; k++) {
        printf("%s", k ? ", " : "");
        oct_json_number(v[k]);
    }
    printf("]");
}

static void print_number(const char *name, double value)
{
    printf(", \"%s\": ", name);
    oct_json_number(value);
}

static void print_json(const char *path, const work *w)
{
    const oct_groups *groups = w->groups;
    printf("{\"file\": ");
    oct_json_text(path);
    printf(", \"n\": %zu, \"members\": %" PRIu64 ", \"least\": %" PRIu64, w->bodies.n,
           count_members(groups), w->options.least);
    print_number("link", groups->link);
    print_number("separation", groups->separation > 0 ? groups->separation : NAN);
    printf(", \"groups\": [");
    for (size_t g = 0; g < groups->n; g++) {
        const oct_group *group = &groups->groups[g];
        printf("%s{\"group\": %zu, \"n\": %" PRIu64, g ? ", " : "", g + 1, group->n);
        print_number("mass", group->mass);
        print_vector("position", group->position);
        print_vector("velocity", group->velocity);
        print_number("radius", group->radius);
        print_number("half_radius", group->half_radius);
        print_number("dispersion", group->dispersion);
        print_vector("angular_momentum", group->angular_momentum);
        printf(", \"heaviest\": %" PRIu64 ", \"most_bound\": %" PRIu64 "}", group->heaviest,
               group->most_bound);
    }
    printf("]}\n");
}

static void print_text(const char *path, const work *w)
{
    const oct_groups *groups = w->groups;
    printf("%s: %zu bodies, linking length %.6g", OCT_SHOW(path), w->bodies.n, groups->link);
    if (groups->separation > 0)
        printf(" (%.6g mean separations)", groups->link / groups->separation);
    printf("\n%zu groups of %" PRIu64 " bodies or more have %" PRIu64 " members\n", groups->n,
           w->options.least, count_members(groups));
    if (groups->n > 0)
        printf("\n%6s %8s %12s %12s %12s %12s %12s %12s\n", "group", "n", "mass", "x", "y", "z",
               "radius", "dispersion");
    for (size_t g = 0; g < groups->n && g < SHOWN; g++) {
        const oct_group *group = &groups->groups[g];
        printf("%6zu %8" PRIu64 " %12.5g %12.5g %12.5g %12.5g %12.5g %12.5g\n", g + 1, group->n,
               group->mass, group->position[0], group->position[1], group->position[2],
               group->radius, group->dispersion);
    }
    if (groups->n > SHOWN)
        printf("and %zu more, which --out and --json have\n", groups->n - SHOWN);
}

static int run(const oct_call *call)
{
    work w = {0};
    bool bad = !has_columns(oct_call_option(call, "bodies"));
    oct_status status = bad ? OCT_STATUS_OK : read_bodies(&w, call);
    if (status == OCT_STATUS_OK && !bad)
        status = read_options(&w, call, &bad);
    if (status == OCT_STATUS_OK && !bad)
        status = find_groups(&w, call);
    if (status == OCT_STATUS_OK && !bad)
        status = write_files(&w, call);
    int result = status != OCT_STATUS_OK ? oct_report_failure(status) : bad ? 2 : 0;
    if (result == 0 && oct_call_option(call, "json"))
        print_json(call->arguments[0], &w);
    else if (result == 0)
        print_text(call->arguments[0], &w);
    oct_groups_free(w.groups);
    oct_bodies_clear(&w.bodies);
    return result;
}

const oct_command oct_cmd_groups = {
    .name = "groups",
    .arguments = "FILE",
    .doc = "find groups of bodies by friends of friends, and write their catalogue",
    .example =
        "octant groups octant-cold-collapse/snapshot_0003.hdf5 --length 0.1 --out groups.csv",
    .options = options,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
