/* Block steps of a Plummer sphere whose innermost bodies alone end their steps: what a step costs
 * against the part of all bodies that it finds forces for. Time on the wall, since the host waits
 * in each step; the tree is kept, and no step builds one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

static oct_status make(oct_sim **out, const oct_bench_run *run, uint64_t n, double theta)
{
    char text[512];
    oct_scene *scene = NULL;
    /* Bodies at rest want steps of 1e3 sqrt(1e-9 / a) > dt, those with a speed of 500 2e-9. */
    snprintf(text, sizeof text,
             "units: nbody\nmodels: [plummer: {n: %llu, truncation: 20}]\n"
             "gravity: {method: tree, theta: %.17g, softening: 0.01}\n"
             "integrator: {method: block-leapfrog, dt: 1e-3, levels: 20, eta: 1000, length: 1e-9, "
             "spread: 20}\nrun: {until: 1}\n",
             (unsigned long long)n, theta);
    oct_status status = oct_scene_parse(&scene, text, strlen(text), "bench");
    if (status == OCT_STATUS_OK)
        status = oct_sim_create(out, run->device, scene, run->precision);
    oct_scene_free(scene);
    return status;
}

typedef struct place {
    double r2;
    size_t body;
} place;

static int by_radius(const void *a, const void *b)
{
    double x = ((const place *)a)->r2, y = ((const place *)b)->r2;
    return (x > y) - (x < y);
}

/* Gives the innermost bodies a speed, and takes that of the others. */
static oct_status choose_active(oct_sim *sim, size_t active)
{
    oct_bodies b = {0};
    oct_status status = oct_sim_bodies(&b, sim);
    place *places = status == OCT_STATUS_OK ? malloc(b.n * sizeof *places) : NULL;
    for (size_t i = 0; places && i < b.n; i++) {
        const double *x = b.position + 3 * i;
        places[i] = (place){x[0] * x[0] + x[1] * x[1] + x[2] * x[2], i};
    }
    if (places)
        qsort(places, b.n, sizeof *places, by_radius);
    for (size_t i = 0; places && i < b.n; i++)
        for (size_t k = 0; k < 3; k++)
            b.velocity[3 * places[i].body + k] = i < active && k == 0 ? 500 : 0;
    if (status == OCT_STATUS_OK)
        status = places ? oct_sim_set_bodies(sim, &b) : OCT_STATUS_MEMORY;
    free(places);
    oct_bodies_clear(&b);
    return status;
}

/* all_ms: of the row in which all bodies are active, which is the first. */
static oct_status bench_part(double *all_ms, const oct_bench_run *run, uint64_t n, double part)
{
    double active = ceil(part * (double)n);
    oct_sim *sim = NULL;
    oct_bench_result result = {.n = n,
                               .theta = run->theta > 0 ? run->theta : 0.75,
                               .interactions_per_s = NAN,
                               .ratio = NAN};
    snprintf(result.name, sizeof result.name, "block-%g", part);
    oct_status status = make(&sim, run, n, result.theta);
    if (status == OCT_STATUS_OK)
        status = choose_active(sim, (size_t)active);
    /* The first finds the forces of all. */
    if (status == OCT_STATUS_OK)
        status = oct_sim_step(sim, 1);
    if (status == OCT_STATUS_OK)
        status = oct_bench_best(&result, sim, run, run->seconds);
    if (status == OCT_STATUS_OK) {
        snprintf(result.precision, sizeof result.precision, "%s",
                 oct_precision_name(oct_sim_precision(sim)));
        if (*all_ms > 0) {
            result.ratio = *all_ms / result.ms_step;
            snprintf(result.reference, sizeof result.reference, "all bodies active");
        } else {
            *all_ms = result.ms_step;
        }
        run->add(run->context, &result);
    }
    oct_sim_free(sim);
    return status;
}

static oct_status block_run(const oct_bench_run *run)
{
    static const double parts[] = {1, 0.3, 0.1, 0.01, 0.001};
    bool gpu = strcmp(oct_device_describe(run->device)->kind, "gpu") == 0;
    uint64_t n = run->n ? run->n : gpu ? 1 << 20 : 1 << 17;
    double all_ms = 0;
    oct_status status = OCT_STATUS_OK;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == OCT_STATUS_OK; i++)
        status = bench_part(&all_ms, run, n, parts[i]);
    return status;
}

const oct_bench oct_bench_block = {
    .name = "block",
    .doc = "block time steps, by the part of the bodies that is active",
    .run = block_run,
};
