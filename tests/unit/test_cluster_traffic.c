/* What ranks send is counted by what it is, and is what docs/scaling.md says: exactly where that
 * follows from numbers of bodies and ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/comm.h"
#include "core/sim.h"
#include "scene_sim.h"

enum { N = 101, STEPS = 3, MOST = 4, KINDS = OCT_TRAFFIC_KINDS };

/* Of all ranks together: while the simulation was made, and in its steps. */
typedef struct traffic {
    const char *scene;
    bool looks; /* for another balance after each step */
    oct_traffic_count made[KINDS], stepped[KINDS];
    uint64_t cells, bodies; /* of trees, in the steps */
} traffic;

static oct_status count(oct_traffic_count out[KINDS], oct_comm *comm)
{
    oct_traffic *rows;
    size_t n;
    OCT_TRY(oct_comm_traffic(&rows, &n, comm));
    assert_int_equal(n, KINDS);
    memset(out, 0, KINDS * sizeof *out);
    for (size_t i = 0; i < n * comm->size; i++) {
        out[i % n].messages += rows[i].messages;
        out[i % n].bytes += rows[i].bytes;
        assert_true(rows[i].waited_s >= 0);
    }
    oct_comm_traffic_free(rows);
    return OCT_STATUS_OK;
}

static oct_status take_part(oct_comm *comm, void *context)
{
    traffic *t = context;
    const oct_sim_options options = {
        .size = sizeof options, .precision = OCT_PRECISION_DOUBLE, .comm = comm};
    oct_traffic_count made[KINDS], all[KINDS];
    double trees[2];
    oct_device *device = NULL;
    oct_scene *scene = NULL;
    oct_sim *sim = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_device_share(&device, ref_device()));
    OCT_TRY_DONE(oct_scene_parse(&scene, t->scene, strlen(t->scene), "test"));
    OCT_TRY_DONE(oct_sim_create_with(&sim, device, scene, &options));
    sim->owners.every = t->looks ? 1 : 64;
    OCT_TRY_DONE(count(made, comm));
    trees[0] = -(double)comm->traffic.cells;
    trees[1] = -(double)comm->traffic.bodies;
    OCT_TRY_DONE(comm->rank > 0 ? oct_sim_serve(sim) : oct_sim_step(sim, STEPS));
    oct_sim_free(sim);
    sim = NULL;
    OCT_TRY_DONE(count(all, comm));
    trees[0] += (double)comm->traffic.cells;
    trees[1] += (double)comm->traffic.bodies;
    OCT_TRY_DONE(oct_comm_sum(comm, trees, 2));
    for (size_t k = 0; comm->rank == 0 && k < KINDS; k++) {
        t->made[k] = made[k];
        t->stepped[k] = (oct_traffic_count){.messages = all[k].messages - made[k].messages,
                                            .bytes = all[k].bytes - made[k].bytes};
        t->cells = (uint64_t)trees[0];
        t->bodies = (uint64_t)trees[1];
    }
done:
    oct_sim_free(sim);
    oct_scene_free(scene);
    oct_device_free(device);
    return status;
}

static void expect(oct_traffic_count got, uint64_t messages, uint64_t bytes)
{
    assert_int_equal(got.messages, messages);
    assert_int_equal(got.bytes, bytes);
}

/* Forces are found at the start and after each step: then every body has been everywhere. */
static void sources_go_round_once(void **state)
{
    (void)state;
    enum { ROW = 4 * sizeof(double), FORCES = STEPS + 1 };
    static const char scene[] =
        "units: nbody\nmodels: [plummer: {n: 101}]\ngravity: {method: direct, softening: 0.05}\n"
        "integrator: {dt: 0.01}\nrun: {until: 1}\n";
    for (uint32_t ranks = 1; ranks <= MOST; ranks++) {
        traffic t = {.scene = scene};
        uint64_t others = ranks - 1;
        ref_ok(oct_comm_threads(ranks, take_part, &t));
        expect(t.stepped[OCT_TRAFFIC_SOURCES], FORCES * ranks * others, FORCES * others * N * ROW);
        expect(t.stepped[OCT_TRAFFIC_TREES], 0, 0);
        expect(t.stepped[OCT_TRAFFIC_LENT], 0, 0);
        expect(t.stepped[OCT_TRAFFIC_BODIES], 0, 0);
        expect(t.stepped[OCT_TRAFFIC_CUTS], 0, 0);
    }
}

/* 24 digits of each cut, by what 15 probes cost; a box, a sum and who gets how many. */
static void cuts_are_found_by_digits(void **state)
{
    (void)state;
    static const char scene[] =
        "units: nbody\nmodels: [plummer: {n: 101}]\ngravity: {method: none}\n"
        "integrator: {dt: 0.01}\nrun: {until: 1}\n";
    for (uint32_t ranks = 2; ranks <= MOST; ranks++) {
        traffic t = {.scene = scene, .looks = true};
        uint64_t others = ranks - 1, pairs = ranks * others, probes = others * others;
        ref_ok(oct_comm_threads(ranks, take_part, &t));
        uint64_t messages = 24 * (probes + pairs) + 3 * pairs;
        uint64_t bytes = 24 * (120 * probes + 4 * pairs) +
                         pairs * (2 * 4 * 8 + 8 + (2 * (uint64_t)ranks + 1) * 8);
        expect(t.made[OCT_TRAFFIC_CUTS], messages, bytes);
        expect(t.stepped[OCT_TRAFFIC_CUTS], STEPS * messages, STEPS * bytes);
    }
}

/* Fewer boxes than there may be: four of each group of 64 bodies. */
static void trees_are_cells_and_bodies(void **state)
{
    (void)state;
    enum { FORCES = STEPS + 1, BOX = 8 * sizeof(double), CELL = 12 * sizeof(double) + 16 };
    enum { BODY = 4 * sizeof(double) };
    static const char scene[] =
        "units: nbody\nmodels: [plummer: {n: 101}]\ngravity: {method: tree, softening: 0.05}\n"
        "integrator: {dt: 0.01}\nrun: {until: 1}\n";
    for (uint32_t ranks = 2; ranks <= MOST; ranks++) {
        traffic t = {.scene = scene};
        uint64_t pairs = ranks * (ranks - 1);
        ref_ok(oct_comm_threads(ranks, take_part, &t));
        expect(t.stepped[OCT_TRAFFIC_BOXES], FORCES * 2 * pairs,
               FORCES * pairs * (sizeof(uint32_t) + 4 * BOX));
        expect(t.stepped[OCT_TRAFFIC_TREES], FORCES * 2 * pairs,
               FORCES * pairs * 8 + t.cells * CELL + t.bodies * BODY);
        assert_true(t.cells >= FORCES * pairs && t.bodies > 0);
        expect(t.stepped[OCT_TRAFFIC_SOURCES], 0, 0);
    }
}

/* A rank tells how many boxes it has, one for each 16 bodies or part of that while there are few,
 * and these. */
static uint64_t count_boxes(uint32_t ranks)
{
    enum { ALL = 150, RUN = 16 };
    uint64_t boxes = 0;
    for (uint32_t r = 0; r < ranks; r++)
        boxes += ((r + 1) * ALL / ranks - r * ALL / ranks + RUN - 1) / RUN;
    return boxes;
}

static void spheres_are_lent(void **state)
{
    (void)state;
    enum { BOX = 7 * sizeof(double) };
    static const char scene[] =
        "units: si\nseed: 3\nmodels: [ring: {n: 150, density: 500, radius: 1, dispersion: 0.05}]\n"
        "box: {boundary: shear, size: [30, 30, 20], omega: 1.3143527e-4}\n"
        "gravity: {method: none}\ncollisions: {method: direct}\n"
        "integrator: {method: sei, dt: 10}\nrun: {until: 1 d}\n";
    for (uint32_t ranks = 2; ranks <= MOST; ranks++) {
        traffic t = {.scene = scene};
        uint64_t pairs = ranks * (ranks - 1);
        ref_ok(oct_comm_threads(ranks, take_part, &t));
        expect(t.stepped[OCT_TRAFFIC_BOXES], STEPS * 2 * pairs,
               STEPS * (pairs * 8 + (ranks - 1) * count_boxes(ranks) * BOX));
        assert_true(t.stepped[OCT_TRAFFIC_LENT].bytes > STEPS * pairs * 8);
        assert_true(t.stepped[OCT_TRAFFIC_PAIRS].messages > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_go_round_once),
        cmocka_unit_test(cuts_are_found_by_digits),
        cmocka_unit_test(trees_are_cells_and_bodies),
        cmocka_unit_test(spheres_are_lent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
