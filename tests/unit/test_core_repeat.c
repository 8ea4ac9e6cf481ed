/* Steps that were enqueued ahead of a tree that outgrew its buffers are taken again: the result is
 * that of a tree with room enough. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_the_integrator),
        cmocka_unit_test(whatever_the_boundary),
        cmocka_unit_test(with_remembered_accelerations),
        cmocka_unit_test(with_a_pair_force),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
