/* Lets launches of PoCL pass one beside another, or alone. */
#include "device/gate.h"

#include <pthread.h>

/* The fault is one of the process, and so are these: who launches, and whose queues there are. */
static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static oct_device *inside;

void oct_gate_join(oct_device *device)
{
    device->gated = oct_device_is_pocl(device);
    if (!device->gated)
        return;
    pthread_rwlock_wrlock(&gate);
    device->beside = inside;
    inside = device;
    pthread_rwlock_unlock(&gate);
}

void oct_gate_leave(oct_device *device)
{
    if (!device->gated)
        return;
    pthread_rwlock_wrlock(&gate);
    oct_device **at = &inside;
    while (*at != device)
        at = &(*at)->beside;
    *at = device->beside;
    pthread_rwlock_unlock(&gate);
}

static oct_status enqueue(oct_device *device, cl_kernel kernel, const char *name, size_t items,
                          size_t group, size_t members)
{
    const size_t all[2] = {items, members}, groups[2] = {group, 1};
    cl_uint dimensions = members > 1 ? 2 : 1;
    cl_event event = NULL;
    device->work.launches++;
    int64_t before = device->profile.on ? oct_profile_clock() : 0;
    OCT_CL(clEnqueueNDRangeKernel,
           (device->queue, kernel, dimensions, NULL, all, groups, 0, NULL,
            device->profile.on ? &event : NULL),
           "kernel '%s' with %zu work-items in groups of %zu%s", name, items, group,
           members > 1 ? " for each member of a batch" : "");
    return event ? oct_profile_add(device, name, event, before) : OCT_STATUS_OK;
}

/* Alone, where others could have the same kernel under way. */
static oct_status enqueue_alone(oct_device *device, cl_kernel kernel, const char *name,
                                size_t items, size_t group, size_t members)
{
    bool others = inside->beside != NULL;
    for (oct_device *other = inside; others && other; other = other->beside)
        OCT_CL(clFinish, (other->queue), "device '%s'", other->info.name);
    OCT_TRY(enqueue(device, kernel, name, items, group, members));
    if (others)
        OCT_CL(clFinish, (device->queue), "device '%s'", device->info.name);
    return OCT_STATUS_OK;
}

oct_status oct_gate_launch(oct_device *device, cl_kernel kernel, const char *name,
                           oct_gate_width *widest, size_t items, size_t group, size_t members)
{
    size_t width = members > items ? members : items;
    if (!device->gated)
        return enqueue(device, kernel, name, items, group, members);
    if (group == widest->group && width <= widest->items) {
        pthread_rwlock_rdlock(&gate);
        oct_status status = enqueue(device, kernel, name, items, group, members);
        pthread_rwlock_unlock(&gate);
        return status;
    }
    pthread_rwlock_wrlock(&gate);
    oct_status status = enqueue_alone(device, kernel, name, items, group, members);
    pthread_rwlock_unlock(&gate);
    if (status == OCT_STATUS_OK)
        *widest = (oct_gate_width){width, group};
    return status;
}
