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
        cmocka_unit_test(escapers_change_nothing),
        cmocka_unit_test(a_wide_plot_holds_what_is_high),
        cmocka_unit_test(the_heavy_body_is_the_centre),
        cmocka_unit_test(degenerate_sets_have_an_extent),
        cmocka_unit_test(distances_beyond_numbers_are_refused),
        cmocka_unit_test(a_box_fills_the_plot),
        cmocka_unit_test(a_sheet_from_its_side_is_not_lost_in_its_box),
        cmocka_unit_test(only_a_box_is_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
