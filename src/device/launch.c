/* Finds what each argument of a kernel is bound to, and puts the kernel on the queue. */
#include <string.h>

#include "device/batch_parts.h"
#include "device/gate.h"

/* One size for all: PoCL compiles a kernel anew for each size of its groups, and would choose
 * another for every number of particles. */
enum { USUAL_GROUP = 128 };

/* What is to be passed for a number; `at` is NULL where it stays as it is. */
static void number_now(oct_value *out, const oct_slot *slot, const void *at)
{
    double real;
    switch (slot->kind) {
    case OCT_ARG_REAL:
        real = at ? *(const double *)at : slot->real;
        if (slot->argument->bytes == sizeof out->narrow)
            out->narrow = (cl_float)real;
        else
            out->wide = real;
        break;
    case OCT_ARG_ULONG:
        out->large = at ? *(const uint64_t *)at : slot->integer;
        break;
    default:
        out->small = at ? *(const uint32_t *)at : (cl_uint)slot->integer;
    }
}

/* What is to be passed for a buffer, and which one it is. */
static oct_status buffer_now(oct_value *out, uint64_t *serial, const oct_kernel *kernel,
                             const oct_slot *slot, const void *at)
{
    oct_buffer *buffer = *(oct_buffer *const *)at;
    if (buffer)
        OCT_TRY(oct_buffer_settle(buffer));
    if (kernel->device->mate)
        out->large = buffer ? buffer->at : OCT_BATCH_NONE;
    else if (buffer)
        out->memory = buffer->memory;
    if (buffer) {
        *serial = buffer->serial;
        buffer->version += slot->kind == OCT_ARG_OUT;
    }
    return slot->given && *serial == slot->serial ? OCT_STATUS_OK
                                                  : oct_slot_check(kernel, slot, buffer);
}

/* What is to be passed for an argument; *serial is 0 where it is no buffer. */
static oct_status value_now(oct_value *out, uint64_t *serial, const oct_kernel *kernel,
                            const oct_slot *slot)
{
    const void *at = oct_slot_place(slot);
    OCT_CHECK(at || !slot->replaced, OCT_STATUS_INTERNAL,
              "kernel '%s' was launched without the owner of its argument '%s'", kernel->name,
              slot->argument->name);
    *serial = 0;
    memset(out, 0, sizeof *out);
    if (slot->argument->pointer)
        return buffer_now(out, serial, kernel, slot, at);
    number_now(out, slot, at);
    return OCT_STATUS_OK;
}

/* Gives an argument to the driver, unless it has it. */
static oct_status pass(oct_kernel *kernel, oct_slot *slot)
{
    const oct_argument *argument = slot->argument;
    oct_value value;
    uint64_t serial;
    size_t bytes = argument->pointer ? sizeof value.memory : argument->bytes;
    OCT_TRY(value_now(&value, &serial, kernel, slot));
    if (slot->given && serial == slot->serial && memcmp(&value, &slot->value, sizeof value) == 0)
        return OCT_STATUS_OK;
    slot->given = false;
    OCT_CL(clSetKernelArg, (kernel->kernel, (cl_uint)(slot - kernel->slots), bytes, &value),
           "argument '%s' (%zu bytes) of kernel '%s'", argument->name, bytes, kernel->name);
    slot->given = true;
    slot->serial = serial;
    slot->value = value;
    return OCT_STATUS_OK;
}

/* A member of a batch lists the launch with all arguments. */
static oct_status list(oct_kernel *kernel, size_t items, size_t group)
{
    uint64_t *row, serial;
    for (size_t i = 0; i < kernel->signature.n; i++) {
        oct_slot *slot = &kernel->slots[i];
        OCT_TRY(value_now(&slot->value, &serial, kernel, slot));
        slot->given = true;
        slot->serial = serial;
    }
    if (items == 0)
        return OCT_STATUS_OK;
    kernel->device->work.launches++;
    OCT_TRY(oct_mate_launch(&row, kernel->device->mate, kernel->shared, (items + group - 1) / group,
                            group));
    for (size_t i = 0; i < kernel->signature.n; i++)
        memcpy(&row[i], &kernel->slots[i].value, sizeof row[i]);
    return OCT_STATUS_OK;
}

oct_status oct_kernel_launch(oct_kernel *kernel, size_t items, size_t group)
{
    OCT_CHECK(kernel->bound, OCT_STATUS_INTERNAL,
              "%s:%u: kernel '%s' was launched before its arguments were bound",
              kernel->signature.file, kernel->signature.line, kernel->name);
    if (group == 0)
        group = USUAL_GROUP;
    if (kernel->device->mate)
        return list(kernel, items, group);
    for (size_t i = 0; i < kernel->signature.n; i++)
        OCT_TRY(pass(kernel, &kernel->slots[i]));
    return items == 0
               ? OCT_STATUS_OK
               : oct_gate_launch(kernel->device, kernel->kernel, kernel->name, &kernel->widest,
                                 (items + group - 1) / group * group, group, 1);
}
