/* A part of module.h: arrays, programs and launches on a device. One device has one in-order queue,
 * so kernels run in the order they are launched and no one waits but the reader. */
#ifndef OCTANT_COMPUTE_H
#define OCTANT_COMPUTE_H

#include "octant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Buffers ----------------------------------------------------------------------------------- */

/* A named array on the device. Its version goes up with every write, so that what was computed
 * from it can be known to be stale. */
typedef struct oct_buffer {
    char name[32];
    size_t element, count; /* bytes in an element */
    uint64_t version;
    uint64_t serial; /* no other buffer of the device has or had it */
    oct_device *device;
    void *memory; /* NULL where members of a batch share it, and where it takes none yet */
    uint64_t at;  /* the byte of the memory where it begins */
} oct_buffer;

/* Makes one; its contents are not set. */
oct_status oct_buffer_create(oct_buffer **out, oct_device *device, const char *name, size_t element,
                             size_t count);
/* Gives it back; NULL is none. */
void oct_buffer_free(oct_buffer *buffer);
/* Copies elements [first, first + count); reading waits for all that was launched before. */
oct_status oct_buffer_write(oct_buffer *buffer, const void *data, size_t first, size_t count);
/* As write, without waiting: the data is copied first. For a few numbers a step. */
oct_status oct_buffer_post(oct_buffer *buffer, const void *data, size_t first, size_t count);
/* Copies elements out. */
oct_status oct_buffer_read(void *out, oct_buffer *buffer, size_t first, size_t count);
/* Copies all elements of another buffer of the same size. */
oct_status oct_buffer_copy(oct_buffer *to, oct_buffer *from);
/* Sets every byte of the buffer. */
oct_status oct_buffer_fill(oct_buffer *buffer, unsigned char byte);

/* Bytes in the buffers of a device: in all of them now, and since there were none in all of them at
 * most and in the largest. */
typedef struct oct_memory {
    uint64_t now, most, largest;
} oct_memory;

/* A buffer that is to take the place of another one, or of none. */
typedef struct oct_buffer_plan {
    oct_buffer **at;
    const char *name;
    size_t element, count;
} oct_buffer_plan;

/* The most buffers that are replaced at once. */
enum { OCT_BUFFERS_TOGETHER = 12 };

/* Makes new buffers, then frees those they replace: all of them, or none where one cannot be had.
 * At most OCT_BUFFERS_TOGETHER; nothing is copied. */
oct_status oct_buffers_replace(oct_device *device, const oct_buffer_plan *plans, size_t n);

/* Programs ---------------------------------------------------------------------------------- */

/* A compiled kernel file. */
typedef struct oct_program oct_program;
/* One of its kernels, with the arguments that are bound. */
typedef struct oct_kernel oct_kernel;

/* A header that a kernel file includes under a name of its own: "boundary.clh", "user.clh". */
typedef struct oct_include {
    const char *name;  /* as the kernel file says it */
    const char *label; /* what it is called in the compiler's messages */
    const char *text;  /* NULL: the embedded file `label` */
} oct_include;

/* What is compiled, and how. */
typedef struct oct_build {
    const char *file; /* one of the library's, in kernels/; or what the text is called */
    const char *text; /* the source itself, which may include files of kernels/; NULL: the file */
    oct_precision precision;
    const char *options; /* -D..., only for what changes the shape of the code; may be NULL */
    const oct_include *includes; /* ends with one without name; may be NULL */
    /* Whose fault it is when it does not compile, as the beginning of a sentence: OCT_STATUS_INPUT
     * then. NULL: ours. */
    const char *about;
} oct_build;

/* Compiles a kernel file, or takes it from the cache. */
oct_status oct_program_create(oct_program **out, oct_device *device, const oct_build *build);
/* Gives a program back, after its kernels; NULL is none. */
void oct_program_free(oct_program *program);
/* Finds a kernel by its name. */
oct_status oct_kernel_create(oct_kernel **out, oct_program *program, const char *name);
/* Gives a kernel back; NULL is none. */
void oct_kernel_free(oct_kernel *kernel);

/* Launches ---------------------------------------------------------------------------------- */

/* The arguments of a kernel are bound once, by name, to where their values are; a launch passes
 * what is there then. Names, types and what may be written are checked with the kernel's own source
 * when they are bound, and the size of a buffer's elements whenever it is another one.
 *
 *     OCT_TRY(OCT_BIND(kernel, OCT_BIND_OUT("velocity", &velocity), OCT_BIND_REAL("dt", &self->dt),
 *                      OCT_BIND_OFFERS(oct_foo_offers, foo)));
 *     self->dt = 0.5;
 *     OCT_TRY(oct_kernel_launch(kernel, n, 0));
 */
typedef enum oct_arg_kind {
    OCT_ARG_IN,        /* a buffer that is read; NULL gives a null pointer */
    OCT_ARG_OUT,       /* a buffer that is written: a launch counts its version up */
    OCT_ARG_UNCHANGED, /* a buffer that the kernel may write, but does not as it is used now */
    OCT_ARG_BUFFER,    /* read or written, as the kernel has it */
    OCT_ARG_REAL,      /* a double; becomes a float where the kernel takes one */
    OCT_ARG_INT,
    OCT_ARG_UINT,
    OCT_ARG_ULONG,
    OCT_ARG_OFFERS /* whatever an owner offers and no other binding is for */
} oct_arg_kind;

/* A member of a struct that any kernel may ask for by name. Lists end with one without name. */
typedef struct oct_offer {
    const char *name;
    oct_arg_kind kind;
    size_t offset;
} oct_offer;
#define OCT_OFFER(owner, argument, member)                                                         \
    {                                                                                              \
        .name = (argument),                                                                        \
        .kind = _Generic(((owner *)0)->member, oct_buffer *                                        \
                         : OCT_ARG_BUFFER, double                                                  \
                         : OCT_ARG_REAL, uint32_t                                                  \
                         : OCT_ARG_UINT, uint64_t                                                  \
                         : OCT_ARG_ULONG),                                                         \
        .offset = offsetof(owner, member)                                                          \
    }

/* Where the value of an argument is; made by the macros below. */
typedef struct oct_binding {
    const char *name; /* as the kernel has it */
    oct_arg_kind kind;
    const void *at; /* its value, or the owner of offers; NULL: the number here */
    double real;
    uint64_t integer;
    const oct_offer *offers;
    bool replaced; /* `at` is where a pointer to the owner is: it may be another one, or none */
} oct_binding;

/* The compiler checks the types of the addresses. */
#define OCT_BIND_TO(argument, type, kind_of, address)                                              \
    ((oct_binding){.name = (argument), .kind = (kind_of), .at = 1 ? (address) : (type *)0})
#define OCT_BIND_IN(name, address)  OCT_BIND_TO(name, oct_buffer *const, OCT_ARG_IN, address)
#define OCT_BIND_OUT(name, address) OCT_BIND_TO(name, oct_buffer *const, OCT_ARG_OUT, address)
#define OCT_BIND_UNCHANGED(name, address)                                                          \
    OCT_BIND_TO(name, oct_buffer *const, OCT_ARG_UNCHANGED, address)
#define OCT_BIND_REAL(name, address)  OCT_BIND_TO(name, const double, OCT_ARG_REAL, address)
#define OCT_BIND_UINT(name, address)  OCT_BIND_TO(name, const uint32_t, OCT_ARG_UINT, address)
#define OCT_BIND_ULONG(name, address) OCT_BIND_TO(name, const uint64_t, OCT_ARG_ULONG, address)
/* Numbers that stay as they are now. */
#define OCT_FIX_REAL(argument, value)                                                              \
    ((oct_binding){.name = (argument), .kind = OCT_ARG_REAL, .real = (value)})
#define OCT_FIX_INT(argument, value)                                                               \
    ((oct_binding){.name = (argument), .kind = OCT_ARG_INT, .integer = (uint64_t)(value)})
#define OCT_FIX_UINT(argument, value)                                                              \
    ((oct_binding){.name = (argument), .kind = OCT_ARG_UINT, .integer = (value)})
#define OCT_BIND_OFFERS(list, owner)                                                               \
    ((oct_binding){.kind = OCT_ARG_OFFERS, .at = (owner), .offers = (list)})
/* The same where the owner comes and goes: `pointer` is the address of a pointer to it. */
#define OCT_BIND_OFFERS_OF(list, pointer)                                                          \
    ((oct_binding){.kind = OCT_ARG_OFFERS, .at = (pointer), .offers = (list), .replaced = true})

/* Binds all arguments; of a kernel that has been bound, those that are to change. */
oct_status oct_kernel_bind(oct_kernel *kernel, const oct_binding *bindings, size_t n);
#define OCT_BIND(kernel, ...)                                                                      \
    oct_kernel_bind((kernel), (const oct_binding[]){__VA_ARGS__},                                  \
                    sizeof((const oct_binding[]){__VA_ARGS__}) / sizeof(oct_binding))
/* A kernel of a program with its arguments bound. */
oct_status oct_kernel_make(oct_kernel **out, oct_program *program, const char *name,
                           const oct_binding *bindings, size_t n);
#define OCT_KERNEL(out, program, name, ...)                                                        \
    oct_kernel_make((out), (program), (name), (const oct_binding[]){__VA_ARGS__},                  \
                    sizeof((const oct_binding[]){__VA_ARGS__}) / sizeof(oct_binding))

/* Runs a kernel on `items` work-items in groups of `group` (0: the usual size). The number of
 * items is rounded up to whole groups, so kernels check their index. */
oct_status oct_kernel_launch(oct_kernel *kernel, size_t items, size_t group);

#ifdef __cplusplus
}
#endif
#endif
