/* When outputs are due, in ticks from the start of the scene, not of the process, so that a run
 * that is stopped and resumed writes what one that never stopped writes. Where a run was changed on
 * its way, outputs follow the scene as it is from there on, and go on being counted. */
#ifndef OCT_RUN_SCHEDULE_H
#define OCT_RUN_SCHEDULE_H

#include "core/setup.h"
#include "core/state.h"

/* Output k is due by the step that ends at or first after tick `origin` + round((k - offset)
 * stride) OCT_CLOCK_DT; a stride of 0 means never. A step that passes several brings the last of
 * them. With an origin those up to it are `before` many, whenever they were. */
typedef struct oct_schedule {
    double stride, offset; /* stride: in dt, 1 or more */
    int64_t origin;
    uint64_t before;
} oct_schedule;

/* The outputs of a scene and the tick its run ends at. */
typedef struct oct_schedules {
    oct_schedule diagnostics, snapshots;
    int64_t end;
} oct_schedules;

/* Simulated time between rows of diagnostics. */
double oct_schedule_rows(const oct_setup *setup);
/* The clock's dt is the setup's. until: 0 takes the scene's own; the schedules themselves do not
 * depend on it. */
oct_status oct_schedules_from(oct_schedules *out, const oct_setup *setup, const oct_clock *clock,
                              const oct_origin *origin, double until);
/* From the start of the scene. */
oct_status oct_schedules_make(oct_schedules *out, const oct_setup *setup, double until);
/* Refuses a scene that leaves its end to a program which does not say it either. */
oct_status oct_schedules_ends(const oct_setup *setup, double until);
/* Refuses a scene of which not one whole step is over by its end (until, or its own for 0). */
oct_status oct_schedules_check(const oct_setup *setup, double until);
/* Lets a state that goes on with another setup have the clock and the outputs of that one: they are
 * counted from here where they would not go on as they were. */
oct_status oct_schedules_change(oct_state *state, const oct_setup *before, const oct_setup *after);

/* Every so much simulated time, from the tick `origin` on, which is due itself. */
oct_schedule oct_schedule_every(double interval, double dt);

/* How many outputs are due up to a tick, which is not before the origin. */
uint64_t oct_schedule_count(oct_schedule schedule, int64_t tick);
/* Whether one is due by the step of so many ticks that ends there. */
bool oct_schedule_due(oct_schedule schedule, int64_t tick, int64_t length);
/* The first tick after this one at which an output is due; OCT_CLOCK_NEVER. */
int64_t oct_schedule_next(oct_schedule schedule, int64_t tick);

#endif
