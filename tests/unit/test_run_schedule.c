/* The steps at which outputs are due. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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
    return schedules.steps;
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
    assert_int_equal(longer.steps, 2 * straight.steps);
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
        assert_int_equal(oct_schedule_due(schedule, step), due);
        assert_int_equal(oct_schedule_count(schedule, step), k);
        assert_int_equal(oct_schedule_next(schedule, step), (uint64_t)((double)k * stride + 0.5));
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
    assert_int_equal(oct_schedule_next(schedules.diagnostics, 7), 8);
    assert_int_equal(oct_schedule_count(schedules.snapshots, 7), 8);
}

/* Outputs at the times k interval, by the step nearest to each, after a change at step 37,
 * time 7.4: dt was 0.2 and is 0.05, and six outputs were due up to there. */
static void after_a_change_outputs_keep_their_times(void **unused)
{
    (void)unused;
    const oct_origin origin = {37, 7.4, 37, 7.4, 6};
    const double intervals[] = {0.05, 0.3, 0.5, 1.5};
    for (size_t i = 0; i < sizeof intervals / sizeof intervals[0]; i++) {
        oct_schedules schedules;
        oct_setup setup = make_setup(0.05, 10, intervals[i], intervals[i]);
        assert_int_equal(oct_schedules_from(&schedules, &setup, &origin, 0), OCT_STATUS_OK);
        assert_int_equal(schedules.steps, 37 + 52);
        const oct_schedule schedule = schedules.snapshots;
        uint64_t count = 6, k = 1;
        assert_false(oct_schedule_due(schedule, 37));
        assert_int_equal(oct_schedule_count(schedule, 37), 6);
        for (uint64_t step = 38; step <= schedules.steps; step++) {
            double time = 7.4 + 0.05 * (double)(step - 37);
            while ((double)k * intervals[i] < time - 0.025)
                k++;
            bool due = (double)k * intervals[i] < time + 0.025;
            count += due;
            assert_int_equal(oct_schedule_due(schedule, step), due);
            assert_int_equal(oct_schedule_due(schedules.diagnostics, step), due);
            assert_int_equal(oct_schedule_count(schedule, step), count);
            assert_int_equal(oct_schedule_next(schedule, step - 1) == step, due);
        }
    }
}

/* Snapshots that are not wanted any more stay counted: the last one gets the next number. */
static void after_a_change_there_may_be_none(void **unused)
{
    (void)unused;
    const oct_origin origin = {0, 0, 37, 7.4, 6};
    oct_schedules schedules;
    oct_setup setup = make_setup(0.2, 10, 1, 0);
    assert_int_equal(oct_schedules_from(&schedules, &setup, &origin, 0), OCT_STATUS_OK);
    assert_int_equal(schedules.steps, 50);
    assert_false(oct_schedule_due(schedules.snapshots, 50));
    assert_int_equal(oct_schedule_count(schedules.snapshots, 50), 6);
}

static void no_interval_is_never(void **unused)
{
    (void)unused;
    oct_schedule schedule = {0};
    assert_false(oct_schedule_due(schedule, 0));
    assert_int_equal(oct_schedule_count(schedule, 1000), 0);
    assert_true(oct_schedule_next(schedule, 0) == UINT64_MAX);
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
        cmocka_unit_test(no_interval_is_never),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
