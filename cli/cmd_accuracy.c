/* octant accuracy: errors of a scene's forces against summation over all pairs in double. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"
#include "cache.h"

static const oct_option options[] = {
    OCT_OPTION_SET,
    OCT_OPTION_DEVICE,
    OCT_OPTION_PRECISION,
    {.name = "theta",
     .value = "LIST",
     .doc = "opening angles to measure, as in 0.3,0.5; without it, the scene's own"},
    {.name = "criterion",
     .value = "LIST",
     .doc = "criteria to measure, as in offset,relative; without it, the scene's own"},
    {.name = "alpha", .value = "LIST", .doc = "values of α to measure with criterion relative"},
    {.name = "vary",
     .value = "KEY=LIST",
     .doc = "values of a key of the scene, as in models.0.plummer.n=1000,8000"},
    {.name = "targets",
     .value = "N",
     .doc = "compare so many bodies, spread over all; all of them without it"},
    {.name = "curves",
     .value = "FILE.csv",
     .doc = "the fraction of bodies with a larger error, over the error, for every row"},
    OCT_OPTION_JSON,
    {0}};

enum { MANY = 1 << 20 };

static const char *const columns[] = {"median",         "p90",   "p99",      "p999", "max", "mean",
                                      "potential_mean", "cells", "particles"};
enum { VALUES = sizeof columns / sizeof columns[0], POTENTIAL = 6, ERRORS };

/* A text, null where there is none. */
static void print_text(const char *text)
{
    if (text[0])
        oct_json_text(text);
    else
        printf("null");
}

static void print_record(const oct_accuracy *r, const double values[VALUES], bool first)
{
    printf("%s\n  {\"theta\": ", first ? "[" : ",");
    oct_json_number(r->setting.theta);
    printf(", \"criterion\": ");
    print_text(r->setting.criterion);
    printf(", \"alpha\": ");
    oct_json_number(r->setting.alpha);
    printf(", \"value\": ");
    print_text(r->value);
    printf(", \"n\": %zu, \"targets\": %zu, \"precision\": \"%s\"", r->n, r->targets,
           oct_precision_name(r->precision));
    for (int i = 0; i < VALUES; i++) {
        printf(", \"%s\": ", columns[i]);
        oct_json_number(values[i]);
    }
    printf("}");
}

static void print_cell(double value)
{
    if (isnan(value))
        printf("  %5s", "-");
    else
        printf("  %5.4g", value);
}

/* What is being measured, and where it is told. */
typedef struct job {
    const oct_call *call;
    oct_device *device;
    oct_accuracy_settings rows;
    oct_accuracy_variation variation;
    uint64_t most; /* bodies that are compared; 0: all */
    oct_precision precision;
    oct_plan plan;
    bool json;
    FILE *curves; /* may be NULL */
    char draft[4096];
    size_t done; /* rows, of all values */
} job;

static void print_heading(const job *j, const oct_accuracy *r)
{
    if (j->done > 0)
        printf("\n");
    if (r->value[0])
        printf("%s = %s: ", j->variation.key, r->value);
    printf("relative error of %zu accelerations", r->targets);
    if (r->targets < r->n)
        printf(" of %zu", r->n);
    printf(
        ", %s in %s against direct in double precision;\ninteractions per particle\n\n%-12s  %5s "
        " %5s",
        j->plan.gravity, oct_precision_name(r->precision), "criterion", "theta", "alpha");
    for (int i = 0; i < VALUES; i++)
        printf("  %*s", i < ERRORS ? 9 : 8, i == POTENTIAL ? "potential" : columns[i]);
    printf("\n");
}

static void print_row(const oct_accuracy *r, const double values[VALUES])
{
    const oct_accuracy_setting *how = &r->setting;
    printf("%-12s", how->criterion[0] ? how->criterion : "-");
    print_cell(how->theta);
    print_cell(how->alpha);
    for (int i = 0; i < VALUES; i++)
        printf(i < ERRORS ? "  %9.2e" : "  %8.0f", values[i]);
    printf("\n");
}

static void print_result(const job *j, const oct_accuracy *r, bool first)
{
    const double values[VALUES] = {r->median,         r->p90,   r->p99,
                                   r->p999,           r->most,  r->mean,
                                   r->potential_mean, r->cells, r->particles};
    if (!j->json && first)
        print_heading(j, r);
    if (j->json)
        print_record(r, values, j->done == 0);
    else
        print_row(r, values);
    fflush(stdout);
}

/* Measures with every setting and prints as it goes. */
static oct_status measure_rows(job *j, oct_scene *scene, const char *value,
                               const oct_accuracy_forces *exact)
{
    double *room = malloc(exact->targets * sizeof *room + 1);
    oct_status status = room ? OCT_STATUS_OK : OCT_STATUS_MEMORY;
    for (size_t i = 0; status == OCT_STATUS_OK && i < j->rows.n; i++) {
        oct_accuracy row = {.setting = j->rows.list[i], .value = value, .errors = room};
        status = oct_accuracy_apply(scene, &row.setting);
        if (status == OCT_STATUS_OK)
            status = oct_accuracy_measure(&row, j->device, scene, j->precision, exact);
        if (status != OCT_STATUS_OK)
            break;
        print_result(j, &row, i == 0);
        if (j->curves)
            oct_accuracy_curve(j->curves, &row);
        j->done++;
    }
    free(room);
    return status;
}

static void warn_if_long(const job *j, const oct_scene *scene)
{
    oct_estimate estimate = {.size = sizeof estimate};
    if (j->most == 0 &&
        oct_scene_estimate(&estimate, scene, oct_device_describe(j->device),
                           OCT_PRECISION_DOUBLE) == OCT_STATUS_OK &&
        estimate.n > MANY)
        fprintf(stderr,
                "octant: all %.3g particles are compared, which takes %.2g interactions in double "
                "precision; --targets takes some of them\n",
                (double)estimate.n, (double)estimate.n * (double)estimate.n);
}

static oct_status measure_value(job *j, size_t value)
{
    oct_scene *scene = NULL, *direct = NULL;
    oct_accuracy_forces exact = {0};
    oct_status status = oct_accuracy_scene(&scene, j->call, &j->variation, value);
    if (status == OCT_STATUS_OK)
        status = oct_accuracy_scene(&direct, j->call, &j->variation, value);
    if (status == OCT_STATUS_OK) {
        warn_if_long(j, scene);
        status = oct_accuracy_exact(&exact, j->device, direct, scene, j->most);
    }
    if (status == OCT_STATUS_OK)
        status = measure_rows(j, scene, j->variation.values[value], &exact);
    oct_accuracy_forces_clear(&exact);
    oct_scene_free(direct);
    oct_scene_free(scene);
    return status;
}

/* A bad value is refused before anything is measured: all or nothing. */
static oct_status check_all(const job *j)
{
    oct_plan plan = {.size = sizeof plan};
    oct_status status = OCT_STATUS_OK;
    for (size_t v = 0; v < j->variation.n && status == OCT_STATUS_OK; v++) {
        oct_scene *scene = NULL;
        status = oct_accuracy_scene(&scene, j->call, &j->variation, v);
        for (size_t i = 0; i < j->rows.n && status == OCT_STATUS_OK; i++) {
            status = oct_accuracy_apply(scene, &j->rows.list[i]);
            if (status == OCT_STATUS_OK)
                status = oct_scene_plan(&plan, scene);
        }
        oct_scene_free(scene);
    }
    return status;
}

/* The curves take the place of an older file when all of them are there. The exit status. */
static int open_curves(job *j)
{
    const char *path = oct_call_option(j->call, "curves");
    if (!path)
        return 0;
    int length = snprintf(j->draft, sizeof j->draft, "%s.part", path);
    j->curves = length > 0 && (size_t)length < sizeof j->draft ? fopen(j->draft, "w") : NULL;
    if (!j->curves)
        return oct_report_usage("--curves: '%s' cannot be written: %s", path, strerror(errno));
    oct_accuracy_head(j->curves);
    return 0;
}

static int close_curves(job *j, int code)
{
    if (!j->curves)
        return code;
    bool written = !ferror(j->curves);
    written = fclose(j->curves) == 0 && written;
    if (code == 0 && written && rename(j->draft, oct_call_option(j->call, "curves")) == 0)
        return 0;
    if (code == 0)
        oct_report_usage("--curves: writing '%s' failed", oct_call_option(j->call, "curves"));
    remove(j->draft);
    return code ? code : 1;
}

/* Everything that can be wrong with the call, then a device. The exit status. */
static int prepare(job *j)
{
    oct_scene *scene = NULL;
    bool bad = false;
    j->precision = oct_call_precision(j->call, &bad);
    j->most = oct_call_count(j->call, "targets", 0, &bad);
    if (bad || oct_accuracy_vary(&j->variation, j->call) != 0)
        return 2;
    oct_status status = oct_accuracy_scene(&scene, j->call, &j->variation, 0);
    if (status == OCT_STATUS_OK)
        status = oct_scene_plan(&j->plan, scene);
    int code = status == OCT_STATUS_OK
                   ? oct_accuracy_choose(&j->rows, j->call, scene, j->plan.gravity)
                   : oct_report_failure(status);
    oct_scene_free(scene);
    if (code != 0)
        return code;
    status = check_all(j);
    if (status == OCT_STATUS_OK)
        status = oct_call_device(&j->device, j->call);
    return status == OCT_STATUS_OK ? open_curves(j) : oct_report_failure(status);
}

static int run(const oct_call *call)
{
    job *j = calloc(1, sizeof *j);
    if (!j)
        return (oct_report_usage("no memory for the settings"), 1);
    j->call = call;
    j->json = oct_call_option(call, "json") != NULL;
    j->plan.size = sizeof j->plan;
    int code = prepare(j);
    oct_status status = OCT_STATUS_OK;
    for (size_t v = 0; code == 0 && status == OCT_STATUS_OK && v < j->variation.n; v++)
        status = measure_value(j, v);
    if (j->json && j->done > 0)
        printf("\n]\n");
    if (status != OCT_STATUS_OK)
        code = oct_report_failure(status);
    code = close_curves(j, code);
    oct_device_free(j->device);
    free(j);
    return code;
}

const oct_command oct_cmd_accuracy = {
    .name = "accuracy",
    .arguments = "SCENE",
    .doc = "measure the error of forces against direct summation in double precision",
    .example = "octant accuracy plummer --set gravity.method=tree --theta 0.3,0.5,0.75",
    .options = options,
    .min_arguments = 1,
    .max_arguments = 1,
    .takes = OCT_TAKES_SCENES,
    .run = run,
};
