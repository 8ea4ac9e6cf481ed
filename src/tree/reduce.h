/* The box around particles, on the device. */
#ifndef OCT_TREE_REDUCE_H
#define OCT_TREE_REDUCE_H

#include "tree/blocks.h"

typedef struct oct_reduce oct_reduce;

/* The precision is that of the positions. */
oct_status oct_reduce_create(oct_reduce **out, oct_device *device, oct_precision precision,
                             oct_variant variant);
void oct_reduce_free(oct_reduce *reduce);
/* The box around the first n positions (real4) whose type is not that of removed particles: its
 * lowest and its highest corner into the two real4 of `box`, w 0. A box around nothing is inside
 * out, +INFINITY and -INFINITY. Enqueues only; never waits. */
oct_status oct_reduce_box(oct_reduce *reduce, oct_buffer *box, oct_buffer *position,
                          oct_buffer *type, size_t n);

#endif
