/* Steps that were enqueued ahead of a tree that outgrew its buffers, or a list of pairs that did,
 * are taken again: the result is that of a run with room enough. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "collision/collision.h"
#include "core/sim.h"
#include "scene_sim.h"
#include "tree/tree.h"

/* A ball that fits in one of the deepest cells beside a body far away, and flies apart in the first
 * step: from 20 cells to more than there are particles. */
#define BURSTING(box, integrator, gravity)                                                         \
    "units: nbody\n" box "models:\n  - uniform-sphere: {n: 1024, radius: 1e-12, virial: 1}\n"      \
    "  - body: {mass: 1e-6, offset: [1, 1, 1]}\n"                                                  \
    "gravity: {method: tree, leaf: 1, theta: 1, softening: 0.1" gravity "}\n"                      \
    "integrator: {method: " integrator ", dt: 1e-8}\nrun: {until: 1}\n"

enum { STEPS = 6 };

static void repeats(oct_precision precision, const char *scene)
{
    oct_bodies start = {0};
    oct_sim *sim = ref_sim(precision, "%s", scene);
    ref_ok(oct_sim_bodies(&start, sim));
    uint32_t room = sim->domain->tree->capacity;
    ref_ok(oct_sim_step(sim, STEPS));
    uint64_t grown = ref_hash(sim);
    assert_true(sim->domain->tree->capacity > room);
    assert_int_equal(oct_sim_steps(sim), STEPS);
    room = sim->domain->tree->capacity;
    ref_ok(oct_sim_set_bodies(sim, &start));
    ref_ok(oct_sim_step(sim, STEPS));
    assert_true(ref_hash(sim) == grown);
    assert_int_equal(sim->domain->tree->capacity, room);
    oct_bodies_clear(&start);
    oct_sim_free(sim);
}

static void whatever_the_integrator(void **state)
{
    (void)state;
    repeats(OCT_PRECISION_MIXED, BURSTING("", "leapfrog", ""));
    repeats(OCT_PRECISION_MIXED, BURSTING("", "symplectic-euler", ""));
    repeats(OCT_PRECISION_SINGLE, BURSTING("", "euler", ""));
}

static void whatever_the_boundary(void **state)
{
    (void)state;
    repeats(OCT_PRECISION_MIXED,
            BURSTING("box: {boundary: open, removal_radius: 2}\n", "leapfrog", ""));
    repeats(OCT_PRECISION_MIXED,
            BURSTING("box: {boundary: periodic, size: [4, 4, 4]}\n", "leapfrog", ""));
}

static void with_remembered_accelerations(void **state)
{
    (void)state;
    repeats(OCT_PRECISION_MIXED, BURSTING("", "leapfrog", ", criterion: relative"));
}

/* The tree of a pair force alone, with too little room: bodies, and a column that it advances, are
 * those of a tree with room enough. */
static void with_a_pair_force(void **state)
{
    static const char scene[] =
        "units: nbody\ncolumns: {heat: {}}\nmodels: [plummer: {n: 500}]\n"
        "gravity: {method: none}\nforces:\n  - pair:\n      range: 0.3\n      rates: [heat]\n"
        "      code: |\n"
        "        void octant_pair(octant_sum *sum, octant_body i, octant_body j, octant_gap gap)\n"
        "        {\n"
        "            sum->acceleration += j.mass * gap.d;\n"
        "            sum->heat_rate += gap.r2;\n"
        "        }\n"
        "integrator: {method: leapfrog, dt: 0.01}\nrun: {until: 1}\n";
    uint64_t hash[2];
    (void)state;
    for (int cramped = 0; cramped < 2; cramped++) {
        oct_sim *sim = ref_sim(OCT_PRECISION_SINGLE, "%s", scene);
        ref_ok(oct_sim_look(sim));
        if (cramped) {
            sim->domain->tree->capacity = 10;
            sim->domain->tree->built = (oct_made){0};
        }
        ref_ok(oct_sim_step(sim, STEPS));
        hash[cramped] = ref_hash(sim);
        assert_true(sim->domain->tree->capacity > 10);
        oct_sim_free(sim);
    }
    assert_true(hash[0] == hash[1]);
}

/* A tree whose bodies are not in order, sorted by too few bits of their keys. */
static void with_too_few_bits(void **state)
{
    uint64_t hash[2];
    (void)state;
    for (int cramped = 0; cramped < 2; cramped++) {
        oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, "units: nbody\nmodels: [plummer: {n: 500}]\n"
                                                    "gravity: {method: tree}\n"
                                                    "integrator: {dt: 0.01}\nrun: {until: 1}\n");
        ref_ok(oct_sim_look(sim));
        if (cramped)
            sim->domain->tree->bits = 1;
        ref_ok(oct_sim_step(sim, STEPS));
        hash[cramped] = ref_hash(sim);
        assert_true(sim->domain->tree->bits > 1);
        oct_sim_free(sim);
    }
    assert_true(hash[0] == hash[1]);
}

/* A crowded box: a tenth of it is filled, and every body is in several pairs at once. */
#define CROWD(box, model, gravity, integrator, collisions)                                         \
    "units: nbody\nbox: " box "\nmodels: [" model "]\n"                                            \
    "gravity: {method: tree, leaf: 1, theta: 1, softening: 0.1" gravity "}\n"                      \
    "collisions: " collisions "\nintegrator: {method: " integrator ", dt: 1e-3}\n"                 \
    "run: {until: 1}\n"
#define SHEET(gravity, collisions)                                                                 \
    CROWD("{boundary: shear, size: [6, 6, 6], omega: 1}",                                          \
          "ring: {n: 400, radius: 0.2, density: 0.1, spread: 0.3, dispersion: 1}", gravity, "sei", \
          collisions)
/* So long that which cells are opened depends on the step whose accelerations are remembered. */
#define LONG_STEPS                                                                                 \
    "units: nbody\nbox: {boundary: shear, size: [6, 6, 6], omega: 1}\n"                            \
    "models: [ring: {n: 400, radius: 0.2, density: 0.1, spread: 0.3, dispersion: 1}]\n"            \
    "gravity: {method: tree, criterion: relative, leaf: 1, softening: 0.1}\n"                      \
    "collisions: {method: tree}\nintegrator: {method: sei, dt: 0.1}\nrun: {until: 9}\n"
#define BALL(gravity, integrator, collisions)                                                      \
    CROWD("{boundary: open}", "uniform-sphere: {n: 400, radius: 2, virial: 1}", gravity,           \
          integrator, collisions)

static oct_sim *crowd(oct_precision precision, const char *scene)
{
    oct_bodies bodies = {0};
    oct_sim *sim = ref_sim(precision, "%s", scene);
    ref_ok(oct_sim_bodies(&bodies, sim));
    for (size_t i = 0; i < bodies.n; i++)
        bodies.radius[i] = 0.2;
    ref_ok(oct_sim_set_bodies(sim, &bodies));
    oct_bodies_clear(&bodies);
    return sim;
}

/* Takes steps with a list of pairs for three only from the second on, or a tree of ten cells, and
 * with room enough. */
static void repeats_crowded(oct_precision precision, const char *scene)
{
    enum { ROOM, SHORT_LIST, SMALL_TREE, WAYS };
    uint64_t hash[WAYS];
    for (int way = 0; way < WAYS; way++) {
        oct_sim *sim = crowd(precision, scene);
        oct_collider *c = sim->domain->collisions.state;
        uint32_t most, cells = 10, pairs = 3;
        ref_ok(oct_sim_step(sim, 1));
        ref_ok(oct_sim_wait(sim));
        if (way == SHORT_LIST)
            c->capacity = pairs;
        if (way == SMALL_TREE) {
            sim->domain->tree->capacity = cells;
            sim->domain->tree->built = (oct_made){0};
        }
        ref_ok(oct_sim_step(sim, STEPS));
        hash[way] = ref_hash(sim);
        ref_ok(oct_buffer_read(&most, c->status, 1, 1));
        assert_true(oct_sim_steps(sim) == STEPS + 1 && most > 80);
        assert_true(c->capacity > most && sim->domain->tree->capacity > cells);
        oct_sim_free(sim);
    }
    assert_true(hash[SHORT_LIST] == hash[ROOM] && hash[SMALL_TREE] == hash[ROOM]);
}

static void with_collisions(void **state)
{
    (void)state;
    repeats_crowded(OCT_PRECISION_MIXED, SHEET("", "{method: tree}"));
    repeats_crowded(OCT_PRECISION_MIXED, LONG_STEPS);
    repeats_crowded(OCT_PRECISION_SINGLE, SHEET("", "{method: tree, tangential: 0.5}"));
    repeats_crowded(OCT_PRECISION_DOUBLE, SHEET("", "{method: direct, outcome: merge}"));
    repeats_crowded(OCT_PRECISION_MIXED, BALL("", "symplectic-euler", "{method: tree}"));
    repeats_crowded(OCT_PRECISION_MIXED, BALL("", "euler", "{method: tree, outcome: merge}"));
    repeats_crowded(OCT_PRECISION_MIXED, BALL("", "leapfrog", "{method: tree}"));
    repeats_crowded(OCT_PRECISION_MIXED, BALL("", "leapfrog", "{method: tree, outcome: merge}"));
}

/* Waits of some steps in a row, where the list of pairs has room. */
static uint64_t waits(const char *scene)
{
    oct_sim *sim = crowd(OCT_PRECISION_MIXED, scene);
    oct_device *device = sim->domain->device;
    ref_ok(oct_sim_step(sim, 1));
    ref_ok(oct_sim_wait(sim));
    uint64_t before = oct_device_worked(device).waits;
    ref_ok(oct_sim_step(sim, STEPS));
    uint64_t after = oct_device_worked(device).waits;
    oct_sim_free(sim);
    return after - before;
}

static void collisions_are_enqueued_ahead(void **state)
{
    (void)state;
    assert_int_equal(waits(SHEET("", "{method: tree}")), 0);
    assert_int_equal(waits(BALL("", "leapfrog", "{method: tree}")), 0);
    assert_int_equal(waits(BALL("", "leapfrog", "{method: direct}")), 0);
    /* Walks go on while the device stands still, and must not remember what no step has found. */
    assert_int_equal(waits(SHEET(", criterion: relative", "{method: tree}")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_the_integrator),
        cmocka_unit_test(whatever_the_boundary),
        cmocka_unit_test(with_remembered_accelerations),
        cmocka_unit_test(with_a_pair_force),
        cmocka_unit_test(with_too_few_bits),
        cmocka_unit_test(with_collisions),
        cmocka_unit_test(collisions_are_enqueued_ahead),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
