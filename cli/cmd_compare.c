/* octant compare: two scenes side by side, and how far their bodies move apart. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"
#include "command.h"
#include "first_use.h"
#include "interrupt.h"
#include "progress.h"

static const oct_option options[] = {
    {.name = "a",
     .value = "KEY=VALUE",
     .repeated = true,
     .doc = "change a value of scene A, as in integrator.dt=0.01"},
    {.name = "b", .value = "KEY=VALUE", .repeated = true, .doc = "change a value of scene B"},
    {.name = "set", .value = "KEY=VALUE", .repeated = true, .doc = "change a value of both"},
    {.name = "until", .value = "T", .doc = "end at this time; else at the earlier run.until"},
    {.name = "interval",
     .value = "T",
     .doc = "time between records (default: near output.diagnostics of A)"},
    OCT_OPTION_DEVICE,
    OCT_OPTION_PRECISION,
    {.name = "precision-a", .value = "P", .words = OCT_PRECISIONS, .doc = "precision of A alone"},
    {.name = "precision-b", .value = "P", .words = OCT_PRECISIONS, .doc = "precision of B alone"},
    {.name = "out",
     .value = "DIR",
     .doc = "folder for compare.csv, bodies.csv and report.html (default: none)"},
    {.name = "force", .doc = "replace a comparison that is in the folder already"},
    {.name = "bodies",
     .doc = "bodies.csv for more than 1000 bodies too, and separations by id in --json"},
    {.name = "json", .doc = "print JSON Lines, a record an interval"},
    {.name = "quiet", .doc = "print nothing but failures"},
    {0}};

static const char *const sides[2] = {"a", "b"};

/* What the command shows as it goes. */
typedef struct view {
    oct_progress progress; /* where it prints */
    bool stopped;          /* by a signal */
    const oct_call *call;
    oct_sim *sims[2];
    double start_time;
} view;

/* Notes of a simulation, with its name. */
typedef struct notes {
    view *view;
    const char *side;
} notes;

static void print_note(void *context, const char *sentence)
{
    const notes *of = context;
    char named[1024];
    snprintf(named, sizeof named, "%s: %s", of->side, sentence);
    oct_progress_note(&of->view->progress, named);
}

static void print_line(FILE *to, const oct_compare_record *r)
{
    fprintf(to, "time %.6g  separation max %.3e  mean %.3e  total %.3e", r->time, r->separation_max,
            r->separation_mean, r->separation_total);
    if (r->separation_max > 0)
        fprintf(to, "  farthest body %" PRIu64, r->farthest);
    if (isfinite(r->energy_error_a) || isfinite(r->energy_error_b))
        fprintf(to, "  energy error %.2e and %.2e", r->energy_error_a, r->energy_error_b);
    if (r->removed_a || r->removed_b)
        fprintf(to, "  gone %" PRIu64 " and %" PRIu64, r->removed_a, r->removed_b);
}

static void print_value(const char *name, double value)
{
    printf("\"%s\": ", name);
    oct_json_number(value);
    printf(", ");
}

static void print_separations(const oct_compare_record *r)
{
    printf(", \"separations\": {");
    for (size_t i = 0; i < r->n; i++) {
        printf("%s\"%" PRIu64 "\": ", i ? ", " : "", r->ids[i]);
        oct_json_number(r->separations[i]);
    }
    printf("}");
}

static void print_final(view *v, const oct_compare_record *r)
{
    printf(", \"final\": true, \"stopped\": %s, ", r->stopped ? "true" : "false");
    print_value("wall_s", r->wall_s);
    printf("\"device\": ");
    oct_json_text(v->progress.device);
    for (int i = 0; i < 2; i++) {
        uint64_t hash = 0;
        if (v->progress.status == OCT_STATUS_OK)
            v->progress.status = oct_sim_hash(&hash, v->sims[i]);
        printf(", \"precision_%s\": \"%s\", \"state_hash_%s\": \"%016" PRIx64 "\"", sides[i],
               oct_precision_name(oct_sim_precision(v->sims[i])), sides[i], hash);
    }
}

static void print_json(view *v, const oct_compare_record *r)
{
    printf("{");
    print_value("time", r->time);
    print_value("separation_max", r->separation_max);
    print_value("separation_mean", r->separation_mean);
    print_value("separation_total", r->separation_total);
    print_value("energy_error_a", r->energy_error_a);
    print_value("energy_error_b", r->energy_error_b);
    if (r->separation_max > 0)
        printf("\"farthest\": %" PRIu64, r->farthest);
    else
        printf("\"farthest\": null");
    printf(", \"compared\": %" PRIu64 ", \"removed_a\": %" PRIu64 ", \"removed_b\": %" PRIu64,
           r->compared, r->removed_a, r->removed_b);
    if (oct_call_option(v->call, "bodies"))
        print_separations(r);
    if (r->final)
        print_final(v, r);
    printf("}\n");
    fflush(stdout);
}

/* The line on a terminal, rewritten now and then. */
static void show_progress(view *v, const oct_compare_record *r)
{
    const double rewrite_s = 0.1;
    if (v->progress.shown_s != 0 && r->wall_s - v->progress.shown_s < rewrite_s)
        return;
    double done = r->time - v->start_time;
    oct_progress_clear(&v->progress);
    print_line(stderr, r);
    if (done > 0) {
        char left[32];
        oct_progress_duration(left, r->wall_s * (r->until - r->time) / done);
        fprintf(stderr, "  %s left", left);
    }
    v->progress.shown_s = r->wall_s;
}

static void show(void *context, const oct_compare_record *r)
{
    view *v = context;
    const oct_progress *progress = &v->progress;
    bool plain = !progress->json && !progress->quiet;
    if (r->final)
        oct_progress_clear(progress);
    v->stopped = r->stopped;
    if (progress->json && r->measured)
        print_json(v, r);
    else if (plain && r->measured && (r->final || !progress->terminal)) {
        print_line(stdout, r);
        printf("%s\n", r->stopped ? "  stopped" : "");
        fflush(stdout);
    }
    if (progress->terminal && !r->final)
        show_progress(v, r);
}

static oct_status load_scene(oct_scene **out, const oct_call *call, int side)
{
    oct_status status = oct_scene_load(out, call->arguments[side < call->n_arguments ? side : 0]);
    if (status == OCT_STATUS_OK)
        status = oct_call_set(*out, call, "set");
    if (status == OCT_STATUS_OK)
        status = oct_call_set(*out, call, sides[side]);
    return status == OCT_STATUS_OK ? oct_call_until(*out, call) : status;
}

/* Both must fit on the device at once. */
static int check_memory(oct_device *device, oct_scene *const scenes[2],
                        const oct_precision precision[2])
{
    const oct_device_info *info = oct_device_describe(device);
    uint64_t needed = 0;
    for (int i = 0; i < 2; i++) {
        oct_estimate estimate = {.size = sizeof estimate};
        oct_status status = oct_scene_estimate(&estimate, scenes[i], info, precision[i]);
        if (status != OCT_STATUS_OK)
            return oct_report_failure(status);
        needed += estimate.bytes_total;
    }
    char bytes[32], memory[32];
    oct_format_bytes(bytes, (double)needed);
    oct_format_bytes(memory, (double)info->memory);
    return needed <= info->memory ? 0
                                  : oct_report_usage("the two simulations need %s together, but "
                                                     "device '%s' has %s",
                                                     bytes, info->name, memory);
}

static oct_status make_sims(view *v, oct_device *device, oct_scene *const scenes[2],
                            const oct_precision precision[2])
{
    oct_status status = OCT_STATUS_OK;
    for (int i = 0; status == OCT_STATUS_OK && i < 2; i++) {
        oct_first_use use = {.quiet = v->progress.quiet};
        status = oct_first_use_trust(&use, device, scenes[i], precision[i]);
        if (status == OCT_STATUS_OK)
            status = oct_sim_create(&v->sims[i], device, scenes[i], precision[i]);
    }
    return status;
}

static int compare(view *v, const volatile int *stop)
{
    const oct_call *call = v->call;
    oct_compare_options request = {
        .size = sizeof request,
        .out = oct_call_option(call, "out"),
        .replace = oct_call_option(call, "force") != NULL,
        .bodies = oct_call_option(call, "bodies") != NULL,
        .stop = stop,
        .report = show,
        .context = v,
    };
    notes of[2] = {{v, "a"}, {v, "b"}};
    if (!oct_call_time(&request.interval, call, "interval", v->sims[0]))
        return 2;
    for (int i = 0; i < 2; i++)
        oct_sim_set_log(v->sims[i], print_note, &of[i]);
    v->start_time = oct_sim_time(v->sims[0]);
    oct_interrupt_defer();
    oct_status status = oct_compare(v->sims[0], v->sims[1], &request);
    if (status == OCT_STATUS_OK)
        status = v->progress.status;
    if (status != OCT_STATUS_OK) {
        oct_progress_clear(&v->progress);
        return oct_report_failure(status);
    }
    if (request.out && !v->progress.json && !v->progress.quiet)
        printf("results in %s\n", OCT_SHOW(request.out));
    return v->stopped ? 128 + *stop : 0;
}

/* Opens the device and runs the two scenes, which are known to be good. */
static int run_scenes(const oct_call *call, oct_scene *const scenes[2],
                      const oct_precision precision[2], const volatile int *stop)
{
    oct_device *device = NULL;
    view v = {.call = call,
              .progress = {.json = oct_call_option(call, "json") != NULL,
                           .quiet = oct_call_option(call, "quiet") != NULL}};
    v.progress.terminal = !v.progress.quiet && isatty(STDERR_FILENO) == 1;
    oct_status status = oct_call_device(&device, call);
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    v.progress.device = oct_device_describe(device)->name;
    int code = check_memory(device, scenes, precision);
    if (code == 0) {
        status = make_sims(&v, device, scenes, precision);
        code = status == OCT_STATUS_OK ? compare(&v, stop) : oct_report_failure(status);
    }
    for (int i = 0; i < 2; i++)
        oct_sim_free(v.sims[i]);
    oct_device_free(device);
    return code;
}

/* One scene is compared with itself only if something makes the two differ. */
static bool has_difference(const oct_call *call)
{
    static const char *const names[] = {"a", "b", "precision-a", "precision-b"};
    bool found = call->n_arguments == 2;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        found = found || oct_call_option(call, names[i]);
    return found;
}

static int run(const oct_call *call)
{
    bool bad = false;
    oct_precision precision[2], both = oct_call_precision(call, &bad);
    oct_scene *scenes[2] = {NULL, NULL};
    oct_status status = OCT_STATUS_OK;
    if (!bad)
        precision[0] = oct_call_precision_of(call, "precision-a", both, &bad);
    if (!bad)
        precision[1] = oct_call_precision_of(call, "precision-b", both, &bad);
    if (bad)
        return 2;
    if (!has_difference(call))
        return oct_report_usage("nothing differs between a and b: name two scenes, or change one "
                                "with --a, --b, --precision-a or --precision-b");
    const volatile int *stop = oct_interrupt_watch();
    if (!stop) {
        oct_report_usage("signals cannot be watched on this system");
        return 1;
    }
    for (int i = 0; status == OCT_STATUS_OK && i < 2; i++) {
        oct_plan plan = {.size = sizeof plan};
        status = load_scene(&scenes[i], call, i);
        /* A bad scene is refused before the device is tested, which may take a while. */
        if (status == OCT_STATUS_OK)
            status = oct_scene_plan(&plan, scenes[i]);
    }
    int code = status == OCT_STATUS_OK ? run_scenes(call, scenes, precision, stop)
                                       : oct_report_failure(status);
    for (int i = 0; i < 2; i++)
        oct_scene_free(scenes[i]);
    return code;
}

const oct_command oct_cmd_compare = {
    .name = "compare",
    .arguments = "A [B]",
    .doc = "run two scenes, or two settings of one, in step and see how they drift apart",
    .example = "octant compare two-body --b integrator.dt=0.0025 --out two-body-dt",
    .options = options,
    .min_arguments = 1,
    .max_arguments = 2,
    .takes = OCT_TAKES_SCENES,
    .run = run,
};
