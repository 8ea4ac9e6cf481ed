/* Who has which bodies where ranks share a simulation. A body's place is its number in the scene,
 * which stays its number in files; which rank has it, and in which of its rows, changes when bodies
 * move on (core/decompose.h). */
#ifndef OCT_CORE_OWNERS_H
#define OCT_CORE_OWNERS_H

#include "core/fresh.h"
#include "core/state.h"

struct oct_trader;

typedef struct oct_owners {
    uint64_t *counts;     /* bodies of each rank, removed ones included */
    double *shares;       /* of the work that each rank should have; they add up to 1 */
    uint32_t *places;     /* of this rank's bodies, by row; NULL: nobody shares them */
    bool restored;        /* they are divided as they were when the state was saved */
    bool whole;           /* there are solar systems, which have one owner each: nobody moves */
    uint32_t every;       /* steps between looks at the balance */
    uint64_t moves;       /* how often bodies have changed their owners since the start */
    uint32_t trade_every; /* steps between trades of those who have strayed; 0: none */
    uint64_t traded;      /* bodies of this rank that went that way since the start */
    struct oct_trader *trader; /* core/trade.h; NULL: none yet */
    oct_buffer **around;       /* the tree's box of all bodies, which a trade finds; NULL: none */
    oct_edition boxed;         /* positions that it has found it for, */
    struct oct_keys *keys;     /* and their keys through it */
} oct_owners;

/* Whether there are several ranks. */
bool oct_owners_several(const oct_sim *sim);
/* Tells all ranks what share each is to have, of any sum. 0: by the compute units of devices that
 * are alike, else as much as others. */
oct_status oct_owners_begin(oct_sim *sim, double share, const oct_device_info *device);
/* Runs of places of equal length; refused where there are fewer than ranks. With numbers of their
 * systems, where there are some, whole systems, in runs that are as long as the shares of ranks. */
oct_status oct_owners_divide(oct_sim *sim, uint64_t n, const uint32_t *system);
/* Divides them as a saved state had them, where it was shared among as many. */
oct_status oct_owners_restore(oct_sim *sim, const oct_state *state);
/* The same where each rank has its own rows of the state; `system`: of these. */
oct_status oct_owners_take(oct_sim *sim, const oct_state *state, const uint32_t *system);
/* Puts rows of all bodies, which came from several ranks, in the order of their places. */
oct_status oct_owners_settle(oct_state *state);
/* Of this rank's rows n stay, in this order, and the others are gone: places are counted anew, in
 * the order that they had. All ranks call it; *closed is false, and nothing has changed, where one
 * would have no bodies. */
oct_status oct_owners_close(bool *closed, oct_sim *sim, const uint32_t *stay, uint32_t n);
void oct_owners_end(oct_owners *owners);

/* The bodies of the ranks before this one; past the last rank, all of them. */
uint64_t oct_owners_first(const oct_sim *sim, uint32_t rank);
/* The places of the bodies of all ranks, one rank after the other, which the first rank gets; NULL
 * in the others, and where they are not shared. All ranks call it. */
oct_status oct_owners_gather(uint32_t **out, oct_sim *sim);
/* Rows of all ranks, one rank after the other, which are put in the order of places. */
oct_status oct_owners_sort(void *rows, size_t element, const uint32_t *places, uint64_t n);
/* Adds to a state who has which bodies; `places` are those that were gathered. */
oct_status oct_owners_export(oct_state *out, const oct_sim *sim, const uint32_t *places);
/* Whether an array of a state says who has them, and nothing of the bodies themselves. */
bool oct_owners_array(const char *name);

#endif
