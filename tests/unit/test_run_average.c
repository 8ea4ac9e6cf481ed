/* Means over a window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "run/average.h"

/* Values in this order: n, speed x y z, spread. */
static const oct_column columns[] = {
    {"n", 1, .doc = "a count"},
    {"speed", 3, 1, 0, -1, .doc = "a vector"},
    {"spread", 1, 1, 0, -1, .doc = "a dispersion", .squares = true},
    {0},
};

enum { N, SPEED, SPREAD = 4, VALUES };

static const oct_clock by_tenths = {.quantum = 0.1 / (double)OCT_CLOCK_DT};

static void add(oct_average *average, double time, double value)
{
    int64_t tick = oct_clock_ticks(&by_tenths, time);
    const double row[VALUES] = {value, value, 2 * value, -value, value};
    assert_int_equal(oct_average_add(average, tick, row), OCT_STATUS_OK);
}

static oct_average start(double window)
{
    oct_average average;
    assert_int_equal(oct_average_start(&average, columns, &by_tenths, window), OCT_STATUS_OK);
    return average;
}

static void means_are_over_the_window(void **unused)
{
    (void)unused;
    oct_average average = start(3);
    for (int i = 0; i < 10; i++)
        add(&average, i, i);
    /* (6, 9] holds 7, 8 and 9. */
    assert_true(average.means[SPEED] == 8);
    assert_true(average.means[SPEED + 1] == 16);
    assert_true(average.means[SPEED + 2] == -8);
    oct_average_clear(&average);
}

static void round_off_adds_no_row(void **unused)
{
    (void)unused;
    oct_average average = start(3 * 0.1);
    for (int i = 0; i < 10; i++)
        add(&average, i * 0.1, i); /* 0.9 - 0.3 is 0.6000000000000001, 0.8 - 0.3 is 0.5 */
    assert_true(average.means[SPEED] == 8);
    add(&average, 10 * 0.1, 10);
    assert_true(average.means[SPEED] == 9);
    oct_average_clear(&average);
}

static void dispersions_are_averaged_as_squares(void **unused)
{
    (void)unused;
    oct_average average = start(10);
    add(&average, 1, 1);
    add(&average, 2, 7);
    assert_true(average.means[SPREAD] == 5);
    assert_true(average.means[SPEED] == 4);
    oct_average_clear(&average);
}

static void counts_are_those_of_the_moment(void **unused)
{
    (void)unused;
    oct_average average = start(10);
    add(&average, 1, 1);
    add(&average, 2, 7);
    assert_true(average.means[N] == 7);
    oct_average_clear(&average);
}

static void what_is_no_number_is_left_out(void **unused)
{
    (void)unused;
    oct_average average = start(10);
    add(&average, 1, NAN);
    assert_true(isnan(average.means[SPEED]));
    assert_true(isnan(average.means[SPREAD]));
    add(&average, 2, 1);
    add(&average, 3, NAN);
    add(&average, 4, 7);
    assert_true(average.means[SPEED] == 4);
    assert_true(average.means[SPREAD] == 5);
    oct_average_clear(&average);
}

static void a_short_window_is_the_present_row(void **unused)
{
    (void)unused;
    const double windows[] = {0, 0.5, 1};
    for (size_t w = 0; w < 3; w++) {
        oct_average average = start(windows[w]);
        for (int i = 0; i < 4; i++)
            add(&average, i, -0.1 * i);
        /* A dispersion too, to the bit. */
        for (int k = 0; k < VALUES; k++)
            assert_true(fabs(average.means[k]) == (k == SPEED + 1 ? 0.2 * 3 : 0.1 * 3));
        assert_true(average.means[SPREAD] == -0.1 * 3);
        oct_average_clear(&average);
    }
}

static void bad_windows_are_refused(void **unused)
{
    (void)unused;
    const double windows[] = {-1, NAN, INFINITY};
    oct_average average;
    for (size_t w = 0; w < 3; w++)
        assert_int_equal(oct_average_start(&average, columns, &by_tenths, windows[w]),
                         OCT_STATUS_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_are_over_the_window),
        cmocka_unit_test(round_off_adds_no_row),
        cmocka_unit_test(dispersions_are_averaged_as_squares),
        cmocka_unit_test(counts_are_those_of_the_moment),
        cmocka_unit_test(what_is_no_number_is_left_out),
        cmocka_unit_test(a_short_window_is_the_present_row),
        cmocka_unit_test(bad_windows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
