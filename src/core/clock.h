/* What time it is. Time is counted in ticks of a quantum and is their product, never a sum: it does
 * not depend on how the steps were taken, and does not drift. A step takes a power of two of ticks,
 * so that steps may differ; one dt is OCT_CLOCK_DT of them, and a run may have 2^43 of it. */
#ifndef OCT_CORE_CLOCK_H
#define OCT_CORE_CLOCK_H

#include "octant/octant.h"

#define OCT_CLOCK_DT ((int64_t)1 << 20)
/* No such tick. */
#define OCT_CLOCK_NEVER INT64_MAX

/* Time began, or got another quantum, here. */
typedef struct oct_clock_start {
    int64_t tick;
    double time;
    uint64_t step;
} oct_clock_start;

typedef struct oct_clock {
    int64_t tick;   /* at the end of the last step */
    double quantum; /* the time of a tick; 0: not known, of a checkpoint that does not say */
    uint64_t step;  /* steps taken */
    int64_t length; /* ticks of the last one; 0: there was none */
    oct_clock_start start;
    double time; /* that of the tick, and within a step of what bodies have drifted since */
} oct_clock;

/* Sets a clock to zero. */
oct_status oct_clock_make(oct_clock *out, double dt);
/* From here on dt is this one: where it is another, time has a new start at the present tick. */
oct_status oct_clock_set_dt(oct_clock *clock, double dt);
double oct_clock_dt(const oct_clock *clock);
/* The time of a tick, which is not before the start. */
double oct_clock_time(const oct_clock *clock, int64_t tick);
/* A simulated time in ticks, to the nearest, and at most OCT_CLOCK_NEVER. */
int64_t oct_clock_ticks(const oct_clock *clock, double time);
/* The step that ends at a tick or first after it, where all from now on are of one dt. */
uint64_t oct_clock_step_at(const oct_clock *clock, int64_t tick);
/* Whether a clock that was read from a file can be one. */
bool oct_clock_is_sound(const oct_clock *clock);

/* Refuses so many steps of one dt where they cannot be counted. */
oct_status oct_clock_reaches(const oct_clock *clock, uint64_t steps);
/* How long a step of so many ticks takes, before it is taken: refuses what is no power of two. */
oct_status oct_clock_next(double *dt, const oct_clock *clock, int64_t ticks);
/* Bodies have drifted on by a part of the step. */
void oct_clock_drift(oct_clock *clock, double dt);
/* The step has been taken. */
void oct_clock_advance(oct_clock *clock, int64_t ticks);

#endif
