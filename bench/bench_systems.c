/* Steps of a galaxy of solar systems of eight bodies, Celestial's largest and a million bodies:
 * gravity by systems in several settings, against direct summation on the same bodies in the same
 * run, with the tree beside it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "timing.h"

enum { BODIES = 8 };

typedef struct setting {
    const char *name, *gravity;
    bool shared; /* sums over systems are taken once a system, not once a body */
    double room; /* between neighbouring systems, about, in AU; they reach 7 AU */
} setting;

static const setting settings[] = {
    {"systems", "{method: systems}", true, 300},
    {"systems-monopole", "{method: systems, order: monopole}", true, 300},
    /* As published: every body sums over centres of mass. */
    {"systems-bodies", "{method: systems, order: monopole, far: bodies, opening: 0}", false, 300},
    /* Neighbours are opened here. */
    {"systems-dense", "{method: systems}", true, 24},
    {"tree", "{method: tree}", false, 300},
};

/* Spheres of 500 systems, one in another. */
static oct_status make(oct_sim **out, const oct_bench_run *run, uint64_t systems,
                       oct_precision precision, const char *gravity, double room)
{
    char text[512];
    oct_scene *scene = NULL;
    uint64_t spheres = systems / 500 + 1;
    double radius = room * sqrt((double)systems / (double)spheres / (4 * acos(-1.0)));
    snprintf(text, sizeof text,
             "units: solar\n"
             "models: [galaxy-of-systems: {systems: %llu, bodies: %d, arrangement: sphere,\n"
             "         planes: %llu, distance: %.9g AU, plane_distance: %.9g AU}]\n"
             "gravity: %s\nintegrator: {dt: 1 day}\nrun: {until: 100 yr}\n",
             (unsigned long long)systems, BODIES, (unsigned long long)spheres, 1.5 * radius, room,
             gravity);
    oct_status status = oct_scene_parse(&scene, text, strlen(text), "bench");
    if (status == OCT_STATUS_OK)
        status = oct_sim_create(out, run->device, scene, precision);
    oct_scene_free(scene);
    return status;
}

/* Direct summation of as many systems as take a fraction of a second. */
typedef struct reference {
    double n, ms;
} reference;

static oct_status time_direct(reference *out, const oct_bench_run *run, uint64_t systems)
{
    oct_sim *sim = NULL;
    oct_bench_result result = {0};
    oct_status status = make(&sim, run, systems, run->precision, "{method: direct}", 300);
    if (status == OCT_STATUS_OK)
        status = oct_bench_best(&result, sim, run, run->seconds);
    if (status == OCT_STATUS_OK)
        *out = (reference){(double)oct_sim_count(sim), result.ms_step};
    oct_sim_free(sim);
    return status;
}

static double length3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Mean relative error of the accelerations at the start, against direct summation in double. */
static oct_status force_error(double *out, const oct_bench_run *run, const setting *s,
                              uint64_t systems, oct_sim *sim)
{
    enum { MOST = 5000 };
    oct_sim *direct = NULL;
    oct_bodies got = {0}, exact = {0};
    if (systems > MOST || !oct_device_describe(run->device)->fp64)
        return OCT_STATUS_OK;
    oct_status status =
        make(&direct, run, systems, OCT_PRECISION_DOUBLE, "{method: direct}", s->room);
    if (status == OCT_STATUS_OK)
        status = oct_sim_bodies(&exact, direct);
    if (status == OCT_STATUS_OK)
        status = oct_sim_bodies(&got, sim);
    for (size_t i = 0; status == OCT_STATUS_OK && i < exact.n; i++) {
        const double *a = got.acceleration + 3 * i, *b = exact.acceleration + 3 * i;
        const double off[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        *out += length3(off) / length3(b) / (double)exact.n;
    }
    oct_sim_free(direct);
    oct_bodies_clear(&got);
    oct_bodies_clear(&exact);
    return status;
}

static oct_status bench_one(const oct_bench_run *run, const setting *s, uint64_t systems,
                            const reference *direct)
{
    oct_sim *sim = NULL;
    double cells = 0, particles = 0;
    oct_bench_result result = {.theta = NAN};
    snprintf(result.name, sizeof result.name, "%s", s->name);
    oct_status status = make(&sim, run, systems, run->precision, s->gravity, s->room);
    if (status == OCT_STATUS_OK)
        status = force_error(&result.force_error, run, s, systems, sim);
    if (status == OCT_STATUS_OK)
        status = oct_bench_best(&result, sim, run, run->seconds);
    if (status == OCT_STATUS_OK)
        status = oct_sim_measure_one(&cells, sim, "cells");
    if (status == OCT_STATUS_OK)
        status = oct_sim_measure_one(&particles, sim, "particles");
    if (status == OCT_STATUS_OK) {
        double n = (double)oct_sim_count(sim), larger = n / direct->n;
        result.n = oct_sim_count(sim);
        snprintf(result.precision, sizeof result.precision, "%s",
                 oct_precision_name(oct_sim_precision(sim)));
        result.ratio = direct->ms * larger * larger / result.ms_step;
        snprintf(result.reference, sizeof result.reference, "direct, same device%s",
                 larger > 1 ? ", as n^2 from 40,001 bodies" : "");
        result.interactions_per_s = ((s->shared ? (double)systems : n) * cells + n * particles) /
                                    (1e-3 * oct_bench_phase(&result, "force_"));
        run->add(run->context, &result);
    }
    oct_sim_free(sim);
    return status;
}

static oct_status bench_size(const oct_bench_run *run, uint64_t systems)
{
    enum { MOST_DIRECT = 5000 };
    reference direct;
    oct_status status = time_direct(&direct, run, systems < MOST_DIRECT ? systems : MOST_DIRECT);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0] && status == OCT_STATUS_OK; i++)
        status = bench_one(run, &settings[i], systems, &direct);
    return status;
}

static oct_status systems_run(const oct_bench_run *run)
{
    bool gpu = strcmp(oct_device_describe(run->device)->kind, "gpu") == 0;
    if (run->n > 0)
        return bench_size(run, run->n < BODIES ? 1 : run->n / BODIES);
    oct_status status = bench_size(run, 5000);
    return gpu && status == OCT_STATUS_OK ? bench_size(run, 125000) : status;
}

const oct_bench oct_bench_systems = {
    .name = "systems",
    .doc = "a galaxy of solar systems of eight bodies",
    .run = systems_run,
};
