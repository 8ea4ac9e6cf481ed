/* Arrays to try primitives on: sizes around those of groups and tiles, keys of every kind. */
#ifndef OCT_TESTS_ARRAYS_H
#define OCT_TESTS_ARRAYS_H

#include "array/primitives.h"

enum { ARRAY_SIZES = 10, ARRAY_SMALL_SIZES = 9 };
/* In ascending order; the small ones are quick even with work-groups on a CPU. */
extern const size_t array_sizes[ARRAY_SIZES];

typedef enum array_kind {
    ARRAY_RANDOM,
    ARRAY_CONSTANT,
    ARRAY_SORTED,
    ARRAY_REVERSED,
    ARRAY_FEW_DISTINCT,
    ARRAY_HIGH_BITS, /* only the highest 16 bits differ */
    ARRAY_KINDS
} array_kind;

/* Element i of n. */
uint64_t array_key(array_kind kind, uint64_t i, uint64_t n);
/* Memory for at least one element; fails the test where there is none. */
void *array_alloc(size_t count, size_t size);
/* A buffer on the test device, and one with these elements. */
oct_buffer *array_buffer(size_t element, size_t count);
oct_buffer *array_upload(const void *data, size_t element, size_t count);
/* The primitives of the test device. */
oct_primitives *array_primitives(oct_variant variant);

#endif
