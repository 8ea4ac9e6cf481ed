/* The memory of a pool, and the buffers in it. */
#include "device/pool.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/cl.h"

struct oct_pool {
    size_t n_shared, n;
    oct_buffer *shared[OCT_POOL_MOST];  /* allocations */
    oct_buffer *buffers[OCT_POOL_MOST]; /* which have them in turn */
};

/* A buffer in the memory of another one, which nobody counts twice. Parts of buffers would fit more
 * closely, but there is a driver that ends the process when they are filled. */
static oct_status make_within(oct_buffer **out, oct_buffer *shared, const oct_pooled *wanted)
{
    oct_buffer *buffer;
    OCT_TRY(oct_alloc(&buffer, 1, sizeof *buffer, "buffer"));
    snprintf(buffer->name, sizeof buffer->name, "%s", wanted->name);
    buffer->element = wanted->element;
    buffer->count = wanted->count;
    buffer->device = shared->device;
    buffer->memory = shared->memory;
    buffer->at = shared->at;
    buffer->serial = ++shared->device->buffers;
    *out = buffer;
    return OCT_STATUS_OK;
}

static oct_status pool_init(oct_pool *pool, oct_device *device, const char *name,
                            const oct_pool_loan *loan, const oct_pooled *buffers, size_t n)
{
    oct_pool_layout layout;
    oct_pool_lay_out(&layout, loan, buffers, n);
    for (; pool->n_shared < layout.n; pool->n_shared++)
        OCT_TRY(oct_buffer_create(&pool->shared[pool->n_shared], device, name, 1,
                                  (size_t)layout.bytes[pool->n_shared]));
    for (; pool->n < n; pool->n++) {
        size_t of = layout.of[pool->n];
        OCT_TRY(make_within(&pool->buffers[pool->n],
                            of == OCT_POOL_MOST ? loan->from : pool->shared[of],
                            &buffers[pool->n]));
    }
    return OCT_STATUS_OK;
}

oct_status oct_pool_create(oct_pool **out, oct_device *device, const char *name,
                           const oct_pool_loan *loan, const oct_pooled *buffers, size_t n)
{
    oct_pool *pool;
    *out = NULL;
    OCT_CHECK(n <= OCT_POOL_MOST, OCT_STATUS_INTERNAL,
              "%zu buffers were to share memory: expected at most %d", n, OCT_POOL_MOST);
    OCT_TRY(oct_alloc(&pool, 1, sizeof *pool, "pool"));
    oct_status status = pool_init(pool, device, name, loan, buffers, n);
    if (status != OCT_STATUS_OK) {
        oct_pool_free(pool);
        return status;
    }
    for (size_t i = 0; i < n; i++)
        *buffers[i].at = pool->buffers[i];
    *out = pool;
    return OCT_STATUS_OK;
}

void oct_pool_free(oct_pool *pool)
{
    if (!pool)
        return;
    for (size_t i = 0; i < pool->n; i++)
        free(pool->buffers[i]);
    for (size_t i = 0; i < pool->n_shared; i++)
        oct_buffer_free(pool->shared[i]);
    free(pool);
}

void oct_pool_memory(oct_memory *memory, const oct_pool_loan *loan, const oct_pooled *buffers,
                     size_t n)
{
    oct_pool_layout layout;
    oct_pool_lay_out(&layout, loan, buffers, n);
    for (size_t i = 0; i < layout.n; i++)
        oct_memory_add(memory, 1, layout.bytes[i]);
}
