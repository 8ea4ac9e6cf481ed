/* Forecasts of a run's time, and the shares of bodies that they are made from. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "io/scene.h"
#include "scene_sim.h"

#define REST "gravity: {method: direct, softening: 0.1}\nintegrator: {dt: 0.01}\nrun: {until: 1}\n"

static oct_scene *parse(const char *text)
{
    oct_scene *scene = NULL;
    ref_ok(oct_scene_parse(&scene, text, strlen(text), "scene"));
    return scene;
}

/* The bodies of a quarter of a scene. */
static oct_bodies quarter_of(const char *text)
{
    oct_scene *scene = parse(text);
    oct_setup *setup = NULL;
    oct_bodies bodies = {0};
    ref_ok(oct_scene_setup(&setup, scene));
    setup->share = 0.25;
    ref_ok(oct_setup_bodies(&bodies, setup));
    oct_setup_free(setup);
    oct_scene_free(scene);
    return bodies;
}

static double total_mass(const oct_bodies *bodies)
{
    double mass = 0;
    for (size_t i = 0; i < bodies->n; i++)
        mass += bodies->mass[i];
    return mass;
}

static void a_share_of_spheres_has_their_mass(void **state)
{
    (void)state;
    static const char *const models[] = {"plummer", "hernquist", "uniform-sphere", "cold-sphere"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        char text[300];
        snprintf(text, sizeof text, "units: nbody\nmodels: [%s: {n: 1003, mass: 2}]\n" REST,
                 models[i]);
        oct_bodies bodies = quarter_of(text);
        assert_int_equal(bodies.n, 250);
        assert_true(fabs(total_mass(&bodies) - 2) < 1e-13); /* measured: 1.3e-15 */
        oct_bodies_clear(&bodies);
    }
}

static void a_share_is_at_least_one(void **state)
{
    (void)state;
    oct_bodies bodies = quarter_of("units: nbody\nmodels: [plummer: {n: 2}]\n" REST);
    assert_int_equal(bodies.n, 1);
    oct_bodies_clear(&bodies);
    /* What is not made by the number is made as it is. */
    bodies = quarter_of(
        "units: nbody\nmodels: [two-body: {mass1: 1, mass2: 1, semi_major_axis: 1}]\n" REST);
    assert_int_equal(bodies.n, 2);
    oct_bodies_clear(&bodies);
}

static void a_share_of_systems_has_whole_ones(void **state)
{
    (void)state;
    oct_bodies bodies = quarter_of("units: solar\nmodels: [galaxy-of-systems: {systems: 20, "
                                   "bodies: 3, distance: 1000 AU}]\n" REST);
    assert_int_equal(bodies.n, 1 + 5 * 3);
    assert_int_equal(bodies.system[15], 5);
    for (size_t i = 0; i < bodies.n; i++)
        assert_true(bodies.mass[i] > 0);
    oct_bodies_clear(&bodies);
}

static void a_forecast_adds_up(void **state)
{
    (void)state;
    oct_scene *scene =
        parse("units: nbody\nmodels: [plummer: {n: 500}]\n" REST "output: {snapshot: 0.5}\n");
    oct_forecast f = {.size = sizeof f};
    ref_ok(oct_scene_forecast(&f, ref_device(), scene, OCT_PRECISION_SINGLE, 0.2));
    assert_int_equal(f.n, 500);
    assert_null(f.law);
    assert_true(f.steps >= 3 && f.steps <= 100 + 64);
    assert_true(f.start_s > 0 && f.step_s > 0 && f.row_s > 0 && f.snapshot_s > 0);
    double wall = f.start_s + 100 * f.step_s + 101 * f.row_s + (3 + 1) * f.snapshot_s;
    assert_true(fabs(f.wall_s / wall - 1) < 1e-12);

    /* What would take hours is not begun. */
    ref_ok(oct_scene_set(scene, "models.0.plummer.n=2000000"));
    ref_ok(oct_scene_forecast(&f, ref_device(), scene, OCT_PRECISION_SINGLE, 0.2));
    assert_true(f.n < 2000000);
    assert_string_equal(f.law, "n^2");
    ref_ok(oct_scene_set(scene, "gravity.method=tree"));
    ref_ok(oct_scene_forecast(&f, ref_device(), scene, OCT_PRECISION_SINGLE, 0.2));
    assert_string_equal(f.law, "n log n");
    oct_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_of_spheres_has_their_mass),
        cmocka_unit_test(a_share_is_at_least_one),
        cmocka_unit_test(a_share_of_systems_has_whole_ones),
        cmocka_unit_test(a_forecast_adds_up),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
