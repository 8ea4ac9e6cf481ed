/* Integrators, boxes and measurements with bodies that several ranks share are those of one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scene_sim.h"
#include "shared_sim.h"

#define BLOCK(more)                                                                                \
    "units: nbody\nmodels: [plummer: {n: 61}, body: {mass: 0.7, offset: [0.1, 0, 0]}, body: "      \
    "{mass: 0.9, offset: [-0.4, 0, 0.1]}]\ngravity: {method: direct, softening: 0.05}\n"           \
    "integrator: {method: block-leapfrog, dt: 0.03125, eta: 0.1" more "}\nrun: {until: 1}\n"
static const char own[] = BLOCK("");
static const char together[] = BLOCK(", steps: shared");
static const char orbits[] = BLOCK(", symmetric: true, heavy: 10, orbit: 0.03");
static const char escape[] = BLOCK(", symmetric: true, criterion: escape");
static const char none[] = BLOCK(", levels: 0");

static const char periodic[] =
    "units: nbody\nmodels: [uniform-cube: {n: 65, side: 2}]\n"
    "box: {boundary: periodic, size: [2, 3, 2]}\n"
    "gravity: {method: direct, softening: 0.05}\nintegrator: {dt: 0.01}\nrun: {until: 1}\n";

static const char sheet[] =
    "units: si\nmodels: [ring: {n: 90, density: 500, radius: 1, dispersion: 1.0e-4}]\n"
    "box: {boundary: shear, size: [30, 40, 40], omega: 1.3e-4}\n"
    "gravity: {method: direct, softening: 0.5}\ncollisions: {method: none}\n"
    "integrator: {method: sei, dt: 20}\nrun: {until: 1000}\n";

/* The largest difference of measurements, each over itself where it is more than 1. Those that need
 * pairs or rays are not taken where ranks share the bodies. */
static double compare_values(const ref_shared *one, const ref_shared *many, size_t *lost)
{
    double worst = 0;
    assert_int_equal(many->n_values, one->n_values);
    *lost = 0;
    for (size_t i = 0; i < one->n_values; i++) {
        double a = one->values[i], b = many->values[i];
        *lost += !isnan(a) && isnan(b);
        assert_true(isnan(b) || !isnan(a));
        if (!isnan(a) && !isnan(b))
            worst = fmax(worst, fabs(a - b) / fmax(1, fabs(a)));
    }
    return worst;
}

#define GALAXIES                                                                                   \
    "units: nbody\nmodels: [plummer: {n: 37}, disk-galaxy: {disk: {n: 20}, bulge: {n: 9}, halo: "  \
    "{n: 20}, offset: [9, 0, 0], velocity: [0, 1, 0]}, uniform-cube: {n: 3}]\n"                    \
    "gravity: {method: direct, softening: 0.05}\nintegrator: {dt: 0.01}\nrun: {until: 1}\n"

/* Each rank makes its own bodies, and they are those that one would have made. */
static void bodies_of_models(void **state)
{
    (void)state;
    const char *const scenes[] = {GALAXIES, sheet, own};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        ref_shared one = {.precision = OCT_PRECISION_DOUBLE, .scene = scenes[i]};
        ref_ok(ref_share(&one));
        size_t n = one.bodies.n;
        for (uint32_t ranks = 2; ranks <= 4; ranks++) {
            ref_shared many = one;
            many.bodies = (oct_bodies){0};
            many.ranks = ranks;
            many.n_values = 0;
            ref_ok(ref_share(&many));
            const oct_bodies *b = &many.bodies;
            assert_int_equal(b->n, n);
            assert_memory_equal(b->id, one.bodies.id, n * sizeof *b->id);
            assert_memory_equal(b->type, one.bodies.type, n);
            assert_memory_equal(b->mass, one.bodies.mass, n * sizeof *b->mass);
            assert_memory_equal(b->position, one.bodies.position, 3 * n * sizeof *b->position);
            assert_memory_equal(b->velocity, one.bodies.velocity, 3 * n * sizeof *b->velocity);
            oct_bodies_clear(&many.bodies);
        }
        oct_bodies_clear(&one.bodies);
    }
}

/* One simulation and ranks, as far apart as rounding puts them; so many values are not measured. */
static void compare(const char *scene, uint64_t steps, size_t lost, double tolerance)
{
    ref_shared one = {.precision = OCT_PRECISION_DOUBLE, .steps = steps, .scene = scene};
    double worst = 0;
    ref_ok(ref_share(&one));
    assert_in_range(one.n_values, 1, REF_MOST_VALUES);
    for (uint32_t ranks = 1; ranks <= 4; ranks++) {
        ref_shared many = {
            .precision = OCT_PRECISION_DOUBLE, .ranks = ranks, .steps = steps, .scene = scene};
        ref_shared again = many;
        size_t found;
        ref_ok(ref_share(&many));
        ref_ok(ref_share(&again));
        assert_true(many.hash == again.hash);
        assert_true((many.hash == one.hash) == (ranks == 1));
        worst = fmax(worst, ref_force_difference(&one.bodies, &many.bodies));
        worst = fmax(worst, compare_values(&one, &many, &found));
        assert_int_equal(found, ranks == 1 ? 0 : lost);
        oct_bodies_clear(&many.bodies);
        oct_bodies_clear(&again.bodies);
    }
    print_message("    differs by %.2g\n", worst);
    assert_true(worst <= tolerance);
    oct_bodies_clear(&one.bodies);
}

static void block_steps(void **state)
{
    (void)state;
    /* Measured: 6e-15, 2e-15, 2e-14, 2e-15. */
    compare(own, 70, 0, 1e-13);
    compare(together, 10, 0, 1e-13);
    compare(none, 5, 0, 1e-13);
    compare(escape, 40, 0, 1e-13);
}

/* Heavy bodies of one rank shorten the steps of others' bodies. */
static void orbits_about_others(void **state)
{
    (void)state;
    compare(orbits, 40, 0, 1e-13); /* measured: 3e-15 */
}

static void boxes(void **state)
{
    (void)state;
    compare(periodic, 5, 0, 1e-12); /* measured: 8e-15 */
    compare(sheet, 5, 0, 1e-12);    /* measured: 2e-15 */
}

/* In the middle of a block, with what was counted before; rungs travel with their bodies. */
static void blocks_go_on(void **state)
{
    (void)state;
    static const char path[] = "test_cluster_steps.hdf5";
    for (uint32_t ranks = 3; ranks <= 4; ranks++) {
        ref_shared whole = {
            .precision = OCT_PRECISION_DOUBLE, .ranks = 4, .steps = 37, .scene = orbits};
        ref_shared begun = whole, rest = whole;
        begun.steps = 21;
        begun.save = path;
        rest.steps = 16;
        rest.ranks = ranks;
        rest.checkpoint = path;
        size_t lost;
        ref_ok(ref_share(&whole));
        ref_ok(ref_share(&begun));
        ref_ok(ref_share(&rest));
        assert_true((whole.hash == rest.hash) == (ranks == 4));
        assert_true(compare_values(&whole, &rest, &lost) < 1e-11);
        oct_bodies_clear(&whole.bodies);
        oct_bodies_clear(&begun.bodies);
        oct_bodies_clear(&rest.bodies);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_models),    cmocka_unit_test(block_steps),
        cmocka_unit_test(orbits_about_others), cmocka_unit_test(boxes),
        cmocka_unit_test(blocks_go_on),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
