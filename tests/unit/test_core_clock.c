/* The clock: products, schedules, lengths of steps, and 10^9 of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "util/status.h"

static oct_clock make(double dt)
{
    oct_clock clock;
    assert_int_equal(oct_clock_make(&clock, dt), OCT_STATUS_OK);
    return clock;
}

static void refused(oct_status status, const char *words)
{
    assert_int_equal(status, OCT_STATUS_INPUT);
    assert_non_null(strstr(oct_last_error(), words));
}

/* The bits of the step number times dt, which is what time was before there were ticks. */
static void steps_of_one_dt_keep_the_bits_of_a_product(void **unused)
{
    (void)unused;
    const double dts[] = {1e-3, 0.1, 47.80465, 1.0 / 3, 1e-300, 6.02e23};
    for (size_t i = 0; i < sizeof dts / sizeof dts[0]; i++) {
        oct_clock clock = make(dts[i]);
        double dt;
        for (uint64_t step = 1; step <= 100000; step++) {
            assert_int_equal(oct_clock_next(&dt, &clock, OCT_CLOCK_DT), OCT_STATUS_OK);
            oct_clock_advance(&clock, OCT_CLOCK_DT);
            assert_true(dt == dts[i] && clock.time == (double)step * dts[i]);
        }
        assert_int_equal(clock.step, 100000);
        assert_true(oct_clock_dt(&clock) == dts[i]);
    }
}

/* A sum of 0.1s is 1.25 short of 1e8 by then, twelve steps. */
static void a_thousand_million_steps_do_not_drift(void **unused)
{
    (void)unused;
    const uint64_t steps = 1000000000;
    oct_clock clock = make(0.1);
    for (uint64_t step = 0; step < steps; step++) {
        oct_clock_drift(&clock, 0.1);
        oct_clock_advance(&clock, OCT_CLOCK_DT);
    }
    assert_int_equal(clock.step, steps);
    assert_int_equal(clock.tick, (int64_t)steps * OCT_CLOCK_DT);
    assert_true(clock.time == (double)((long double)steps * (long double)0.1));
}

/* Time is that of the tick, whatever steps have led there; half a unit in the last place from
 * converting the ticks and as much from the product. */
static void steps_of_mixed_lengths_do_not_drift(void **unused)
{
    (void)unused;
    const double dt = 0.3;
    oct_clock clock = make(dt);
    uint64_t random = 88172645463325252u, ticks = 0;
    for (uint64_t step = 0; step < 2000000; step++) {
        double length;
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        int64_t next = (int64_t)1 << random % 24;
        ticks += (uint64_t)next;
        assert_int_equal(oct_clock_next(&length, &clock, next), OCT_STATUS_OK);
        assert_true(length == ldexp(dt, (int)(random % 24) - 20));
        oct_clock_advance(&clock, next);
        long double exact = (long double)ticks * (long double)dt / (long double)OCT_CLOCK_DT;
        assert_true(clock.length == next && fabsl(clock.time - exact) <= exact * 0x1p-52L);
    }
    assert_int_equal(clock.tick, ticks);
    oct_clock other = make(dt);
    assert_true(oct_clock_time(&other, clock.tick) == clock.time);
}

static void within_a_step_time_goes_on_with_the_bodies(void **unused)
{
    (void)unused;
    oct_clock clock = make(0.25);
    oct_clock_advance(&clock, OCT_CLOCK_DT);
    oct_clock_drift(&clock, 0.125);
    assert_true(clock.time == 0.375 && clock.tick == OCT_CLOCK_DT);
    oct_clock_drift(&clock, 0.12499);
    oct_clock_advance(&clock, OCT_CLOCK_DT);
    assert_true(clock.time == 0.5);
}

static void another_dt_starts_at_the_present_tick(void **unused)
{
    (void)unused;
    oct_clock clock = make(0.1);
    for (int i = 0; i < 7; i++)
        oct_clock_advance(&clock, OCT_CLOCK_DT);
    double then = clock.time;
    assert_int_equal(oct_clock_set_dt(&clock, 0.1), OCT_STATUS_OK);
    assert_int_equal(clock.start.tick, 0);
    assert_int_equal(oct_clock_set_dt(&clock, 0.03), OCT_STATUS_OK);
    assert_true(clock.time == then && oct_clock_dt(&clock) == 0.03);
    for (int i = 0; i < 5; i++)
        oct_clock_advance(&clock, OCT_CLOCK_DT);
    assert_int_equal(clock.tick, 12 * OCT_CLOCK_DT);
    assert_int_equal(clock.step, 12);
    assert_int_equal(clock.start.step, 7);
    assert_true(clock.time == then + 5 * 0.03);
    refused(oct_clock_set_dt(&clock, 1e-305), "cannot be divided");
    refused(oct_clock_set_dt(&clock, INFINITY), "cannot be divided");
    assert_true(oct_clock_dt(&clock) == 0.03);
}

/* A checkpoint from before there were ticks does not say its quantum: the scene does. */
static void a_clock_without_quantum_gets_that_of_its_scene(void **unused)
{
    (void)unused;
    oct_clock clock = {.tick = 7 * OCT_CLOCK_DT,
                       .step = 7,
                       .start = {2 * OCT_CLOCK_DT, 0.2, 2},
                       .time = 0.2 + 5 * 0.1};
    assert_int_equal(oct_clock_set_dt(&clock, 0.1), OCT_STATUS_OK);
    assert_int_equal(clock.start.step, 2);
    oct_clock_advance(&clock, OCT_CLOCK_DT);
    assert_true(clock.time == 0.2 + 6 * 0.1);
}

static void what_cannot_be_counted_is_refused(void **unused)
{
    (void)unused;
    oct_clock clock = make(0.1);
    const uint64_t most = ((uint64_t)1 << 43) - 1;
    double dt;
    assert_int_equal(oct_clock_reaches(&clock, most), OCT_STATUS_OK);
    refused(oct_clock_reaches(&clock, most + 1), "8796093022208 steps are more than can be");
    refused(oct_clock_reaches(&clock, UINT64_MAX), "expected 8796093022207 or fewer");
    clock.tick = INT64_MAX - OCT_CLOCK_DT;
    assert_int_equal(oct_clock_next(&dt, &clock, OCT_CLOCK_DT), OCT_STATUS_OK);
    refused(oct_clock_next(&dt, &clock, 2 * OCT_CLOCK_DT), "the clock is at its end");
    oct_clock_advance(&clock, OCT_CLOCK_DT);
    refused(oct_clock_next(&dt, &clock, 1), "the clock is at its end");
    clock.tick = 0;
    const int64_t no_powers[] = {0, -1, 3, OCT_CLOCK_DT + 1, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof no_powers / sizeof no_powers[0]; i++)
        assert_int_equal(oct_clock_next(&dt, &clock, no_powers[i]), OCT_STATUS_INTERNAL);
}

static void ticks_and_steps_of_what_is_to_come(void **unused)
{
    (void)unused;
    oct_clock clock = make(0.1);
    assert_int_equal(oct_clock_ticks(&clock, 0.3), 3 * OCT_CLOCK_DT);
    assert_int_equal(oct_clock_ticks(&clock, 0.05), OCT_CLOCK_DT / 2);
    assert_true(oct_clock_ticks(&clock, 1e300) == OCT_CLOCK_NEVER);
    for (int i = 0; i < 4; i++)
        oct_clock_advance(&clock, OCT_CLOCK_DT);
    assert_int_equal(oct_clock_step_at(&clock, 6 * OCT_CLOCK_DT), 6);
    assert_int_equal(oct_clock_step_at(&clock, 6 * OCT_CLOCK_DT + 1), 7);
    assert_int_equal(oct_clock_step_at(&clock, 4 * OCT_CLOCK_DT), 4);
    assert_int_equal(oct_clock_step_at(&clock, OCT_CLOCK_DT), 1);
    oct_clock_advance(&clock, OCT_CLOCK_DT / 2);
    assert_int_equal(oct_clock_step_at(&clock, 6 * OCT_CLOCK_DT), 7);
}

static void files_cannot_bring_a_clock_that_is_none(void **unused)
{
    (void)unused;
    const oct_clock good = {8, 0.5, 3, 4, {4, 1, 2}, 3};
    assert_true(oct_clock_is_sound(&good));
    oct_clock bad[8];
    for (int i = 0; i < 8; i++)
        bad[i] = good;
    bad[0].tick = 3;
    bad[1].start.tick = -1;
    bad[2].start.step = 4;
    bad[3].quantum = -1;
    bad[4].quantum = NAN;
    bad[5].length = 16;
    bad[6].start.time = INFINITY;
    bad[7].time = NAN;
    for (int i = 0; i < 8; i++)
        assert_false(oct_clock_is_sound(&bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_one_dt_keep_the_bits_of_a_product),
        cmocka_unit_test(a_thousand_million_steps_do_not_drift),
        cmocka_unit_test(steps_of_mixed_lengths_do_not_drift),
        cmocka_unit_test(within_a_step_time_goes_on_with_the_bodies),
        cmocka_unit_test(another_dt_starts_at_the_present_tick),
        cmocka_unit_test(a_clock_without_quantum_gets_that_of_its_scene),
        cmocka_unit_test(what_cannot_be_counted_is_refused),
        cmocka_unit_test(ticks_and_steps_of_what_is_to_come),
        cmocka_unit_test(files_cannot_bring_a_clock_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
