/* How often the host waits for the device in a step, whatever a scene is made of; and that steps
 * are those of a host that waits in each, whatever was guessed about the ones before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "collision/collision.h"
#include "core/look.h"
#include "core/sim.h"
#include "scene_sim.h"
#include "tree/tree.h"

enum { STEPS = 6 };

#define BALL                                                                                       \
    "units: nbody\nmodels: [uniform-sphere: {n: 400, radius: 2, virial: 1}]\n"                     \
    "box: {boundary: open}\n"
#define SHEET                                                                                      \
    "units: nbody\nmodels: [ring: {n: 400, radius: 0.1, density: 0.1, spread: 0.3, dispersion: "   \
    "1}]\nbox: {boundary: shear, size: [6, 6, 6], omega: 1}\n"
#define SYSTEMS                                                                                    \
    "units: solar\nmodels: [galaxy-of-systems: {systems: 40, bodies: 3}]\n"                        \
    "gravity: {method: systems}\n"
#define TREE               "gravity: {method: tree, leaf: 1, theta: 1, softening: 0.1}\n"
#define RELATIVE           "gravity: {method: tree, leaf: 1, criterion: relative, softening: 0.1}\n"
#define DIRECT             "gravity: {method: direct, softening: 0.1}\n"
#define BY(integrator, dt) "integrator: {method: " integrator ", dt: " dt "}\n"
#define LEAPFROG           BY("leapfrog", "1e-3")
#define BLOCK(more)        "integrator: {method: block-leapfrog, dt: 1e-3" more "}\n"
#define DRAG                                                                                       \
    "forces:\n  - custom: {code: 'real4 octant_force(real3 x, real3 v, real m, ulong id, real t) " \
    "{ return (real4)(-v, 0); }'}\n"
#define HEAT                                                                                       \
    "columns: {heat: {}}\nforces:\n  - pair:\n      range: 0.3\n      rates: [heat]\n"             \
    "      code: |\n"                                                                              \
    "        void octant_pair(octant_sum *sum, octant_body i, octant_body j, octant_gap gap)\n"    \
    "        {\n"                                                                                  \
    "            sum->acceleration += j.mass * gap.v;\n"                                           \
    "            sum->heat_rate += gap.r2;\n"                                                      \
    "        }\n"
#define BOUNCE "collisions: {method: tree}\n"
#define MERGE  "collisions: {method: tree, outcome: merge}\n"

static oct_sim *create(const char *scene, double radius)
{
    oct_bodies bodies = {0};
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, "%srun: {until: 9}\n", scene);
    ref_ok(oct_sim_bodies(&bodies, sim));
    for (size_t i = 0; i < bodies.n; i++)
        bodies.radius[i] = radius;
    ref_ok(oct_sim_set_bodies(sim, &bodies));
    oct_bodies_clear(&bodies);
    return sim;
}

/* Waits of some steps in a row, where trees and lists have room. */
static uint64_t waits_of(const char *scene, double radius)
{
    oct_sim *sim = create(scene, radius);
    ref_ok(oct_sim_step(sim, 1));
    ref_ok(oct_sim_wait(sim));
    /* As a GPU guesses that has seen no merger in a while. */
    sim->guess = (oct_guess){.way = OCT_GUESS_NONE, .span = 64};
    uint64_t before = oct_device_worked(sim->domain->device).waits;
    ref_ok(oct_sim_step(sim, STEPS));
    uint64_t after = oct_device_worked(sim->domain->device).waits;
    oct_sim_free(sim);
    return after - before;
}

static void as_the_table_says(void **state)
{
    /* docs/design.md has this table. */
    static const struct {
        const char *scene;
        double radius;
        unsigned waits; /* of a step */
    } rows[] = {
        {BALL TREE LEAPFROG, 0, 0},
        {BALL RELATIVE LEAPFROG HEAT, 0, 0},
        {BALL TREE LEAPFROG BOUNCE, 0.2, 0},
        {BALL RELATIVE LEAPFROG BOUNCE, 0.2, 0},
        {BALL TREE LEAPFROG DRAG BOUNCE, 0.2, 0},
        {BALL TREE LEAPFROG HEAT BOUNCE, 0.2, 0},
        {BALL TREE LEAPFROG MERGE, 1e-9, 0},
        {BALL RELATIVE LEAPFROG DRAG MERGE, 1e-9, 0},
        {BALL TREE BY("symplectic-euler", "1e-3") DRAG MERGE, 0.1, 0},
        {SHEET RELATIVE BY("sei", "1e-3") BOUNCE, 0.1, 0},
        {SHEET TREE BY("sei", "1e-3") DRAG MERGE, 0.1, 0},
        {SYSTEMS LEAPFROG BOUNCE, 0.1, 0},
        {SYSTEMS BY("wh", "1e-3"), 0.1, 0},
        {BALL TREE BLOCK(", levels: 4"), 0, 2},
        {BALL TREE BLOCK(", levels: 4, steps: shared"), 0, 2},
        {BALL TREE BLOCK(", levels: 0") BOUNCE, 0.1, 2},
        {SYSTEMS BY("respa", "1e-3") BOUNCE, 0.1, 0},
        {SYSTEMS BY("two-rate", "1e-3") BOUNCE, 0.1, 0},
        {SYSTEMS BY("wh", "1e-3") MERGE, 0.1, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (waits_of(rows[i].scene, rows[i].radius) != (uint64_t)rows[i].waits * STEPS)
            fail_msg("%s waits other than %u times a step", rows[i].scene, rows[i].waits);
}

/* How steps are taken: with a wait for the pairs of each, as the device has them, or on a guess,
 * which is right in some and wrong in others; and with room for three pairs or ten cells. */
typedef enum way {
    WAITING,
    ALONE,
    GUESS_NONE,
    GUESS_SOME,
    LEARNT,
    SHORT_LIST,
    SMALL_TREE,
    WAYS
} way;

typedef struct outcome {
    uint64_t hash;
    size_t n;
    bool fresh; /* a checkpoint says so */
    uint32_t busy;
} outcome;

/* Pairs are waited for where bodies have come from outside. */
static void take_steps(oct_sim *sim, way how, uint64_t steps)
{
    bool single = how == WAITING || how == ALONE;
    oct_collider *c = sim->domain->collisions.state;
    for (uint64_t i = 0; i < steps; i += single ? 1 : steps) {
        if (how == WAITING)
            c->placed = (oct_edition){0};
        ref_ok(oct_sim_step(sim, single ? 1 : steps));
        if (how == ALONE)
            ref_ok(oct_sim_wait(sim));
    }
    ref_ok(oct_sim_wait(sim));
}

static outcome outcome_of(const char *scene, double radius, way how)
{
    enum { MANY = 30 };
    uint32_t cells = 10;
    oct_sim *sim = create(scene, radius);
    oct_collider *c = sim->domain->collisions.state;
    oct_guess_way guess = how == GUESS_SOME ? OCT_GUESS_SOME : OCT_GUESS_NONE;
    sim->guess = (oct_guess){.way = guess, .next = guess, .stays = how != LEARNT, .span = 64};
    take_steps(sim, how, 1);
    if (how == SHORT_LIST)
        c->capacity = 3;
    if (how == SMALL_TREE && sim->domain->tree) {
        sim->domain->tree->capacity = cells;
        sim->domain->tree->built = (oct_made){0};
    }
    take_steps(sim, how, MANY);
    assert_true(!sim->domain->tree || sim->domain->tree->capacity > cells);
    outcome out = {ref_hash(sim), oct_sim_count(sim), oct_forces_fresh(sim->domain), c->busy};
    assert_true(how == WAITING || out.busy > 1);
    oct_sim_free(sim);
    return out;
}

static void assert_the_same(const char *scene, double radius)
{
    outcome waited = outcome_of(scene, radius, WAITING);
    for (way how = ALONE; how < WAYS; how++) {
        outcome out = outcome_of(scene, radius, how);
        if (out.hash != waited.hash || out.n != waited.n || out.fresh != waited.fresh)
            fail_msg("%s ends otherwise when taken the way %d", scene, (int)how);
    }
}

/* Some of the steps have mergers and some have none. */
static void whoever_merges(void **state)
{
    (void)state;
    assert_the_same(BALL TREE BY("leapfrog", "0.02") MERGE, 0.05);
    assert_the_same(BALL DIRECT BY("leapfrog", "0.02") MERGE, 0.05);
    assert_the_same(BALL RELATIVE BY("leapfrog", "0.02") MERGE, 0.05);
    assert_the_same(BALL RELATIVE BY("leapfrog", "0.02") DRAG MERGE, 0.05);
    assert_the_same(BALL TREE BY("leapfrog", "0.02") HEAT MERGE, 0.05);
}

static void whatever_forces_go_by(void **state)
{
    (void)state;
    assert_the_same(BALL RELATIVE BY("leapfrog", "0.02") BOUNCE, 0.1);
    assert_the_same(BALL TREE BY("leapfrog", "0.02") DRAG BOUNCE, 0.1);
    assert_the_same(BALL RELATIVE BY("leapfrog", "0.02") HEAT BOUNCE, 0.1);
    assert_the_same(SYSTEMS LEAPFROG BOUNCE, 30);
}

/* Forces of two rates: near and far, found and kicked with in parts of a step. */
static void at_two_rates(void **state)
{
    (void)state;
    assert_the_same(SYSTEMS BY("respa", "1e-3") BOUNCE, 30);
    assert_the_same(SYSTEMS BY("two-rate", "1e-3") BOUNCE, 30);
    assert_the_same(SYSTEMS BY("wh", "1e-3") BOUNCE, 30);
    assert_the_same(SYSTEMS BY("wh", "1e-3") MERGE, 10);
}

/* Mergers once in a while let more steps be enqueued with time, some more often the host wait in
 * each, those in most steps forces be found after each. */
static void guesses_are_learnt(void **state)
{
    oct_sim *sim = create(BALL TREE LEAPFROG MERGE, 1e-9);
    const oct_guess *guess = &sim->guess;
    (void)state;
    sim->guess = (oct_guess){.way = OCT_GUESS_NONE, .span = 4};
    const struct {
        unsigned steps, busy;
        oct_guess_way way;
        uint32_t span;
    } rows[] = {{4, 0, OCT_GUESS_NONE, 8},       {3, 0, OCT_GUESS_NONE, 8},
                {8, 0, OCT_GUESS_NONE, 16},      {2, 1, OCT_GUESS_NONE, 4},
                {4, 0, OCT_GUESS_NONE, 5},       {5, 0, OCT_GUESS_NONE, 6},
                {6, 1, OCT_GUESS_NOTHING, 64},   {7, 7, OCT_GUESS_NOTHING, 64},
                {64, 32, OCT_GUESS_SOME, 16},    {16, 8, OCT_GUESS_SOME, 16},
                {0, 0, OCT_GUESS_SOME, 16},      {16, 7, OCT_GUESS_NOTHING, 64},
                {400, 1, OCT_GUESS_NOTHING, 64}, {512, 0, OCT_GUESS_NOTHING, 64},
                {512, 0, OCT_GUESS_NONE, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sim->clock.step += rows[i].steps;
        oct_guess_learn(sim, rows[i].busy);
        oct_guess_settle(sim);
        assert_int_equal(guess->way, rows[i].way);
        assert_int_equal(oct_guess_span(sim, 64), rows[i].span);
    }
    sim->guess = (oct_guess){.way = OCT_GUESS_NOTHING, .span = 4};
    assert_int_equal(oct_guess_span(sim, 64), 64);
    assert_false(oct_sim_runs_ahead(sim));
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_table_says),     cmocka_unit_test(whoever_merges),
        cmocka_unit_test(whatever_forces_go_by), cmocka_unit_test(at_two_rates),
        cmocka_unit_test(guesses_are_learnt),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
