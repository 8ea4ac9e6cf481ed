#include "device/cl.h"

/* One size for all: PoCL compiles a kernel anew for each size of its groups, and would choose
 * another for every number of particles. */
enum { USUAL_GROUP = 128 };

static oct_status bind(oct_kernel *kernel, cl_uint index, const oct_arg *arg)
{
    const void *value = NULL;
    size_t bytes = 0;
    cl_mem memory = NULL;
    cl_float narrow;
    cl_double wide;
    cl_uint small;
    cl_ulong large;
    switch (arg->kind) {
    case OCT_ARG_IN:
    case OCT_ARG_OUT:
        memory = arg->buffer ? arg->buffer->memory : NULL;
        value = &memory;
        bytes = sizeof memory;
        if (arg->buffer && arg->kind == OCT_ARG_OUT)
            arg->buffer->version++;
        break;
    case OCT_ARG_REAL:
        narrow = (cl_float)arg->real;
        wide = arg->real;
        value = kernel->wide ? (const void *)&wide : &narrow;
        bytes = kernel->wide ? sizeof wide : sizeof narrow;
        break;
    case OCT_ARG_UINT:
        small = (cl_uint)arg->integer;
        value = &small;
        bytes = sizeof small;
        break;
    case OCT_ARG_ULONG:
        large = arg->integer;
        value = &large;
        bytes = sizeof large;
        break;
    }
    OCT_CL(clSetKernelArg, (kernel->kernel, index, bytes, value),
           "argument %u (%zu bytes%s%s) of kernel '%s'", index, bytes,
           arg->buffer ? ", buffer " : "", arg->buffer ? arg->buffer->name : "", kernel->name);
    return OCT_STATUS_OK;
}

oct_status oct_kernel_launch(oct_kernel *kernel, size_t items, size_t group, const oct_arg *args,
                             size_t n_args)
{
    oct_device *device = kernel->device;
    for (size_t i = 0; i < n_args; i++)
        OCT_TRY(bind(kernel, (cl_uint)i, &args[i]));
    if (items == 0)
        return OCT_STATUS_OK;
    if (group == 0)
        group = USUAL_GROUP;
    items = (items + group - 1) / group * group;
    cl_event event = NULL;
    OCT_CL(clEnqueueNDRangeKernel,
           (device->queue, kernel->kernel, 1, NULL, &items, &group, 0, NULL,
            device->profile.on ? &event : NULL),
           "kernel '%s' with %zu work-items in groups of %zu", kernel->name, items, group);
    return event ? oct_profile_add(device, kernel->name, event) : OCT_STATUS_OK;
}
