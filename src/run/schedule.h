/* When outputs are due. Steps are counted from the start of the scene, not of the process, so
 * that a run that is stopped and resumed writes what one that never stopped writes. Where a resumed
 * run was changed, outputs follow the scene as it is from there on, and go on being counted. */
#ifndef OCT_RUN_SCHEDULE_H
#define OCT_RUN_SCHEDULE_H

#include "core/setup.h"
#include "core/state.h"

/* Output k is due at step `origin` + round((k - offset) stride), at most one a step; a stride of 0
 * means never. With an origin those up to it are `before` many, whenever they were. */
typedef struct oct_schedule {
    double stride, offset;
    uint64_t origin, before;
} oct_schedule;

/* The outputs of a scene and the step its run ends at. */
typedef struct oct_schedules {
    oct_schedule diagnostics, snapshots;
    uint64_t steps;
} oct_schedules;

/* Simulated time between rows of diagnostics. */
double oct_schedule_rows(const oct_setup *setup);
/* origin may be NULL: the start of the scene. until: 0 takes the scene's own; the schedules
 * themselves do not depend on it. */
oct_status oct_schedules_from(oct_schedules *out, const oct_setup *setup, const oct_origin *origin,
                              double until);
oct_status oct_schedules_make(oct_schedules *out, const oct_setup *setup, double until);
/* Refuses a scene that leaves its end to a program which does not say it either. */
oct_status oct_schedules_ends(const oct_setup *setup, double until);
/* Refuses a scene of which not one whole step is over by its end (until, or its own for 0). */
oct_status oct_schedules_check(const oct_setup *setup, double until);

/* How many outputs are due at steps 0 to step, which is not before the origin. */
uint64_t oct_schedule_count(oct_schedule schedule, uint64_t step);
bool oct_schedule_due(oct_schedule schedule, uint64_t step);
/* The first step after this one at which an output is due; UINT64_MAX for never. */
uint64_t oct_schedule_next(oct_schedule schedule, uint64_t step);

#endif
