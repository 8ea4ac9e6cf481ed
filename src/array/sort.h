/* Stable radix sort of 64-bit keys with 32-bit values on the device. */
#ifndef OCT_ARRAY_SORT_H
#define OCT_ARRAY_SORT_H

#include "array/blocks.h"

typedef struct oct_sort oct_sort;

/* Takes scratch for this many pairs. The precision is that of the primitives, whose program it may
 * share. */
oct_status oct_sort_create(oct_sort **out, oct_device *device, size_t capacity,
                           oct_precision precision, oct_variant variant);
/* The same without scratch, which is lent before each sort. */
oct_status oct_sort_create_bare(oct_sort **out, oct_device *device, size_t capacity,
                                oct_precision precision, oct_variant variant);
void oct_sort_lend(oct_sort *sort, oct_buffer *keys, oct_buffer *values);
void oct_sort_free(oct_sort *sort);
/* Sorts the first n pairs by the bits [first_bit, last_bit) of their keys. Afterwards *keys and
 * *values are the sorted buffers: they may have been exchanged with the scratch, so both must have
 * room for `capacity`. Two launches for every eight bits, or fewer.
 * Enqueues only; never waits. */
oct_status oct_sort_run(oct_sort *sort, oct_buffer **keys, oct_buffer **values, size_t n,
                        unsigned first_bit, unsigned last_bit);
/* How often oct_sort_run exchanges the buffers with the scratch. */
unsigned oct_sort_moves(const oct_sort *sort, size_t n, unsigned first_bit, unsigned last_bit);
/* At least so many bits, but no more than `most`, in as many digits as they take anyway. */
unsigned oct_sort_whole_digits(const oct_sort *sort, unsigned bits, unsigned most);
/* Puts pairs that are sorted by the bits [first_bit, last_bit), with last_bit above 0, in the order
 * of all bits below last_bit, in one launch, where no more than 64 agree in the former or those
 * that do are in order; else the word of `unsettled` becomes 1 and the order is not that. */
oct_status oct_sort_settle(oct_sort *sort, oct_buffer **keys, oct_buffer **values,
                           oct_buffer *unsettled, size_t n, unsigned first_bit, unsigned last_bit);
/* Counts what a sort takes that scratch is lent to. */
void oct_sort_memory(oct_memory *memory);

#endif
