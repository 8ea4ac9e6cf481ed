#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

static const oct_option options[] = {
    OCT_OPTION_SET,
    OCT_OPTION_DEVICE,
    OCT_OPTION_PRECISION,
    {.name = "theta",
     .value = "LIST",
     .doc = "opening angles for tree methods, as in 0.3,0.5; direct has none"},
    OCT_OPTION_JSON,
    {0}};

typedef struct accuracy {
    size_t n;
    oct_precision precision;
    double median, p90, p99, mean; /* relative error of the acceleration */
    double potential_mean;
    double cells, particles; /* interactions per particle */
} accuracy;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double relative(double difference, double reference)
{
    return difference == 0 ? 0 : difference / reference;
}

/* The value that a fraction of a sorted list does not exceed. */
static double percentile(const double *sorted, size_t n, double fraction)
{
    size_t rank = (size_t)ceil(fraction * (double)n);
    return sorted[rank > 0 ? rank - 1 : 0];
}

static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Room for one number per body is the caller's. */
static void compare(accuracy *out, const oct_bodies *bodies, const oct_bodies *exact, double *room)
{
    size_t n = exact->n;
    out->n = n;
    for (size_t i = 0; i < n; i++) {
        const double *a = bodies->acceleration + 3 * i, *b = exact->acceleration + 3 * i;
        const double difference[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        room[i] = relative(norm(difference), norm(b));
        out->mean += room[i] / (double)n;
        out->potential_mean +=
            relative(fabs(bodies->potential[i] - exact->potential[i]), fabs(exact->potential[i])) /
            (double)n;
    }
    qsort(room, n, sizeof *room, by_value);
    out->median = percentile(room, n, 0.5);
    out->p90 = percentile(room, n, 0.9);
    out->p99 = percentile(room, n, 0.99);
    out->particles = (double)n; /* direct summation meets every particle and no cell */
}

/* The bodies at the start, with acceleration and potential. */
static oct_status forces_of(oct_bodies *out, oct_precision *used, oct_device *device,
                            const oct_scene *scene, oct_precision precision)
{
    oct_sim *sim = NULL;
    oct_status status = oct_sim_create(&sim, device, scene, precision);
    if (status == OCT_STATUS_OK) {
        *used = oct_sim_precision(sim);
        status = oct_sim_bodies(out, sim);
    }
    oct_sim_free(sim);
    return status;
}

/* Measures into *out, which is zero; false in *enough when memory ran out. */
static oct_status measure(accuracy *out, bool *enough, oct_device *device, const oct_scene *scene,
                          oct_precision precision)
{
    oct_bodies bodies = {0}, exact = {0};
    oct_precision ignored;
    oct_status status = forces_of(&exact, &ignored, device, scene, OCT_PRECISION_DOUBLE);
    if (status == OCT_STATUS_OK)
        status = forces_of(&bodies, &out->precision, device, scene, precision);
    if (status == OCT_STATUS_OK) {
        double *room = malloc((exact.n + 1) * sizeof *room);
        *enough = room != NULL;
        if (room && exact.n > 0)
            compare(out, &bodies, &exact, room);
        free(room);
    }
    oct_bodies_clear(&bodies);
    oct_bodies_clear(&exact);
    return status;
}

static void print_result(const accuracy *result, bool json)
{
    const double values[] = {result->median,         result->p90,   result->p99,      result->mean,
                             result->potential_mean, result->cells, result->particles};
    static const char *const names[] = {"median",         "p90",   "p99",      "mean",
                                        "potential_mean", "cells", "particles"};
    enum { VALUES = sizeof values / sizeof values[0], ERRORS = 5 };
    if (json) {
        printf("[\n  {\"theta\": null, \"n\": %zu, \"precision\": \"%s\"", result->n,
               oct_precision_name(result->precision));
        for (int i = 0; i < VALUES; i++) {
            printf(", \"%s\": ", names[i]);
            oct_json_number(values[i]);
        }
        printf("}\n]\n");
        return;
    }
    printf("relative error of %zu accelerations, direct in %s against double precision\n\n",
           result->n, oct_precision_name(result->precision));
    for (int i = 0; i < ERRORS; i++)
        printf("%-14s  %.3e\n", names[i], values[i]);
}

static bool check_angles(const char *list)
{
    for (const char *c = list; c;) {
        char *end;
        double angle = strtod(c, &end);
        if (end == c || (*end && *end != ',') || !(angle > 0 && angle < 10)) {
            oct_report_usage("--theta is a list of angles above 0, as in 0.3,0.5, not `%s`", list);
            return false;
        }
        c = *end ? end + 1 : NULL;
    }
    return true;
}

static int run(const oct_call *call)
{
    bool bad = false, enough = true;
    accuracy result = {0};
    oct_precision precision = oct_call_precision(call, &bad);
    if (bad || !check_angles(oct_call_option(call, "theta")))
        return 2;
    oct_scene *scene = NULL;
    oct_device *device = NULL;
    oct_plan plan = {0};
    oct_status status = oct_call_scene(&scene, call);
    if (status == OCT_STATUS_OK)
        status = oct_scene_plan(&plan, scene);
    bool gravity = strcmp(plan.gravity, "none") != 0;
    if (status == OCT_STATUS_OK && gravity)
        status = oct_device_open(&device, oct_call_option(call, "device"));
    if (status == OCT_STATUS_OK && gravity)
        status = measure(&result, &enough, device, scene, precision);
    int code = 0;
    if (status != OCT_STATUS_OK)
        code = oct_report_failure(status);
    else if (!gravity)
        code = oct_report_usage("this scene has no gravity whose accuracy could be measured");
    else if (!enough)
        code = oct_report_usage("no memory to compare the forces");
    else
        print_result(&result, oct_call_option(call, "json") != NULL);
    oct_scene_free(scene);
    oct_device_free(device);
    return code;
}

const oct_command oct_cmd_accuracy = {
    .name = "accuracy",
    .arguments = "SCENE",
    .doc = "measure the error of forces against direct summation in double precision",
    .example = "octant accuracy plummer --precision single",
    .options = options,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
