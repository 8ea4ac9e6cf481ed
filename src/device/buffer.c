/* Buffers: made where there is room, read, written, copied and filled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/batch_parts.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t oct_memory_add(oct_memory *memory, uint64_t element, uint64_t count)
{
    uint64_t bytes = element * (count ? count : 1);
    memory->now += bytes;
    memory->most = larger(memory->most, memory->now);
    memory->largest = larger(memory->largest, bytes);
    return bytes;
}

oct_memory oct_device_memory(const oct_device *device)
{
    return device->memory;
}

/* Memory for a buffer: its own, or a piece of what the members of a batch share. */
static oct_status find_memory(oct_buffer *buffer, uint64_t bytes)
{
    oct_device *device = buffer->device;
    cl_int code;
    if (device->mate)
        return oct_mate_take(&buffer->at, device->mate, bytes, buffer->name);
    buffer->memory = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    OCT_CL_CREATED(code, "clCreateBuffer", "buffer '%s' of %llu bytes", buffer->name,
                   (unsigned long long)bytes);
    return OCT_STATUS_OK;
}

static oct_status check_room(const oct_device *device, const char *name, uint64_t bytes)
{
    const oct_device_info *info = &device->info;
    OCT_CHECK(bytes <= info->max_buffer, OCT_STATUS_SPACE,
              "buffer '%s' needs %llu bytes, but device '%s' allows %llu in one allocation: use "
              "fewer particles, a lower precision or another device",
              name, (unsigned long long)bytes, info->name, (unsigned long long)info->max_buffer);
    OCT_CHECK(device->memory.now + bytes <= info->memory, OCT_STATUS_SPACE,
              "buffer '%s' needs %llu bytes, but device '%s' has %llu of %llu left: use fewer "
              "particles, a lower precision or another device",
              name, (unsigned long long)bytes, info->name,
              (unsigned long long)(info->memory - device->memory.now),
              (unsigned long long)info->memory);
    return OCT_STATUS_OK;
}

static oct_status take_memory(oct_buffer *buffer)
{
    uint64_t bytes = (uint64_t)buffer->element * (buffer->count ? buffer->count : 1);
    OCT_TRY(check_room(buffer->device, buffer->name, bytes));
    OCT_TRY(find_memory(buffer, bytes));
    oct_memory_add(&buffer->device->memory, buffer->element, buffer->count);
    buffer->serial = ++buffer->device->buffers;
    return OCT_STATUS_OK;
}

static oct_status make_empty(oct_buffer **out, oct_device *device, const char *name, size_t element,
                             size_t count)
{
    oct_buffer *buffer;
    *out = NULL;
    OCT_TRY(oct_alloc(&buffer, 1, sizeof *buffer, "buffer"));
    snprintf(buffer->name, sizeof buffer->name, "%s", name);
    buffer->element = element;
    buffer->count = count;
    buffer->device = device;
    *out = buffer;
    return OCT_STATUS_OK;
}

oct_status oct_buffer_create(oct_buffer **out, oct_device *device, const char *name, size_t element,
                             size_t count)
{
    OCT_TRY(make_empty(out, device, name, element, count));
    oct_status status = take_memory(*out);
    if (status == OCT_STATUS_OK)
        return status;
    free(*out);
    *out = NULL;
    return status;
}

/* Numbers that follow each other ------------------------------------------------------------- */

oct_status oct_buffer_create_counted(oct_buffer **out, oct_device *device, const char *name,
                                     size_t count)
{
    OCT_TRY(make_empty(out, device, name, sizeof(uint64_t), count));
    (*out)->serial = ++device->buffers;
    if (device->mate)
        (*out)->at = OCT_BATCH_NONE;
    return OCT_STATUS_OK;
}

bool oct_buffer_is_counted(const oct_buffer *buffer)
{
    return buffer->device->mate ? buffer->at == OCT_BATCH_NONE : buffer->memory == NULL;
}

void oct_buffer_count(uint64_t *out, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = first + i + 1;
}

static bool are_counted(const void *data, size_t first, size_t count)
{
    const char *at = data;
    for (size_t i = 0; i < count; i++) {
        uint64_t number;
        memcpy(&number, at + i * sizeof number, sizeof number);
        if (number != first + i + 1)
            return false;
    }
    return true;
}

oct_status oct_buffer_settle(oct_buffer *buffer)
{
    enum { PART = 1 << 17 };
    uint64_t version = buffer->version, *numbers;
    if (!oct_buffer_is_counted(buffer))
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&numbers, PART, sizeof *numbers, buffer->name));
    oct_status status = take_memory(buffer);
    for (size_t at = 0; at < buffer->count && status == OCT_STATUS_OK; at += PART) {
        size_t count = buffer->count - at < PART ? buffer->count - at : PART;
        oct_buffer_count(numbers, at, count);
        status = oct_buffer_write(buffer, numbers, at, count);
    }
    free(numbers);
    buffer->version = version;
    return status;
}

void oct_buffer_free(oct_buffer *buffer)
{
    if (!buffer)
        return;
    oct_memory *memory = &buffer->device->memory;
    if (oct_buffer_is_counted(buffer)) {
        free(buffer);
        return;
    }
    memory->now -= (uint64_t)buffer->element * (buffer->count ? buffer->count : 1);
    if (memory->now == 0)
        *memory = (oct_memory){0};
    if (buffer->device->mate)
        oct_mate_give_back(buffer->device->mate, buffer->at);
    else
        clReleaseMemObject(buffer->memory);
    free(buffer);
}

void oct_buffer_exchange(oct_buffer *a, oct_buffer *b)
{
    oct_buffer before = *a;
    *a = *b;
    *b = before;
}

oct_status oct_buffers_replace(oct_device *device, const oct_buffer_plan *plans, size_t n)
{
    oct_buffer *made[OCT_BUFFERS_TOGETHER] = {NULL};
    oct_status status = OCT_STATUS_OK;
    OCT_CHECK(n <= OCT_BUFFERS_TOGETHER, OCT_STATUS_INTERNAL,
              "%zu buffers were to be replaced together: expected at most %d", n,
              OCT_BUFFERS_TOGETHER);
    for (size_t i = 0; i < n && status == OCT_STATUS_OK; i++)
        status =
            oct_buffer_create(&made[i], device, plans[i].name, plans[i].element, plans[i].count);
    for (size_t i = 0; i < n; i++) {
        /* What is not needed any more: the old ones, or the new ones after a failure. */
        oct_buffer *old = *plans[i].at;
        if (status == OCT_STATUS_OK)
            *plans[i].at = made[i];
        oct_buffer_free(status == OCT_STATUS_OK ? old : made[i]);
    }
    return status;
}

static oct_status check_range(const oct_buffer *buffer, size_t first, size_t count)
{
    OCT_CHECK(first <= buffer->count && count <= buffer->count - first, OCT_STATUS_INTERNAL,
              "elements %zu to %zu of buffer '%s' were asked for, which has %zu", first,
              first + count, buffer->name, buffer->count);
    return OCT_STATUS_OK;
}

static oct_status list_write(oct_buffer *buffer, const void *data, size_t first, size_t count)
{
    buffer->device->work.transfers++;
    return oct_mate_write(buffer->device->mate, buffer->at + first * buffer->element, data,
                          count * buffer->element);
}

oct_status oct_buffer_write(oct_buffer *buffer, const void *data, size_t first, size_t count)
{
    OCT_TRY(check_range(buffer, first, count));
    buffer->version++;
    if (count == 0 || (oct_buffer_is_counted(buffer) && are_counted(data, first, count)))
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_settle(buffer));
    if (buffer->device->mate)
        return list_write(buffer, data, first, count);
    buffer->device->work.waits++;
    OCT_CL(clEnqueueWriteBuffer,
           (buffer->device->queue, buffer->memory, CL_TRUE, first * buffer->element,
            count * buffer->element, data, 0, NULL, NULL),
           "buffer '%s', %zu bytes", buffer->name, count * buffer->element);
    return OCT_STATUS_OK;
}

static void CL_CALLBACK free_posted(cl_event event, cl_int code, void *data)
{
    (void)event;
    (void)code;
    free(data);
}

oct_status oct_buffer_post(oct_buffer *buffer, const void *data, size_t first, size_t count)
{
    OCT_TRY(check_range(buffer, first, count));
    buffer->version++;
    size_t bytes = count * buffer->element;
    if (bytes == 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_settle(buffer));
    if (buffer->device->mate)
        return list_write(buffer, data, first, count);
    char *posted;
    cl_event event;
    OCT_TRY(oct_alloc(&posted, bytes, 1, buffer->name));
    memcpy(posted, data, bytes);
    buffer->device->work.transfers++;
    cl_int code = clEnqueueWriteBuffer(buffer->device->queue, buffer->memory, CL_FALSE,
                                       first * buffer->element, bytes, posted, 0, NULL, &event);
    if (code != CL_SUCCESS) {
        free(posted);
        return oct_cl_fail(code, "clEnqueueWriteBuffer", __FILE__, __LINE__,
                           "buffer '%s', %zu bytes", buffer->name, bytes);
    }
    /* Should the callback be refused, the copy must stay until the write is done. */
    code = clSetEventCallback(event, CL_COMPLETE, free_posted, posted);
    if (code != CL_SUCCESS && clWaitForEvents(1, &event) == CL_SUCCESS)
        free(posted);
    clReleaseEvent(event);
    return OCT_STATUS_OK;
}

oct_status oct_buffer_read(void *out, oct_buffer *buffer, size_t first, size_t count)
{
    OCT_TRY(check_range(buffer, first, count));
    if (count == 0)
        return OCT_STATUS_OK;
    if (oct_buffer_is_counted(buffer)) {
        oct_buffer_count(out, first, count);
        return OCT_STATUS_OK;
    }
    buffer->device->work.waits++;
    if (buffer->device->mate)
        return oct_mate_read(buffer->device->mate, out, buffer->at + first * buffer->element,
                             count * buffer->element);
    OCT_TRY(oct_device_stand_by(buffer->device));
    OCT_CL(clEnqueueReadBuffer,
           (buffer->device->queue, buffer->memory, CL_TRUE, first * buffer->element,
            count * buffer->element, out, 0, NULL, NULL),
           "buffer '%s', %zu bytes", buffer->name, count * buffer->element);
    return OCT_STATUS_OK;
}

oct_status oct_buffer_copy(oct_buffer *to, oct_buffer *from)
{
    size_t bytes = to->element * to->count;
    OCT_CHECK(bytes == from->element * from->count, OCT_STATUS_INTERNAL,
              "buffer '%s' is not as large as buffer '%s'", from->name, to->name);
    to->version++;
    if (bytes == 0 || (oct_buffer_is_counted(to) && oct_buffer_is_counted(from)))
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_settle(to));
    OCT_TRY(oct_buffer_settle(from));
    to->device->work.transfers++;
    if (to->device->mate)
        return oct_mate_copy(to->device->mate, to->at, from->at, bytes);
    OCT_CL(clEnqueueCopyBuffer,
           (to->device->queue, from->memory, to->memory, 0, 0, bytes, 0, NULL, NULL),
           "buffer '%s', %zu bytes", to->name, bytes);
    return OCT_STATUS_OK;
}

oct_status oct_buffer_copy_rows(oct_buffer *to, size_t to_first, oct_buffer *from,
                                size_t from_first, size_t count)
{
    size_t element = to->element;
    OCT_CHECK(element == from->element && to_first + count <= to->count &&
                  from_first + count <= from->count,
              OCT_STATUS_INTERNAL, "%zu rows of buffer '%s' do not fit into buffer '%s'", count,
              from->name, to->name);
    to->version++;
    if (count == 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_settle(to));
    OCT_TRY(oct_buffer_settle(from));
    to->device->work.transfers++;
    OCT_CL(clEnqueueCopyBuffer,
           (to->device->queue, from->memory, to->memory, from_first * element, to_first * element,
            count * element, 0, NULL, NULL),
           "buffer '%s', %zu rows", to->name, count);
    return OCT_STATUS_OK;
}

/* Fills bytes [from, from + bytes), through a buffer of their own unless they come first. */
static oct_status fill_part(oct_buffer *buffer, unsigned char byte, size_t from, size_t bytes)
{
    const cl_buffer_region region = {from, bytes};
    cl_int code = CL_SUCCESS;
    cl_mem part = buffer->memory;
    buffer->device->work.transfers++;
    if (from > 0)
        part = clCreateSubBuffer(buffer->memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                 &region, &code);
    if (code == CL_SUCCESS)
        code = clEnqueueFillBuffer(buffer->device->queue, part, &byte, 1, 0, bytes, 0, NULL, NULL);
    if (from > 0 && part)
        clReleaseMemObject(part);
    if (code != CL_SUCCESS)
        return oct_cl_fail(code, "clEnqueueFillBuffer", __FILE__, __LINE__,
                           "buffer '%s', %zu bytes at %zu", buffer->name, bytes, from);
    return OCT_STATUS_OK;
}

oct_status oct_buffer_fill(oct_buffer *buffer, unsigned char byte)
{
    size_t bytes = buffer->element * (buffer->count ? buffer->count : 1);
    /* One driver's fill never ends with 2^31 bytes, and misses its place that far into a buffer. */
    const size_t most = (size_t)1 << 30;
    OCT_TRY(oct_buffer_settle(buffer));
    buffer->version++;
    if (buffer->device->mate) {
        buffer->device->work.transfers++;
        return oct_mate_fill(buffer->device->mate, buffer->at, byte, bytes);
    }
    for (size_t at = 0; at < bytes; at += most)
        OCT_TRY(fill_part(buffer, byte, at, bytes - at < most ? bytes - at : most));
    return OCT_STATUS_OK;
}
