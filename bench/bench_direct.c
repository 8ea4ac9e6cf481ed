/* All-pairs gravity with potential: interactions a second, against a scalar double-precision loop
 * on one core of the host in the same run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "timing.h"

/* What anyone would write first; its result is used, so that it cannot be optimised away. */
static double scalar_sum(const double *x, const double *m, size_t i, size_t n, double softening2)
{
    double a[3] = {0}, phi = 0;
    for (size_t j = 0; j < n; j++) {
        double dx = x[3 * j] - x[3 * i], dy = x[3 * j + 1] - x[3 * i + 1],
               dz = x[3 * j + 2] - x[3 * i + 2];
        double r2 = dx * dx + dy * dy + dz * dz + softening2;
        double inverse = 1 / sqrt(r2), s = m[j] * inverse / r2;
        a[0] += s * dx;
        a[1] += s * dy;
        a[2] += s * dz;
        phi -= m[j] * inverse;
    }
    return a[0] + a[1] + a[2] + phi;
}

static double scalar_rate(const oct_bodies *bodies, double seconds)
{
    double start = oct_bench_clock(), spent, total = 0;
    size_t done = 0;
    do {
        total += scalar_sum(bodies->position, bodies->mass, done % bodies->n, bodies->n, 1e-4);
        done++;
        spent = oct_bench_clock() - start;
    } while (spent < seconds);
    return isfinite(total) ? (double)done * (double)bodies->n / spent : NAN;
}

static oct_status bench_one(const oct_bench_run *run, uint64_t n, oct_precision precision)
{
    oct_sim *sim = NULL;
    oct_bodies bodies = {0};
    oct_bench_result result = {.n = n, .theta = NAN};
    snprintf(result.name, sizeof result.name, "direct");
    snprintf(result.precision, sizeof result.precision, "%s", oct_precision_name(precision));
    oct_status status =
        oct_bench_plummer(&sim, run, n, precision, "{method: direct, softening: 0.01}");
    if (status == OCT_STATUS_OK)
        status = oct_bench_time(&result, sim, run, run->seconds);
    if (status == OCT_STATUS_OK)
        status = oct_sim_bodies(&bodies, sim);
    if (status == OCT_STATUS_OK) {
        double pairs_s = 1e-3 * (oct_bench_phase(&result, "force_direct_tiles") +
                                 oct_bench_phase(&result, "force_direct_lanes"));
        result.interactions_per_s = (double)n * (double)n / pairs_s;
        result.ratio = result.interactions_per_s / scalar_rate(&bodies, 0.25 * run->seconds);
        snprintf(result.reference, sizeof result.reference,
                 "scalar double-precision loop, one core");
        run->add(run->context, &result);
    }
    oct_bodies_clear(&bodies);
    oct_sim_free(sim);
    return status;
}

static oct_status direct_run(const oct_bench_run *run)
{
    const oct_device_info *info = oct_device_describe(run->device);
    bool gpu = strcmp(info->kind, "gpu") == 0;
    const uint64_t sizes[] = {4096, gpu ? 32768 : 16384, gpu ? 262144 : 32768};
    const oct_precision precisions[] = {OCT_PRECISION_SINGLE, OCT_PRECISION_MIXED,
                                        OCT_PRECISION_DOUBLE};
    size_t n_sizes = run->n ? 1 : sizeof sizes / sizeof sizes[0];
    for (int p = 0; p < (info->fp64 ? 3 : 1); p++)
        for (size_t i = 0; i < n_sizes; i++) {
            if (run->precision != OCT_PRECISION_AUTO && run->precision != precisions[p])
                continue;
            oct_status status = bench_one(run, run->n ? run->n : sizes[i], precisions[p]);
            if (status != OCT_STATUS_OK)
                return status;
        }
    return OCT_STATUS_OK;
}

const oct_bench oct_bench_direct = {
    .name = "direct",
    .doc = "gravity over all pairs",
    .run = direct_run,
};
