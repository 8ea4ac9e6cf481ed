/* From intervals of time to ticks, rounded the same way however a run got there. */
#include "run/schedule.h"

#include <float.h>
#include <math.h>

#include "util/status.h"

oct_schedule oct_schedule_every(double interval, double dt)
{
    return (oct_schedule){.stride = interval > 0 ? fmax(interval / dt, 1.0) : 0.0};
}

static oct_schedule from(const oct_origin *origin, double interval, double dt, uint64_t before)
{
    oct_schedule schedule = oct_schedule_every(interval, dt);
    if (origin->tick > 0) {
        schedule.origin = origin->tick;
        schedule.offset = interval > dt ? origin->time / interval : 0.0;
        schedule.before = before;
    }
    return schedule;
}

double oct_schedule_rows(const oct_setup *setup)
{
    enum { DEFAULT_ROWS = 100 };
    double interval = setup->output.diagnostics;
    return interval > 0 ? interval : setup->run.until / DEFAULT_ROWS;
}

oct_status oct_schedules_from(oct_schedules *out, const oct_setup *setup, const oct_clock *clock,
                              const oct_origin *origin, double until)
{
    const oct_clock_start *start = &clock->start;
    double dt = setup->step.dt, most = (double)((INT64_MAX - start->tick) / OCT_CLOCK_DT);
    double wanted = ((until > 0 ? until : setup->run.until) - start->time) / dt;
    OCT_CHECK(wanted < most, OCT_STATUS_INPUT,
              "the run would take %g steps, and %g is the most that can be counted", wanted, most);
    /* Until 2.7 with dt 0.3 is nine steps, although 2.7 / 0.3 is 9.000000000000002. */
    wanted -= 1e-9 + 4 * DBL_EPSILON * wanted;
    out->end = start->tick + (wanted > 0 ? (int64_t)ceil(wanted) * OCT_CLOCK_DT : 0);
    out->diagnostics = from(origin, oct_schedule_rows(setup), dt, 0);
    out->snapshots = from(origin, setup->output.snapshot, dt, origin->snapshots);
    return OCT_STATUS_OK;
}

oct_status oct_schedules_make(oct_schedules *out, const oct_setup *setup, double until)
{
    const oct_origin origin = {0};
    oct_clock clock;
    OCT_TRY(oct_clock_make(&clock, setup->step.dt));
    return oct_schedules_from(out, setup, &clock, &origin, until);
}

oct_status oct_schedules_ends(const oct_setup *setup, double until)
{
    OCT_CHECK(until > 0 || setup->run.until > 0, OCT_STATUS_INPUT,
              "the scene does not say when its run ends: expected run.until, or an end in the "
              "options");
    return OCT_STATUS_OK;
}

oct_status oct_schedules_check(const oct_setup *setup, double until)
{
    double end = until > 0 ? until : setup->run.until, dt = setup->step.dt;
    OCT_TRY(oct_schedules_ends(setup, until));
    OCT_CHECK(dt <= end * (1 + 1e-9), OCT_STATUS_INPUT,
              "integrator.dt is %g, more than the whole run, which ends at %g: expected a shorter "
              "step or a later end",
              dt, end);
    return OCT_STATUS_OK;
}

oct_status oct_schedules_change(oct_state *state, const oct_setup *before, const oct_setup *after)
{
    oct_clock *clock = &state->clock;
    oct_schedules past;
    /* A checkpoint may not say what its ticks are. */
    OCT_TRY(oct_clock_set_dt(clock, before->step.dt));
    OCT_TRY(oct_schedules_from(&past, before, clock, &state->origin, 0));
    OCT_TRY(oct_clock_set_dt(clock, after->step.dt));
    if (before->step.dt != after->step.dt ||
        oct_schedule_rows(before) != oct_schedule_rows(after) ||
        before->output.snapshot != after->output.snapshot)
        state->origin =
            (oct_origin){clock->tick, clock->time, oct_schedule_count(past.snapshots, clock->tick)};
    return OCT_STATUS_OK;
}

/* Relative to the origin, which may be after output k. */
static double dt_of(oct_schedule schedule, uint64_t k)
{
    return round(((double)k - schedule.offset) * schedule.stride);
}

/* How many k, from 0 on, are due up to a tick. */
static uint64_t reached(oct_schedule schedule, int64_t tick)
{
    double since = (double)((tick - schedule.origin) / OCT_CLOCK_DT);
    uint64_t k = (uint64_t)((since + 0.5) / schedule.stride + schedule.offset);
    while (k > 0 && dt_of(schedule, k) > since)
        k--;
    while (dt_of(schedule, k + 1) <= since)
        k++;
    return k + 1;
}

uint64_t oct_schedule_count(oct_schedule schedule, int64_t tick)
{
    if (schedule.stride == 0)
        return schedule.before;
    uint64_t counted = schedule.origin > 0 ? reached(schedule, schedule.origin) : 0;
    return schedule.before + reached(schedule, tick) - counted;
}

bool oct_schedule_due(oct_schedule schedule, int64_t tick, int64_t length)
{
    if (schedule.stride == 0 || (schedule.origin > 0 && tick <= schedule.origin))
        return false;
    int64_t last = tick - length;
    return tick == 0 ||
           oct_schedule_count(schedule, tick) >
               oct_schedule_count(schedule, last > schedule.origin ? last : schedule.origin);
}

int64_t oct_schedule_next(oct_schedule schedule, int64_t tick)
{
    if (schedule.stride == 0)
        return OCT_CLOCK_NEVER;
    double dt = dt_of(schedule, reached(schedule, tick));
    double most = (double)((INT64_MAX - schedule.origin) / OCT_CLOCK_DT);
    return dt < most ? schedule.origin + (int64_t)dt * OCT_CLOCK_DT : OCT_CLOCK_NEVER;
}
