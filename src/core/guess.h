/* Bodies that merge move, and forces have to be found again before the next kick; where nobody has
 * merged they stay as they are. Steps are enqueued before it is known which of the two holds, on a
 * guess that changes no bit of them. */
#ifndef OCT_CORE_GUESS_H
#define OCT_CORE_GUESS_H

#include "device/device.h"

struct oct_sim;

typedef enum oct_guess_way {
    /* Nobody merges. A step in which bodies do halts the device behind it, and the host goes on
     * from there when it waits. */
    OCT_GUESS_NONE,
    /* Some do in most steps: forces are found after collisions whether they did or not, and where
     * they would have other bits are kept only if so. */
    OCT_GUESS_SOME,
    /* Nothing: the host waits in each step, which costs less than wrong guesses where bodies merge
     * in some steps but not in most, or where the device is the processor that it runs on. */
    OCT_GUESS_NOTHING
} oct_guess_way;

typedef struct oct_guess {
    oct_guess_way way, next; /* next: from when all steps are known on */
    bool stays;              /* the way is never another */
    uint32_t span;           /* steps that are enqueued on it at most */
    uint64_t step;           /* up to which was learnt */
    bool merged;             /* it was wrong before */
    uint32_t seen, busy;     /* of late: steps, and those in which bodies merged */
} oct_guess;

/* Whether there is something to guess: forces of a step go on to the next unless bodies merge. */
bool oct_sim_guesses(const struct oct_sim *sim);
/* The way for a device, before anything was learnt. */
oct_guess oct_guess_first(const oct_device_info *device);
/* When the host has waited: in how many steps since bodies merged. */
void oct_guess_learn(struct oct_sim *sim, uint32_t busy);
/* When all steps are known: goes on in the way that was learnt. Within steps that are taken again
 * it must not change. */
void oct_guess_settle(struct oct_sim *sim);
/* Steps that are enqueued before the host waits, at most. */
uint32_t oct_guess_span(const struct oct_sim *sim, uint32_t most);

#endif
