/* octant stability: when solar systems are disturbed and by what, for a scan of values. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"
#include "command.h"
#include "first_use.h"
#include "interrupt.h"
#include "progress.h"

static const oct_option options[] = {
    OCT_OPTION_SET,
    {.name = "scan",
     .value = "KEY=A,B,C",
     .doc = "a run for each of these values, as in integrator.dt=10 day,20 day"},
    {.name = "until", .value = "T", .doc = "end at this time, whatever the scene says"},
    {.name = "interval",
     .value = "T",
     .doc = "time between looks (default: a step, but at most 5000 looks)"},
    OCT_OPTION_DEVICE,
    OCT_OPTION_PRECISION,
    OCT_OPTION_JSON,
    {.name = "quiet", .doc = "no progress, no notes"},
    {0}};

enum { MOST_VALUES = 256 };

/* The values of --scan; without it a single run with no value. */
typedef struct values {
    char *text, *key;
    size_t n;
    char *items[MOST_VALUES];
} values;

/* The end of a value in a list: the next comma outside of brackets. */
static char *value_end(char *c)
{
    for (int depth = 0; *c && (*c != ',' || depth > 0); c++)
        depth += (*c == '[') - (*c == ']');
    return c;
}

static bool read_scan(values *out, const char *given)
{
    if (!given) {
        out->n = 1;
        return true;
    }
    out->text = strdup(given);
    char *equals = out->text ? strchr(out->text, '=') : NULL;
    if (!equals || equals == out->text || !equals[1]) {
        oct_report_usage("--scan is a key and its values, as in integrator.dt=10 day,20 day, not "
                         "`%s`",
                         given);
        return false;
    }
    *equals = '\0';
    out->key = out->text;
    for (char *c = equals + 1;;) {
        char *end = value_end(c);
        bool last = *end == '\0';
        if (out->n == MOST_VALUES) {
            oct_report_usage("--scan lists more than %d values", MOST_VALUES);
            return false;
        }
        *end = '\0';
        out->items[out->n++] = c;
        if (last)
            return true;
        c = end + 1;
    }
}

typedef struct watch {
    const oct_call *call;
    oct_device *device;
    oct_precision precision;
    const volatile int *stop;
    const values *scan;
    oct_progress progress;
    bool interrupted;
} watch;

static void show_progress(void *context, double time, double until)
{
    const watch *w = context;
    if (w->progress.terminal)
        fprintf(stderr, "\rtime %.6g of %.6g (%.0f %%)\033[K", time, until, 100 * time / until);
}

static oct_status load_scene(oct_scene **out, const watch *w, size_t index)
{
    const values *scan = w->scan;
    char *assignment = NULL;
    oct_status status = oct_call_scene(out, w->call);
    if (status == OCT_STATUS_OK)
        status = oct_call_until(*out, w->call);
    if (status != OCT_STATUS_OK || !scan->key)
        return status;
    size_t bytes = strlen(scan->key) + strlen(scan->items[index]) + 2;
    assignment = malloc(bytes);
    if (!assignment)
        return OCT_STATUS_MEMORY;
    snprintf(assignment, bytes, "%s=%s", scan->key, scan->items[index]);
    status = oct_scene_set(*out, assignment);
    free(assignment);
    return status;
}

/* A time for people: in years where the units have a size. */
static void format_time(char out[48], double time, const oct_units *units)
{
    const double year = 365.25 * 86400;
    if (units->physical)
        snprintf(out, 48, "%.5g yr", time * units->time / year);
    else
        snprintf(out, 48, "%.6g", time);
}

static void print_json(const watch *w, const oct_stability *result, size_t index)
{
    printf("{");
    if (w->scan->key) {
        printf("\"key\": ");
        oct_json_text(w->scan->key);
        printf(", \"value\": ");
        oct_json_text(w->scan->items[index]);
        printf(", ");
    }
    printf("\"stable_until\": ");
    oct_json_number(result->time);
    printf(", \"step\": %" PRIu64 ", \"event\": ", result->step);
    if (result->event[0])
        oct_json_text(result->event);
    else
        printf("null");
    printf(", \"bodies\": [");
    for (size_t i = 0; i < result->n_bodies; i++)
        printf("%s%" PRIu64, i ? ", " : "", result->bodies[i]);
    printf("], \"cause\": ");
    if (result->event[0])
        oct_json_text(result->cause);
    else
        printf("null");
    printf(", \"interrupted\": %s}", result->interrupted ? "true" : "false");
}

static void print_result(const watch *w, const oct_stability *result, const oct_units *units,
                         size_t index)
{
    char time[48];
    bool json = w->progress.json, many = w->scan->key != NULL;
    format_time(time, result->time, units);
    if (json) {
        printf("%s", many ? (index ? ",\n " : "[") : "");
        print_json(w, result, index);
        printf("%s", many ? "" : "\n");
    } else if (many) {
        printf("%-20s  %-14s  %-9s  %s\n", OCT_SHOW(w->scan->items[index]), time,
               result->event[0]      ? result->event
               : result->interrupted ? "stopped"
                                     : "stable",
               result->interrupted ? "interrupted; stable so far" : result->cause);
    } else if (result->event[0]) {
        printf("stable until %s: %s\n", time, result->cause);
    } else if (result->interrupted) {
        printf("interrupted at %s; stable until then\n", time);
    } else {
        printf("stable until the end, %s\n", time);
    }
    fflush(stdout);
}

static oct_status watch_one(watch *w, size_t index, bool *bad)
{
    oct_scene *scene = NULL;
    oct_sim *sim = NULL;
    oct_stability result = {.size = sizeof result};
    oct_stability_options request = {
        .size = sizeof request, .stop = w->stop, .report = show_progress, .context = w};
    oct_first_use use = {.quiet = w->progress.quiet};
    oct_log log = w->progress.quiet ? NULL : oct_progress_note;
    oct_status status = load_scene(&scene, w, index);
    if (status == OCT_STATUS_OK)
        status = oct_first_use_trust(&use, w->device, scene, w->precision);
    if (status == OCT_STATUS_OK)
        status = oct_sim_create(&sim, w->device, scene, w->precision);
    *bad = status == OCT_STATUS_OK && !oct_call_time(&request.interval, w->call, "interval", sim);
    if (status == OCT_STATUS_OK && !*bad) {
        oct_sim_set_log(sim, log, &w->progress);
        status = oct_stability_watch(&result, sim, &request);
    }
    oct_progress_clear(&w->progress);
    if (status == OCT_STATUS_OK && !*bad) {
        print_result(w, &result, oct_sim_units(sim), index);
        w->interrupted = result.interrupted;
    }
    oct_sim_free(sim);
    oct_scene_free(scene);
    return status;
}

/* A bad value is refused before the first run: all or nothing. */
static oct_status check_scenes(const watch *w)
{
    oct_status status = OCT_STATUS_OK;
    for (size_t i = 0; i < w->scan->n && status == OCT_STATUS_OK; i++) {
        oct_scene *scene = NULL;
        oct_plan plan = {.size = sizeof plan};
        status = load_scene(&scene, w, i);
        if (status == OCT_STATUS_OK)
            status = oct_scene_plan(&plan, scene);
        oct_scene_free(scene);
    }
    return status;
}

static int watch_all(watch *w)
{
    bool bad = false;
    size_t done = 0;
    oct_status status = check_scenes(w);
    if (status == OCT_STATUS_OK)
        status = oct_call_device(&w->device, w->call);
    if (status == OCT_STATUS_OK && w->scan->key && !w->progress.json)
        printf("%-20s  %-14s  %-9s  %s\n", w->scan->key, "stable until", "event", "cause");
    if (status == OCT_STATUS_OK)
        oct_interrupt_defer();
    for (size_t i = 0; i < w->scan->n && status == OCT_STATUS_OK && !bad && !w->interrupted; i++) {
        status = watch_one(w, i, &bad);
        done += status == OCT_STATUS_OK && !bad;
    }
    if (w->progress.json && w->scan->key && done > 0)
        printf("]\n");
    oct_device_free(w->device);
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    return bad ? 2 : w->interrupted ? 128 + *w->stop : 0;
}

static int run(const oct_call *call)
{
    values scan = {0};
    bool bad = false;
    watch w = {.call = call,
               .precision = oct_call_precision(call, &bad),
               .scan = &scan,
               .progress = {.json = oct_call_option(call, "json") != NULL,
                            .quiet = oct_call_option(call, "quiet") != NULL}};
    w.progress.terminal = !w.progress.quiet && isatty(STDERR_FILENO) == 1;
    w.stop = oct_interrupt_watch();
    int code = 2;
    if (!w.stop)
        code = (oct_report_usage("signals cannot be watched on this system"), 1);
    else if (!bad && read_scan(&scan, oct_call_option(call, "scan")))
        code = watch_all(&w);
    free(scan.text);
    return code;
}

const oct_command oct_cmd_stability = {
    .name = "stability",
    .arguments = "SCENE",
    .doc = "run until a solar system loses a planet, orbits cross or bodies collide",
    .example = "octant stability galaxy --scan \"models.0.galaxy-of-systems.mass_ratio=10,100\"",
    .options = options,
    .min_arguments = 1,
    .max_arguments = 1,
    .takes = OCT_TAKES_SCENES,
    .run = run,
};
