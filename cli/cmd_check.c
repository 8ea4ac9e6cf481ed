/* octant check: what a scene would simulate, whether it fits and how long it would take. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cache.h"
#include "command.h"

/* For trials of the run, beside compiling. */
enum { SECONDS = 3 };

static const oct_option options[] = {OCT_OPTION_SET,
                                     OCT_OPTION_DEVICE,
                                     OCT_OPTION_PRECISION,
                                     {.name = "scene", .doc = "print the scene as resolved, too"},
                                     OCT_OPTION_JSON,
                                     {.name = "memory", .doc = "say what takes the memory, too"},
                                     {0}};

/* What was found out about the scene. */
typedef struct findings {
    oct_plan plan;
    oct_estimate estimate;
    oct_forecast forecast; /* wall_s is NaN where there is none */
    oct_device_info device;
    char *resolved;
    char problem[4200]; /* "" for none */
    size_t n_remarks;
    struct remark {
        bool problem;
        char sentence[400];
    } remarks[16];
    size_t n_parts;
    struct part {
        char name[64];
        uint64_t bytes;
        double bytes_per_particle;
    } parts[96]; /* of the memory */
} findings;

static void keep_part(void *context, const char *name, uint64_t bytes, double bytes_per_particle)
{
    findings *found = context;
    if (found->n_parts == sizeof found->parts / sizeof found->parts[0])
        return;
    struct part *part = &found->parts[found->n_parts++];
    snprintf(part->name, sizeof part->name, "%s", name);
    part->bytes = bytes;
    part->bytes_per_particle = bytes_per_particle;
}

static void keep_remark(void *context, bool problem, const char *sentence)
{
    findings *found = context;
    if (found->n_remarks == sizeof found->remarks / sizeof found->remarks[0])
        return;
    struct remark *remark = &found->remarks[found->n_remarks++];
    remark->problem = problem;
    snprintf(remark->sentence, sizeof remark->sentence, "%s", sentence);
}

static oct_status examine(findings *found, const oct_call *call, oct_precision precision)
{
    oct_scene *scene = NULL;
    oct_device *device = NULL;
    oct_status status = oct_call_device(&device, call);
    if (status == OCT_STATUS_OK) {
        found->device = *oct_device_describe(device);
        status = oct_call_scene(&scene, call);
    }
    if (status == OCT_STATUS_OK)
        status = oct_scene_plan(&found->plan, scene);
    if (status == OCT_STATUS_OK)
        status = oct_scene_estimate(&found->estimate, scene, &found->device, precision);
    if (status == OCT_STATUS_OK)
        status = oct_scene_ledger(scene, &found->device, precision, keep_part, found);
    if (status == OCT_STATUS_OK)
        status = oct_scene_resolve(&found->resolved, scene);
    if (status == OCT_STATUS_OK)
        status = oct_scene_review(scene, keep_remark, found);
    /* What does not fit is not tried. */
    if (status == OCT_STATUS_OK && found->estimate.fits)
        status = oct_scene_forecast(&found->forecast, device, scene, precision, SECONDS);
    if (status != OCT_STATUS_OK || !found->estimate.fits)
        found->forecast.wall_s = NAN;
    oct_scene_free(scene);
    oct_device_free(device);
    return status;
}

static void describe_shortage(findings *found)
{
    char needed[32], largest[32], memory[32], buffer[32];
    oct_format_bytes(needed, (double)found->estimate.bytes_total);
    oct_format_bytes(largest, (double)found->estimate.bytes_largest);
    oct_format_bytes(memory, (double)found->device.memory);
    oct_format_bytes(buffer, (double)found->device.max_buffer);
    snprintf(found->problem, sizeof found->problem,
             "the scene needs %s (%s in one buffer), and %s has %s (%s in one buffer); %" PRIu64
             " particles would fit",
             needed, largest, found->device.name, memory, buffer, found->estimate.fitting);
}

/* The sentences of one kind, as what follows the first of a list in JSON. */
static void print_remarks(const findings *found, bool problems, bool first)
{
    for (size_t i = 0; i < found->n_remarks; i++) {
        if (found->remarks[i].problem != problems)
            continue;
        printf("%s", first ? "" : ", ");
        oct_json_text(found->remarks[i].sentence);
        first = false;
    }
}

static void print_forecast_json(const oct_forecast *f)
{
    const struct {
        const char *name;
        double value;
    } times[] = {{"start_s", f->start_s},
                 {"step_s", f->step_s},
                 {"row_s", f->row_s},
                 {"snapshot_s", f->snapshot_s}};
    printf(", \"wall_s\": ");
    oct_json_number(f->wall_s);
    printf(", \"timed\": {\"n\": %" PRIu64 ", \"steps\": %" PRIu64, f->n, f->steps);
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        printf(", \"%s\": ", times[i].name);
        oct_json_number(times[i].value);
    }
    printf(", \"law\": ");
    if (f->law)
        oct_json_text(f->law);
    else
        printf("null");
    printf("}");
}

static void print_parts_json(const findings *found)
{
    printf(", \"memory\": [");
    for (size_t i = 0; i < found->n_parts; i++) {
        printf("%s{\"part\": ", i > 0 ? ", " : "");
        oct_json_text(found->parts[i].name);
        printf(", \"bytes\": %" PRIu64 ", \"bytes_per_particle\": ", found->parts[i].bytes);
        oct_json_number(found->parts[i].bytes_per_particle);
        printf("}");
    }
    printf("]");
}

static void print_json(const findings *found)
{
    const oct_plan *plan = &found->plan;
    const oct_estimate *estimate = &found->estimate;
    printf("{\"n\": %" PRIu64 ", \"bytes_per_particle\": ", estimate->n);
    oct_json_number(estimate->bytes_per_particle);
    printf(", \"bytes_total\": %" PRIu64 ", \"device_memory\": %" PRIu64
           ", \"fits\": %s, \"problems\": [",
           estimate->bytes_total, found->device.memory, estimate->fits ? "true" : "false");
    if (found->problem[0])
        oct_json_text(found->problem);
    print_remarks(found, true, !found->problem[0]);
    printf("], \"notes\": [");
    print_remarks(found, false, true);
    printf("], \"device\": ");
    oct_json_text(found->device.name);
    printf(", \"title\": ");
    oct_json_text(plan->title);
    printf(", \"models\": ");
    oct_json_text(plan->models);
    printf(", \"units\": \"%s\", \"gravity\": \"%s\", \"integrator\": \"%s\", \"boundary\": \"%s\"",
           plan->units, plan->gravity, plan->integrator, plan->boundary);
    printf(", \"dt\": ");
    oct_json_number(plan->dt);
    printf(", \"until\": ");
    oct_json_number(plan->until);
    printf(", \"steps\": %" PRIu64 ", \"rows\": %" PRIu64 ", \"snapshots\": %" PRIu64
           ", \"fitting\": %" PRIu64,
           plan->steps, plan->rows, plan->snapshots, estimate->fitting);
    print_forecast_json(&found->forecast);
    print_parts_json(found);
    printf("}\n");
}

/* "12 s", "3.4 min", "2 h", "5 d" */
static void format_seconds(char out[32], double seconds)
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof units[0] &&
           seconds < (units[i].size > 1 ? 1.5 : 1) * units[i].size)
        i++;
    snprintf(out, 32, "%.3g %s", seconds / units[i].size, units[i].name);
}

static void print_forecast(const oct_forecast *f)
{
    char wall[32], start[32], step[32], row[32], snapshot[32];
    format_seconds(wall, f->wall_s);
    format_seconds(start, f->start_s);
    format_seconds(step, f->step_s);
    format_seconds(row, f->row_s);
    format_seconds(snapshot, f->snapshot_s);
    printf("time         about %s: %s to start, %s a step, %s a row, %s a snapshot\n", wall, start,
           step, row, snapshot);
    printf("             from %" PRIu64 " steps ", f->steps);
    if (f->law)
        printf("of %" PRIu64 " of the particles, scaled by %s\n", f->n, f->law);
    else
        printf("of the run\n");
}

static void print_parts(const findings *found)
{
    for (size_t i = 0; i < found->n_parts; i++) {
        char bytes[32];
        oct_format_bytes(bytes, (double)found->parts[i].bytes);
        printf("             %10s %8.2f  %s\n", bytes, found->parts[i].bytes_per_particle,
               OCT_SHOW(found->parts[i].name));
    }
}

static void print_text(const findings *found, bool parts)
{
    const oct_plan *plan = &found->plan;
    char needed[32], memory[32];
    oct_format_bytes(needed, (double)found->estimate.bytes_total);
    oct_format_bytes(memory, (double)found->device.memory);
    if (plan->title[0])
        printf("%s\n\n", OCT_SHOW(plan->title));
    printf("models       %s\n", plan->models);
    printf("particles    %" PRIu64 "\n", found->estimate.n);
    printf("units        %s\n", plan->units);
    printf("gravity      %s\n", plan->gravity);
    printf("integrator   %s\n", plan->integrator);
    printf("boundary     %s\n", plan->boundary);
    printf("steps        %" PRIu64 " of %.6g, until %.6g", plan->steps, plan->dt, plan->until);
    if (plan->calendar)
        printf(" (%.4g %s)", plan->until / plan->calendar_size, plan->calendar);
    printf("\n");
    printf("outputs      %" PRIu64 " rows of diagnostics, %" PRIu64 " %s, a checkpoint ",
           plan->rows, plan->snapshots, plan->snapshots == 1 ? "snapshot" : "snapshots");
    if (plan->checkpoint_s > 0)
        printf("every %g s and at the end\n", plan->checkpoint_s);
    else
        printf("at the end\n");
    printf("memory       %s (%.0f bytes a particle) of the %s of %s: %s\n", needed,
           found->estimate.bytes_per_particle, memory, OCT_SHOW(found->device.name),
           found->estimate.fits ? "fits" : "does not fit");
    if (parts)
        print_parts(found);
    for (size_t i = 0; i < found->n_remarks; i++)
        printf("%-12s %s\n", found->remarks[i].problem ? "problem" : "note",
               OCT_SHOW(found->remarks[i].sentence));
    if (found->estimate.fits)
        print_forecast(&found->forecast);
}

static int run(const oct_call *call)
{
    bool bad = false, json = oct_call_option(call, "json") != NULL;
    oct_precision precision = oct_call_precision(call, &bad);
    if (bad)
        return 2;
    findings found = {.plan.size = sizeof found.plan,
                      .estimate.size = sizeof found.estimate,
                      .forecast.size = sizeof found.forecast};
    int result = 0;
    oct_status status = examine(&found, call, precision);
    if (status == OCT_STATUS_OK && !found.estimate.fits) {
        describe_shortage(&found);
        result = oct_report_usage("%s", found.problem);
    } else if (status != OCT_STATUS_OK) {
        snprintf(found.problem, sizeof found.problem, "%s", oct_last_error());
        result = oct_report_failure(status);
    }
    if (json)
        print_json(&found);
    else if (status == OCT_STATUS_OK)
        print_text(&found, oct_call_option(call, "memory") != NULL);
    if (!json && found.resolved && oct_call_option(call, "scene"))
        printf("\n%s", found.resolved);
    oct_text_free(found.resolved);
    return result;
}

const oct_command oct_cmd_check = {
    .name = "check",
    .arguments = "SCENE",
    .doc = "say what a scene would simulate, whether it fits and how long it would take",
    .example = "octant check plummer --set models.0.plummer.n=1000000",
    .options = options,
    .min_arguments = 1,
    .max_arguments = 1,
    .takes = OCT_TAKES_SCENES,
    .run = run,
};
