/* What frames show: it fits the bodies, and does not tremble. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "view/fit.h"

static oct_reach cube(double centre, double half)
{
    oct_reach reach = {.bodies = 1000};
    for (int k = 0; k < 3; k++) {
        reach.low[k] = centre - half;
        reach.high[k] = centre + half;
        reach.mean[k] = centre;
        reach.deviation[k] = half / 2;
    }
    return reach;
}

static void rows_are_put_together(void **state)
{
    const double pivot[3] = {10, 20, 30};
    double rows[2][OCT_REACH_ROW] = {
        {2, -1, -2, -3, 1, 2, 3, 0, 0, 0, 2, 8, 18, 0.5, 2, 1, 3, 4, 10},
        {1, 5, 5, 5, 5, 5, 5, 5, 5, 5, 25, 25, 25, 0.25, 1, 2, 2, 2, 4}};
    oct_reach reach;
    (void)state;
    oct_reach_join(&reach, rows[0], 2, pivot);
    assert_true(reach.bodies == 3 && reach.radius == 0.5 && reach.values == 3);
    assert_true(reach.low[0] == 9 && reach.high[0] == 15 && reach.low[2] == 27);
    assert_true(fabs(reach.mean[1] - (20 + 5.0 / 3)) < 1e-12);
    assert_true(fabs(reach.deviation[0] - sqrt(27.0 / 3 - 25.0 / 9)) < 1e-12);
    assert_true(reach.least == 1 && reach.most == 3 && reach.value_mean == 2);
}

static void a_box_is_kept_while_it_fits(void **state)
{
    oct_fit fit = {0}, before;
    (void)state;
    oct_reach reach = cube(3, 1);
    oct_fit_box(&fit, &reach);
    assert_true(fit.low[0] == 1.5 && fit.high[0] == 4.5);
    before = fit;
    reach = cube(3.2, 1.2);
    oct_fit_box(&fit, &reach);
    assert_memory_equal(&fit, &before, sizeof fit);
    reach = cube(3.2, 1.5); /* reaches beyond it */
    oct_fit_box(&fit, &reach);
    assert_true(fit.high[0] > 4.7 && fit.low[0] < 1.7);
    before = fit;
    reach = cube(3.2, 0.2); /* much smaller */
    oct_fit_box(&fit, &reach);
    assert_true(fit.high[0] - fit.low[0] < 0.61);
    assert_true(memcmp(&fit, &before, sizeof fit) != 0);
}

static void flat_single_and_scattered_bodies_have_a_box(void **state)
{
    oct_fit fit = {0};
    (void)state;
    oct_reach reach = cube(0, 1);
    reach.low[2] = reach.high[2] = reach.deviation[2] = 0;
    oct_fit_box(&fit, &reach);
    assert_true(fit.low[2] < 0 && fit.high[2] > 0 && fit.high[2] - fit.low[2] > 0.03);
    fit = (oct_fit){0};
    reach = cube(5, 0);
    oct_fit_box(&fit, &reach);
    assert_true(fit.low[0] < 5 && fit.high[0] > 5);
    fit = (oct_fit){0};
    reach = cube(0, 1);
    reach.high[0] = 1e9; /* one that flew away */
    oct_fit_box(&fit, &reach);
    assert_true(fit.high[0] < 30);
}

static void colours_and_radii_are_kept_too(void **state)
{
    oct_fit fit = {0};
    oct_reach reach = {
        .values = 100, .least = 0, .most = 10, .value_mean = 5, .value_deviation = 2};
    (void)state;
    oct_fit_colour(&fit, &reach);
    assert_true(fit.colour_low == 0 && fit.colour_high == 10);
    reach.most = 10.5;
    oct_fit_colour(&fit, &reach);
    assert_true(fit.colour_high == 10);
    reach.most = 1000; /* one outlier does not take all colours */
    oct_fit_colour(&fit, &reach);
    assert_true(fit.colour_high == 11 || fit.colour_high == 10);
    reach = (oct_reach){.values = 9, .least = 3, .most = 3, .value_mean = 3};
    oct_fit_colour(&fit, &reach);
    assert_true(fit.colour_low < 3 && fit.colour_high > 3);
    reach.radius = 2;
    oct_fit_radius(&fit, &reach);
    assert_true(fit.radius_unit == 2.0 / 65535);
    reach.radius = 1.5;
    oct_fit_radius(&fit, &reach);
    assert_true(fit.radius_unit == 2.0 / 65535);
    reach.radius = 2.5;
    oct_fit_radius(&fit, &reach);
    assert_true(fit.radius_unit == 2.5 / 65535);
    reach.radius = 0;
    oct_fit_radius(&fit, &reach);
    assert_true(fit.radius_unit == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_put_together),
        cmocka_unit_test(a_box_is_kept_while_it_fits),
        cmocka_unit_test(flat_single_and_scattered_bodies_have_a_box),
        cmocka_unit_test(colours_and_radii_are_kept_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
