/* All-pairs gravity with potential: interactions a second, against a scalar double-precision loop
 * on one core of the host in the same run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

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
    double start = seconds_now(), spent, total = 0;
    size_t done = 0;
    do {
        total += scalar_sum(bodies->position, bodies->mass, done % bodies->n, bodies->n, 1e-4);
        done++;
        spent = seconds_now() - start;
    } while (spent < seconds);
    return isfinite(total) ? (double)done * (double)bodies->n / spent : NAN;
}

/* Times steps until the time is spent; the simulation has made its first forces before. */
static oct_status time_steps(oct_bench_result *out, oct_sim *sim, const oct_bench_run *run)
{
    uint64_t steps = 0;
    oct_kernel_time *times;
    size_t n;
    oct_status status = oct_sim_step(sim, 1);
    if (status == OCT_STATUS_OK)
        status = oct_device_profile(run->device, true);
    double start = seconds_now();
    while (status == OCT_STATUS_OK && (steps == 0 || seconds_now() - start < run->seconds)) {
        status = oct_sim_step(sim, 1);
        if (status == OCT_STATUS_OK)
            status = oct_sim_wait(sim);
        steps++;
    }
    if (status == OCT_STATUS_OK)
        status = oct_device_times(&times, &n, run->device);
    if (status != OCT_STATUS_OK)
        return status;
    out->ms_step = 0;
    for (size_t i = 0; i < n && i < OCT_BENCH_PHASES; i++) {
        oct_kernel_time *phase = &out->phases[out->n_phases++];
        *phase = times[i];
        phase->ms /= (double)steps;
        out->ms_step += phase->ms;
        if (strcmp(phase->name, "force_direct_tiles") == 0 ||
            strcmp(phase->name, "force_direct_lanes") == 0)
            out->interactions_per_s = (double)out->n * (double)out->n / (1e-3 * phase->ms);
    }
    oct_device_times_free(times);
    return oct_device_profile(run->device, false);
}

static oct_status bench_one(const oct_bench_run *run, uint64_t n, oct_precision precision)
{
    char text[256];
    oct_scene *scene = NULL;
    oct_sim *sim = NULL;
    oct_bodies bodies = {0};
    oct_bench_result result = {.n = n, .theta = NAN, .interactions_per_s = NAN, .ratio = NAN};
    snprintf(result.name, sizeof result.name, "direct");
    snprintf(result.precision, sizeof result.precision, "%s", oct_precision_name(precision));
    snprintf(text, sizeof text,
             "units: nbody\nmodels: [plummer: {n: %llu, truncation: 20}]\n"
             "gravity: {method: direct, softening: 0.01}\nintegrator: {dt: 1e-4}\n"
             "run: {until: 1}\n",
             (unsigned long long)n);
    oct_status status = oct_scene_parse(&scene, text, strlen(text), "bench direct");
    if (status == OCT_STATUS_OK)
        status = oct_sim_create(&sim, run->device, scene, precision);
    if (status == OCT_STATUS_OK)
        status = time_steps(&result, sim, run);
    if (status == OCT_STATUS_OK)
        status = oct_sim_bodies(&bodies, sim);
    if (status == OCT_STATUS_OK) {
        result.ratio = result.interactions_per_s / scalar_rate(&bodies, 0.25 * run->seconds);
        snprintf(result.reference, sizeof result.reference,
                 "scalar double-precision loop, one core");
        run->add(run->context, &result);
    }
    oct_bodies_clear(&bodies);
    oct_sim_free(sim);
    oct_scene_free(scene);
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
    .doc = "Plummer sphere, gravity over all pairs with potential and softening.",
    .run = direct_run,
};
