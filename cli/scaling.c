/* The first rank steps and looks at clocks; what all have sent is counted by the communicator. */
#include "scaling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const oct_scaling_case oct_scaling_cases[] = {
    {.name = "tree",
     .doc = "a Plummer sphere, by the tree",
     .scene = "units: nbody\nmodels: [plummer: {n: %llu, truncation: 20}]\n"
              "gravity: {method: tree, theta: 0.5, softening: 0.01}\nintegrator: {dt: 0.001}\n"
              "run: {until: 1}\n",
     .n = 32768,
     .trees = true},
    {.name = "ring",
     .doc = "a patch of a planetary ring: spheres that attract each other and collide",
     .scene = "units: si\nmodels: [ring: {n: %llu, density: 400, spread: 1,\n"
              "  radius: {law: power, slope: -3, min: 1, max: 4}}]\n"
              "box: {boundary: shear, size: [%.6g, %.6g, 200], ghosts: [1, 1, 0],\n"
              "  omega: 1.3143527e-4}\n"
              "gravity: {method: tree, theta: 0.5, softening: 0.1}\n"
              "collisions: {method: tree, restitution: bridges, relax: 30}\n"
              "integrator: {method: sei, dt: 1.0e-3 orbit}\nrun: {until: 1 orbit}\n",
     .n = 16384,
     .trees = true,
     .lends = true},
    {.name = "cube",
     .doc = "a uniform cube, by the tree",
     .scene = "units: nbody\nmodels: [uniform-cube: {n: %llu}]\n"
              "gravity: {method: tree, theta: 0.5, softening: 0.01}\nintegrator: {dt: 0.001}\n"
              "run: {until: 1}\n",
     .n = 32768,
     .trees = true},
    {.name = "direct",
     .doc = "a Plummer sphere, by all pairs",
     .scene = "units: nbody\nmodels: [plummer: {n: %llu}]\n"
              "gravity: {method: direct, softening: 0.01}\nintegrator: {dt: 0.001}\n"
              "run: {until: 1}\n",
     .n = 16384,
     .pairs = true},
    {0},
};

const char *const oct_scaling_phases[OCT_SCALING_PHASES] = {"tree",       "walk",     "pairs",
                                                            "collisions", "exchange", "other"};

/* A kernel belongs to the first entry whose name it starts with; the last is for all. */
static const struct {
    const char *prefix;
    int phase;
} kernels[] = {
    {"tree_essential", 4}, {"tree_parts", 4},
    {"tree_forest", 4},    {"lend", 4},
    {"force_tree", 1},     {"force_direct", 2},
    {"tree_", 0},          {"array_", 0},
    {"collision", 3},      {"", 5},
};

typedef struct task {
    const oct_scaling_case *what;
    uint32_t patches;
    uint64_t alone; /* bodies of a domain that is by itself */
    double seconds;
    oct_scaling_result *out;
    oct_precision precision;
    oct_scaling_snapshot snapshot; /* of bodies whose messages are counted first */
} task;

static double clock_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* How many bodies so many domains have where each has the work of one with n. */
static uint64_t grow(const oct_scaling_case *what, uint64_t n, uint32_t domains)
{
    return what->pairs ? (uint64_t)((double)n * sqrt(domains)) : n * domains;
}

static oct_status make_scene(oct_scene **out, const task *t)
{
    char text[1024];
    double sides[2];
    oct_scaling_sides(sides, t->out->n, t->patches);
    snprintf(text, sizeof text, t->what->scene, (unsigned long long)t->out->n, sides[0], sides[1]);
    return oct_scene_parse(out, text, strlen(text), "scaling");
}

/* Steps between two looks at the clock. */
enum { BURST = 2 };

/* These steps, until all of `others` have taken theirs where there are some. */
static oct_status time_burst(oct_scaling_result *out, oct_sim *sim, oct_comm *others)
{
    double wall = clock_of(CLOCK_MONOTONIC), used = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    oct_status status = oct_sim_step(sim, BURST);
    if (status == OCT_STATUS_OK)
        status = oct_sim_wait(sim);
    if (status == OCT_STATUS_OK && others)
        status = oct_comm_barrier(others);
    out->step_s = fmin(out->step_s, (clock_of(CLOCK_MONOTONIC) - wall) / BURST);
    out->processor_s = fmin(out->processor_s, (clock_of(CLOCK_PROCESS_CPUTIME_ID) - used) / BURST);
    return status;
}

/* The first step is not like the others. */
static oct_status begin_timing(oct_scaling_result *out, oct_sim *sim)
{
    out->step_s = out->processor_s = INFINITY;
    oct_status status = oct_sim_step(sim, 1);
    return status == OCT_STATUS_OK ? oct_sim_wait(sim) : status;
}

static oct_status time_steps(task *t, oct_sim *sim)
{
    double end = clock_of(CLOCK_MONOTONIC) + t->seconds;
    oct_status status = begin_timing(t->out, sim);
    do {
        if (status == OCT_STATUS_OK)
            status = time_burst(t->out, sim, NULL);
    } while (status == OCT_STATUS_OK && clock_of(CLOCK_MONOTONIC) < end);
    return status;
}

static oct_status find_phases(task *t, oct_sim *sim, oct_device *device)
{
    enum { STEPS = 2 };
    oct_kernel_time *times = NULL;
    size_t n = 0;
    oct_status status = oct_device_profile(device, true);
    if (status == OCT_STATUS_OK)
        status = oct_sim_step(sim, STEPS);
    if (status == OCT_STATUS_OK)
        status = oct_device_times(&times, &n, device);
    for (size_t i = 0; status == OCT_STATUS_OK && i < n; i++) {
        size_t k = 0;
        while (strncmp(times[i].name, kernels[k].prefix, strlen(kernels[k].prefix)) != 0)
            k++;
        t->out->phases[kernels[k].phase] += 1e-3 * times[i].ms / STEPS;
    }
    oct_device_times_free(times);
    return status == OCT_STATUS_OK ? oct_device_profile(device, false) : status;
}

static oct_status find_interactions(task *t, oct_sim *sim)
{
    double cells = 0, bodies = (double)t->out->n;
    oct_status status = OCT_STATUS_OK;
    if (t->what->trees)
        status = oct_sim_measure_one(&cells, sim, "cells");
    if (t->what->trees && status == OCT_STATUS_OK)
        status = oct_sim_measure_one(&bodies, sim, "particles");
    t->out->interactions = cells + bodies;
    return status;
}

/* Who looks finds forces of bodies that have drifted since they were traded: several domains were
 * asked where nobody gets anywhere. */
static oct_status lead(task *t, oct_sim *sim, oct_device *device)
{
    oct_status status = time_steps(t, sim);
    if (status == OCT_STATUS_OK)
        status = find_phases(t, sim, device);
    return status == OCT_STATUS_OK && t->out->interactions == 0 ? find_interactions(t, sim)
                                                                : status;
}

static const oct_traffic *find_kind(const oct_traffic *rows, size_t n, const char *kind)
{
    size_t i = 0;
    while (i + 1 < n && strcmp(rows[i].kind, kind) != 0)
        i++;
    return &rows[i];
}

/* How often forces were found: messages to all others come with each. */
static double count_forces(const task *t, const oct_traffic *rows, size_t n, uint32_t domains)
{
    const oct_traffic *row = find_kind(rows, n, t->what->trees ? "trees" : "sources");
    double each = (t->what->trees ? 2.0 : 1.0) * (domains - 1);
    return (double)row->messages / each;
}

static void add_traffic(task *t, const oct_traffic *rows, size_t n, uint32_t domains)
{
    oct_scaling_result *out = t->out;
    double forces = count_forces(t, rows, n, domains);
    for (size_t k = 0; k < n && k < OCT_SCALING_KINDS; k++) {
        oct_scaling_traffic *kind = &out->kinds[k];
        if (k >= out->n_kinds)
            *kind = (oct_scaling_traffic){.kind = rows[k].kind,
                                          .cut_messages = NAN,
                                          .cut_bytes = NAN,
                                          .expected_messages = NAN,
                                          .expected_bytes = NAN};
        for (uint32_t r = 0; r < domains; r++) {
            const oct_traffic *row = &rows[r * n + k];
            kind->messages += (double)row->messages / forces / domains;
            kind->bytes += (double)row->bytes / forces / domains;
            kind->most = fmax(kind->most, (double)row->bytes / forces);
            kind->waited_s += row->waited_s / forces / domains;
        }
    }
    out->n_kinds = n < OCT_SCALING_KINDS ? n : OCT_SCALING_KINDS;
}

/* Steps in which nobody gets anywhere, so that domains are as they were cut. */
enum { CUT_STEPS = 16 };

static oct_status step_still(task *t, oct_sim *sim)
{
    oct_status status = oct_scaling_look(&t->snapshot, t->what, t->patches, sim);
    if (status == OCT_STATUS_OK)
        status = oct_sim_step(sim, CUT_STEPS);
    if (status == OCT_STATUS_OK)
        status = oct_sim_wait(sim);
    return status == OCT_STATUS_OK ? find_interactions(t, sim) : status;
}

/* Moves what was counted aside: the run itself is counted after it. */
static void keep_cut(task *t, double forces)
{
    oct_scaling_result *out = t->out;
    oct_scaling_expect(out, t->what, t->precision, &t->snapshot, CUT_STEPS / forces);
    for (size_t k = 0; k < out->n_kinds; k++) {
        oct_scaling_traffic *kind = &out->kinds[k];
        kind->cut_messages = isfinite(kind->expected_messages) ? kind->messages : NAN;
        kind->cut_bytes = isfinite(kind->expected_bytes) ? kind->bytes : NAN;
        kind->messages = kind->bytes = kind->most = kind->waited_s = 0;
    }
}

/* What was sent since the simulation is there; all ranks call it. */
static oct_status count_traffic(task *t, oct_comm *comm, oct_traffic *before, bool still)
{
    oct_traffic *rows;
    size_t n;
    uint32_t domains = oct_comm_size(comm);
    oct_status status = oct_comm_traffic(&rows, &n, comm);
    for (size_t i = 0; status == OCT_STATUS_OK && i < n * domains; i++) {
        rows[i].messages -= before[i].messages;
        rows[i].bytes -= before[i].bytes;
        rows[i].waited_s -= before[i].waited_s;
    }
    if (status == OCT_STATUS_OK && oct_comm_rank(comm) == 0) {
        add_traffic(t, rows, n, domains);
        if (still)
            keep_cut(t, count_forces(t, rows, n, domains));
        else if (!t->what->trees)
            oct_scaling_expect(t->out, t->what, t->precision, &t->snapshot, 0);
    }
    oct_comm_traffic_free(rows);
    return status;
}

/* A simulation from its beginning to its end. `still`: with steps in which nobody gets anywhere. */
static oct_status simulate(task *t, oct_comm *comm, oct_device *device, bool still)
{
    bool leads = !comm || oct_comm_rank(comm) == 0;
    const oct_sim_options options = {
        .size = sizeof options, .precision = t->precision, .comm = comm};
    oct_traffic *before = NULL;
    oct_scene *scene = NULL;
    oct_sim *sim = NULL;
    size_t n;
    oct_status status = make_scene(&scene, t);
    if (status == OCT_STATUS_OK && still)
        status = oct_scene_set(scene,
                               t->what->lends ? "integrator.dt=1e-9 orbit" : "integrator.dt=1e-9");
    if (status == OCT_STATUS_OK)
        status = oct_sim_create_with(&sim, device, scene, &options);
    if (status == OCT_STATUS_OK && comm)
        status = oct_comm_traffic(&before, &n, comm);
    if (status == OCT_STATUS_OK && !leads)
        status = oct_sim_serve(sim);
    else if (status == OCT_STATUS_OK)
        status = still ? step_still(t, sim) : lead(t, sim, device);
    if (sim)
        t->precision = oct_sim_precision(sim);
    oct_sim_free(sim);
    if (status == OCT_STATUS_OK && comm)
        status = count_traffic(t, comm, before, still);
    oct_comm_traffic_free(before);
    oct_scene_free(scene);
    return status;
}

static oct_status take_part(oct_comm *comm, oct_device *device, void *context)
{
    task own = *(const task *)context;
    oct_status status = OCT_STATUS_OK;
    if (comm && own.what->trees)
        status = simulate(&own, comm, device, true);
    if (status == OCT_STATUS_OK)
        status = simulate(&own, comm, device, false);
    free(own.snapshot.bodies);
    return status;
}

/* All begin their steps together, and as many of them as were timed before. */
static oct_status stand_apart(oct_comm *comm, oct_device *device, void *context)
{
    task own = *(const task *)context;
    oct_scaling_result one = {.n = own.alone}, *all = own.out;
    double steps = own.seconds / all->step_s;
    oct_scene *scene = NULL;
    oct_sim *sim = NULL;
    own.out = &one;
    own.patches = 1;
    oct_status status = make_scene(&scene, &own);
    if (status == OCT_STATUS_OK)
        status = oct_sim_create(&sim, device, scene, own.precision);
    if (status == OCT_STATUS_OK)
        status = begin_timing(&one, sim);
    if (status == OCT_STATUS_OK)
        status = oct_comm_barrier(comm);
    for (double step = 0; step < steps && status == OCT_STATUS_OK; step += BURST)
        status = time_burst(&one, sim, comm);
    if (status == OCT_STATUS_OK && oct_comm_rank(comm) == 0)
        all->apart_s = one.step_s;
    oct_sim_free(sim);
    oct_scene_free(scene);
    return status;
}

oct_status oct_scaling_run(oct_scaling_result *out, const oct_scaling_case *what, uint64_t n,
                           bool weak, double seconds, const oct_ranks *ranks)
{
    uint32_t domains = ranks->comm ? oct_comm_size(ranks->comm) : ranks->domains;
    bool apart = weak && domains > 1 && !ranks->comm;
    task t = {
        .what = what, .patches = weak ? domains : 1, .alone = n, .seconds = seconds, .out = out};
    *out = (oct_scaling_result){
        .n = weak ? grow(what, n, domains) : n, .domains = domains, .apart_s = NAN};
    oct_status status = oct_ranks_work(ranks, take_part, &t);
    return status == OCT_STATUS_OK && apart ? oct_ranks_work(ranks, stand_apart, &t) : status;
}
