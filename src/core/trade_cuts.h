/* Where the curve is cut so that each rank has as many bodies as it has: for core/trade.c. Cuts are
 * found digit by digit, by counts of keys on the devices. */
#ifndef OCT_CORE_TRADE_CUTS_H
#define OCT_CORE_TRADE_CUTS_H

#include "core/freight.h"
#include "core/keys.h"
#include "core/trade.h"

/* A cut as all know it, by its digits so far: it is before one of the keys from `key` on. */
typedef struct oct_cut {
    uint64_t key, below, within; /* and bodies with lesser ones, and with such ones */
    uint64_t target;             /* bodies before the cut */
    uint32_t shift;              /* digits that are not known yet: such keys are 2^shift */
    uint32_t next;               /* those that should not be, when it is looked for again */
    bool missed;                 /* it is not where it was looked for */
} oct_cut;

/* Where kernels count keys: runs of 2^shift from a key on. */
typedef struct oct_cut_head {
    uint64_t key, shift;
} oct_cut_head;

struct oct_trader {
    oct_sim *sim;
    oct_domain *domain;
    oct_comm *comm;
    unsigned bits; /* of a digit */
    uint32_t n_cuts, n_bins, room;
    uint32_t blocks, counters;   /* work-groups that count keys; work-items of one */
    uint64_t run_begin, run_end; /* keys that are surely this rank's */
    bool known;                  /* cuts are near where they were the last time */
    bool told;                   /* the device has `heads` */

    oct_primitives *primitives;
    oct_keys keys;
    oct_program *program;
    oct_kernel *count, *list;
    oct_buffer *bounds, *head_keys, *bins, *strays;
    oct_freight freight;

    oct_cut *cuts;       /* of each rank, before its bodies; that of the first is 0 */
    oct_cut_head *heads; /* of their bins, but for the first */
    uint32_t *counts;    /* bins of this rank, of each cut */
    uint32_t *all;       /* those of this rank's cut, of each rank */
    uint32_t *words;     /* the list of strays */
    size_t n_words;
    uint32_t *before;     /* of each cut, how many of this rank's bodies within it are before it */
    oct_parcel *out, *in; /* to and from each rank */
};

/* All ranks find all cuts. */
oct_status oct_trade_find_cuts(struct oct_trader *t);

/* Bins of a cut: of each digit, and of what is below. */
static inline size_t oct_trade_bins(const struct oct_trader *t)
{
    return ((size_t)1 << t->bits) + 1;
}

/* The bin of a cut's own key. */
static inline size_t oct_trade_bin(const struct oct_trader *t, uint32_t r)
{
    return (size_t)((t->cuts[r].key - t->heads[r - 1].key) >> t->cuts[r].shift);
}

#endif
