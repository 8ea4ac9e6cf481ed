/* What is done with whole arrays on the device, in an order that does not depend on timing:
 * prefix sums, stream compaction and the box around particles. All of it only enqueues. */
#ifndef OCT_ARRAY_PRIMITIVES_H
#define OCT_ARRAY_PRIMITIVES_H

#include "array/blocks.h"

typedef struct oct_primitives oct_primitives;

/* The precision is that of positions. */
oct_status oct_primitives_create(oct_primitives **out, oct_device *device, oct_precision precision,
                                 oct_variant variant);
void oct_primitives_free(oct_primitives *primitives);

/* result[i] = values[0] + ... + values[i - 1], modulo 2^32, for the first n words, and the sum of
 * all n into the one word of `total`. `result` may be `values`. */
oct_status oct_array_scan(oct_primitives *primitives, oct_buffer *result, oct_buffer *total,
                          oct_buffer *values, size_t n);
/* The indices of those of the first n marks, a byte each, that are not `skip`, in order, and how
 * many there are into the one word of `count`. `indices` has room for n. */
oct_status oct_array_compact(oct_primitives *primitives, oct_buffer *indices, oct_buffer *count,
                             oct_buffer *marks, unsigned char skip, size_t n);
/* The box around the first n positions (real4) whose type is not that of removed particles: its
 * lowest and its highest corner into the two real4 of `box`, w 0. A box around nothing is inside
 * out, +INFINITY and -INFINITY. */
oct_status oct_array_box(oct_primitives *primitives, oct_buffer *box, oct_buffer *position,
                         oct_buffer *type, size_t n);
/* Counts what they take. */
void oct_primitives_memory(oct_memory *memory, const oct_device_info *info,
                           oct_precision precision);

#endif
