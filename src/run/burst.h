/* Steps in bursts of a fraction of a second: signals, progress and checkpoints are prompt while
 * the device is never kept waiting for long. */
#ifndef OCT_RUN_BURST_H
#define OCT_RUN_BURST_H

#include "octant/octant.h"

/* Start from {0}. */
typedef struct oct_burst {
    uint64_t steps, taken; /* of the next one; of these, that nobody has waited for */
    double since;          /* when these began */
} oct_burst;

/* Takes a burst of steps, at most so many, none of them beyond the first that ends at a tick or
 * after it, and waits for them. `ahead`: where it ends at the tick nobody need wait, and the next
 * goes on with it. */
oct_status oct_burst_take(oct_burst *burst, oct_sim *sim, uint64_t most, int64_t until, bool ahead);

/* Seconds on a clock that is never set. */
double oct_burst_clock(void);

#endif
