/* Sources that go round: each rank hands the bodies that it holds on to the next one, while it sums
 * over them, until all have had them all. A rank adds up its own bodies first, then those of the
 * rank before it, of the one before that, and so on: the same bits for the same number of ranks. */
#ifndef OCT_FORCE_FORCE_RING_H
#define OCT_FORCE_FORCE_RING_H

#include "core/domain.h"

typedef struct oct_ring {
    /* What is held, as kernels take it: the first body of the domain, which coordinates are
     * relative to, then those held; and the list 1, 2, ... of these. */
    oct_buffer *position, *softening, *list, *n_list;
    oct_buffer *strangers;         /* a list of bodies that no domain has */
    oct_buffer *high, *low, *soft; /* those held, as sums take them */
    uint32_t room;                 /* bodies that these hold */
    uint64_t *counts;              /* bodies of each rank */
    char *held, *coming, *origin;  /* rows of positions, then those of softenings, on the host */
    uint32_t turn;                 /* how far the sources have gone */
} oct_ring;

/* What is held, by the names of a domain's (position, softenings, sources, n_sources), and what is
 * made of it: high, low, soft. */
extern const oct_offer oct_ring_offers[];

/* Sends the bodies of the domain on their way. */
oct_status oct_ring_begin(oct_ring *ring, oct_domain *domain);
/* Waits for the next ones, sends them on, and puts them on the device; *more is false where all
 * have been here. */
oct_status oct_ring_next(bool *more, oct_ring *ring, oct_domain *domain);
void oct_ring_end(oct_ring *ring);

#endif
