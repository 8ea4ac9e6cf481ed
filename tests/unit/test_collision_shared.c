/* Collisions of bodies that several ranks share are those of one domain, to the bit: which pairs
 * collide, in which order, and what becomes of them. Nothing pulls at the bodies, since sums of
 * forces round differently. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/sim.h"
#include "scene_sim.h"
#include "shared_sim.h"

enum { STEPS = 12 };

/* A crowd: spheres of 1 m, as many as fill the plane twice. */
#define RING(size, n, more, collisions)                                                            \
    "units: si\nseed: 3\nmodels: [ring: {n: " #n ", density: 500, radius: 1, dispersion: 1.0e-3, " \
    "spread: 2}" more "]\nbox: {boundary: shear, size: [" size ", 30], omega: 1.3e-4}\n"           \
    "gravity: {method: none}\ncollisions: {restitution: 0.5, " collisions "}\n"                    \
    "integrator: {method: sei, dt: 20}\nrun: {until: 1000}\n"
#define HOT(collisions)                                                                            \
    "units: si\nseed: 3\nmodels: [ring: {n: 150, density: 500, radius: 1, dispersion: 0.05, "      \
    "spread: 2}]\nbox: {boundary: shear, size: [16, 20, 30], omega: 1.3e-4}\n"                     \
    "gravity: {method: none}\ncollisions: {method: tree, restitution: 1" collisions "}\n"          \
    "integrator: {method: sei, dt: 20}\nrun: {until: 1000}\n"
#define CROWD(collisions) RING("16, 20", 150, "", collisions)

static const char tree[] = CROWD("method: tree");
static const char portable[] = CROWD("method: tree, kernel: portable");
static const char direct[] = CROWD("method: direct");
static const char merging[] = CROWD("method: tree, outcome: merge");
static const char rough[] = CROWD("method: tree, tangential: 0.3");
static const char moonlet[] =
    RING("30, 30", 120, ", body: {mass: 1.0e+6, radius: 6}", "method: tree");
static const char heap[] = RING("5, 5", 60, "", "method: direct");
static const char periodic[] =
    "units: nbody\nmodels:\n"
    "  - body: {mass: 1, radius: 0.6, offset: [0.5, 1.0, 1.2], velocity: [0.9, 0.5, 0.8]}\n"
    "  - body: {mass: 1, radius: 0.6, offset: [-1.9, -0.1, 1.8], velocity: [0.3, 0.8, -0.8]}\n"
    "  - body: {mass: 1, radius: 0.6, offset: [-0.1, -1.0, 0.2], velocity: [0.1, -1.0, -0.6]}\n"
    "  - body: {mass: 1, radius: 0.6, offset: [-0.9, 1.7, 1.1], velocity: [-0.7, 0.6, -0.7]}\n"
    "  - body: {mass: 1, radius: 0.6, offset: [0.5, -1.5, -2.0], velocity: [0.7, -0.6, -0.6]}\n"
    "  - body: {mass: 1, radius: 0.6, offset: [1.9, 1.5, -0.8], velocity: [0.9, 0.1, 0.4]}\n"
    "  - body: {mass: 1, radius: 0.6, offset: [-1.2, 1.8, 0.8], velocity: [0.9, 0.8, -0.4]}\n"
    "  - body: {mass: 1, radius: 0.6, offset: [-0.6, -1.3, -1.4], velocity: [-0.9, -0.4, 0.2]}\n"
    "  - body: {mass: 1, radius: 0.6, offset: [-2.0, 0.7, -0.6], velocity: [-0.4, 0.6, -0.0]}\n"
    "  - body: {mass: 1, radius: 0.6, offset: [-0.7, -0.1, 0.8], velocity: [-0.9, 1.0, -1.0]}\n"
    "  - body: {mass: 1, radius: 0.6, offset: [1.0, 1.4, -1.9], velocity: [0.6, -0.3, 0.2]}\n"
    "  - body: {mass: 1, radius: 0.6, offset: [-2.0, -1.8, -1.3], velocity: [0.9, -0.6, 0.5]}\n"
    "box: {boundary: periodic, size: [4, 4, 4]}\ngravity: {method: none}\n"
    "collisions: {method: tree, restitution: 0.7}\n"
    "integrator: {method: leapfrog, dt: 0.1}\nrun: {until: 1000}\n";
/* Two that meet in the open, and one that comes after them. */
#define FEW(integrator)                                                                            \
    "units: nbody\nmodels:\n  - body: {mass: 1, radius: 0.5, velocity: [1, 0, 0]}\n"               \
    "  - body: {mass: 2, radius: 0.5, offset: [2, 0.1, 0], velocity: [-1, 0, 0]}\n"                \
    "  - body: {mass: 3, radius: 0.5, offset: [5, 0, 0], velocity: [-1, 0, 0]}\n"                  \
    "  - body: {mass: 4, radius: 0.5, offset: [50, 0, 0]}\n"                                       \
    "gravity: {method: none}\ncollisions: {method: tree, restitution: 1}\n"                        \
    "integrator: {" integrator ", dt: 0.25}\nrun: {until: 1000}\n"

/* Measurements, each as far off as it is large. */
static double compare_values(const ref_shared *one, const ref_shared *many)
{
    double worst = 0;
    assert_int_equal(many->n_values, one->n_values);
    for (size_t i = 0; i < one->n_values; i++) {
        assert_true(isnan(one->values[i]) == isnan(many->values[i]));
        if (!isnan(one->values[i]))
            worst =
                fmax(worst, fabs(one->values[i] - many->values[i]) / fmax(1, fabs(one->values[i])));
    }
    return worst;
}

/* Bodies change their owners so often, or more often: `moves` all at once, `traded` one by one. */
static void compare_with(ref_shared how, uint64_t moves, uint64_t traded)
{
    ref_shared one = {.precision = how.precision, .steps = how.steps, .scene = how.scene};
    ref_ok(ref_share(&one));
    for (uint32_t ranks = 2; ranks <= 4; ranks++) {
        ref_shared many = how;
        many.ranks = ranks;
        ref_ok(ref_share(&many));
        assert_int_equal(many.bodies.n, one.bodies.n);
        assert_true(many.hash == one.hash);
        assert_true(many.moves >= moves);
        assert_true(many.traded >= traded);
        double worst = compare_values(&one, &many);
        print_message("    %u ranks: %zu bodies, measured to %.2g\n", (unsigned)ranks, one.bodies.n,
                      worst);
        /* Measured: 3e-14. */
        assert_true(worst < 1e-12);
        oct_bodies_clear(&many.bodies);
    }
    oct_bodies_clear(&one.bodies);
}

static void compare(const char *scene, oct_precision precision, uint32_t every, uint64_t moves)
{
    compare_with(
        (ref_shared){.precision = precision, .steps = STEPS, .scene = scene, .every = every}, moves,
        0);
}

static void in_a_crowd(void **state)
{
    (void)state;
    compare(tree, OCT_PRECISION_DOUBLE, 0, 1);
    compare(portable, OCT_PRECISION_DOUBLE, 0, 1);
    compare(direct, OCT_PRECISION_SINGLE, 0, 1);
    compare(rough, OCT_PRECISION_MIXED, 0, 1);
}

static void in_all_places(void **state)
{
    (void)state;
    compare(periodic, OCT_PRECISION_DOUBLE, 0, 1);
    compare(FEW("method: leapfrog"), OCT_PRECISION_DOUBLE, 0, 1);
    compare(FEW("method: block-leapfrog, levels: 0"), OCT_PRECISION_DOUBLE, 0, 1);
    compare(moonlet, OCT_PRECISION_DOUBLE, 0, 1);
}

/* Spheres that overlap at the start are pushed apart as on one domain. */
static void bodies_that_are_relaxed(void **state)
{
    (void)state;
    compare(CROWD("method: tree, relax: 20"), OCT_PRECISION_DOUBLE, 0, 1);
    compare(RING("30, 30", 120, "", "method: direct, relax: 100"), OCT_PRECISION_DOUBLE, 0, 1);
}

/* Each touches most others, in several images: long chains go to and fro between ranks. */
static void in_a_heap(void **state)
{
    (void)state;
    compare(heap, OCT_PRECISION_DOUBLE, 0, 1);
}

static void bodies_that_merge(void **state)
{
    (void)state;
    compare(merging, OCT_PRECISION_DOUBLE, 0, 1);
}

static void bodies_that_change_owners(void **state)
{
    (void)state;
    compare(HOT(""), OCT_PRECISION_DOUBLE, 1, 3);
    compare(HOT(", outcome: merge"), OCT_PRECISION_DOUBLE, 1, 3);
}

/* Those who come take the rows of others, where collisions have counted for these. */
static void bodies_that_are_traded(void **state)
{
    (void)state;
    static const char *const scenes[] = {HOT(""), HOT(", kernel: portable"), HOT(", relax: 5"),
                                         HOT(", outcome: merge"), HOT(", tangential: 0.3")};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        compare_with((ref_shared){.precision = i % 2 ? OCT_PRECISION_MIXED : OCT_PRECISION_DOUBLE,
                                  .steps = 40,
                                  .scene = scenes[i],
                                  .trade = 1},
                     1, 5);
}

/* Whoever goes on with it, what was counted stays counted. */
static void go_on_with_others(void **state)
{
    (void)state;
    static const char path[] = "test_collision_shared.hdf5";
    ref_shared whole = {.steps = STEPS, .scene = merging};
    ref_shared begun = {.ranks = 4, .steps = 5, .scene = merging, .save = path};
    ref_shared alone = {.steps = STEPS - 5, .checkpoint = path};
    ref_ok(ref_share(&whole));
    ref_ok(ref_share(&begun));
    ref_ok(ref_share(&alone));
    assert_true(alone.hash == whole.hash);
    for (uint32_t ranks = 1; ranks <= 4; ranks++) {
        ref_shared rest = {.ranks = ranks, .steps = STEPS - 5, .checkpoint = path};
        ref_ok(ref_share(&rest));
        assert_true(rest.hash == whole.hash);
        assert_true(compare_values(&alone, &rest) < 1e-12);
        oct_bodies_clear(&rest.bodies);
    }
    oct_bodies_clear(&whole.bodies);
    oct_bodies_clear(&begun.bodies);
    oct_bodies_clear(&alone.bodies);
    unlink(path);
}

/* Spheres that also attract each other are traded as gravity's tree has it: a run that was stopped
 * on the way ends as one that was not. */
static void traded_bodies_go_on(void **state)
{
    (void)state;
    static const char path[] = "test_collision_shared_traded.hdf5";
    static const char scene[] =
        "units: si\nseed: 3\nmodels: [ring: {n: 400, density: 500, radius: 1, dispersion: 0.02, "
        "spread: 2}]\nbox: {boundary: shear, size: [30, 40, 30], omega: 1.3e-4}\n"
        "gravity: {method: tree, softening: 0.1}\ncollisions: {method: tree, restitution: 0.5}\n"
        "integrator: {method: sei, dt: 20}\nrun: {until: 1000}\n";
    for (uint32_t ranks = 2; ranks <= 3; ranks++) {
        ref_shared whole = {.ranks = ranks, .steps = STEPS, .scene = scene};
        ref_shared begun = {.ranks = ranks, .steps = 5, .scene = scene, .save = path};
        ref_shared rest = {.ranks = ranks, .steps = STEPS - 5, .checkpoint = path};
        ref_ok(ref_share(&whole));
        ref_ok(ref_share(&begun));
        ref_ok(ref_share(&rest));
        assert_true(begun.traded > 0 && rest.traded > 0);
        assert_true(rest.hash == whole.hash);
        oct_bodies_clear(&whole.bodies);
        oct_bodies_clear(&begun.bodies);
        oct_bodies_clear(&rest.bodies);
        unlink(path);
    }
}

/* Bodies in all places, gaps too, as those who read files find them. */
static oct_status count_places(oct_sim *sim, size_t *out)
{
    oct_state copied;
    OCT_TRY(oct_sim_copy(&copied, sim));
    *out = oct_state_find(&copied, "id")->count;
    oct_state_clear(&copied);
    return OCT_STATUS_OK;
}

typedef struct closing {
    uint64_t steps;
    size_t places; /* afterwards */
} closing;

static oct_status step_and_count(oct_sim *sim, void *context)
{
    closing *c = context;
    if (sim->comm && oct_comm_rank(sim->comm) > 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_sim_step(sim, c->steps));
    return count_places(sim, &c->places);
}

/* Of 150 so many merge in 64 steps that their gaps are closed up, wherever they are. */
static void gaps_are_closed_up(void **state)
{
    (void)state;
    static const char path[] = "test_collision_shared_gaps.hdf5";
    closing first = {.steps = 130}, half = {.steps = 70};
    ref_shared one = {.scene = merging, .steps = 10, .visit = step_and_count, .context = &first};
    ref_shared begun = {
        .ranks = 3, .scene = merging, .visit = step_and_count, .context = &half, .save = path};
    ref_ok(ref_share(&one));
    ref_ok(ref_share(&begun));
    assert_in_range(first.places, 1, 112);
    for (uint32_t ranks = 1; ranks <= 4; ranks++) {
        closing found = {.steps = 130};
        ref_shared many = one;
        many.bodies = (oct_bodies){0};
        many.n_values = 0;
        many.ranks = ranks;
        many.context = &found;
        ref_ok(ref_share(&many));
        assert_int_equal(found.places, first.places);
        assert_true(many.hash == one.hash);
        assert_true(compare_values(&one, &many) < 1e-12);
        oct_bodies_clear(&many.bodies);
        ref_shared rest = {.ranks = ranks, .steps = 70, .checkpoint = path};
        ref_ok(ref_share(&rest));
        assert_true(rest.hash == one.hash);
        oct_bodies_clear(&rest.bodies);
    }
    oct_bodies_clear(&begun.bodies);
    oct_bodies_clear(&one.bodies);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_crowd),
        cmocka_unit_test(in_all_places),
        cmocka_unit_test(in_a_heap),
        cmocka_unit_test(bodies_that_merge),
        cmocka_unit_test(bodies_that_change_owners),
        cmocka_unit_test(bodies_that_are_traded),
        cmocka_unit_test(go_on_with_others),
        cmocka_unit_test(traded_bodies_go_on),
        cmocka_unit_test(bodies_that_are_relaxed),
        cmocka_unit_test(gaps_are_closed_up),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
