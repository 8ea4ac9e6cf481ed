/* Keys of a domain's bodies along the space-filling curve through the box of all ranks' bodies, as
 * an octree of them all would have them. */
#ifndef OCT_CORE_KEYS_H
#define OCT_CORE_KEYS_H

#include "core/sim.h"

enum { OCT_KEY_LEVELS = 21, OCT_KEY_BITS = 3 * OCT_KEY_LEVELS };

typedef struct oct_keys {
    oct_buffer *of, *order; /* of the rows, and the rows themselves */
    oct_buffer *unsettled;  /* for who sorts them */
    oct_program *program;
    oct_kernel *make;
    uint32_t n, each; /* bodies, and how many of them a work-item takes */
    double bodies;    /* of all ranks */
} oct_keys;

/* `bounds` is where the box will be when keys are made. */
oct_status oct_keys_start(oct_keys *keys, oct_domain *domain, oct_buffer **bounds);
void oct_keys_end(oct_keys *keys);
/* Removed bodies have keys above all others. */
oct_status oct_keys_make(oct_keys *keys);
/* The same for somebody who sorts them. */
oct_status oct_keys_copy(oct_buffer *of, oct_buffer *order, oct_buffer *unsettled, oct_keys *keys);

#endif
