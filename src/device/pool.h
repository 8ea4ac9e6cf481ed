/* Buffers that are not in use at the same time, in the same memory. What they are for is done in
 * stages, one after the other; each is in use from one stage to another. */
#ifndef OCT_DEVICE_POOL_H
#define OCT_DEVICE_POOL_H

#include "device/device.h"

enum { OCT_POOL_MOST = 32 };

typedef struct oct_pooled {
    oct_buffer **at; /* where it goes; not looked at where memory is only counted */
    const char *name;
    size_t element, count;
    unsigned first, last; /* stages */
} oct_pooled;

typedef struct oct_pool oct_pool;

/* Makes at most OCT_POOL_MOST of them, in as few allocations as the device allows: what does not go
 * into one is divided between buffers. The pool owns all of them. */
oct_status oct_pool_create(oct_pool **out, oct_device *device, const char *name,
                           const oct_pooled *buffers, size_t n);
void oct_pool_free(oct_pool *pool);
/* Counts what a pool of these takes. */
void oct_pool_memory(oct_memory *memory, const oct_device_info *device, const oct_pooled *buffers,
                     size_t n);

/* Where each of n <= OCT_POOL_MOST begins, in bytes, so that those in use at the same time do not
 * overlap and none crosses a multiple of *limit; this is first made large enough for each of them,
 * and whole. Returns the end of the last. */
uint64_t oct_pool_lay_out(uint64_t *begins, uint64_t *limit, const oct_pooled *buffers, size_t n);

#endif
