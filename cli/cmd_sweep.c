/* octant sweep: a scene with every combination of values, several members at a time. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"
#include "command.h"
#include "first_use.h"
#include "interrupt.h"
#include "progress.h"

#define BATCH "auto on off"

static const oct_option options[] = {
    {.name = "vary",
     .value = "KEY=VALUES",
     .repeated = true,
     .doc = "vary it: A,B,C, or FIRST:LAST:COUNT[:log]"},
    {.name = "seeds", .value = "N", .doc = "have each combination with N seeds (default: 1)"},
    OCT_OPTION_SET,
    {.name = "steps", .value = "N", .doc = "end at step N, whatever run.until says"},
    {.name = "until", .value = "T", .doc = "end at this time instead of run.until"},
    {.name = "average", .value = "T", .doc = "measure means over the time T up to the end"},
    OCT_OPTION_DEVICE,
    OCT_OPTION_PRECISION,
    {.name = "workers",
     .value = "N",
     .doc = "members at a time (default: the cores of a CPU; 2 on a GPU, or 64 small)"},
    {.name = "batch",
     .value = "HOW",
     .words = BATCH,
     .doc = "whether members share launches: auto (small ones on a GPU), on or off"},
    {.name = "out",
     .value = "DIR",
     .doc = "folder for the results; `none` writes none (default: octant-sweep)"},
    {.name = "table-only", .doc = "no folders for the members, just the table, plot and report"},
    {.name = "plot",
     .value = "COLUMN",
     .doc = "what plot.svg shows (default: the first measurement that differs)"},
    {.name = "force", .doc = "replace a sweep that is in the folder already"},
    {.name = "resume", .doc = "go on with the sweep that is in the folder"},
    {.name = "dry-run", .doc = "list the members, and run none"},
    {.name = "json", .doc = "print JSON Lines, a record a member"},
    {.name = "quiet", .doc = "print nothing but failures"},
    {0}};

/* What the command line asks for. */
typedef struct request {
    const oct_call *call;
    oct_sweep *sweep;
    uint64_t seeds;
    oct_sweep_options options;
    oct_progress progress;
    oct_status status; /* of what was printed */
    bool stopped;
    size_t failed;
    double shown_s;
} request;

static oct_sweep_batch batch_option(const oct_call *call, bool *bad)
{
    const char *how = oct_call_option(call, "batch");
    if (!how || strcmp(how, "auto") == 0)
        return OCT_SWEEP_BATCH_AUTO;
    *bad = strcmp(how, "on") != 0 && strcmp(how, "off") != 0;
    if (*bad)
        oct_report_usage("--batch is auto, on or off, not `%s`", how);
    return strcmp(how, "on") == 0 ? OCT_SWEEP_BATCH_ON : OCT_SWEEP_BATCH_OFF;
}

static bool make_request(request *r, const oct_call *call)
{
    bool bad = false;
    const char *out = oct_call_option(call, "out");
    bool resume = oct_call_option(call, "resume") != NULL;
    oct_sweep_options *o = &r->options;
    if (resume && oct_call_option(call, "force")) {
        oct_report_usage("--resume goes on with a sweep and --force replaces it: choose one");
        return false;
    }
    *o = (oct_sweep_options){.size = sizeof *o,
                             .out = out ? out : "octant-sweep",
                             .existing = resume                           ? OCT_RUN_CONTINUE
                                         : oct_call_option(call, "force") ? OCT_RUN_REPLACE
                                                                          : OCT_RUN_REFUSE,
                             .table_only = oct_call_option(call, "table-only") != NULL,
                             .average = oct_call_option(call, "average"),
                             .plot = oct_call_option(call, "plot"),
                             .precision = oct_call_precision(call, &bad)};
    if (strcmp(o->out, "none") == 0)
        o->out = NULL;
    if (!o->out && resume) {
        oct_report_usage("--resume needs the folder of the sweep: --out DIR");
        return false;
    }
    if (!bad)
        o->batch = batch_option(call, &bad);
    if (!bad)
        o->steps = oct_call_count(call, "steps", 0, &bad);
    if (!bad)
        r->seeds = oct_call_count(call, "seeds", 1, &bad);
    if (!bad)
        o->workers = (unsigned)oct_call_count(call, "workers", 0, &bad);
    return !bad;
}

static oct_status make_sweep(request *r)
{
    const char *words;
    oct_scene *scene = NULL;
    oct_status status = oct_call_scene(&scene, r->call);
    if (status == OCT_STATUS_OK)
        status = oct_call_until(scene, r->call);
    if (status == OCT_STATUS_OK)
        status = oct_sweep_create(&r->sweep, scene);
    oct_scene_free(scene);
    for (int i = 0; status == OCT_STATUS_OK && (words = oct_call_option_at(r->call, "vary", i));
         i++)
        status = oct_sweep_vary(r->sweep, words);
    return status == OCT_STATUS_OK ? oct_sweep_set_seeds(r->sweep, r->seeds) : status;
}

/* "0007  softening 0.1  seed 3": keys by their last part. */
static void print_member(FILE *to, const oct_member *member)
{
    fprintf(to, "%s", member->name);
    for (size_t k = 0; k < member->n; k++) {
        const char *dot = strrchr(member->keys[k], '.');
        fprintf(to, "  %s %s", OCT_SHOW(dot ? dot + 1 : member->keys[k]),
                OCT_SHOW(member->values[k]));
    }
    fprintf(to, "  seed %" PRIu64, member->seed);
}

static oct_status print_row(const request *r, size_t index)
{
    char *row;
    oct_status status = oct_sweep_row(&row, r->sweep, index);
    if (status != OCT_STATUS_OK)
        return status;
    puts(row);
    fflush(stdout);
    oct_text_free(row);
    return OCT_STATUS_OK;
}

/* Failures go to standard error, whatever is printed besides. */
static oct_status print_end_of(request *r, size_t index)
{
    oct_member member = {.size = sizeof member};
    oct_status status = r->progress.json ? print_row(r, index) : OCT_STATUS_OK;
    if (status == OCT_STATUS_OK)
        status = oct_sweep_member(&member, r->sweep, index);
    if (status != OCT_STATUS_OK)
        return status;
    bool failed = member.state == OCT_MEMBER_FAILED;
    if (!failed && (r->progress.quiet || r->progress.json))
        return OCT_STATUS_OK;
    FILE *to = failed ? stderr : stdout;
    fputs(failed ? "octant: " : "", to);
    print_member(to, &member);
    if (failed)
        fprintf(to, "  failed: %s\n", OCT_SHOW(member.failure));
    else if (member.state == OCT_MEMBER_DONE)
        fprintf(to, "  %" PRIu64 " steps, %.3g s\n", member.step, member.wall_s);
    else
        fprintf(to, "  stopped\n");
    fflush(to);
    return OCT_STATUS_OK;
}

static void print_final(const request *r, const oct_sweep_record *record)
{
    if (r->progress.json) {
        printf("{\"final\": true, \"stopped\": %s, \"members\": %zu, \"done\": %zu, \"failed\": "
               "%zu, \"wall_s\": ",
               record->stopped ? "true" : "false", record->members, record->done, record->failed);
        oct_json_number(record->wall_s);
        printf("}\n");
        return;
    }
    if (r->progress.quiet)
        return;
    printf("%zu of %zu members are done", record->done, record->members);
    if (record->failed > 0)
        printf(", %zu failed", record->failed);
    printf(", in %.3g s", record->wall_s);
    if (r->options.out)
        printf("; results in %s", OCT_SHOW(r->options.out));
    printf("\n");
    if (record->stopped && r->options.out)
        printf("to go on: the same command with --resume\n");
}

static void show_record(void *context, const oct_sweep_record *record)
{
    const double rewrite_s = 0.1;
    request *r = context;
    if (record->ended || record->final)
        oct_progress_clear(&r->progress);
    if (record->ended && r->status == OCT_STATUS_OK)
        r->status = print_end_of(r, record->member);
    if (record->final) {
        r->stopped = record->stopped;
        r->failed = record->failed;
        print_final(r, record);
    } else if (r->progress.terminal && record->wall_s - r->shown_s >= rewrite_s) {
        char left[32];
        r->shown_s = record->wall_s;
        oct_progress_clear(&r->progress);
        oct_progress_duration(
            left, record->share > 0 ? record->wall_s * (1 - record->share) / record->share : 1e99);
        fprintf(stderr, "%zu of %zu members, %zu running  %.0f %%  %s left", record->done,
                record->members, record->running, 100 * record->share, left);
    }
}

/* Self-tests run before the members do, once, for the first of them that has a good scene. */
static oct_status trust(const request *r, oct_device *device)
{
    oct_first_use use = {.quiet = r->progress.quiet};
    oct_status status = OCT_STATUS_OK;
    bool tested = false;
    for (size_t i = 0; i < oct_sweep_count(r->sweep) && !tested && status == OCT_STATUS_OK; i++) {
        oct_scene *scene = NULL;
        oct_plan plan = {.size = sizeof plan};
        tested = oct_sweep_scene(&scene, r->sweep, i) == OCT_STATUS_OK &&
                 (r->options.steps > 0 || oct_scene_plan(&plan, scene) == OCT_STATUS_OK);
        if (tested)
            status = oct_first_use_trust(&use, device, scene, r->options.precision);
        oct_scene_free(scene);
    }
    return status;
}

/* Each member with the bodies and steps that it will have, or why it will fail. */
static oct_status list_members(const request *r)
{
    for (size_t i = 0; i < oct_sweep_count(r->sweep); i++) {
        oct_member member = {.size = sizeof member};
        oct_scene *scene = NULL;
        oct_plan plan = {.size = sizeof plan};
        oct_status status = oct_sweep_member(&member, r->sweep, i);
        if (status != OCT_STATUS_OK)
            return status;
        if (r->progress.json) {
            status = print_row(r, i);
            if (status != OCT_STATUS_OK)
                return status;
            continue;
        }
        print_member(stdout, &member);
        status = oct_sweep_scene(&scene, r->sweep, i);
        if (status == OCT_STATUS_OK)
            status = oct_scene_plan(&plan, scene);
        if (status != OCT_STATUS_OK)
            printf("  will fail: %s\n", OCT_SHOW(oct_last_error()));
        else
            printf("  %" PRIu64 " steps of %s\n", r->options.steps ? r->options.steps : plan.steps,
                   OCT_SHOW(plan.models));
        oct_scene_free(scene);
    }
    return OCT_STATUS_OK;
}

static int run_members(request *r)
{
    oct_device *device = NULL;
    oct_status status = oct_call_device(&device, r->call);
    if (status == OCT_STATUS_OK)
        status = trust(r, device);
    oct_interrupt_defer();
    r->options.report = show_record;
    r->options.context = r;
    if (status == OCT_STATUS_OK)
        status = oct_sweep_run(r->sweep, device, &r->options);
    if (status == OCT_STATUS_OK)
        status = r->status;
    if (status != OCT_STATUS_OK)
        oct_progress_clear(&r->progress);
    oct_device_free(device);
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    return r->stopped ? 128 + *r->options.stop : r->failed > 0 ? 1 : 0;
}

static int run(const oct_call *call)
{
    request r = {.call = call};
    r.progress = (oct_progress){.json = oct_call_option(call, "json") != NULL,
                                .quiet = oct_call_option(call, "quiet") != NULL};
    r.progress.terminal = !r.progress.quiet && isatty(STDERR_FILENO) == 1;
    bool dry = oct_call_option(call, "dry-run") != NULL;
    if (!make_request(&r, call))
        return 2;
    r.options.stop = oct_interrupt_watch();
    if (!r.options.stop) {
        oct_report_usage("signals cannot be watched on this system");
        return 1;
    }
    oct_status status = make_sweep(&r);
    if (status == OCT_STATUS_OK && dry)
        status = list_members(&r);
    int code = status != OCT_STATUS_OK ? oct_report_failure(status) : dry ? 0 : run_members(&r);
    oct_sweep_free(r.sweep);
    return code;
}

const oct_command oct_cmd_sweep = {
    .name = "sweep",
    .arguments = "SCENE",
    .doc = "run a scene with every combination of values, several at a time, into one table",
    .example = "octant sweep plummer --vary gravity.softening=0.01:0.1:4 --seeds 3 --out scan",
    .options = options,
    .min_arguments = 1,
    .max_arguments = 1,
    .takes = OCT_TAKES_SCENES,
    .leaves_files = true,
    .run = run,
};
