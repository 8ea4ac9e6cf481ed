/* The steps at which outputs are due. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

#include "run/schedule.h"

static oct_setup make_setup(double dt, double until, double diagnostics, double snapshot)
{
    return (oct_setup){.step.dt = dt,
                       .run.until = until,
                       .output = {.diagnostics = diagnostics, .snapshot = snapshot}};
}

static uint64_t steps_of(double dt, double until)
{
    oct_schedules schedules;
    oct_setup setup = make_setup(dt, until, 0, 0);
    assert_int_equal(oct_schedules_make(&schedules, &setup, 0), OCT_STATUS_OK);
    return (uint64_t)(schedules.end / OCT_CLOCK_DT);
}

/* The end of a step, where all are of one dt. */
static int64_t at(uint64_t step)
{
    return (int64_t)step * OCT_CLOCK_DT;
}

static bool due_at(oct_schedule schedule, uint64_t step)
{
    return oct_schedule_due(schedule, at(step), OCT_CLOCK_DT);
}

static void round_off_adds_no_step(void **unused)
{
    (void)unused;
    assert_int_equal(steps_of(0.3, 2.7), 9); /* 2.7 / 0.3 is 9.000000000000002 */
    assert_int_equal(steps_of(0.1, 0.3), 3); /* 0.3 / 0.1 is 2.9999999999999996 */
    assert_int_equal(steps_of(0.1, 4.35), 44);
    assert_int_equal(steps_of(1e-3, 1e6), 1000000000);
    assert_int_equal(steps_of(3, 10), 4);
    assert_int_equal(steps_of(1, 0), 0);
}

static void too_many_steps_are_refused(void **unused)
{
    (void)unused;
    oct_schedules schedules;
    oct_setup setup = make_setup(1e-12, 1e6, 0, 0);
    assert_int_equal(oct_schedules_make(&schedules, &setup, 0), OCT_STATUS_INPUT);
}

static void options_change_the_end_alone(void **unused)
{
    (void)unused;
    oct_schedules straight, longer;
    oct_setup setup = make_setup(0.1, 10, 0, 3);
    assert_int_equal(oct_schedules_make(&straight, &setup, 0), OCT_STATUS_OK);
    assert_int_equal(oct_schedules_make(&longer, &setup, 20), OCT_STATUS_OK);
    assert_int_equal(longer.end, 2 * straight.end);
    assert_true(longer.diagnostics.stride == straight.diagnostics.stride);
    assert_true(longer.snapshots.stride == straight.snapshots.stride);
}

/* Walks through every step and compares with the definition, round(k stride). */
static void check_stride(double stride)
{
    oct_schedule schedule = {.stride = stride};
    uint64_t k = 0;
    for (uint64_t step = 0; step < 200; step++) {
        bool due = (uint64_t)((double)k * stride + 0.5) == step;
        k += due;
        assert_int_equal(due_at(schedule, step), due);
        assert_int_equal(oct_schedule_count(schedule, at(step)), k);
        assert_int_equal(oct_schedule_next(schedule, at(step)),
                         at((uint64_t)((double)k * stride + 0.5)));
    }
}

static void outputs_are_due_at_rounded_multiples(void **unused)
{
    (void)unused;
    const double strides[] = {1, 1.25, 2, 2.5, 3.7, 10, 33.3333, 1000};
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++)
        check_stride(strides[i]);
}

static void short_intervals_are_every_step(void **unused)
{
    (void)unused;
    oct_schedules schedules;
    oct_setup setup = make_setup(1, 50, 0.01, 0.3);
    assert_int_equal(oct_schedules_make(&schedules, &setup, 0), OCT_STATUS_OK);
    assert_int_equal(oct_schedule_next(schedules.diagnostics, at(7)), at(8));
    assert_int_equal(oct_schedule_count(schedules.snapshots, at(7)), 8);
}

/* Outputs at the times k interval, by the step nearest to each, after a change at step 37,
 * time 7.4: dt was 0.2 and is 0.05, and six outputs were due up to there. */
static void after_a_change_outputs_keep_their_times(void **unused)
{
    (void)unused;
    const oct_origin origin = {at(37), 7.4, 6};
    const oct_clock clock = {at(37), 0.05 / (double)OCT_CLOCK_DT, 37, 0, {at(37), 7.4, 37}, 7.4};
    const double intervals[] = {0.05, 0.3, 0.5, 1.5};
    for (size_t i = 0; i < sizeof intervals / sizeof intervals[0]; i++) {
        oct_schedules schedules;
        oct_setup setup = make_setup(0.05, 10, intervals[i], intervals[i]);
        assert_int_equal(oct_schedules_from(&schedules, &setup, &clock, &origin, 0), OCT_STATUS_OK);
        assert_int_equal(schedules.end, at(37 + 52));
        const oct_schedule schedule = schedules.snapshots;
        uint64_t count = 6, k = 1;
        assert_false(due_at(schedule, 37));
        assert_int_equal(oct_schedule_count(schedule, at(37)), 6);
        for (uint64_t step = 38; step <= 37 + 52; step++) {
            double time = 7.4 + 0.05 * (double)(step - 37);
            while ((double)k * intervals[i] < time - 0.025)
                k++;
            bool due = (double)k * intervals[i] < time + 0.025;
            count += due;
            assert_int_equal(due_at(schedule, step), due);
            assert_int_equal(due_at(schedules.diagnostics, step), due);
            assert_int_equal(oct_schedule_count(schedule, at(step)), count);
            assert_int_equal(oct_schedule_next(schedule, at(step - 1)) == at(step), due);
        }
    }
}

/* Snapshots that are not wanted any more stay counted: the last one gets the next number. */
static void after_a_change_there_may_be_none(void **unused)
{
    (void)unused;
    const oct_origin origin = {at(37), 7.4, 6};
    const oct_clock clock = {.tick = at(37), .quantum = 0.2 / (double)OCT_CLOCK_DT, .step = 37};
    oct_schedules schedules;
    oct_setup setup = make_setup(0.2, 10, 1, 0);
    assert_int_equal(oct_schedules_from(&schedules, &setup, &clock, &origin, 0), OCT_STATUS_OK);
    assert_int_equal(schedules.end, at(50));
    assert_false(due_at(schedules.snapshots, 50));
    assert_int_equal(oct_schedule_count(schedules.snapshots, at(50)), 6);
}

/* Intervals as fractions of a dt of 0.001, none of which a double holds: output k is due at step
 * round(k p / q), here in integers, and a thousand million steps bring as many as that says. */
static void outputs_do_not_drift_in_a_thousand_million_steps(void **unused)
{
    (void)unused;
    static const uint64_t fractions[][2] = {{1234567, 1000}, {70001, 3}, {33333, 1}, {100000, 7}};
    const uint64_t steps = 1000000000;
    for (size_t i = 0; i < sizeof fractions / sizeof fractions[0]; i++) {
        uint64_t p = fractions[i][0], q = fractions[i][1], k = 0;
        oct_schedules schedules;
        oct_setup setup = make_setup(0.001, 1e6, 0, 0.001 * (double)p / (double)q);
        assert_int_equal(oct_schedules_make(&schedules, &setup, 0), OCT_STATUS_OK);
        assert_int_equal(schedules.end, at(steps));
        for (int64_t tick = 0; tick <= schedules.end; k++) {
            uint64_t exact = (2 * k * p + q) / (2 * q);
            assert_int_equal(tick, at(exact));
            assert_true(due_at(schedules.snapshots, exact));
            assert_false(due_at(schedules.snapshots, exact + 1));
            assert_int_equal(oct_schedule_count(schedules.snapshots, tick), k + 1);
            tick = oct_schedule_next(schedules.snapshots, tick);
        }
        assert_int_equal(k, (2 * steps * q + q) / (2 * p) + 1);
    }
}

/* Steps from a thousandth of dt to four of it: each output comes once, by the step that ends at its
 * tick or first after it, and one that would come with the next comes with it. */
static void steps_of_mixed_lengths_bring_each_output_once(void **unused)
{
    (void)unused;
    const double strides[] = {1, 1.3, 2.5, 7.77, 100};
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        const oct_schedule schedule = {.stride = strides[i]};
        uint64_t random = 88172645463325252u, k = 1, times = 0, passed = 0;
        for (int64_t tick = 0, length; tick < at(20000); times++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            length = OCT_CLOCK_DT >> 10 << random % 13;
            /* One step is enough to get there, or none would. */
            assert_true(oct_schedule_next(schedule, tick) > tick);
            bool expected = oct_schedule_next(schedule, tick) <= tick + length;
            tick += length;
            uint64_t before = k;
            while (at((uint64_t)((double)k * strides[i] + 0.5)) <= tick)
                k++;
            assert_int_equal(oct_schedule_due(schedule, tick, length), k > before);
            assert_int_equal(expected, k > before);
            assert_int_equal(oct_schedule_count(schedule, tick), k);
            passed += k > before + 1;
        }
        /* Something is tested: many steps, and some that pass several outputs. */
        assert_true(times > 20000 && (passed > 0) == (strides[i] < 4));
    }
}

static void intervals_beyond_the_clock_are_never_due_again(void **unused)
{
    (void)unused;
    const double strides[] = {0x1p43, 1e15, 1e300, INFINITY};
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        const oct_schedule schedule = {.stride = strides[i]};
        assert_true(due_at(schedule, 0));
        assert_true(oct_schedule_next(schedule, 0) == OCT_CLOCK_NEVER);
        assert_int_equal(oct_schedule_count(schedule, INT64_MAX), 1);
    }
}

/* As when a run is resumed, or changed in the viewer, with another dt and other outputs. */
static void a_change_counts_from_the_present_tick(void **unused)
{
    (void)unused;
    oct_setup before = make_setup(0.1, 10, 0, 0.25), after = make_setup(0.04, 10, 0, 0.25);
    oct_state state = {.clock = {.tick = at(37), .step = 37, .time = 37 * 0.1}};
    assert_int_equal(oct_schedules_change(&state, &before, &before), OCT_STATUS_OK);
    assert_true(state.clock.start.tick == 0 && state.origin.tick == 0);
    assert_int_equal(oct_schedules_change(&state, &before, &after), OCT_STATUS_OK);
    assert_true(state.clock.start.tick == at(37) && state.clock.start.step == 37);
    assert_true(state.clock.time == 37 * 0.1 && oct_clock_dt(&state.clock) == 0.04);
    /* 0, 0.25 .. 3.5 and no more: 3.75 would have been due at step 38. */
    assert_true(state.origin.tick == at(37) && state.origin.snapshots == 15);
    oct_setup shorter = make_setup(1e-310, 10, 0, 0.25);
    assert_int_equal(oct_schedules_change(&state, &after, &shorter), OCT_STATUS_INPUT);
}

static void no_interval_is_never(void **unused)
{
    (void)unused;
    oct_schedule schedule = {0};
    assert_false(due_at(schedule, 0));
    assert_int_equal(oct_schedule_count(schedule, at(1000)), 0);
    assert_true(oct_schedule_next(schedule, 0) == OCT_CLOCK_NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_off_adds_no_step),
        cmocka_unit_test(too_many_steps_are_refused),
        cmocka_unit_test(options_change_the_end_alone),
        cmocka_unit_test(outputs_are_due_at_rounded_multiples),
        cmocka_unit_test(short_intervals_are_every_step),
        cmocka_unit_test(after_a_change_outputs_keep_their_times),
        cmocka_unit_test(after_a_change_there_may_be_none),
        cmocka_unit_test(outputs_do_not_drift_in_a_thousand_million_steps),
        cmocka_unit_test(steps_of_mixed_lengths_bring_each_output_once),
        cmocka_unit_test(intervals_beyond_the_clock_are_never_due_again),
        cmocka_unit_test(a_change_counts_from_the_present_tick),
        cmocka_unit_test(no_interval_is_never),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
