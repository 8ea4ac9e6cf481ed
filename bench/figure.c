/* The error is that of the forces at the start; then steps are timed. */
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TARGETS = 2000 };

void oct_bench_exact_clear(oct_bench_exact *exact)
{
    free(exact->list);
    free(exact->acceleration);
    *exact = (oct_bench_exact){0};
}

static oct_status read_forces(double *out, oct_sim *sim, const oct_bench_exact *exact)
{
    const oct_selection of = {.n = exact->n, .list = exact->list};
    return oct_sim_forces_on(out, NULL, sim, &of);
}

oct_status oct_bench_sum(oct_bench_exact *out, const oct_bench_run *run, const char *models)
{
    oct_sim *sim = NULL;
    *out = (oct_bench_exact){0};
    if (!oct_device_describe(run->device)->fp64)
        return OCT_STATUS_OK;
    const oct_sim_options exactly = {
        .size = sizeof exactly, .precision = OCT_PRECISION_DOUBLE, .unmeasured = true};
    oct_status status = oct_bench_scene(&sim, run, models, &exactly, "{method: direct}");
    if (status == OCT_STATUS_OK) {
        size_t all = oct_sim_size(sim);
        out->n = all < TARGETS ? all : TARGETS;
        out->list = malloc(out->n * sizeof *out->list + 1);
        out->acceleration = malloc(3 * out->n * sizeof(double) + 1);
        /* Models draw one body after the other, so any will do. */
        for (size_t i = 0; out->list && i < out->n; i++)
            out->list[i] = (uint32_t)(i * all / out->n);
        status = out->list && out->acceleration ? read_forces(out->acceleration, sim, out)
                                                : OCT_STATUS_MEMORY;
    }
    oct_sim_free(sim);
    if (status != OCT_STATUS_OK)
        oct_bench_exact_clear(out);
    return status;
}

static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Mean relative error of the accelerations. */
static oct_status find_error(double *out, oct_sim *sim, const oct_bench_exact *exact)
{
    if (exact->n == 0)
        return OCT_STATUS_OK;
    double *found = malloc(3 * exact->n * sizeof *found);
    oct_status status = found ? read_forces(found, sim, exact) : OCT_STATUS_MEMORY;
    for (size_t i = 0; i < exact->n && status == OCT_STATUS_OK; i++) {
        const double *a = found + 3 * i, *b = exact->acceleration + 3 * i;
        const double off[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        *out += norm(off) / norm(b) / (double)exact->n;
    }
    free(found);
    return status;
}

static void compare(oct_bench_result *out, const oct_bench_figure *figure)
{
    out->ratio = figure->published_ms > 0 ? figure->published_ms / out->ms_step : NAN;
    if (figure->published_ms > 0)
        snprintf(out->reference, sizeof out->reference, "%s", figure->published);
}

oct_status oct_bench_measure(oct_bench_result *out, const oct_bench_run *run,
                             const oct_bench_figure *figure, const oct_bench_exact *exact)
{
    oct_sim *sim = NULL;
    char gravity[160];
    double cells = 0, particles = 0;
    *out = (oct_bench_result){.theta = figure->theta, .ratio = NAN};
    snprintf(out->name, sizeof out->name, "%s", figure->name);
    snprintf(gravity, sizeof gravity, "{method: tree, theta: %.17g%s%s}", figure->theta,
             figure->gravity[0] ? ", " : "", figure->gravity);
    const oct_sim_options options = {
        .size = sizeof options, .precision = run->precision, .unmeasured = true};
    oct_status status = oct_bench_scene(&sim, run, figure->models, &options, gravity);
    /* A criterion may go by the forces before: those after the first are what steps see. */
    if (status == OCT_STATUS_OK)
        status = oct_sim_settle_forces(sim);
    if (status == OCT_STATUS_OK)
        status = find_error(&out->force_error, sim, exact);
    if (status == OCT_STATUS_OK)
        status = oct_bench_time(out, sim, run, run->seconds);
    if (status == OCT_STATUS_OK)
        status = oct_sim_measure_one(&cells, sim, "cells");
    if (status == OCT_STATUS_OK)
        status = oct_sim_measure_one(&particles, sim, "particles");
    if (status == OCT_STATUS_OK) {
        double walk_s = 1e-3 * oct_bench_phase(out, "force_tree");
        out->n = oct_sim_count(sim);
        out->interactions_per_s = (double)out->n * (cells + particles) / walk_s;
        snprintf(out->precision, sizeof out->precision, "%s",
                 oct_precision_name(oct_sim_precision(sim)));
        compare(out, figure);
    }
    oct_sim_free(sim);
    return status;
}
