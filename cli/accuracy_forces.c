/* Forces on some bodies of a scene, by its own method and by summation over all pairs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"
#include "first_use.h"

static bool has_column(const oct_sim *sim, const char *name)
{
    const oct_column *column = oct_sim_columns(sim);
    while (column->name && strcmp(column->name, name) != 0)
        column++;
    return column->name != NULL;
}

/* Creates the simulation of a scene on a device that is known to compute right. */
static oct_status start(oct_sim **out, oct_device *device, const oct_scene *scene,
                        oct_precision precision)
{
    oct_first_use use = {.quiet = false};
    const oct_sim_options options = {
        .size = sizeof options, .precision = precision, .unmeasured = true};
    oct_status status = oct_first_use_trust(&use, device, scene, precision);
    return status == OCT_STATUS_OK ? oct_sim_create_with(out, device, scene, &options) : status;
}

/* Bodies far from each other in the scene's order, one of each of so many parts of it: where in its
 * part goes by the golden section, so that nothing in the order can be in step with it. */
static void choose_targets(oct_accuracy_forces *out)
{
    double each = (double)out->n / (double)out->targets, golden = (sqrt(5) - 1) / 2;
    for (size_t i = 0; i < out->targets; i++) {
        double within = fmod((double)i * golden, 1);
        out->list[i] = (uint32_t)fmin(floor(((double)i + within) * each), (double)out->n - 1);
    }
    /* All of them are taken as they come. */
    for (size_t i = 0; out->targets == out->n && i < out->n; i++)
        out->list[i] = (uint32_t)i;
}

static oct_status make_room(oct_accuracy_forces *out, size_t n, size_t targets)
{
    *out = (oct_accuracy_forces){.n = n,
                                 .targets = targets,
                                 .list = malloc(targets * sizeof *out->list + 1),
                                 .acceleration = malloc(3 * targets * sizeof(double) + 1),
                                 .potential = malloc(targets * sizeof(double) + 1)};
    return out->list && out->acceleration && out->potential ? OCT_STATUS_OK : OCT_STATUS_MEMORY;
}

void oct_accuracy_forces_clear(oct_accuracy_forces *forces)
{
    free(forces->list);
    free(forces->acceleration);
    free(forces->potential);
    *forces = (oct_accuracy_forces){0};
}

static oct_status read_forces(oct_accuracy_forces *out, oct_sim *sim)
{
    const oct_selection of = {.n = out->targets, .list = out->list};
    return oct_sim_forces_on(out->acceleration, out->potential, sim, &of);
}

/* Copies a key of gravity from the scene, where it has it. */
static oct_status copy_key(oct_scene *direct, const oct_scene *scene, const char *key)
{
    char *value = NULL, assignment[160];
    oct_status status = oct_scene_get(&value, scene, key);
    if (status == OCT_STATUS_OK) {
        snprintf(assignment, sizeof assignment, "%s=%s", key, value);
        status = oct_scene_set(direct, assignment);
    }
    oct_text_free(value);
    return status == OCT_STATUS_MISSING ? OCT_STATUS_OK : status;
}

/* Makes gravity that of all pairs, softened as in the other. */
static oct_status make_direct(oct_scene *direct, const oct_scene *scene)
{
    static const char *const keys[] = {
        "gravity.softening",        "gravity.softenings.halo", "gravity.softenings.disk",
        "gravity.softenings.bulge", "gravity.softenings.star", "gravity.softenings.black_hole",
    };
    oct_status status = oct_scene_set(direct, "gravity={method: direct}");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && status == OCT_STATUS_OK; i++)
        status = copy_key(direct, scene, keys[i]);
    return status;
}

oct_status oct_accuracy_exact(oct_accuracy_forces *out, oct_device *device, oct_scene *direct,
                              const oct_scene *scene, uint64_t most)
{
    oct_sim *sim = NULL;
    *out = (oct_accuracy_forces){0};
    oct_status status = make_direct(direct, scene);
    if (status == OCT_STATUS_OK)
        status = start(&sim, device, direct, OCT_PRECISION_DOUBLE);
    if (status == OCT_STATUS_OK) {
        size_t n = oct_sim_size(sim);
        status = make_room(out, n, most > 0 && most < n ? (size_t)most : n);
    }
    if (status == OCT_STATUS_OK) {
        choose_targets(out);
        status = read_forces(out, sim);
    }
    oct_sim_free(sim);
    if (status != OCT_STATUS_OK)
        oct_accuracy_forces_clear(out);
    return status;
}

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

static void compare(oct_accuracy *out, const oct_accuracy_forces *found,
                    const oct_accuracy_forces *exact)
{
    size_t n = exact->targets;
    for (size_t i = 0; i < n; i++) {
        const double *a = found->acceleration + 3 * i, *b = exact->acceleration + 3 * i;
        const double difference[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        out->errors[i] = relative(norm(difference), norm(b));
        out->mean += out->errors[i] / (double)n;
        out->potential_mean +=
            relative(fabs(found->potential[i] - exact->potential[i]), fabs(exact->potential[i])) /
            (double)n;
    }
    qsort(out->errors, n, sizeof *out->errors, by_value);
    out->median = percentile(out->errors, n, 0.5);
    out->p90 = percentile(out->errors, n, 0.9);
    out->p99 = percentile(out->errors, n, 0.99);
    out->p999 = percentile(out->errors, n, 0.999);
    out->most = percentile(out->errors, n, 1);
}

oct_status oct_accuracy_measure(oct_accuracy *out, oct_device *device, const oct_scene *scene,
                                oct_precision precision, const oct_accuracy_forces *exact)
{
    oct_sim *sim = NULL;
    oct_accuracy_forces found = {0};
    out->n = exact->n;
    out->targets = exact->targets;
    out->particles = (double)exact->n; /* all pairs: every particle and no cell */
    oct_status status = start(&sim, device, scene, precision);
    bool tree = status == OCT_STATUS_OK && has_column(sim, "cells");
    /* A criterion may go by the forces before: those after the first are what a run sees. */
    if (status == OCT_STATUS_OK && tree)
        status = oct_sim_settle_forces(sim);
    if (status == OCT_STATUS_OK)
        status = make_room(&found, exact->n, exact->targets);
    if (status == OCT_STATUS_OK) {
        memcpy(found.list, exact->list, exact->targets * sizeof *found.list);
        status = read_forces(&found, sim);
    }
    if (status == OCT_STATUS_OK && tree)
        status = oct_sim_measure_one(&out->cells, sim, "cells");
    if (status == OCT_STATUS_OK && tree)
        status = oct_sim_measure_one(&out->particles, sim, "particles");
    if (status == OCT_STATUS_OK) {
        out->precision = oct_sim_precision(sim);
        compare(out, &found, exact);
    }
    oct_accuracy_forces_clear(&found);
    oct_sim_free(sim);
    return status;
}

void oct_accuracy_head(FILE *file)
{
    fprintf(file, "value,n,criterion,theta,alpha,error,fraction\n");
}

/* As many bodies as have a larger error, from all but one to none, evenly by their logarithm. */
void oct_accuracy_curve(FILE *file, const oct_accuracy *row)
{
    const oct_accuracy_setting *how = &row->setting;
    const double step = pow(10, -1.0 / 40);
    size_t last = row->targets;
    for (double larger = (double)row->targets - 1; last > 0; larger *= step) {
        size_t rest = larger >= 0.5 ? (size_t)floor(larger + 0.5) : 0;
        if (rest == last)
            continue;
        fprintf(file, "%s,%zu,%s,%.9g,%.9g,%.9g,%.9g\n", row->value, row->n, how->criterion,
                how->theta, how->alpha, row->errors[row->targets - 1 - rest],
                (double)rest / (double)row->targets);
        last = rest;
    }
}
