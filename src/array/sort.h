/* Stable radix sort of 64-bit keys with 32-bit values on the device. */
#ifndef OCT_ARRAY_SORT_H
#define OCT_ARRAY_SORT_H

#include "array/blocks.h"

typedef struct oct_sort oct_sort;

/* Takes scratch for this many pairs. The precision is that of the primitives, whose program it may
 * share. */
oct_status oct_sort_create(oct_sort **out, oct_device *device, size_t capacity,
                           oct_precision precision, oct_variant variant);
void oct_sort_free(oct_sort *sort);
/* Sorts the first n pairs by the bits [first_bit, last_bit) of their keys. Afterwards *keys and
 * *values are the sorted buffers: they may have been exchanged with the scratch, so both must have
 * room for `capacity`. Two launches for every eight bits, or more. Enqueues only; never waits. */
oct_status oct_sort_run(oct_sort *sort, oct_buffer **keys, oct_buffer **values, size_t n,
                        unsigned first_bit, unsigned last_bit);
/* Counts what a sort of this capacity takes. */
void oct_sort_memory(oct_memory *memory, uint64_t capacity);

#endif
