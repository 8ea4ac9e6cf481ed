/* Takes as many steps as fill a fifth of a second at the pace of the burst before. */
#include "run/burst.h"

#include <math.h>
#include <time.h>

#include "core/sim.h"
#include "util/status.h"

double oct_burst_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

oct_status oct_burst_take(oct_burst *burst, oct_sim *sim, uint64_t most, int64_t until, bool ahead)
{
    const double burst_s = 0.2;
    enum { FASTEST_GROWTH = 8 };
    uint64_t planned = burst->steps ? burst->steps : 1, before = oct_sim_steps(sim);
    uint64_t left = planned - burst->taken;
    if (burst->taken == 0)
        burst->since = oct_burst_clock();
    OCT_TRY(oct_sim_advance(sim, left < most ? left : most, until));
    burst->taken += oct_sim_steps(sim) - before;
    if (ahead && burst->taken < planned && sim->clock.tick >= until)
        return OCT_STATUS_OK;
    OCT_TRY(oct_sim_wait(sim));
    uint64_t steps = burst->taken;
    burst->taken = 0;
    double factor = burst_s / fmax(oct_burst_clock() - burst->since, 1e-9);
    double next = (double)steps * fmin(factor, FASTEST_GROWTH);
    /* A burst that was cut short says nothing about a longer one that was fine. */
    if (steps == planned || next > (double)planned)
        planned = next > 1 ? (uint64_t)next : 1;
    burst->steps = planned;
    return OCT_STATUS_OK;
}
