/* Steps are timed in bursts, of which the best counts; the device's own clock tells the phases. */
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double oct_bench_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

oct_status oct_bench_scene(oct_sim **out, const oct_bench_run *run, const char *models,
                           const oct_sim_options *options, const char *gravity)
{
    char text[512];
    oct_scene *scene = NULL;
    snprintf(text, sizeof text,
             "units: nbody\nmodels: %s\ngravity: %s\nintegrator: {dt: 1e-4}\nrun: {until: 1}\n",
             models, gravity);
    oct_status status = oct_scene_parse(&scene, text, strlen(text), "bench");
    if (status == OCT_STATUS_OK)
        status = oct_sim_create_with(out, run->device, scene, options);
    oct_scene_free(scene);
    return status;
}

oct_status oct_bench_plummer(oct_sim **out, const oct_bench_run *run, uint64_t n,
                             oct_precision precision, const char *gravity)
{
    char models[64];
    snprintf(models, sizeof models, "[plummer: {n: %llu, truncation: 20}]", (unsigned long long)n);
    const oct_sim_options options = {.size = sizeof options, .precision = precision};
    return oct_bench_scene(out, run, models, &options, gravity);
}

static oct_status take_steps(uint64_t *steps, oct_sim *sim, double seconds)
{
    double start = oct_bench_clock();
    do {
        oct_status status = oct_sim_step(sim, 1);
        if (status == OCT_STATUS_OK)
            status = oct_sim_wait(sim);
        if (status != OCT_STATUS_OK)
            return status;
        ++*steps;
    } while (oct_bench_clock() - start < seconds);
    return OCT_STATUS_OK;
}

/* The phases of so many steps since the profiler was switched on, and their total. */
static oct_status read_phases(oct_bench_result *out, double *total, const oct_bench_run *run,
                              uint64_t steps)
{
    oct_kernel_time *times = NULL;
    size_t n = 0;
    oct_status status = oct_device_times(&times, &n, run->device);
    *total = 0;
    out->n_phases = 0;
    for (size_t i = 0; i < n && status == OCT_STATUS_OK; i++) {
        *total += times[i].ms / (double)steps;
        if (out->n_phases == OCT_BENCH_PHASES)
            continue;
        oct_kernel_time *phase = &out->phases[out->n_phases++];
        *phase = times[i];
        phase->ms /= (double)steps;
    }
    oct_device_times_free(times);
    return status == OCT_STATUS_OK ? oct_device_profile(run->device, false) : status;
}

oct_status oct_bench_time(oct_bench_result *out, oct_sim *sim, const oct_bench_run *run,
                          double seconds)
{
    uint64_t steps = 0;
    /* The first step is not like the others: drivers finish their work on kernels there. */
    oct_status status = oct_sim_step(sim, 1);
    if (status == OCT_STATUS_OK)
        status = oct_device_profile(run->device, true);
    if (status == OCT_STATUS_OK)
        status = take_steps(&steps, sim, seconds);
    return status == OCT_STATUS_OK ? read_phases(out, &out->ms_step, run, steps) : status;
}

/* A run waits every 64 steps at the latest: a burst that is too short is mostly its own end. */
enum { BURST = 16 };

static oct_status take_burst(double *ms, oct_bench_result *out, oct_sim *sim,
                             const oct_bench_run *run)
{
    oct_device_work before = oct_device_worked(run->device);
    double start = oct_bench_clock();
    oct_status status = oct_sim_step(sim, BURST);
    oct_device_work after = oct_device_worked(run->device);
    if (status == OCT_STATUS_OK)
        status = oct_sim_wait(sim);
    *ms = 1e3 * (oct_bench_clock() - start) / BURST;
    out->burst = BURST;
    out->work = (oct_device_work){after.launches - before.launches,
                                  after.transfers - before.transfers, after.waits - before.waits};
    return status;
}

static oct_status profile_burst(oct_bench_result *out, double *total, oct_sim *sim,
                                const oct_bench_run *run)
{
    double ms;
    oct_bench_result slower = {0};
    oct_status status = oct_device_profile(run->device, true);
    if (status == OCT_STATUS_OK)
        status = take_burst(&ms, &slower, sim, run);
    return status == OCT_STATUS_OK ? read_phases(out, total, run, BURST) : status;
}

oct_status oct_bench_best(oct_bench_result *out, oct_sim *sim, const oct_bench_run *run,
                          double seconds)
{
    double end = oct_bench_clock() + seconds, ms, total;
    do {
        oct_status status = take_burst(&ms, out, sim, run);
        oct_bench_result profiled = *out;
        if (status == OCT_STATUS_OK)
            status = profile_burst(&profiled, &total, sim, run);
        if (status != OCT_STATUS_OK)
            return status;
        profiled.ms_step = out->n_phases > 0 ? fmin(ms, out->ms_step) : ms;
        if (out->n_phases == 0 || total < oct_bench_phase(out, ""))
            *out = profiled;
        out->ms_step = profiled.ms_step;
    } while (oct_bench_clock() < end);
    return OCT_STATUS_OK;
}

double oct_bench_phase(const oct_bench_result *result, const char *prefix)
{
    double ms = 0;
    for (size_t i = 0; i < result->n_phases; i++)
        if (strncmp(result->phases[i].name, prefix, strlen(prefix)) == 0)
            ms += result->phases[i].ms;
    return ms;
}
