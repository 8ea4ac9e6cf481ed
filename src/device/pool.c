/* The memory of a pool, and the buffers in it. */
#include "device/pool.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/cl.h"

struct oct_pool {
    size_t n_parts, n;
    oct_buffer *parts[OCT_POOL_MOST];   /* of the memory: one a limit of the layout */
    oct_buffer *buffers[OCT_POOL_MOST]; /* in it */
};

/* The bytes of each part that has any; returns their number. */
static size_t measure_parts(uint64_t *bytes, const uint64_t *begins, uint64_t limit,
                            const oct_pooled *buffers, size_t n)
{
    size_t n_parts = 0;
    for (size_t i = 0; i < n; i++) {
        size_t part = (size_t)(begins[i] / limit);
        uint64_t count = buffers[i].count ? buffers[i].count : 1;
        uint64_t end = begins[i] % limit + buffers[i].element * count;
        for (; n_parts <= part; n_parts++)
            bytes[n_parts] = 0;
        bytes[part] = end > bytes[part] ? end : bytes[part];
    }
    return n_parts;
}

/* A buffer of some bytes of another one, which nobody counts twice. */
static oct_status make_within(oct_buffer **out, oct_buffer *part, const oct_pooled *wanted,
                              size_t origin)
{
    oct_buffer *buffer;
    cl_int code;
    size_t count = wanted->count ? wanted->count : 1;
    const cl_buffer_region region = {origin, wanted->element * count};
    OCT_TRY(oct_alloc(&buffer, 1, sizeof *buffer, "buffer"));
    snprintf(buffer->name, sizeof buffer->name, "%s", wanted->name);
    buffer->element = wanted->element;
    buffer->count = wanted->count;
    buffer->device = part->device;
    buffer->memory = clCreateSubBuffer(part->memory, CL_MEM_READ_WRITE,
                                       CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (code != CL_SUCCESS) {
        free(buffer);
        return oct_cl_fail(code, "clCreateSubBuffer", __FILE__, __LINE__,
                           "buffer '%s' of %zu bytes", wanted->name, region.size);
    }
    buffer->serial = ++part->device->buffers;
    *out = buffer;
    return OCT_STATUS_OK;
}

static oct_status pool_init(oct_pool *pool, oct_device *device, const char *name,
                            const oct_pooled *buffers, size_t n)
{
    uint64_t begins[OCT_POOL_MOST], bytes[OCT_POOL_MOST], limit = device->info.max_buffer;
    oct_pool_lay_out(begins, &limit, buffers, n);
    size_t n_parts = measure_parts(bytes, begins, limit, buffers, n);
    for (; pool->n_parts < n_parts; pool->n_parts++)
        OCT_TRY(oct_buffer_create(&pool->parts[pool->n_parts], device, name, 1,
                                  (size_t)bytes[pool->n_parts]));
    for (; pool->n < n; pool->n++)
        OCT_TRY(make_within(&pool->buffers[pool->n], pool->parts[begins[pool->n] / limit],
                            &buffers[pool->n], (size_t)(begins[pool->n] % limit)));
    return OCT_STATUS_OK;
}

oct_status oct_pool_create(oct_pool **out, oct_device *device, const char *name,
                           const oct_pooled *buffers, size_t n)
{
    oct_pool *pool;
    *out = NULL;
    OCT_CHECK(n <= OCT_POOL_MOST, OCT_STATUS_INTERNAL,
              "%zu buffers were to share memory: expected at most %d", n, OCT_POOL_MOST);
    OCT_TRY(oct_alloc(&pool, 1, sizeof *pool, "pool"));
    oct_status status = pool_init(pool, device, name, buffers, n);
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
    for (size_t i = 0; i < pool->n; i++) {
        clReleaseMemObject(pool->buffers[i]->memory);
        free(pool->buffers[i]);
    }
    for (size_t i = 0; i < pool->n_parts; i++)
        oct_buffer_free(pool->parts[i]);
    free(pool);
}

void oct_pool_memory(oct_memory *memory, const oct_device_info *device, const oct_pooled *buffers,
                     size_t n)
{
    uint64_t begins[OCT_POOL_MOST], bytes[OCT_POOL_MOST], limit = device->max_buffer;
    oct_pool_lay_out(begins, &limit, buffers, n);
    size_t n_parts = measure_parts(bytes, begins, limit, buffers, n);
    for (size_t i = 0; i < n_parts; i++)
        oct_memory_add(memory, 1, bytes[i]);
}
