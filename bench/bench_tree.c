/* Tree gravity with quadrupoles: interactions a second, against direct summation on the same
 * device in the same run. */
#include <stdio.h>
#include <string.h>

#include "timing.h"

/* Direct summation's time for a step, measured at a size that takes a fraction of a second. */
typedef struct reference {
    uint64_t n;
    double ms;
} reference;

static oct_status time_direct(reference *out, const oct_bench_run *run, uint64_t n,
                              oct_precision precision)
{
    oct_sim *sim = NULL;
    oct_bench_result result = {0};
    oct_status status = oct_bench_plummer(&sim, run, n, precision, "{method: direct}");
    if (status == OCT_STATUS_OK)
        status = oct_bench_time(&result, sim, run, 0.25 * run->seconds);
    *out = (reference){n, result.ms_step};
    oct_sim_free(sim);
    return status;
}

static void compare(oct_bench_result *result, const reference *direct)
{
    double larger = (double)result->n / (double)direct->n;
    result->ratio = direct->ms * larger * larger / result->ms_step;
    if (direct->n == result->n)
        snprintf(result->reference, sizeof result->reference, "direct, same device");
    else
        snprintf(result->reference, sizeof result->reference,
                 "direct, same device, as n^2 from n = %llu", (unsigned long long)direct->n);
}

static oct_status bench_one(const oct_bench_run *run, uint64_t n, oct_precision precision,
                            const reference *direct)
{
    char gravity[64];
    double theta = run->theta > 0 ? run->theta : 0.75, cells = 0, particles = 0;
    oct_sim *sim = NULL;
    oct_bench_result result = {.n = n, .theta = theta};
    snprintf(result.name, sizeof result.name, "tree");
    snprintf(result.precision, sizeof result.precision, "%s", oct_precision_name(precision));
    snprintf(gravity, sizeof gravity, "{method: tree, theta: %.17g}", theta);
    oct_status status = oct_bench_plummer(&sim, run, n, precision, gravity);
    if (status == OCT_STATUS_OK)
        status = oct_bench_time(&result, sim, run, run->seconds);
    if (status == OCT_STATUS_OK)
        status = oct_sim_measure_one(&cells, sim, "cells");
    if (status == OCT_STATUS_OK)
        status = oct_sim_measure_one(&particles, sim, "particles");
    if (status == OCT_STATUS_OK) {
        double walk_s = 1e-3 * oct_bench_phase(&result, "force_tree");
        result.interactions_per_s = (double)n * (cells + particles) / walk_s;
        compare(&result, direct);
        run->add(run->context, &result);
    }
    oct_sim_free(sim);
    return status;
}

static oct_status bench_sizes(const oct_bench_run *run, bool gpu, oct_precision precision)
{
    static const uint64_t sizes[] = {1 << 15, 1 << 17, 1 << 20, 1 << 22, 1 << 24};
    size_t n_sizes = run->n ? 1 : gpu ? 5 : 3;
    uint64_t largest = gpu ? 1 << 18 : 1 << 15;
    reference direct = {0};
    for (size_t i = 0; i < n_sizes; i++) {
        uint64_t n = run->n ? run->n : sizes[i], n_direct = n < largest ? n : largest;
        oct_status status = OCT_STATUS_OK;
        if (direct.n != n_direct)
            status = time_direct(&direct, run, n_direct, precision);
        if (status == OCT_STATUS_OK)
            status = bench_one(run, n, precision, &direct);
        if (status != OCT_STATUS_OK)
            return status;
    }
    return OCT_STATUS_OK;
}

static oct_status tree_run(const oct_bench_run *run)
{
    static const oct_precision precisions[] = {OCT_PRECISION_SINGLE, OCT_PRECISION_MIXED,
                                               OCT_PRECISION_DOUBLE};
    const oct_device_info *info = oct_device_describe(run->device);
    bool gpu = strcmp(info->kind, "gpu") == 0;
    for (size_t p = 0; p < (info->fp64 ? 3 : 1); p++) {
        bool own = run->precision == OCT_PRECISION_AUTO && precisions[p] != OCT_PRECISION_DOUBLE;
        if (!own && run->precision != precisions[p])
            continue;
        oct_status status = bench_sizes(run, gpu, precisions[p]);
        if (status != OCT_STATUS_OK)
            return status;
    }
    return OCT_STATUS_OK;
}

const oct_bench oct_bench_tree = {
    .name = "tree",
    .doc = "gravity by the octree with quadrupoles",
    .run = tree_run,
};
