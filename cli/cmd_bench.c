/* octant bench: times of steps, and of their phases on the device. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "cache.h"
#include "command.h"

static const oct_option options[] = {
    {.name = "n",
     .value = "N",
     .doc = "number of particles; several sizes without it; the most for `outputs`"},
    {.name = "theta", .value = "T", .doc = "opening angle of the tree (default 0.75, ring 0.5)"},
    {.name = "seconds", .value = "S", .doc = "time to spend on each row (default 2)"},
    {.name = "peer",
     .value = "NAME",
     .words = "rebound",
     .doc = "another code to run beside `ring`: rebound"},
    OCT_OPTION_DEVICE,
    OCT_OPTION_PRECISION,
    OCT_OPTION_JSON,
    {0},
};

typedef struct table {
    bool json;
    size_t rows;
    const char *device;
    char reference[96]; /* of the last row */
} table;

/* Kernels by what they are for; a kernel belongs to the first entry whose name it starts with. */
static const struct {
    const char *prefix, *group;
} groups[] = {
    {"array_box", "keys"},
    {"tree_keys", "keys"},
    {"array_sort", "sort"},
    {"array_settle", "sort"},
    {"tree_build", "build"},
    {"array_scan", "build"},
    {"tree_moments", "moments"},
    {"tree_rows", "moments"},
    {"tree_records", "moments"},
    {"tree_keep", "moments"},
    {"force_tree", "walk"},
    {"force_direct", "pairs"},
    {"force_systems_far", "far"},
    {"force_systems_near", "near"},
    {"force_systems_opened", "near"},
    {"force_systems", "centres"},
    {"collision_search", "search"},
    {"collision_resolve", "resolve"},
    {"set", "lists"},
    {"tree_active", "lists"},
    {"array_compact", "lists"},
    {"state", "step"},
    {"boundary", "step"},
    {"block", "step"},
    {"integrator", "step"},
    {"output_rows", "rows"},
    {"output_snapshots", "snapshots"},
    {"output_ends", "ends"},
    {"", "other"},
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

static const char *group_of(const char *kernel)
{
    size_t g = 0;
    while (strncmp(kernel, groups[g].prefix, strlen(groups[g].prefix)) != 0)
        g++;
    return groups[g].group;
}

/* "keys 0.01, sort 0.27, walk 2.96", in the order of a step. */
static void print_groups(const oct_bench_result *r)
{
    const char *comma = "";
    for (size_t g = 0; g < GROUPS; g++) {
        if (g > 0 && strcmp(groups[g].group, groups[g - 1].group) == 0)
            continue;
        double ms = 0;
        for (size_t i = 0; i < r->n_phases; i++)
            if (strcmp(group_of(r->phases[i].name), groups[g].group) == 0)
                ms += r->phases[i].ms;
        if (ms > 0)
            printf("%s%s %.3f", comma, groups[g].group, ms);
        comma = ms > 0 ? ", " : comma;
    }
}

static void add_json(table *t, const oct_bench_result *r)
{
    printf("%s\n  {\"name\": \"%s\", \"n\": %" PRIu64 ", \"theta\": ", t->rows ? "," : "", r->name,
           r->n);
    oct_json_number(r->theta);
    printf(", \"device\": ");
    oct_json_text(t->device);
    printf(", \"precision\": \"%s\", \"ms_step\": ", r->precision);
    oct_json_number(r->ms_step);
    printf(", \"phases\": {");
    for (size_t i = 0; i < r->n_phases; i++) {
        printf("%s\"%s\": ", i ? ", " : "", r->phases[i].name);
        oct_json_number(r->phases[i].ms);
    }
    printf("}");
    if (r->burst > 0)
        printf(", \"launches\": %.4g, \"transfers\": %.4g, \"waits\": %.4g",
               (double)r->work.launches / (double)r->burst,
               (double)r->work.transfers / (double)r->burst,
               (double)r->work.waits / (double)r->burst);
    printf(", \"interactions_per_s\": ");
    oct_json_number(r->interactions_per_s);
    printf(", \"ratio\": ");
    oct_json_number(r->ratio);
    printf(", \"reference\": ");
    oct_json_text(r->reference);
    printf(", \"force_error\": ");
    oct_json_number(r->force_error > 0 ? r->force_error : NAN);
    printf("}");
}

/* A number in a column, or a dash where it has no meaning. */
static void print_cell(int width, int digits, double value)
{
    if (isfinite(value))
        printf(" %*.*f", width, digits, value);
    else
        printf(" %*s", width, "-");
}

static void add_row(table *t, const oct_bench_result *r)
{
    enum { NAME = 21 };
    if (t->rows == 0)
        printf("%-*s %9s %5s  %-7s %10s %10s %9s  %s\n", NAME, "benchmark", "n", "theta", "prec.",
               "ms/step", "G int/s", "ratio", "device time by phase, ms");
    if (isfinite(r->ratio) && strcmp(r->reference, t->reference) != 0)
        printf("%-*s ratio to: %s\n", NAME, "", r->reference);
    printf("%-*s %9" PRIu64, NAME, r->name, r->n);
    print_cell(5, 2, r->theta);
    printf("  %-7s", r->precision);
    print_cell(10, 3, r->ms_step);
    print_cell(10, 2, 1e-9 * r->interactions_per_s);
    print_cell(9, 1, r->ratio);
    printf("  ");
    print_groups(r);
    if (r->force_error > 0)
        printf("; mean force error %.1e", r->force_error);
    printf("\n");
    snprintf(t->reference, sizeof t->reference, "%s", r->reference);
}

static void add(void *context, const oct_bench_result *result)
{
    table *t = context;
    if (t->json)
        add_json(t, result);
    else
        add_row(t, result);
    fflush(stdout);
    t->rows++;
}

static bool wanted(const oct_call *call, const char *name)
{
    for (int i = 0; i < call->n_arguments; i++)
        if (strcmp(call->arguments[i], name) == 0)
            return true;
    return call->n_arguments == 0;
}

/* The first argument that names no benchmark; NULL when all do. */
static const char *unknown(const oct_call *call)
{
    for (int i = 0; i < call->n_arguments; i++) {
        size_t b = 0;
        while (oct_benches[b] && strcmp(oct_benches[b]->name, call->arguments[i]) != 0)
            b++;
        if (!oct_benches[b])
            return call->arguments[i];
    }
    return NULL;
}

static int report_unknown(const char *name)
{
    enum { MOST = 256 };
    char list[MOST] = "";
    size_t used = 0;
    for (size_t i = 0; oct_benches[i] && used < MOST; i++)
        used += (size_t)snprintf(list + used, MOST - used, "%s%s (%s)", i ? ", " : "",
                                 oct_benches[i]->name, oct_benches[i]->doc);
    return oct_report_usage("there is no benchmark '%s'; expected %s", name, list);
}

static int run(const oct_call *call)
{
    bool bad = false;
    table t = {.json = oct_call_option(call, "json") != NULL};
    oct_bench_run bench = {.n = oct_call_count(call, "n", 0, &bad),
                           .precision = oct_call_precision(call, &bad),
                           .theta = oct_call_number(call, "theta", 0, &bad),
                           .seconds = oct_call_number(call, "seconds", 2, &bad),
                           .peer = oct_call_option(call, "peer"),
                           .add = add,
                           .context = &t};
    if (bad)
        return 2;
    if (bench.theta < 0)
        return oct_report_usage("--theta is an angle above 0");
    if (bench.peer && strcmp(bench.peer, "rebound") != 0)
        return oct_report_usage("there is no peer '%s'; expected rebound", bench.peer);
    if (unknown(call))
        return report_unknown(unknown(call));
    oct_status status = oct_call_device(&bench.device, call);
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    t.device = oct_device_describe(bench.device)->name;
    printf(t.json ? "[" : "%s\n", OCT_SHOW(t.device));
    for (size_t i = 0; oct_benches[i] && status == OCT_STATUS_OK; i++)
        if (wanted(call, oct_benches[i]->name))
            status = oct_benches[i]->run(&bench);
    if (t.json)
        printf("\n]\n");
    oct_device_free(bench.device);
    if (status == OCT_STATUS_OK)
        return 0;
    /* A peer that failed has said why. */
    return *oct_last_error() ? oct_report_failure(status) : 1;
}

static bool bench_at(size_t index, const char **name, const char **doc)
{
    const oct_bench *bench = oct_benches[index];
    *name = bench ? bench->name : NULL;
    *doc = bench ? bench->doc : NULL;
    return bench != NULL;
}

const oct_command oct_cmd_bench = {
    .name = "bench",
    .arguments = "[NAME...]",
    .doc = "time the kernels on a device, against a reference in the same run",
    .example = "octant bench direct --device gpu",
    .options = options,
    .max_arguments = -1,
    .takes = OCT_TAKES_TOPICS,
    .topics = "benchmarks",
    .topic = bench_at,
    .run = run,
};
