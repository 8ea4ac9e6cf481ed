/* Projections, angles and fits of the view. */
#include "render/view.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/random.h"

static oct_bodies ball(size_t n)
{
    oct_bodies bodies = {0};
    assert_int_equal(oct_bodies_resize(&bodies, n), OCT_STATUS_OK);
    for (size_t i = 0; i < n; i++) {
        oct_random random = oct_random_start(3, 0, i);
        oct_random_direction(&bodies.position[3 * i], &random);
        bodies.mass[i] = 1;
    }
    return bodies;
}

static oct_view square(char axis)
{
    oct_view view;
    assert_int_equal(oct_view_init(&view, axis), OCT_STATUS_OK);
    view.width = view.height = 100;
    view.extent = 10;
    return view;
}

static void each_axis_shows_the_other_two(void **state)
{
    (void)state;
    const double position[3] = {1, 2, 3};
    const double expected[3][3] = {{70, 20, 1}, {60, 20, -2}, {60, 30, 3}};
    for (int axis = 0; axis < 3; axis++) {
        oct_view view = square((char)('x' + axis));
        oct_view_place place;
        assert_true(oct_view_project(&place, &view, position));
        assert_true(fabs(place.x - expected[axis][0]) < 1e-12);
        assert_true(fabs(place.y - expected[axis][1]) < 1e-12);
        assert_true(place.depth == expected[axis][2]);
    }
    oct_view view;
    assert_int_equal(oct_view_init(&view, 'w'), OCT_STATUS_INPUT);
}

static oct_view aimed(double azimuth, double elevation, double roll, double fov)
{
    oct_view view;
    assert_int_equal(oct_view_aim(&view, azimuth, elevation, roll, fov), OCT_STATUS_OK);
    view.width = view.height = 100;
    view.extent = 10;
    return view;
}

static void assert_place(const oct_view *view, const double position[3], double x, double y,
                         double depth, double scale)
{
    oct_view_place place;
    assert_true(oct_view_project(&place, view, position));
    /* Seen: 2e-14. */
    assert_true(fabs(place.x - x) < 1e-12 && fabs(place.y - y) < 1e-12);
    assert_true(fabs(place.depth - depth) < 1e-12 && fabs(place.scale - scale) < 1e-12);
}

static void angles_include_the_axes(void **state)
{
    (void)state;
    const double position[3] = {1, 2, 3};
    for (int axis = 0; axis < 3; axis++) {
        oct_render_options options = {.size = sizeof options, .axis = (char)('x' + axis)};
        oct_view_angles(&options);
        assert_true(options.aimed);
        oct_view plain = square(options.axis);
        oct_view view = aimed(options.azimuth, options.elevation, 0, 0);
        oct_view_place place;
        assert_true(oct_view_project(&place, &plain, position));
        assert_place(&view, position, place.x, place.y, place.depth, 1);
        assert_true(plain.across >= 0 && view.across < 0);
    }
    /* Angles that are there stay. */
    oct_render_options options = {
        .size = sizeof options, .axis = 'x', .aimed = true, .azimuth = 12};
    oct_view_angles(&options);
    assert_true(options.azimuth == 12 && options.elevation == 0);
}

static void a_camera_looks_from_where_it_is(void **state)
{
    (void)state;
    /* By hand: from 30 degrees beside -y towards +x and 45 up, the camera is at (1, -sqrt(3),
     * 2) / sqrt(8), right is (sqrt(3), 1, 0) / 2, up is (-1, sqrt(3), 2) / sqrt(8). Ten pixels are
     * a unit. */
    const double position[3] = {1, 2, 3};
    oct_view view = aimed(30, 45, 0, 0);
    double right = (sqrt(3) + 2) / 2, up = (-1 + 2 * sqrt(3) + 6) / sqrt(8);
    double depth = (1 - 2 * sqrt(3) + 6) / sqrt(8);
    assert_place(&view, position, 50 + 10 * right, 50 - 10 * up, depth, 1);
    /* The picture turned by a quarter, counter-clockwise: what was right is up. */
    view = aimed(30, 45, 90, 0);
    assert_place(&view, position, 50 - 10 * up, 50 - 10 * right, depth, 1);
    /* From below, z points down the line of sight. */
    view = aimed(0, -90, 0, 0);
    assert_place(&view, position, 60, 70, -3, 1);
    view.centre[0] = 1;
    assert_place(&view, position, 50, 70, -3, 1);
}

static void perspective_shrinks_what_is_far(void **state)
{
    (void)state;
    /* 90 degrees: the eye is half the width, 5, above the centre. */
    oct_view view = aimed(0, 90, 0, 90);
    oct_view_place place;
    assert_true(fabs(oct_view_distance(&view) - 5) < 1e-12);
    assert_place(&view, (const double[]){1, 2, 0}, 60, 30, 0, 1);
    assert_place(&view, (const double[]){1, 2, 2.5}, 70, 10, 2.5, 2);
    assert_place(&view, (const double[]){1, 2, -5}, 55, 40, -5, 0.5);
    assert_false(oct_view_project(&place, &view, (const double[]){1, 2, 5}));
    assert_false(oct_view_project(&place, &view, (const double[]){1, 2, 7}));
    assert_true(isinf(oct_view_distance(&(oct_view){.extent = 10})));
}

static void light_turns_with_the_camera(void **state)
{
    (void)state;
    oct_view view = aimed(30, 20, 0, 0);
    double seen[3];
    oct_view_direction(seen, &view, 30, 20);
    assert_true(fabs(seen[0]) < 1e-12 && fabs(seen[1]) < 1e-12 && fabs(seen[2] - 1) < 1e-12);
    oct_view_direction(seen, &view, 120, 0);
    assert_true(fabs(seen[0] - 1) < 1e-12 && fabs(seen[1]) < 1e-12 && fabs(seen[2]) < 1e-12);
}

static void cameras_that_cannot_be_are_refused(void **state)
{
    (void)state;
    oct_view view;
    assert_int_equal(oct_view_aim(&view, NAN, 0, 0, 0), OCT_STATUS_INPUT);
    assert_int_equal(oct_view_aim(&view, 0, 91, 0, 0), OCT_STATUS_INPUT);
    assert_int_equal(oct_view_aim(&view, 0, NAN, 0, 0), OCT_STATUS_INPUT);
    assert_int_equal(oct_view_aim(&view, 0, 0, INFINITY, 0), OCT_STATUS_INPUT);
    assert_int_equal(oct_view_aim(&view, 0, 0, 0, -1), OCT_STATUS_INPUT);
    assert_int_equal(oct_view_aim(&view, 0, 0, 0, 151), OCT_STATUS_INPUT);
}

static void all_bodies_are_in_a_fitted_perspective(void **state)
{
    (void)state;
    oct_bodies bodies = ball(1000);
    oct_view view = aimed(20, 35, 10, 70);
    view.width = 160;
    assert_int_equal(oct_view_fit_extent(&view.extent, &view, &bodies, 1), OCT_STATUS_OK);
    double widest = 0;
    for (size_t i = 0; i < bodies.n; i++) {
        oct_view_place place;
        assert_true(oct_view_project(&place, &view, &bodies.position[3 * i]));
        widest = fmax(widest, fmax(fabs(place.x - 80) / 80, fabs(place.y - 50) / 50));
    }
    /* Seen: 0.85; a margin is left, and no more than that. */
    assert_true(widest < 0.95 && widest > 0.75);
    oct_bodies_clear(&bodies);
}

static void escapers_change_nothing(void **state)
{
    (void)state;
    oct_bodies bodies = ball(1000);
    oct_view view = square('z');
    double before[3], after[3], extent, with_escapers;
    assert_int_equal(oct_view_fit_centre(before, &bodies), OCT_STATUS_OK);
    assert_int_equal(oct_view_fit_extent(&extent, &view, &bodies, 0.98), OCT_STATUS_OK);
    bodies.position[0] = 1e9;
    bodies.position[4] = -1e12;
    bodies.position[6] = NAN;
    assert_int_equal(oct_view_fit_centre(after, &bodies), OCT_STATUS_OK);
    assert_int_equal(oct_view_fit_extent(&with_escapers, &view, &bodies, 0.98), OCT_STATUS_OK);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(after[k] - before[k]) < 0.02);
    assert_true(fabs(extent - 2.3) < 0.05 && fabs(with_escapers - extent) < 0.02);
    /* All of them, when nothing may be left out. */
    assert_int_equal(oct_view_fit_extent(&extent, &view, &bodies, 1), OCT_STATUS_OK);
    assert_true(extent > 1e12);
    oct_bodies_clear(&bodies);
}

static void a_wide_plot_holds_what_is_high(void **state)
{
    (void)state;
    oct_bodies bodies = ball(2);
    oct_view view = square('z');
    const double places[6] = {0, 3, 0, 0, -3, 0};
    for (int i = 0; i < 6; i++)
        bodies.position[i] = places[i];
    view.width = 200;
    double extent;
    assert_int_equal(oct_view_fit_extent(&extent, &view, &bodies, 1), OCT_STATUS_OK);
    assert_true(extent > 12 && extent < 15);
    oct_bodies_clear(&bodies);
}

static void the_heavy_body_is_the_centre(void **state)
{
    (void)state;
    oct_bodies bodies = ball(9);
    for (size_t i = 0; i < 27; i++)
        bodies.position[i] *= 30;
    for (size_t k = 0; k < 3; k++)
        bodies.position[k] = 100 + (double)k;
    bodies.mass[0] = 1e9;
    double centre[3];
    assert_int_equal(oct_view_fit_centre(centre, &bodies), OCT_STATUS_OK);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(centre[k] - 100 - k) < 1e-5);
    oct_bodies_clear(&bodies);
}

static void degenerate_sets_have_an_extent(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 3; n++) {
        oct_bodies bodies = ball(n);
        oct_view view = square('z');
        double extent;
        for (size_t i = 0; i < 3 * n; i++)
            bodies.position[i] = 5e6;
        assert_int_equal(oct_view_fit_centre(view.centre, &bodies), OCT_STATUS_OK);
        assert_int_equal(oct_view_fit_extent(&extent, &view, &bodies, 0.98), OCT_STATUS_OK);
        assert_true(extent > 0 && isfinite(extent));
        if (n > 0) {
            bodies.radius[0] = 2;
            assert_int_equal(oct_view_fit_extent(&extent, &view, &bodies, 0.98), OCT_STATUS_OK);
            assert_true(extent > 4 && extent < 20);
        }
        oct_bodies_clear(&bodies);
    }
}

static void distances_beyond_numbers_are_refused(void **state)
{
    (void)state;
    oct_bodies bodies = ball(2);
    oct_view view = square('z');
    double extent;
    bodies.position[0] = 1.7e308;
    bodies.position[3] = -1.7e308;
    assert_int_equal(oct_view_fit_extent(&extent, &view, &bodies, 1), OCT_STATUS_INPUT);
    oct_bodies_clear(&bodies);
}

static void a_box_fills_the_plot(void **state)
{
    (void)state;
    oct_bodies bodies = ball(100);
    const double box[3] = {40, 30, 20};
    oct_view view = square('z');
    for (size_t i = 0; i < 300; i++)
        bodies.position[i] *= 9.9;
    double centre[3] = {1, 1, 1};
    oct_view_box_centre(centre, box, &bodies);
    assert_true(centre[0] == 0 && centre[1] == 0 && centre[2] == 0);
    assert_true(oct_view_box_extent(&view, box, &bodies) == 40);
    view.width = 200; /* twice as wide as high: the height needs more */
    assert_true(oct_view_box_extent(&view, box, &bodies) == 60);
    /* Bodies from the origin on: the box starts there. */
    for (size_t i = 0; i < 300; i++)
        bodies.position[i] += box[i % 3] / 2;
    oct_view_box_centre(centre, box, &bodies);
    assert_true(centre[0] == 20 && centre[1] == 15 && centre[2] == 10);
    oct_bodies_clear(&bodies);
}

static void a_sheet_from_its_side_is_not_lost_in_its_box(void **state)
{
    (void)state;
    oct_bodies bodies = ball(100);
    const double box[3] = {40, 40, 40};
    oct_view view = square('x');
    view.width = 1000;
    for (size_t i = 0; i < 300; i++)
        bodies.position[i] *= i % 3 == 2 ? 1 : 19;
    double high = 0;
    for (size_t i = 2; i < 300; i += 3)
        high = fmax(high, fabs(bodies.position[i]));
    assert_true(high > 0.5);
    assert_true(fabs(oct_view_box_extent(&view, box, &bodies) - fmax(40, 23 * high)) < 1e-12);
    oct_bodies_clear(&bodies);
}

static void a_corner_of_a_box_is_at_the_edge(void **state)
{
    (void)state;
    oct_bodies bodies = ball(100);
    const double box[3] = {40, 30, 20};
    for (size_t i = 0; i < 300; i++)
        bodies.position[i] *= 9.9;
    /* From 45 degrees between +x and -y, the corner on the left or the right needs (20 + 15) /
     * sqrt(2) each way. */
    oct_view view = aimed(45, 0, 0, 0);
    assert_true(fabs(oct_view_box_extent(&view, box, &bodies) - 70 / sqrt(2)) < 1e-12);
    /* In perspective nothing of it is outside, and a corner is where the plot ends. */
    view = aimed(40, 30, 0, 60);
    view.extent = oct_view_box_extent(&view, box, &bodies);
    double edge = 0;
    for (int corner = 0; corner < 8; corner++) {
        oct_view_place place;
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = (corner >> k & 1 ? 0.5 : -0.5) * box[k];
        assert_true(oct_view_project(&place, &view, at));
        edge = fmax(edge, fmax(fabs(place.x - 50), fabs(place.y - 50)));
    }
    assert_true(fabs(edge - 50) < 1e-9);
    oct_bodies_clear(&bodies);
}

static void a_box_along_an_axis_has_two_sides(void **state)
{
    (void)state;
    oct_bodies bodies = ball(100);
    const double box[3] = {40, 30, 20};
    double sides[2];
    for (size_t i = 0; i < 300; i++)
        bodies.position[i] *= 9.9;
    const char axes[] = "xyz";
    const double expected[3][2] = {{30, 20}, {40, 20}, {40, 30}};
    for (int k = 0; k < 3; k++) {
        oct_view view = square(axes[k]);
        oct_view_box_sides(sides, &view, box, &bodies);
        assert_true(sides[0] == expected[k][0] && sides[1] == expected[k][1]);
    }
    /* A sheet from its side: a quarter of the width, unless it is thicker or the box lower. */
    for (size_t i = 2; i < 300; i += 3)
        bodies.position[i] *= 0.01;
    oct_view view = square('x');
    oct_view_box_sides(sides, &view, box, &bodies);
    assert_true(sides[0] == 30 && sides[1] == 7.5);
    oct_view_box_sides(sides, &view, (const double[3]){40, 30, 5}, &bodies);
    assert_true(sides[0] == 30 && sides[1] == 5);
    oct_bodies_clear(&bodies);
}

static void the_ground_is_where_it_is_shown(void **state)
{
    (void)state;
    const char axes[] = "xyz";
    for (int k = 0; k < 3; k++) {
        oct_view view = square(axes[k]);
        oct_view_place place;
        double at[3];
        view.extent = 7;
        view.left = 3;
        view.centre[0] = 1;
        view.centre[2] = -2;
        oct_view_ground(at, &view, 31, 77);
        assert_true(oct_view_project(&place, &view, at));
        assert_true(fabs(place.x - 31) < 1e-12 && fabs(place.y - 77) < 1e-12 && place.depth == 0);
    }
}

static void only_a_box_is_a_box(void **state)
{
    (void)state;
    const double bad[] = {0, -1, NAN, INFINITY};
    assert_true(oct_view_is_box((const double[3]){1, 2, 3}));
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++) {
            double box[3] = {1, 2, 3};
            box[k] = bad[i];
            assert_false(oct_view_is_box(box));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_axis_shows_the_other_two),
        cmocka_unit_test(angles_include_the_axes),
        cmocka_unit_test(a_camera_looks_from_where_it_is),
        cmocka_unit_test(perspective_shrinks_what_is_far),
        cmocka_unit_test(light_turns_with_the_camera),
        cmocka_unit_test(cameras_that_cannot_be_are_refused),
        cmocka_unit_test(all_bodies_are_in_a_fitted_perspective),
        cmocka_unit_test(a_corner_of_a_box_is_at_the_edge),
        cmocka_unit_test(escapers_change_nothing),
        cmocka_unit_test(a_wide_plot_holds_what_is_high),
        cmocka_unit_test(the_heavy_body_is_the_centre),
        cmocka_unit_test(degenerate_sets_have_an_extent),
        cmocka_unit_test(distances_beyond_numbers_are_refused),
        cmocka_unit_test(a_box_fills_the_plot),
        cmocka_unit_test(a_sheet_from_its_side_is_not_lost_in_its_box),
        cmocka_unit_test(a_box_along_an_axis_has_two_sides),
        cmocka_unit_test(the_ground_is_where_it_is_shown),
        cmocka_unit_test(only_a_box_is_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
