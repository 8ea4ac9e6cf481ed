/* Exclusive prefix sums of 32-bit words on the device. */
#ifndef OCT_TREE_SCAN_H
#define OCT_TREE_SCAN_H

#include "tree/blocks.h"

typedef struct oct_scan oct_scan;

oct_status oct_scan_create(oct_scan **out, oct_device *device, oct_variant variant);
void oct_scan_free(oct_scan *scan);
/* result[i] = values[0] + ... + values[i - 1], modulo 2^32, for the first n words, and the sum of
 * all n into the one word of `total`. `result` may be `values`. Enqueues only; never waits. */
oct_status oct_scan_run(oct_scan *scan, oct_buffer *result, oct_buffer *total, oct_buffer *values,
                        size_t n);

#endif
