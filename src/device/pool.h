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

/* Memory that somebody else owns and has no use for until after a stage. */
typedef struct oct_pool_loan {
    oct_buffer *from; /* not looked at where memory is only counted */
    uint64_t bytes;   /* 0: none */
    unsigned last;
} oct_pool_loan;

/* Makes at most OCT_POOL_MOST of them; a loan may be NULL. The pool owns all but that. */
oct_status oct_pool_create(oct_pool **out, oct_device *device, const char *name,
                           const oct_pool_loan *loan, const oct_pooled *buffers, size_t n);
void oct_pool_free(oct_pool *pool);
/* Counts what a pool of these takes beside the loan. */
void oct_pool_memory(oct_memory *memory, const oct_pool_loan *loan, const oct_pooled *buffers,
                     size_t n);

/* Allocations, and which of them each buffer has: always whole, never a part. */
typedef struct oct_pool_layout {
    size_t n;
    uint64_t bytes[OCT_POOL_MOST];
    size_t of[OCT_POOL_MOST]; /* OCT_POOL_MOST: the loan */
} oct_pool_layout;

/* Shares out allocations to n <= OCT_POOL_MOST, so that none is in use by two at the same time. */
void oct_pool_lay_out(oct_pool_layout *out, const oct_pool_loan *loan, const oct_pooled *buffers,
                      size_t n);

#endif
