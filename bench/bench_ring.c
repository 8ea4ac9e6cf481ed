/* Whole steps of a planetary ring: a shearing sheet with tree gravity and collisions. The dense
 * case, Table 1 of OCCLUDE, is timed beside the usual one; a peer, if asked for, on the particles
 * of the usual one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peer.h"
#include "timing.h"

#define OMEGA         1.3143527e-4
#define SOFTENING     0.1
#define REBOUND_SPEED (1e-3 * OMEGA) /* for each metre */

typedef struct ring_case {
    const char *name;
    double surface_density, density; /* kg/m^2, kg/m^3 */
} ring_case;

static const ring_case usual = {"ring", 400, 400}, dense = {"ring-dense", 2000, 200};

/* The side of the square that n particles cover: with n(r) ~ r^-3 from 1 to 4 m the mean of r^3 is
 * 6.4 m^3. */
static double side_of(const ring_case *ring, uint64_t n)
{
    double mean_mass = 6.4 * 4 / 3 * acos(-1.0) * ring->density;
    return sqrt((double)n * mean_mass / ring->surface_density);
}

static double theta_of(const oct_bench_run *run)
{
    return run->theta > 0 ? run->theta : 0.5;
}

static oct_status make(oct_sim **out, const oct_bench_run *run, const ring_case *ring, uint64_t n,
                       oct_precision precision, bool tree)
{
    char text[1024], gravity[64] = "direct";
    double side = side_of(ring, n);
    oct_scene *scene = NULL;
    if (tree)
        snprintf(gravity, sizeof gravity, "tree, theta: %.17g", theta_of(run));
    snprintf(text, sizeof text,
             "units: si\n"
             "box: {boundary: shear, size: [%.17g, %.17g, %.17g], ghosts: [1, 1, 0], omega: %.9g}\n"
             "models: [ring: {n: %llu, density: %g, spread: 1, dispersion: 1e-3,\n"
             "                radius: {law: power, slope: -3, min: 1, max: 4}}]\n"
             "gravity: {method: %s, softening: %g}\n"
             "collisions: {method: tree, restitution: bridges, minimum_speed: %.9g}\n"
             "integrator: {method: sei, dt: 1e-3 orbit}\nrun: {until: 1 orbit}\n",
             side, side, side, OMEGA, (unsigned long long)n, ring->density, gravity, SOFTENING,
             REBOUND_SPEED);
    oct_status status = oct_scene_parse(&scene, text, strlen(text), "bench");
    if (status == OCT_STATUS_OK)
        status = oct_sim_create(out, run->device, scene, precision);
    oct_scene_free(scene);
    return status;
}

static double norm3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double mean_error(const oct_bodies *bodies, const oct_bodies *exact)
{
    double sum = 0;
    for (size_t i = 0; i < exact->n; i++) {
        const double *a = bodies->acceleration + 3 * i, *b = exact->acceleration + 3 * i;
        const double difference[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        sum += norm3(difference) / norm3(b);
    }
    return sum / (double)exact->n;
}

/* Mean relative error of the tree's forces on the particles as they start, against direct
 * summation in double precision. */
static oct_status force_error(double *out, const oct_bench_run *run, const ring_case *ring,
                              oct_sim *sim)
{
    enum { MOST = 20000 };
    uint64_t n = oct_sim_count(sim);
    oct_sim *direct = NULL;
    oct_bodies bodies = {0}, exact = {0};
    if (n > MOST || !oct_device_describe(run->device)->fp64)
        return OCT_STATUS_OK;
    oct_status status = make(&direct, run, ring, n, OCT_PRECISION_DOUBLE, false);
    if (status == OCT_STATUS_OK)
        status = oct_sim_bodies(&exact, direct);
    if (status == OCT_STATUS_OK)
        status = oct_sim_bodies(&bodies, sim);
    if (status == OCT_STATUS_OK)
        *out = mean_error(&bodies, &exact);
    oct_sim_free(direct);
    oct_bodies_clear(&bodies);
    oct_bodies_clear(&exact);
    return status;
}

/* Half an orbit where that is cheap: spheres that were put anywhere have then bounced, and most of
 * the usual ones have come apart. */
static oct_status warm_up(oct_sim *sim)
{
    uint64_t steps = 10000000 / oct_sim_count(sim);
    oct_status status = oct_sim_step(sim, steps > 500 ? 500 : steps < 50 ? 50 : steps);
    return status == OCT_STATUS_OK ? oct_sim_wait(sim) : status;
}

/* A case on its way. */
typedef struct entry {
    oct_sim *sim;
    oct_bench_result result;
} entry;

static oct_status start(entry *out, const oct_bench_run *run, const ring_case *ring, uint64_t n)
{
    oct_bench_result *result = &out->result;
    *result = (oct_bench_result){.n = n, .theta = theta_of(run), .ratio = NAN};
    snprintf(result->name, sizeof result->name, "%s", ring->name);
    oct_status status = make(&out->sim, run, ring, n, run->precision, true);
    if (status == OCT_STATUS_OK)
        status = force_error(&result->force_error, run, ring, out->sim);
    if (status == OCT_STATUS_OK)
        status = warm_up(out->sim);
    if (status == OCT_STATUS_OK)
        snprintf(result->precision, sizeof result->precision, "%s",
                 oct_precision_name(oct_sim_precision(out->sim)));
    return status;
}

static oct_status count_interactions(entry *e)
{
    double cells = 0, particles = 0, walk_s = 1e-3 * oct_bench_phase(&e->result, "force_tree");
    oct_status status = oct_sim_measure_one(&cells, e->sim, "cells");
    if (status == OCT_STATUS_OK)
        status = oct_sim_measure_one(&particles, e->sim, "particles");
    e->result.interactions_per_s = (double)e->result.n * (cells + particles) / walk_s;
    return status;
}

enum { PASSES = 3, WAYS = 4, PATH_SIZE = 512 };

/* A peer and the ways in which it is run, from one file of bodies. */
typedef struct contest {
    char folder[PATH_SIZE], bodies[PATH_SIZE + 16], arguments[PATH_SIZE];
    oct_peer_way ways[WAYS];
    size_t n_ways; /* 0: no peer was asked for */
    oct_peer_time times[WAYS];
} contest;

static oct_status write_bodies(const char *path, oct_sim *sim)
{
    oct_bodies bodies = {0};
    const oct_file_info info = {
        .size = sizeof info, .time = oct_sim_time(sim), .units = *oct_sim_units(sim)};
    oct_status status = oct_sim_bodies(&bodies, sim);
    if (status == OCT_STATUS_OK)
        status = oct_bodies_write(&bodies, &info, path);
    oct_bodies_clear(&bodies);
    return status;
}

/* The peer will start from where this case is now. */
static oct_status invite(contest *out, const oct_bench_run *run, const entry *e)
{
    const oct_device_info *device = oct_device_describe(run->device);
    unsigned threads = strcmp(device->kind, "cpu") == 0 ? device->compute_units : 0;
    const oct_peer_way ways[WAYS] = {{threads, false}, {threads, true}, {1, false}, {1, true}};
    const char *root = getenv("TMPDIR");
    memcpy(out->ways, ways, sizeof ways);
    snprintf(out->folder, sizeof out->folder, "%s/octant-bench-XXXXXX", root ? root : "/tmp");
    if (!mkdtemp(out->folder)) {
        perror("octant: a temporary folder");
        return OCT_STATUS_IO;
    }
    out->n_ways = threads == 1 ? 2 : WAYS;
    snprintf(out->bodies, sizeof out->bodies, "%s/bodies.csv", out->folder);
    snprintf(out->arguments, sizeof out->arguments,
             "--box %.17g --time %.17g --dt %.17g --omega %.17g --gravity %.17g --theta %.17g "
             "--softening %g --rebound-speed %.17g --ghosts 1 --seconds %g",
             side_of(&usual, e->result.n), oct_sim_time(e->sim), oct_sim_dt(e->sim), OMEGA,
             oct_sim_units(e->sim)->G, e->result.theta, SOFTENING, REBOUND_SPEED,
             run->seconds / PASSES);
    return write_bodies(out->bodies, e->sim);
}

/* All in turn, several times over; each keeps its best step. */
static oct_status race(entry entries[2], contest *peer, const oct_bench_run *run)
{
    oct_status status = OCT_STATUS_OK;
    for (int pass = 0; pass < PASSES; pass++) {
        for (int e = 0; e < 2 && status == OCT_STATUS_OK; e++)
            status = oct_bench_best(&entries[e].result, entries[e].sim, run, run->seconds / PASSES);
        for (size_t w = 0; w < peer->n_ways && status == OCT_STATUS_OK; w++) {
            oct_peer_time *best = &peer->times[w], time = {.ms_step = NAN};
            status = oct_peer_run(&time, run->peer, peer->bodies, peer->arguments, peer->ways[w]);
            if (pass == 0 || time.ms_step < best->ms_step)
                *best = time;
        }
    }
    for (int e = 0; e < 2 && status == OCT_STATUS_OK; e++)
        status = count_interactions(&entries[e]);
    return status;
}

static void report(entry entries[2], const contest *peer, const oct_bench_run *run)
{
    oct_bench_result *first = &entries[0].result, *second = &entries[1].result;
    if (peer->n_ways == 0)
        run->add(run->context, first);
    for (size_t w = 0; w < peer->n_ways; w++) {
        const oct_peer_time *time = &peer->times[w];
        first->ratio = time->ms_step / first->ms_step;
        snprintf(first->reference, sizeof first->reference, "%.16s %.16s, %u thread%s%s: %.4g ms",
                 run->peer, time->version, time->threads, time->threads == 1 ? "" : "s",
                 peer->ways[w].morton ? ", Morton order" : "", time->ms_step);
        run->add(run->context, first);
    }
    second->ratio = second->ms_step / first->ms_step;
    snprintf(second->reference, sizeof second->reference, "its time over that of %s", usual.name);
    run->add(run->context, second);
}

static oct_status bench_size(const oct_bench_run *run, uint64_t n)
{
    entry entries[2] = {0};
    contest peer = {0};
    oct_status status = start(&entries[0], run, &usual, n);
    if (status == OCT_STATUS_OK)
        status = start(&entries[1], run, &dense, n);
    if (status == OCT_STATUS_OK && run->peer)
        status = invite(&peer, run, &entries[0]);
    if (status == OCT_STATUS_OK)
        status = race(entries, &peer, run);
    if (status == OCT_STATUS_OK)
        report(entries, &peer, run);
    if (peer.n_ways > 0) {
        remove(peer.bodies);
        rmdir(peer.folder);
    }
    oct_sim_free(entries[0].sim);
    oct_sim_free(entries[1].sim);
    return status;
}

static oct_status ring_run(const oct_bench_run *run)
{
    static const uint64_t sizes[] = {1000, 10000, 100000, 400000, 1000000};
    bool gpu = strcmp(oct_device_describe(run->device)->kind, "gpu") == 0;
    oct_status status = OCT_STATUS_OK;
    for (size_t i = 0; i < (run->n ? 1 : gpu ? 5 : 3) && status == OCT_STATUS_OK; i++)
        status = bench_size(run, run->n ? run->n : sizes[i]);
    return status;
}

const oct_bench oct_bench_ring = {
    .name = "ring",
    .doc = "whole steps of a planetary ring, gravity and collisions",
    .run = ring_run,
};
