/* Paths of the camera meet their keys and do not overshoot. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "octant/octant.h"

static oct_path *path_of(const char *const *keys, size_t count)
{
    oct_path *path;
    assert_int_equal(oct_path_create(&path), OCT_STATUS_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(oct_path_add(path, keys[i]), OCT_STATUS_OK);
    return path;
}

static oct_render_options camera_at(const oct_path *path, double t)
{
    oct_render_options options = {.size = sizeof options, .extent = 7};
    oct_path_apply(&options, path, t);
    return options;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-12 * fmax(1, fabs(b));
}

static void key_frames_are_met(void **state)
{
    (void)state;
    /* In any order, each number with keys of its own. */
    const char *const keys[] = {"t=1 azimuth=50 extent=8 centre=1,2,-3", "  t=0\televation=30",
                                "t=0.25 azimuth=-10 extent=2", "t=0.5 azimuth=20 roll=5 fov=40"};
    oct_path *path = path_of(keys, 4);
    oct_render_options now = camera_at(path, 0.25);
    assert_true(now.aimed && now.centred && near(now.azimuth, -10) && near(now.extent, 2));
    assert_true(near(now.elevation, 30) && near(now.roll, 5) && near(now.fov, 40));
    assert_true(now.centre[0] == 1 && now.centre[1] == 2 && now.centre[2] == -3);
    now = camera_at(path, 0.5);
    assert_true(near(now.azimuth, 20));
    now = camera_at(path, 1);
    assert_true(near(now.azimuth, 50) && near(now.extent, 8));
    /* Before its first key a number is that of the key. */
    assert_true(near(camera_at(path, 0).azimuth, -10));
    oct_path_free(path);
}

static void two_keys_start_and_end_at_rest(void **state)
{
    (void)state;
    /* By hand: 90 - 75 (3 u^2 - 2 u^3); the extent in the middle is the geometric mean. */
    const char *const keys[] = {"t=0 elevation=90 extent=400", "t=1 elevation=15 extent=100"};
    oct_path *path = path_of(keys, 2);
    assert_true(near(camera_at(path, 0.25).elevation, 90 - 75 * 0.15625));
    assert_true(near(camera_at(path, 0.5).elevation, 52.5));
    assert_true(near(camera_at(path, 0.5).extent, 200));
    assert_true(fabs(camera_at(path, 1e-4).elevation - 90) < 1e-5);
    oct_path_free(path);
}

static void curves_never_overshoot_nor_jump(void **state)
{
    (void)state;
    const double t[] = {0, 0.1, 0.5, 0.6, 1}, value[] = {0, 1, 80, 30, 20};
    char text[64];
    oct_path *path;
    assert_int_equal(oct_path_create(&path), OCT_STATUS_OK);
    for (int i = 0; i < 5; i++) {
        snprintf(text, sizeof text, "t=%g elevation=%g", t[i], value[i]);
        assert_int_equal(oct_path_add(path, text), OCT_STATUS_OK);
    }
    double before = 0, slope_before = 0, jump = 0;
    enum { STEPS = 2000 };
    for (int k = 1; k <= STEPS; k++) {
        double now = camera_at(path, (double)k / STEPS).elevation;
        double slope = (now - before) * STEPS;
        assert_true(k <= STEPS / 2 ? slope >= -1e-9 : slope <= 1e-9);
        assert_true(now <= 80 + 1e-9);
        jump = fmax(jump, fabs(slope - slope_before));
        before = now;
        slope_before = slope;
    }
    /* Slopes of up to 750 change by little from step to step: 14 seen; 700 with straight lines. */
    assert_true(jump < 20);
    oct_path_free(path);
}

static void a_turn_is_even_and_on_top(void **state)
{
    (void)state;
    const char *const keys[] = {"turn=360", "t=0 azimuth=10"};
    oct_path *path = path_of(keys, 2);
    for (int k = 0; k <= 8; k++)
        assert_true(near(camera_at(path, k / 8.0).azimuth, 10 + 45 * k));
    oct_path_free(path);
}

static void what_no_key_names_stays(void **state)
{
    (void)state;
    const char *const turn[] = {"turn=90"};
    oct_path *path = path_of(turn, 1);
    oct_render_options options = {
        .size = sizeof options, .axis = 'x', .extent = 7, .fov = 30, .centre = {1, 2, 3}};
    oct_path_apply(&options, path, 0.5);
    assert_true(options.aimed && options.azimuth == 90 + 45 && options.elevation == 0);
    assert_true(options.extent == 7 && options.fov == 30 && !options.centred);
    oct_path_free(path);
}

static void bad_keys_are_refused_with_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *key, *word;
    } cases[] = {{"", "nothing"},
                 {"t=0", "nothing"},
                 {"azimuth=3", "needs a t"},
                 {"t=1.5 azimuth=3", "needs a t"},
                 {"t=-1 azimuth=3", "needs a t"},
                 {"t=0.5 azimut=3", "`azimut`"},
                 {"t=0.5 azimuth", "a number"},
                 {"t=0.5 azimuth=x", "a number"},
                 {"t=0.5 azimuth=3x", "a number"},
                 {"t=0.5 azimuth=inf", "a number"},
                 {"t=0.5 centre=1,2", "three numbers"},
                 {"t=0.5 centre=1,2,3,4", "three numbers"},
                 {"t=0.5 elevation=91", "-90 to 90"},
                 {"t=0.5 fov=-1", "fov"},
                 {"t=0.5 extent=0", "extent"},
                 {"t=0.5 roll=3", "two values of roll"}};
    const char *const first[] = {"t=0.5 roll=3"};
    oct_path *path = path_of(first, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(oct_path_add(path, cases[i].key), OCT_STATUS_INPUT);
        if (!strstr(oct_last_error(), cases[i].word))
            fail_msg("%s: %s", cases[i].key, oct_last_error());
    }
    oct_path_free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_frames_are_met),
        cmocka_unit_test(two_keys_start_and_end_at_rest),
        cmocka_unit_test(curves_never_overshoot_nor_jump),
        cmocka_unit_test(a_turn_is_even_and_on_top),
        cmocka_unit_test(what_no_key_names_stays),
        cmocka_unit_test(bad_keys_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
