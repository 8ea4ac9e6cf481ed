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
     .doc = "opening angles to measure, as in 0.3,0.5; without it, the scene's own"},
    OCT_OPTION_JSON,
    {0}};

enum { MOST_ANGLES = 64, MANY = 1 << 20 };

typedef struct accuracy {
    double theta; /* NaN where the method has none */
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
}

/* What --theta lists, or the scene's own angle; none for a method without. */
typedef struct angles {
    size_t n;
    double values[MOST_ANGLES];
} angles;

static bool read_angles(angles *out, const char *list)
{
    for (const char *c = list; c;) {
        char *end;
        double angle = strtod(c, &end);
        if (end == c || (*end && *end != ',') || !(angle > 0 && angle < 10)) {
            oct_report_usage("--theta is a list of angles above 0, as in 0.3,0.5, not `%s`", list);
            return false;
        }
        if (out->n == MOST_ANGLES) {
            oct_report_usage("--theta lists more than %d angles", MOST_ANGLES);
            return false;
        }
        out->values[out->n++] = angle;
        c = *end ? end + 1 : NULL;
    }
    return true;
}

static bool has_column(const oct_sim *sim, const char *name)
{
    const oct_column *column = oct_sim_columns(sim);
    while (column->name && strcmp(column->name, name) != 0)
        column++;
    return column->name != NULL;
}

/* Counts of the last forces. */
static oct_status count_interactions(accuracy *out, oct_sim *sim)
{
    oct_status status = oct_sim_measure_one(&out->cells, sim, "cells");
    if (status == OCT_STATUS_OK)
        status = oct_sim_measure_one(&out->particles, sim, "particles");
    return status;
}

/* The bodies at the start, with acceleration and potential. */
static oct_status forces_of(oct_bodies *out, accuracy *result, oct_device *device,
                            const oct_scene *scene, oct_precision precision)
{
    oct_sim *sim = NULL;
    oct_status status = oct_sim_create(&sim, device, scene, precision);
    bool tree = status == OCT_STATUS_OK && has_column(sim, "cells");
    if (status == OCT_STATUS_OK)
        status = oct_sim_bodies(out, sim);
    /* A criterion may go by the forces before: those after the first are what a run sees. */
    if (status == OCT_STATUS_OK && tree)
        status = oct_sim_set_bodies(sim, out);
    if (status == OCT_STATUS_OK && tree)
        status = oct_sim_bodies(out, sim);
    result->particles = (double)out->n; /* all pairs: every particle and no cell */
    if (status == OCT_STATUS_OK && tree)
        status = count_interactions(result, sim);
    if (status == OCT_STATUS_OK)
        result->precision = oct_sim_precision(sim);
    oct_sim_free(sim);
    return status;
}

/* The same scene by direct summation in double precision. */
static oct_status exact_forces(oct_bodies *out, oct_device *device, const oct_call *call,
                               const oct_scene *scene)
{
    accuracy ignored = {0};
    oct_scene *direct = NULL;
    char *softening = NULL, assignment[128];
    oct_status status = oct_scene_get(&softening, scene, "gravity.softening");
    if (status == OCT_STATUS_OK)
        status = oct_call_scene(&direct, call);
    if (status == OCT_STATUS_OK) {
        snprintf(assignment, sizeof assignment, "gravity={method: direct, softening: %s}",
                 softening);
        status = oct_scene_set(direct, assignment);
    }
    if (status == OCT_STATUS_OK)
        status = forces_of(out, &ignored, device, direct, OCT_PRECISION_DOUBLE);
    oct_text_free(softening);
    oct_scene_free(direct);
    return status;
}

/* Measures the scene at an angle, or as it is for NaN. */
static oct_status measure(accuracy *out, oct_device *device, oct_scene *scene, double theta,
                          oct_precision precision, const oct_bodies *exact, double *room)
{
    char assignment[64];
    oct_bodies bodies = {0};
    oct_status status = OCT_STATUS_OK;
    *out = (accuracy){.theta = theta};
    snprintf(assignment, sizeof assignment, "gravity.theta=%.17g", theta);
    if (!isnan(theta))
        status = oct_scene_set(scene, assignment);
    if (status == OCT_STATUS_OK)
        status = forces_of(&bodies, out, device, scene, precision);
    if (status == OCT_STATUS_OK)
        compare(out, &bodies, exact, room);
    oct_bodies_clear(&bodies);
    return status;
}

static const char *const names[] = {"median",         "p90",   "p99",      "mean",
                                    "potential_mean", "cells", "particles"};
enum { VALUES = sizeof names / sizeof names[0], ERRORS = 5 };

static void print_record(const accuracy *r, const double values[VALUES], bool first)
{
    printf("%s\n  {\"theta\": ", first ? "[" : ",");
    oct_json_number(r->theta);
    printf(", \"n\": %zu, \"precision\": \"%s\"", r->n, oct_precision_name(r->precision));
    for (int i = 0; i < VALUES; i++) {
        printf(", \"%s\": ", names[i]);
        oct_json_number(values[i]);
    }
    printf("}");
}

static void print_row(const accuracy *r, const double values[VALUES], const char *method,
                      bool first)
{
    if (first) {
        printf("relative error of %zu accelerations, %s in %s against direct in double "
               "precision;\ninteractions per particle\n\n%5s",
               r->n, method, oct_precision_name(r->precision), "theta");
        for (int i = 0; i < VALUES; i++)
            printf("  %*s", i < ERRORS ? 9 : 8, i == 4 ? "potential" : names[i]);
        printf("\n");
    }
    if (isnan(r->theta))
        printf("%5s", "-");
    else
        printf("%5.4g", r->theta);
    for (int i = 0; i < VALUES; i++)
        printf(i < ERRORS ? "  %9.2e" : "  %8.0f", values[i]);
    printf("\n");
}

static void print_result(const accuracy *r, const char *method, bool json, bool first)
{
    const double values[VALUES] = {r->median,         r->p90,   r->p99,      r->mean,
                                   r->potential_mean, r->cells, r->particles};
    if (json)
        print_record(r, values, first);
    else
        print_row(r, values, method, first);
    fflush(stdout);
}

/* Measures at every angle and prints as it goes. The exit status. */
static int measure_all(const oct_call *call, oct_device *device, oct_scene *scene,
                       const angles *list, oct_precision precision, const char *method)
{
    bool json = oct_call_option(call, "json") != NULL;
    oct_bodies exact = {0};
    size_t done = 0, n = list->n ? list->n : 1;
    oct_status status = exact_forces(&exact, device, call, scene);
    double *room = malloc((exact.n + 1) * sizeof *room);
    for (; status == OCT_STATUS_OK && room && done < n; done++) {
        accuracy result;
        double theta = list->n ? list->values[done] : NAN;
        status = measure(&result, device, scene, theta, precision, &exact, room);
        if (status != OCT_STATUS_OK)
            break;
        print_result(&result, method, json, done == 0);
    }
    if (json && done > 0)
        printf("\n]\n");
    int code = 0;
    if (status != OCT_STATUS_OK)
        code = oct_report_failure(status);
    else if (!room)
        code = oct_report_usage("no memory to compare the forces");
    free(room);
    oct_bodies_clear(&exact);
    return code;
}

/* A scene without gravity has no accuracy, and a method without opening angle no --theta. */
static int check_method(angles *list, const oct_scene *scene, const char *method)
{
    char *own = NULL;
    if (strcmp(method, "none") == 0)
        return oct_report_usage("this scene has no gravity whose accuracy could be measured");
    oct_status status = oct_scene_get(&own, scene, "gravity.theta");
    if (status == OCT_STATUS_MISSING)
        return list->n ? oct_report_usage("--theta: method %s has no opening angle; add --set "
                                          "gravity.method=tree",
                                          method)
                       : 0;
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    if (list->n == 0)
        list->values[list->n++] = strtod(own, NULL);
    oct_text_free(own);
    return 0;
}

static void warn_if_long(const oct_scene *scene, oct_device *device)
{
    oct_estimate estimate;
    if (oct_scene_estimate(&estimate, scene, oct_device_describe(device), OCT_PRECISION_DOUBLE) ==
            OCT_STATUS_OK &&
        estimate.n > MANY)
        fprintf(stderr,
                "octant: all %.3g particles are compared, which takes %.2g interactions in double "
                "precision\n",
                (double)estimate.n, (double)estimate.n * (double)estimate.n);
}

static int run(const oct_call *call)
{
    bool bad = false;
    angles list = {0};
    oct_precision precision = oct_call_precision(call, &bad);
    if (bad || !read_angles(&list, oct_call_option(call, "theta")))
        return 2;
    oct_scene *scene = NULL;
    oct_device *device = NULL;
    oct_plan plan = {0};
    oct_status status = oct_call_scene(&scene, call);
    if (status == OCT_STATUS_OK)
        status = oct_scene_plan(&plan, scene);
    int code = status == OCT_STATUS_OK ? check_method(&list, scene, plan.gravity) : 0;
    if (status == OCT_STATUS_OK && code == 0)
        status = oct_device_open(&device, oct_call_option(call, "device"));
    if (status != OCT_STATUS_OK) {
        code = oct_report_failure(status);
    } else if (code == 0) {
        warn_if_long(scene, device);
        code = measure_all(call, device, scene, &list, precision, plan.gravity);
    }
    oct_scene_free(scene);
    oct_device_free(device);
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
    .run = run,
};
