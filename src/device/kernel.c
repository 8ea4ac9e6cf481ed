/* Kernels and what their arguments are bound to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/batch_parts.h"
#include "util/text.h"

/* A kernel has its own copy of what it takes, since programs may be freed before their kernels. */
static oct_status copy_signature(oct_kernel *kernel, const oct_program *program)
{
    const oct_signature *found = NULL;
    for (size_t i = 0; i < program->built.signatures.n; i++)
        if (strcmp(program->built.signatures.list[i].name, kernel->name) == 0)
            found = &program->built.signatures.list[i];
    OCT_CHECK(
        found, OCT_STATUS_INTERNAL,
        "%s: the arguments of kernel '%s' cannot be read: expected it to be written out, with "
        "no macros but those that take no arguments",
        program->file, kernel->name);
    size_t n = found->n;
    kernel->signature = *found;
    kernel->signature.arguments = NULL;
    OCT_TRY(oct_alloc(&kernel->signature.arguments, n, sizeof *found->arguments, kernel->name));
    OCT_TRY(oct_alloc(&kernel->slots, n, sizeof *kernel->slots, kernel->name));
    for (size_t i = 0; i < n; i++) {
        kernel->signature.arguments[i] = found->arguments[i];
        kernel->slots[i].argument = &kernel->signature.arguments[i];
    }
    return OCT_STATUS_OK;
}

/* The driver must agree on how many there are. */
static oct_status check_count(const oct_kernel *kernel)
{
    cl_uint n;
    OCT_CL(clGetKernelInfo, (kernel->kernel, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL), "kernel '%s'",
           kernel->name);
    OCT_CHECK(n == kernel->signature.n, OCT_STATUS_INTERNAL,
              "%s:%u: kernel '%s' takes %u arguments, but %zu were read from its source",
              kernel->signature.file, kernel->signature.line, kernel->name, n, kernel->signature.n);
    return OCT_STATUS_OK;
}

/* The driver's kernel, or the one that all members of a batch have. */
static oct_status find_kernel(oct_kernel *kernel, const oct_program *program)
{
    cl_int code;
    if (kernel->device->mate) {
        OCT_TRY(copy_signature(kernel, program));
        return oct_batch_find_kernel(&kernel->shared, kernel->device->mate, program,
                                     &kernel->signature);
    }
    kernel->kernel = clCreateKernel(program->built.program, kernel->name, &code);
    OCT_CL_CREATED(code, "clCreateKernel", "kernel '%s' of %s", kernel->name, program->file);
    OCT_TRY(copy_signature(kernel, program));
    return check_count(kernel);
}

oct_status oct_kernel_create(oct_kernel **out, oct_program *program, const char *name)
{
    oct_kernel *kernel;
    *out = NULL;
    OCT_TRY(oct_alloc(&kernel, 1, sizeof *kernel, "kernel"));
    kernel->device = program->device;
    snprintf(kernel->name, sizeof kernel->name, "%s", name);
    oct_status status = find_kernel(kernel, program);
    if (status != OCT_STATUS_OK) {
        oct_kernel_free(kernel);
        return status;
    }
    *out = kernel;
    return OCT_STATUS_OK;
}

void oct_kernel_free(oct_kernel *kernel)
{
    if (!kernel)
        return;
    if (kernel->kernel)
        clReleaseKernel(kernel->kernel);
    free(kernel->signature.arguments);
    free(kernel->slots);
    free(kernel);
}

/* Binding ----------------------------------------------------------------------------------- */

/* What begins each sentence about a kernel: "state.cl:12: kernel 'state_kick'". */
#define PLACE       "%s:%u: kernel '%s'"
#define PLACE_OF(k) (k)->signature.file, (k)->signature.line, (k)->name

static oct_slot *find_slot(const oct_kernel *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->signature.n; i++)
        if (strcmp(kernel->slots[i].argument->name, name) == 0)
            return &kernel->slots[i];
    return NULL;
}

static oct_status unknown_name(const oct_kernel *kernel, const char *name)
{
    size_t n = kernel->signature.n;
    const char **names;
    OCT_TRY(oct_alloc(&names, n, sizeof *names, kernel->name));
    for (size_t i = 0; i < n; i++)
        names[i] = kernel->slots[i].argument->name;
    const char *near = oct_text_nearest(name, names, n);
    oct_status status =
        OCT_FAIL(OCT_STATUS_INTERNAL, PLACE " has no argument '%s'%s%s%s", PLACE_OF(kernel), name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    free(names);
    return status;
}

/* Numbers of a kind, as the kernel may have them. */
static const struct {
    const char *called;
    oct_number number;
    size_t bytes; /* 0: any */
} numbers[] = {[OCT_ARG_REAL] = {"a real number", OCT_NUMBER_REAL, 0},
               [OCT_ARG_INT] = {"an int", OCT_NUMBER_INT, 4},
               [OCT_ARG_UINT] = {"a uint", OCT_NUMBER_UINT, 4},
               [OCT_ARG_ULONG] = {"a ulong", OCT_NUMBER_UINT, 8}};

static bool is_buffer(oct_arg_kind kind)
{
    return kind <= OCT_ARG_BUFFER;
}

oct_status oct_slot_check(const oct_kernel *kernel, const oct_slot *slot, const oct_buffer *buffer)
{
    const oct_argument *a = slot->argument;
    /* An element may be a few of what the kernel takes one by one, such as three coordinates. */
    OCT_CHECK(!buffer || buffer->count == 0 || a->bytes == 0 || buffer->element % a->bytes == 0,
              OCT_STATUS_INTERNAL,
              PLACE ": argument '%s' is a '%s' to elements of %zu bytes, but buffer '%s' has "
                    "elements of %zu",
              PLACE_OF(kernel), a->name, a->type, a->bytes, buffer->name, buffer->element);
    return OCT_STATUS_OK;
}

const void *oct_slot_place(const oct_slot *slot)
{
    const char *owner;
    if (!slot->replaced)
        return slot->at;
    memcpy(&owner, slot->at, sizeof owner);
    return owner ? owner + slot->offset : NULL;
}

/* Binds one argument, where it is what the kernel takes there. */
static oct_status bind_slot(oct_kernel *kernel, oct_slot *slot, const oct_binding *b, size_t offset)
{
    const oct_argument *a = slot->argument;
    oct_arg_kind kind = b->kind;
    if (is_buffer(kind)) {
        OCT_CHECK(a->pointer, OCT_STATUS_INTERNAL,
                  PLACE ": argument '%s' is a '%s', but was bound to a buffer", PLACE_OF(kernel),
                  a->name, a->type);
        OCT_CHECK(b->at, OCT_STATUS_INTERNAL,
                  PLACE ": argument '%s' was bound to no place where a buffer could be",
                  PLACE_OF(kernel), a->name);
        if (kind == OCT_ARG_BUFFER)
            kind = a->read_only ? OCT_ARG_IN : OCT_ARG_OUT;
        OCT_CHECK(a->read_only == (kind == OCT_ARG_IN), OCT_STATUS_INTERNAL,
                  PLACE ": argument '%s' is a '%s', but was bound as a buffer that is %s",
                  PLACE_OF(kernel), a->name, a->type, kind == OCT_ARG_IN ? "read" : "written");
    } else {
        OCT_CHECK(!a->pointer && a->number == numbers[kind].number &&
                      (numbers[kind].bytes == 0 || a->bytes == numbers[kind].bytes),
                  OCT_STATUS_INTERNAL, PLACE ": argument '%s' is a '%s', but was bound to %s",
                  PLACE_OF(kernel), a->name, a->type, numbers[kind].called);
    }
    slot->bound = true;
    slot->kind = kind == OCT_ARG_UNCHANGED ? OCT_ARG_IN : kind;
    slot->at = b->at;
    slot->replaced = b->replaced;
    slot->offset = offset;
    slot->real = b->real;
    slot->integer = b->integer;
    const void *place = is_buffer(kind) ? oct_slot_place(slot) : NULL;
    return place ? oct_slot_check(kernel, slot, *(oct_buffer *const *)place) : OCT_STATUS_OK;
}

/* What an argument was bound to in a list of bindings. */
typedef enum taken { TAKEN_BY_NONE, TAKEN_BY_NAME, TAKEN_BY_OFFER } taken;

/* Binds what no other binding of the list is for. */
static oct_status bind_offers(oct_kernel *kernel, const oct_binding *b, taken *by)
{
    for (const oct_offer *offer = b->offers; offer->name; offer++) {
        oct_slot *slot = find_slot(kernel, offer->name);
        taken *mark = slot ? &by[slot - kernel->slots] : NULL;
        if (!slot || *mark == TAKEN_BY_NAME)
            continue;
        OCT_CHECK(*mark == TAKEN_BY_NONE, OCT_STATUS_INTERNAL,
                  PLACE ": argument '%s' was offered twice", PLACE_OF(kernel), offer->name);
        const oct_binding one = {.name = offer->name,
                                 .kind = offer->kind,
                                 .at = b->replaced ? b->at : (const char *)b->at + offer->offset,
                                 .replaced = b->replaced};
        *mark = TAKEN_BY_OFFER;
        OCT_TRY(bind_slot(kernel, slot, &one, offer->offset));
    }
    return OCT_STATUS_OK;
}

static oct_status bind_all(oct_kernel *kernel, const oct_binding *bindings, size_t n, taken *by)
{
    for (size_t i = 0; i < n; i++) {
        if (bindings[i].kind == OCT_ARG_OFFERS)
            continue;
        oct_slot *slot = find_slot(kernel, bindings[i].name);
        if (!slot)
            return unknown_name(kernel, bindings[i].name);
        OCT_CHECK(by[slot - kernel->slots] == TAKEN_BY_NONE, OCT_STATUS_INTERNAL,
                  PLACE ": argument '%s' was bound twice", PLACE_OF(kernel), bindings[i].name);
        by[slot - kernel->slots] = TAKEN_BY_NAME;
        OCT_TRY(bind_slot(kernel, slot, &bindings[i], 0));
    }
    for (size_t i = 0; i < n; i++)
        if (bindings[i].kind == OCT_ARG_OFFERS)
            OCT_TRY(bind_offers(kernel, &bindings[i], by));
    for (size_t i = 0; i < kernel->signature.n; i++)
        OCT_CHECK(kernel->slots[i].bound, OCT_STATUS_INTERNAL,
                  PLACE ": argument '%s' was bound to nothing", PLACE_OF(kernel),
                  kernel->slots[i].argument->name);
    return OCT_STATUS_OK;
}

oct_status oct_kernel_bind(oct_kernel *kernel, const oct_binding *bindings, size_t n)
{
    taken *by;
    OCT_TRY(oct_alloc(&by, kernel->signature.n, sizeof *by, kernel->name));
    oct_status status = bind_all(kernel, bindings, n, by);
    free(by);
    kernel->bound = status == OCT_STATUS_OK;
    return status;
}

oct_status oct_kernel_make(oct_kernel **out, oct_program *program, const char *name,
                           const oct_binding *bindings, size_t n)
{
    OCT_TRY(oct_kernel_create(out, program, name));
    oct_status status = oct_kernel_bind(*out, bindings, n);
    if (status != OCT_STATUS_OK) {
        oct_kernel_free(*out);
        *out = NULL;
    }
    return status;
}
