#include "run/schedule.h"

#include <float.h>
#include <math.h>

#include "util/status.h"

static oct_schedule every(double interval, double dt)
{
    return (oct_schedule){interval > 0 ? fmax(interval / dt, 1.0) : 0.0};
}

oct_status oct_schedules_make(oct_schedules *out, const oct_setup *setup, double until)
{
    enum { DEFAULT_ROWS = 100 };
    const double most_steps = 1e15; /* step numbers stay exact in a double */
    double dt = setup->step.dt, planned = setup->run.until;
    double wanted = (until > 0 ? until : planned) / dt;
    OCT_CHECK(wanted < most_steps, OCT_STATUS_INPUT,
              "the run would take %g steps, and %g is the most that can be counted", wanted,
              most_steps);
    /* Until 2.7 with dt 0.3 is nine steps, although 2.7 / 0.3 is 9.000000000000002. */
    wanted -= 1e-9 + 4 * DBL_EPSILON * wanted;
    out->steps = wanted > 0 ? (uint64_t)ceil(wanted) : 0;
    const oct_output_plan *output = &setup->output;
    out->diagnostics =
        every(output->diagnostics > 0 ? output->diagnostics : planned / DEFAULT_ROWS, dt);
    out->snapshots = every(output->snapshot, dt);
    return OCT_STATUS_OK;
}

static uint64_t step_of(oct_schedule schedule, uint64_t k)
{
    return (uint64_t)llround((double)k * schedule.stride);
}

uint64_t oct_schedule_count(oct_schedule schedule, uint64_t step)
{
    if (schedule.stride == 0)
        return 0;
    uint64_t k = (uint64_t)(((double)step + 0.5) / schedule.stride);
    while (step_of(schedule, k) > step)
        k--;
    while (step_of(schedule, k + 1) <= step)
        k++;
    return k + 1;
}

bool oct_schedule_due(oct_schedule schedule, uint64_t step)
{
    uint64_t count = oct_schedule_count(schedule, step);
    return count > 0 && step_of(schedule, count - 1) == step;
}

uint64_t oct_schedule_next(oct_schedule schedule, uint64_t step)
{
    return schedule.stride == 0 ? UINT64_MAX
                                : step_of(schedule, oct_schedule_count(schedule, step));
}
