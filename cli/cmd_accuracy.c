/* octant accuracy: errors of a scene's forces against summation over all pairs in double. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "command.h"
#include "first_use.h"

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
    OCT_OPTION_JSON,
    {0}};

enum { MOST_VALUES = 64, NAME_BYTES = 24, MANY = 1 << 20 };

/* How forces are found: a row of the result. What the method does not have is empty or NaN. */
typedef struct setting {
    char criterion[NAME_BYTES];
    double theta, alpha;
} setting;

typedef struct accuracy {
    setting setting;
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

/* What an option lists, or the scene's own value; none for a method without. */
typedef struct numbers {
    size_t n;
    double values[MOST_VALUES];
} numbers;

typedef struct names {
    size_t n;
    char values[MOST_VALUES][NAME_BYTES];
} names;

static bool read_numbers(numbers *out, const oct_call *call, const char *option)
{
    const char *list = oct_call_option(call, option);
    for (const char *c = list; c;) {
        char *end;
        double value = strtod(c, &end);
        if (end == c || (*end && *end != ',') || !isfinite(value)) {
            oct_report_usage("--%s is a list of numbers, as in 0.3,0.5, not `%s`", option, list);
            return false;
        }
        if (out->n == MOST_VALUES) {
            oct_report_usage("--%s lists more than %d values", option, MOST_VALUES);
            return false;
        }
        out->values[out->n++] = value;
        c = *end ? end + 1 : NULL;
    }
    return true;
}

static bool read_names(names *out, const oct_call *call, const char *option)
{
    const char *list = oct_call_option(call, option);
    for (const char *c = list; c;) {
        size_t length = strcspn(c, ",");
        if (length == 0 || length >= NAME_BYTES || out->n == MOST_VALUES) {
            oct_report_usage("--%s is a list of names, as in offset,relative, not `%s`", option,
                             list);
            return false;
        }
        snprintf(out->values[out->n++], NAME_BYTES, "%.*s", (int)length, c);
        c = c[length] ? c + length + 1 : NULL;
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
    oct_first_use use = {.quiet = false};
    oct_status status = oct_first_use_trust(&use, device, scene, precision);
    if (status == OCT_STATUS_OK)
        status = oct_sim_create(&sim, device, scene, precision);
    bool tree = status == OCT_STATUS_OK && has_column(sim, "cells");
    /* A criterion may go by the forces before: those after the first are what a run sees. */
    if (status == OCT_STATUS_OK && tree)
        status = oct_sim_settle_forces(sim);
    if (status == OCT_STATUS_OK)
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

static oct_status set_number(oct_scene *scene, const char *key, double value)
{
    char assignment[64];
    snprintf(assignment, sizeof assignment, "gravity.%s=%.17g", key, value);
    return isnan(value) ? OCT_STATUS_OK : oct_scene_set(scene, assignment);
}

static oct_status apply(oct_scene *scene, const setting *to)
{
    char assignment[64];
    snprintf(assignment, sizeof assignment, "gravity.criterion=%s", to->criterion);
    oct_status status = to->criterion[0] ? oct_scene_set(scene, assignment) : OCT_STATUS_OK;
    if (status == OCT_STATUS_OK)
        status = set_number(scene, "theta", to->theta);
    if (status == OCT_STATUS_OK)
        status = set_number(scene, "alpha", to->alpha);
    return status;
}

static oct_status measure(accuracy *out, oct_device *device, oct_scene *scene, const setting *how,
                          oct_precision precision, const oct_bodies *exact, double *room)
{
    oct_bodies bodies = {0};
    *out = (accuracy){.setting = *how};
    oct_status status = apply(scene, how);
    if (status == OCT_STATUS_OK)
        status = forces_of(&bodies, out, device, scene, precision);
    if (status == OCT_STATUS_OK)
        compare(out, &bodies, exact, room);
    oct_bodies_clear(&bodies);
    return status;
}

static const char *const columns[] = {"median",         "p90",   "p99",      "mean",
                                      "potential_mean", "cells", "particles"};
enum { VALUES = sizeof columns / sizeof columns[0], ERRORS = 5 };

static void print_record(const accuracy *r, const double values[VALUES], bool first)
{
    printf("%s\n  {\"theta\": ", first ? "[" : ",");
    oct_json_number(r->setting.theta);
    printf(", \"criterion\": ");
    if (r->setting.criterion[0])
        oct_json_text(r->setting.criterion);
    else
        printf("null");
    printf(", \"alpha\": ");
    oct_json_number(r->setting.alpha);
    printf(", \"n\": %zu, \"precision\": \"%s\"", r->n, oct_precision_name(r->precision));
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

static void print_row(const accuracy *r, const double values[VALUES], const char *method,
                      bool first)
{
    const setting *how = &r->setting;
    if (first) {
        printf("relative error of %zu accelerations, %s in %s against direct in double "
               "precision;\ninteractions per particle\n\n%-12s  %5s  %5s",
               r->n, method, oct_precision_name(r->precision), "criterion", "theta", "alpha");
        for (int i = 0; i < VALUES; i++)
            printf("  %*s", i < ERRORS ? 9 : 8, i == 4 ? "potential" : columns[i]);
        printf("\n");
    }
    printf("%-12s", how->criterion[0] ? how->criterion : "-");
    print_cell(how->theta);
    print_cell(how->alpha);
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

/* The rows of the result. */
typedef struct settings {
    size_t n;
    setting list[MOST_VALUES * MOST_VALUES];
} settings;

/* Measures with every setting and prints as it goes. The exit status. */
static int measure_all(const oct_call *call, oct_device *device, oct_scene *scene,
                       const settings *rows, oct_precision precision, const char *method)
{
    bool json = oct_call_option(call, "json") != NULL;
    oct_bodies exact = {0};
    size_t done = 0;
    oct_status status = exact_forces(&exact, device, call, scene);
    double *room = malloc((exact.n + 1) * sizeof *room);
    for (; status == OCT_STATUS_OK && room && done < rows->n; done++) {
        accuracy result;
        status = measure(&result, device, scene, &rows->list[done], precision, &exact, room);
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

/* The scene's own value of a key of gravity; "" for a method without it. */
static oct_status own_value(char out[NAME_BYTES], const oct_scene *scene, const char *key)
{
    char *text = NULL;
    oct_status status = oct_scene_get(&text, scene, key);
    snprintf(out, NAME_BYTES, "%s", status == OCT_STATUS_OK ? text : "");
    oct_text_free(text);
    return status == OCT_STATUS_MISSING ? OCT_STATUS_OK : status;
}

/* The rows: each criterion with every angle, or with every α where it goes by that; its first
 * forces then take the scene's angle. */
static void list_settings(settings *out, const names *criteria, const numbers *angles,
                          const numbers *alphas, double own_angle)
{
    for (size_t c = 0; c < criteria->n; c++) {
        bool relative = strcmp(criteria->values[c], "relative") == 0;
        for (size_t i = 0; i < (relative ? alphas : angles)->n; i++) {
            setting *row = &out->list[out->n++];
            *row = (setting){.theta = relative ? own_angle : angles->values[i],
                             .alpha = relative ? alphas->values[i] : NAN};
            snprintf(row->criterion, NAME_BYTES, "%s", criteria->values[c]);
        }
    }
}

static bool lists(const names *criteria, bool relative)
{
    for (size_t c = 0; c < criteria->n; c++)
        if ((strcmp(criteria->values[c], "relative") == 0) == relative)
            return true;
    return false;
}

/* Fills in what was not asked for from the scene, and refuses what the method does not have. The
 * exit status. */
static int choose_settings(settings *out, const oct_call *call, const oct_scene *scene,
                           const char *method)
{
    numbers angles = {0}, alphas = {0};
    names criteria = {0};
    char theta[NAME_BYTES], alpha[NAME_BYTES], criterion[NAME_BYTES];
    if (!read_numbers(&angles, call, "theta") || !read_numbers(&alphas, call, "alpha") ||
        !read_names(&criteria, call, "criterion"))
        return 2;
    if (strcmp(method, "none") == 0)
        return oct_report_usage("this scene has no gravity whose accuracy could be measured");
    oct_status status = own_value(theta, scene, "gravity.theta");
    if (status == OCT_STATUS_OK)
        status = own_value(alpha, scene, "gravity.alpha");
    if (status == OCT_STATUS_OK)
        status = own_value(criterion, scene, "gravity.criterion");
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    if (angles.n && !theta[0])
        return oct_report_usage("--theta: method %s has no opening angle; add --set "
                                "gravity.method=tree",
                                method);
    if ((criteria.n || alphas.n) && !criterion[0])
        return oct_report_usage("--%s: method %s has no criterion to choose; add --set "
                                "gravity.method=tree",
                                criteria.n ? "criterion" : "alpha", method);
    if (criteria.n == 0)
        snprintf(criteria.values[criteria.n++], NAME_BYTES, "%s", criterion);
    if (angles.n && !lists(&criteria, false))
        return oct_report_usage("--theta: criterion relative goes by α: list values with --alpha");
    if (alphas.n && !lists(&criteria, true))
        return oct_report_usage("--alpha: criterion %s goes by θ; add --criterion relative",
                                criteria.values[0]);
    double own_angle = theta[0] ? strtod(theta, NULL) : NAN;
    if (angles.n == 0)
        angles.values[angles.n++] = own_angle;
    if (alphas.n == 0)
        alphas.values[alphas.n++] = alpha[0] ? strtod(alpha, NULL) : NAN;
    list_settings(out, &criteria, &angles, &alphas, own_angle);
    return 0;
}

/* A bad value is refused before anything is measured: all or nothing. */
static oct_status check_settings(const settings *rows, const oct_call *call)
{
    oct_scene *scene = NULL;
    oct_plan plan = {.size = sizeof plan};
    oct_status status = oct_call_scene(&scene, call);
    for (size_t i = 0; i < rows->n && status == OCT_STATUS_OK; i++) {
        status = apply(scene, &rows->list[i]);
        if (status == OCT_STATUS_OK)
            status = oct_scene_plan(&plan, scene);
    }
    oct_scene_free(scene);
    return status;
}

static void warn_if_long(const oct_scene *scene, oct_device *device)
{
    oct_estimate estimate = {.size = sizeof estimate};
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
    settings *rows = calloc(1, sizeof *rows);
    oct_precision precision = oct_call_precision(call, &bad);
    oct_scene *scene = NULL;
    oct_device *device = NULL;
    oct_plan plan = {.size = sizeof plan};
    if (!rows)
        return (oct_report_usage("no memory for the settings"), 1);
    oct_status status = bad ? OCT_STATUS_OK : oct_call_scene(&scene, call);
    if (status == OCT_STATUS_OK && !bad)
        status = oct_scene_plan(&plan, scene);
    int code = bad ? 2 : 0;
    if (status == OCT_STATUS_OK && !bad)
        code = choose_settings(rows, call, scene, plan.gravity);
    if (status == OCT_STATUS_OK && code == 0)
        status = check_settings(rows, call);
    if (status == OCT_STATUS_OK && code == 0)
        status = oct_call_device(&device, call);
    if (status != OCT_STATUS_OK) {
        code = oct_report_failure(status);
    } else if (code == 0) {
        warn_if_long(scene, device);
        code = measure_all(call, device, scene, rows, precision, plan.gravity);
    }
    oct_scene_free(scene);
    oct_device_free(device);
    free(rows);
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
