/* From intervals of time to steps, rounded the same way however a run got there. */
#include "run/schedule.h"

#include <float.h>
#include <math.h>

#include "util/status.h"

static oct_schedule every(double interval, double dt, const oct_origin *origin, uint64_t before)
{
    oct_schedule schedule = {.stride = interval > 0 ? fmax(interval / dt, 1.0) : 0.0};
    if (origin->output_step > 0) {
        schedule.origin = origin->output_step;
        schedule.offset = interval > dt ? origin->output_time / interval : 0.0;
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

oct_status oct_schedules_from(oct_schedules *out, const oct_setup *setup, const oct_origin *origin,
                              double until)
{
    static const oct_origin start = {0};
    const double most_steps = 1e15; /* step numbers stay exact in a double */
    double dt = setup->step.dt;
    origin = origin ? origin : &start;
    double wanted = ((until > 0 ? until : setup->run.until) - origin->clock_time) / dt;
    OCT_CHECK(wanted < most_steps, OCT_STATUS_INPUT,
              "the run would take %g steps, and %g is the most that can be counted", wanted,
              most_steps);
    /* Until 2.7 with dt 0.3 is nine steps, although 2.7 / 0.3 is 9.000000000000002. */
    wanted -= 1e-9 + 4 * DBL_EPSILON * wanted;
    out->steps = origin->clock_step + (wanted > 0 ? (uint64_t)ceil(wanted) : 0);
    out->diagnostics = every(oct_schedule_rows(setup), dt, origin, 0);
    out->snapshots = every(setup->output.snapshot, dt, origin, origin->snapshots);
    return OCT_STATUS_OK;
}

oct_status oct_schedules_make(oct_schedules *out, const oct_setup *setup, double until)
{
    return oct_schedules_from(out, setup, NULL, until);
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

/* Relative to the origin, which may be after output k. */
static double step_of(oct_schedule schedule, uint64_t k)
{
    return round(((double)k - schedule.offset) * schedule.stride);
}

/* How many k, from 0 on, have a step up to this one. */
static uint64_t reached(oct_schedule schedule, uint64_t step)
{
    double since = (double)(step - schedule.origin);
    uint64_t k = (uint64_t)((since + 0.5) / schedule.stride + schedule.offset);
    while (k > 0 && step_of(schedule, k) > since)
        k--;
    while (step_of(schedule, k + 1) <= since)
        k++;
    return k + 1;
}

uint64_t oct_schedule_count(oct_schedule schedule, uint64_t step)
{
    if (schedule.stride == 0)
        return schedule.before;
    uint64_t counted = schedule.origin > 0 ? reached(schedule, schedule.origin) : 0;
    return schedule.before + reached(schedule, step) - counted;
}

bool oct_schedule_due(oct_schedule schedule, uint64_t step)
{
    if (schedule.stride == 0 || (schedule.origin > 0 && step <= schedule.origin))
        return false;
    return step_of(schedule, reached(schedule, step) - 1) == (double)(step - schedule.origin);
}

uint64_t oct_schedule_next(oct_schedule schedule, uint64_t step)
{
    if (schedule.stride == 0)
        return UINT64_MAX;
    return schedule.origin + (uint64_t)step_of(schedule, reached(schedule, step));
}
