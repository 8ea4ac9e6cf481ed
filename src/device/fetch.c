/* A few pieces of device memory, each taken by one fetch at a time. */
#include "device/fetch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/cl.h"
#include "util/status.h"

/* More than the arrays that a domain can have. */
enum { MOST_STAGES = 6, MOST_ITEMS = 96 };
/* Bytes of copies that are read in one piece, from memory of the stack and from other memory. */
enum { MOST_AT_HAND = 1 << 14, MOST_TOGETHER = 1 << 26 };
/* Bytes that are copied for no more than to spare waits. */
enum { MOST_JOINED = 1 << 20 };

typedef struct stage {
    cl_mem memory; /* NULL: none yet */
    size_t bytes;
    bool taken;
} stage;

struct oct_stages {
    bool always;
    cl_command_queue queue;
    pthread_mutex_t lock; /* around `taken` */
    stage of[MOST_STAGES];
};

struct oct_fetch {
    oct_device *device;
    stage *from; /* NULL: nothing is under way */
    bool waits;  /* nothing is sent: what is wanted is copied and read when it is */
    cl_event sent;
    size_t n, bytes;
    struct {
        cl_mem memory;
        void *out;
        size_t bytes, at; /* of the copy */
    } items[MOST_ITEMS];
};

bool oct_fetch_pays(const oct_device *device)
{
    return !device->mate &&
           ((device->stages && device->stages->always) || !oct_device_is_cpu(&device->info));
}

bool oct_fetch_joins(const oct_device *device)
{
    return !device->mate;
}

static oct_status have_stages(oct_device *device)
{
    oct_stages *stages;
    cl_int code;
    if (device->stages)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&stages, 1, sizeof *stages, "copies of buffers"));
    stages->queue = clCreateCommandQueue(device->context, device->id, 0, &code);
    if (code == CL_SUCCESS && pthread_mutex_init(&stages->lock, NULL) == 0) {
        device->stages = stages;
        return OCT_STATUS_OK;
    }
    if (code == CL_SUCCESS)
        clReleaseCommandQueue(stages->queue);
    free(stages);
    OCT_CL_CREATED(code, "clCreateCommandQueue", "device '%s'", device->info.name);
    return OCT_FAIL(OCT_STATUS_MEMORY, "no memory for a lock");
}

void oct_fetch_always(oct_device *device)
{
    if (have_stages(device) == OCT_STATUS_OK)
        device->stages->always = true;
}

void oct_stages_free(oct_device *device)
{
    oct_stages *stages = device->stages;
    if (!stages)
        return;
    clFinish(stages->queue);
    clReleaseCommandQueue(stages->queue);
    for (size_t i = 0; i < MOST_STAGES; i++)
        if (stages->of[i].memory)
            clReleaseMemObject(stages->of[i].memory);
    pthread_mutex_destroy(&stages->lock);
    free(stages);
    device->stages = NULL;
}

oct_status oct_fetch_create(oct_fetch **out, oct_device *device)
{
    OCT_TRY(have_stages(device));
    OCT_TRY(oct_alloc(out, 1, sizeof **out, "copies of buffers"));
    (*out)->device = device;
    (*out)->waits = !oct_fetch_pays(device);
    return OCT_STATUS_OK;
}

oct_status oct_fetch_add(oct_fetch *fetch, void *out, const oct_buffer *buffer, size_t count)
{
    size_t bytes = count * buffer->element;
    OCT_CHECK(fetch->n < MOST_ITEMS && count <= buffer->count, OCT_STATUS_INTERNAL,
              "%zu elements of buffer '%s', which has %zu, are wanted beside %zu others", count,
              buffer->name, buffer->count, fetch->n);
    if (bytes == 0)
        return OCT_STATUS_OK;
    if (oct_buffer_is_counted(buffer)) {
        oct_buffer_count(out, 0, count);
        return OCT_STATUS_OK;
    }
    fetch->items[fetch->n].memory = buffer->memory;
    fetch->items[fetch->n].out = out;
    fetch->items[fetch->n].bytes = bytes;
    fetch->items[fetch->n++].at = fetch->bytes;
    fetch->bytes += (bytes + 15) / 16 * 16;
    return OCT_STATUS_OK;
}

/* Whether a stage suits so many bytes better than another one does: the smallest that is large
 * enough, else one that has no memory yet. */
static bool suits_better(const stage *a, const stage *b, size_t bytes)
{
    bool fits = a->bytes >= bytes, other = b->bytes >= bytes;
    return fits != other ? fits : a->bytes < b->bytes;
}

/* One that nobody has, as large as it has to be; NULL where there is none. Copies take an eighth of
 * what the device has left at most. */
static stage *take_stage(oct_device *device, size_t bytes)
{
    oct_stages *stages = device->stages;
    stage *found = NULL;
    cl_int code;
    pthread_mutex_lock(&stages->lock);
    for (size_t i = 0; i < MOST_STAGES; i++)
        if (!stages->of[i].taken && (!found || suits_better(&stages->of[i], found, bytes)))
            found = &stages->of[i];
    if (found)
        found->taken = true;
    pthread_mutex_unlock(&stages->lock);
    if (!found || found->bytes >= bytes)
        return found;
    if (found->memory)
        clReleaseMemObject(found->memory);
    *found = (stage){.taken = true};
    if (bytes <= device->info.max_buffer && bytes <= (device->info.memory - device->memory.now) / 8)
        found->memory = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    found->bytes = found->memory ? bytes : 0;
    found->taken = found->memory != NULL;
    return found->memory ? found : NULL;
}

static void give_stage_back(oct_fetch *fetch)
{
    if (!fetch->from)
        return;
    pthread_mutex_lock(&fetch->device->stages->lock);
    fetch->from->taken = false;
    pthread_mutex_unlock(&fetch->device->stages->lock);
    fetch->from = NULL;
}

/* All copies in one transfer: whoever launches waits for the driver while one is begun. */
static oct_status read_together(const oct_fetch *fetch, cl_command_queue queue, char *all)
{
    OCT_CL(clEnqueueReadBuffer,
           (queue, fetch->from->memory, CL_TRUE, 0, fetch->bytes, all, 1, &fetch->sent, NULL),
           "copies of %zu bytes", fetch->bytes);
    for (size_t i = 0; i < fetch->n; i++)
        memcpy(fetch->items[i].out, all + fetch->items[i].at, fetch->items[i].bytes);
    return OCT_STATUS_OK;
}

/* From their copies, one by one. */
static oct_status read_items(const oct_fetch *fetch, cl_command_queue queue)
{
    for (size_t i = 0; i < fetch->n; i++)
        OCT_CL(clEnqueueReadBuffer,
               (queue, fetch->from->memory, CL_TRUE, fetch->items[i].at, fetch->items[i].bytes,
                fetch->items[i].out, 1, &fetch->sent, NULL),
               "a copy of %zu bytes", fetch->items[i].bytes);
    return OCT_STATUS_OK;
}

/* From the buffers themselves: nobody reads into memory that a failure may free. */
static oct_status read_buffers(const oct_fetch *fetch)
{
    oct_device *device = fetch->device;
    device->work.waits += fetch->n;
    for (size_t i = 0; i < fetch->n; i++)
        OCT_CL(clEnqueueReadBuffer,
               (device->queue, fetch->items[i].memory, CL_TRUE, 0, fetch->items[i].bytes,
                fetch->items[i].out, 0, NULL, NULL),
               "%zu bytes of a buffer", fetch->items[i].bytes);
    return OCT_STATUS_OK;
}

static oct_status copy_items(oct_fetch *fetch)
{
    cl_command_queue queue = fetch->device->queue;
    for (size_t i = 0; i < fetch->n; i++) {
        bool last = i + 1 == fetch->n;
        fetch->device->work.transfers += !fetch->waits; /* who waits has heard of all before */
        OCT_CL(clEnqueueCopyBuffer,
               (queue, fetch->items[i].memory, fetch->from->memory, 0, fetch->items[i].at,
                fetch->items[i].bytes, 0, NULL, last ? &fetch->sent : NULL),
               "a copy of %zu bytes", fetch->items[i].bytes);
    }
    OCT_CL(clFlush, (queue), "device '%s'", fetch->device->info.name);
    return OCT_STATUS_OK;
}

oct_status oct_fetch_send(oct_fetch *fetch)
{
    oct_device *device = fetch->device;
    if (fetch->n == 0 || fetch->waits)
        return OCT_STATUS_OK;
    fetch->from = take_stage(device, fetch->bytes);
    return fetch->from ? copy_items(fetch) : read_buffers(fetch);
}

bool oct_fetch_there(const oct_fetch *fetch)
{
    cl_int status = CL_QUEUED;
    if (fetch->waits)
        return fetch->n == 0;
    return !fetch->sent || (clGetEventInfo(fetch->sent, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                           sizeof status, &status, NULL) == CL_SUCCESS &&
                            status == CL_COMPLETE);
}

static oct_status read_copies(oct_fetch *fetch, cl_command_queue queue)
{
    char few[MOST_AT_HAND], *many = NULL;
    if (fetch->bytes > sizeof few && fetch->bytes <= MOST_TOGETHER)
        many = malloc(fetch->bytes); /* without it they are read one by one */
    oct_status status = many                         ? read_together(fetch, queue, many)
                        : fetch->bytes <= sizeof few ? read_together(fetch, queue, few)
                                                     : read_items(fetch, queue);
    free(many);
    give_stage_back(fetch);
    return status;
}

/* Copies of few bytes, and one wait for all of them. */
static oct_status read_now(oct_fetch *fetch)
{
    oct_device *device = fetch->device;
    if (fetch->n > 1 && fetch->bytes <= MOST_JOINED)
        fetch->from = take_stage(device, fetch->bytes);
    oct_status status = fetch->from ? copy_items(fetch) : read_buffers(fetch);
    if (status == OCT_STATUS_OK && fetch->from) {
        device->work.waits++;
        status = read_copies(fetch, device->queue);
    }
    fetch->n = 0;
    return status;
}

oct_status oct_fetch_finish(oct_fetch *fetch)
{
    if (fetch->from)
        return read_copies(fetch, fetch->device->stages->queue);
    return fetch->n > 0 && fetch->waits ? read_now(fetch) : OCT_STATUS_OK;
}

void oct_fetch_free(oct_fetch *fetch)
{
    if (!fetch)
        return;
    give_stage_back(fetch);
    if (fetch->sent)
        clReleaseEvent(fetch->sent);
    free(fetch);
}
