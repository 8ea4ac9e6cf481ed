/* Direct sums of bodies that several ranks share are those of one, in another order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scene_sim.h"
#include "shared_sim.h"

#define SCENE(n, gravity, more)                                                                    \
    "units: nbody\nmodels: [plummer: {n: " #n "}]\n"                                               \
    "gravity: {method: direct, " gravity "}\nintegrator: {dt: 0.01}\nrun: {until: 1}\n" more

static const char plain[] = SCENE(101, "softening: 0.05", "");
static const char point[] = SCENE(101, "softening: 0", "");
static const char typed[] =
    "units: nbody\nmodels: [plummer: {n: 60, type: star}, plummer: {n: 41, type: disk}]\n"
    "gravity: {method: direct, softening: 0.05, softenings: {star: 0.1, disk: 0.2}}\n"
    "columns: {charge: {}}\nintegrator: {dt: 0.01}\nrun: {until: 1}\n";
static const char tiles[] = SCENE(101, "softening: 0.05, kernel: tiles", "");
/* Steps that differ: sets of few bodies, which GPUs sum for in another way. */
static const char blocks[] =
    "units: nbody\nmodels: [plummer: {n: 1100}]\ngravity: {method: direct, softening: 0.02, "
    "kernel: "
    "tiles}\nintegrator: {method: block-leapfrog, dt: 0.05, levels: 3}\nrun: {until: 1}\n";
static const char pulled[] = SCENE(
    101, "softening: 0.05",
    "forces:\n  - custom: {code: 'real4 octant_force(real3 x, real3 v, real m, ulong id, real "
    "t) { return (real4)(-x, dot(x, x) / 2); }'}\n");

/* One simulation and ranks, as far apart as rounding puts them. */
static void compare(const char *scene, oct_precision precision, uint64_t steps, double tolerance)
{
    ref_shared one = {.precision = precision, .steps = steps, .scene = scene};
    ref_ok(ref_share(&one));
    double worst = 0;
    for (uint32_t ranks = 1; ranks <= 4; ranks++) {
        ref_shared many = {.precision = precision, .ranks = ranks, .steps = steps, .scene = scene};
        ref_shared again = many;
        ref_ok(ref_share(&many));
        ref_ok(ref_share(&again));
        assert_int_equal(many.bodies.n, one.bodies.n);
        assert_memory_equal(many.bodies.id, one.bodies.id, one.bodies.n * sizeof *one.bodies.id);
        assert_true(many.hash == again.hash);
        assert_true(memcmp(&many.energy, &again.energy, sizeof many.energy) == 0);
        if (ranks == 1)
            assert_true(many.hash == one.hash);
        else
            assert_true(steps == 0 || many.hash != one.hash); /* the order can be seen */
        worst = fmax(worst, ref_force_difference(&one.bodies, &many.bodies));
        worst = fmax(worst, fabs(many.energy / one.energy - 1));
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(many.momentum[k] - one.momentum[k]));
        oct_bodies_clear(&many.bodies);
        oct_bodies_clear(&again.bodies);
    }
    print_message("    differs by %.2g\n", worst);
    assert_true(worst <= tolerance);
    oct_bodies_clear(&one.bodies);
}

static void in_double_to_round_off(void **state)
{
    (void)state;
    /* Measured: 4e-15, 2e-14, 2e-15, 7e-16. */
    compare(plain, OCT_PRECISION_DOUBLE, 3, 1e-13);
    compare(point, OCT_PRECISION_DOUBLE, 3, 1e-13);
    compare(typed, OCT_PRECISION_DOUBLE, 3, 1e-13);
    compare(pulled, OCT_PRECISION_DOUBLE, 3, 1e-13);
}

static void in_floats_too(void **state)
{
    (void)state;
    /* Measured: 2e-7, 3e-6, 2e-7, 6e-7. */
    compare(plain, OCT_PRECISION_MIXED, 3, 1e-6);
    compare(plain, OCT_PRECISION_SINGLE, 3, 1e-5);
    compare(tiles, OCT_PRECISION_MIXED, 3, 1e-6);
    compare(blocks, OCT_PRECISION_MIXED, 3, 5e-6);
}

/* All that is measured, also of components that no rank has alone. */
static void measurements_are_joined(void **state)
{
    (void)state;
    static const char scene[] =
        "units: nbody\nmodels: [plummer: {n: 60, type: star}, plummer: {n: 41, type: disk}]\n"
        "gravity: {method: direct, softening: 0.05}\nintegrator: {dt: 0.01}\nrun: {until: 1}\n"
        "output: {components: [all, star, disk], distance: [all/1, star/disk, 1/101], bar_radius: "
        "2}\n";
    ref_shared one = {.precision = OCT_PRECISION_DOUBLE, .steps = 2, .scene = scene};
    ref_ok(ref_share(&one));
    assert_in_range(one.n_values, 60, REF_MOST_VALUES);
    oct_bodies_clear(&one.bodies);
    for (uint32_t ranks = 2; ranks <= 4; ranks++) {
        ref_shared many = {
            .precision = OCT_PRECISION_DOUBLE, .ranks = ranks, .steps = 2, .scene = scene};
        double worst = 0;
        ref_ok(ref_share(&many));
        oct_bodies_clear(&many.bodies);
        assert_int_equal(many.n_values, one.n_values);
        for (size_t i = 0; i < one.n_values; i++) {
            assert_true(isnan(one.values[i]) == isnan(many.values[i]));
            if (!isnan(one.values[i]))
                worst = fmax(worst,
                             fabs(one.values[i] - many.values[i]) / fmax(1, fabs(one.values[i])));
        }
        print_message("    differs by %.2g\n", worst);
        assert_true(worst < 1e-12); /* measured: 9e-16 */
    }
}

/* A checkpoint is of all bodies, and whoever there is shares them. */
static void go_on_with_others(void **state)
{
    (void)state;
    static const char path[] = "test_cluster_direct.hdf5";
    for (uint32_t ranks = 1; ranks <= 4; ranks++) {
        ref_shared whole = {
            .precision = OCT_PRECISION_DOUBLE, .ranks = 4, .steps = 6, .scene = plain};
        ref_shared begun = {.precision = OCT_PRECISION_DOUBLE,
                            .ranks = 4,
                            .steps = 3,
                            .scene = plain,
                            .save = path};
        ref_shared rest = {
            .precision = OCT_PRECISION_DOUBLE, .ranks = ranks, .steps = 3, .checkpoint = path};
        ref_ok(ref_share(&whole));
        ref_ok(ref_share(&begun));
        ref_ok(ref_share(&rest));
        assert_true((whole.hash == rest.hash) == (ranks == 4));
        assert_true(ref_force_difference(&whole.bodies, &rest.bodies) < 1e-13);
        oct_bodies_clear(&whole.bodies);
        oct_bodies_clear(&begun.bodies);
        oct_bodies_clear(&rest.bodies);
        unlink(path); /* else the next one would keep it beside itself */
    }
}

static void refuse(const char *scene, const char *part)
{
    ref_shared run = {.precision = OCT_PRECISION_DOUBLE, .ranks = 3, .scene = scene};
    assert_int_equal(ref_share(&run), OCT_STATUS_INPUT);
    ref_says(part);
}

static void what_is_refused(void **state)
{
    (void)state;
    refuse(SCENE(2, "softening: 0", ""), "2 bodies cannot be shared among 3 domains");
}

/* A body that becomes no number is named, whoever has it. */
static void a_bad_body_ends_all(void **state)
{
    (void)state;
    ref_shared run = {
        .precision = OCT_PRECISION_DOUBLE,
        .ranks = 3,
        .steps = 2,
        .scene = SCENE(9, "softening: 0",
                       "forces:\n  - custom: {code: 'real4 octant_force(real3 x, real3 v, real m, "
                       "ulong id, real t) { return (real4)(id == 8 && t > 0 ? NAN : 0); }'}\n")};
    assert_int_equal(ref_share(&run), OCT_STATUS_NUMBER);
    ref_says("particle 8 is no number any more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_double_to_round_off),  cmocka_unit_test(in_floats_too),
        cmocka_unit_test(measurements_are_joined), cmocka_unit_test(go_on_with_others),
        cmocka_unit_test(what_is_refused),         cmocka_unit_test(a_bad_body_ends_all),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
