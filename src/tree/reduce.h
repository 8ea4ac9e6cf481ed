/* Reductions on the device, in an order that depends on the number of elements alone. */
#ifndef OCT_TREE_REDUCE_H
#define OCT_TREE_REDUCE_H

#include "tree/blocks.h"

typedef struct oct_reduce oct_reduce;

typedef enum oct_reduce_kind {
    OCT_REDUCE_SUM, /* modulo 2^32; of nothing 0 */
    OCT_REDUCE_MIN, /* of nothing 2^32 - 1 */
    OCT_REDUCE_MAX, /* of nothing 0 */
    OCT_REDUCE_KINDS
} oct_reduce_kind;

/* The precision is that of the positions. */
oct_status oct_reduce_create(oct_reduce **out, oct_device *device, oct_precision precision,
                             oct_variant variant);
void oct_reduce_free(oct_reduce *reduce);
/* Reduces the first n 32-bit words into the one word of `result`. Enqueues only; never waits. */
oct_status oct_reduce_words(oct_reduce *reduce, oct_reduce_kind kind, oct_buffer *result,
                            oct_buffer *words, size_t n);
/* The box around the first n positions (real4) whose type is not that of removed particles: its
 * lowest and its highest corner into the two real4 of `box`, w 0. A box around nothing is inside
 * out, +INFINITY and -INFINITY. Enqueues only; never waits. */
oct_status oct_reduce_box(oct_reduce *reduce, oct_buffer *box, oct_buffer *position,
                          oct_buffer *type, size_t n);

#endif
