/* Ticks, steps and the times they stand for. */
#include "core/clock.h"

#include <float.h>
#include <math.h>

#include "util/status.h"

/* Dividing by a power of two is exact above this. */
static const double shortest_dt = DBL_MIN * (double)OCT_CLOCK_DT;

static oct_status quantum_of(double *out, double dt)
{
    OCT_CHECK(dt >= shortest_dt && isfinite(dt), OCT_STATUS_INPUT,
              "a time step of %g cannot be divided into ticks: expected one from %g on", dt,
              shortest_dt);
    *out = dt / (double)OCT_CLOCK_DT;
    return OCT_STATUS_OK;
}

oct_status oct_clock_make(oct_clock *out, double dt)
{
    *out = (oct_clock){0};
    return quantum_of(&out->quantum, dt);
}

oct_status oct_clock_set_dt(oct_clock *clock, double dt)
{
    double quantum = 0;
    OCT_TRY(quantum_of(&quantum, dt));
    if (quantum == clock->quantum)
        return OCT_STATUS_OK;
    if (clock->quantum > 0)
        clock->start = (oct_clock_start){clock->tick, clock->time, clock->step};
    clock->quantum = quantum;
    return OCT_STATUS_OK;
}

double oct_clock_dt(const oct_clock *clock)
{
    return clock->quantum * (double)OCT_CLOCK_DT;
}

double oct_clock_time(const oct_clock *clock, int64_t tick)
{
    return clock->start.time + (double)(tick - clock->start.tick) * clock->quantum;
}

int64_t oct_clock_ticks(const oct_clock *clock, double time)
{
    double ticks = round(time / clock->quantum);
    return ticks < 0x1p63 ? (int64_t)ticks : OCT_CLOCK_NEVER;
}

uint64_t oct_clock_step_at(const oct_clock *clock, int64_t tick)
{
    int64_t away = tick - clock->tick;
    if (away < 0) {
        uint64_t back = (uint64_t)(-away / OCT_CLOCK_DT);
        return back < clock->step ? clock->step - back : 0;
    }
    return clock->step + (uint64_t)(away / OCT_CLOCK_DT + (away % OCT_CLOCK_DT > 0));
}

bool oct_clock_is_sound(const oct_clock *clock)
{
    const oct_clock_start *start = &clock->start;
    return start->tick >= 0 && start->tick <= clock->tick && start->step <= clock->step &&
           clock->length >= 0 && clock->length <= clock->tick && isfinite(start->time) &&
           clock->quantum >= 0 && isfinite(clock->quantum) && isfinite(clock->time);
}

oct_status oct_clock_reaches(const oct_clock *clock, uint64_t steps)
{
    uint64_t most = (uint64_t)((INT64_MAX - clock->tick) / OCT_CLOCK_DT);
    OCT_CHECK(steps <= most, OCT_STATUS_INPUT,
              "%llu steps are more than can be counted: expected %llu or fewer",
              (unsigned long long)steps, (unsigned long long)most);
    return OCT_STATUS_OK;
}

oct_status oct_clock_next(double *dt, const oct_clock *clock, int64_t ticks)
{
    OCT_CHECK(ticks > 0 && (ticks & (ticks - 1)) == 0, OCT_STATUS_INTERNAL,
              "a step of %lld ticks: expected a power of two", (long long)ticks);
    OCT_CHECK(ticks <= INT64_MAX - clock->tick, OCT_STATUS_INPUT,
              "the clock is at its end in step %llu (time %g): a step of %lld ticks more cannot be "
              "counted",
              (unsigned long long)clock->step + 1, clock->time, (long long)ticks);
    *dt = (double)ticks * clock->quantum;
    return OCT_STATUS_OK;
}

/* Few additions, and the end of the step forgets them. */
void oct_clock_drift(oct_clock *clock, double dt)
{
    clock->time += dt;
}

void oct_clock_advance(oct_clock *clock, int64_t ticks)
{
    clock->tick += ticks;
    clock->length = ticks;
    clock->step++;
    clock->time = oct_clock_time(clock, clock->tick);
}
