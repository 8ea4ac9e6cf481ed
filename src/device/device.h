/* The device layer: the only part of Octant that knows OpenCL. One device has one in-order queue,
 * so kernels run in the order they are launched and no one waits but the reader. */
#ifndef OCT_DEVICE_DEVICE_H
#define OCT_DEVICE_DEVICE_H

#include "octant/octant.h"

/* Opens the device once more for another thread: with a queue of its own, and the same programs.
 * It is freed first. */
oct_status oct_device_reopen(oct_device **out, const oct_device *device);
/* Whether its driver compiles for several threads at a time. */
bool oct_device_compiles_together(const oct_device *device);
/* Waits until everything that was launched is done. */
oct_status oct_device_wait(oct_device *device);
/* Starts what was launched, without waiting. */
oct_status oct_device_flush(oct_device *device);
/* The best precision this device has for OCT_PRECISION_AUTO; refuses what it lacks. */
oct_status oct_device_precision(oct_precision *inout, const oct_device *device);
/* A text that changes whenever a compiled program might: with the device, the driver, the version
 * and the source; with that of all kernels where source is NULL. */
oct_status oct_device_fingerprint(char out[33], const oct_device *device, const char *source);

/* Whether a device is a processor: then work-groups of one work-item suit it. */
bool oct_device_is_cpu(const oct_device_info *info);
/* Whether it takes NVIDIA's instructions. */
bool oct_device_is_nvidia(const oct_device_info *info);

/* Buffers ----------------------------------------------------------------------------------- */

/* A named array on the device. Its version goes up with every write, so that what was computed
 * from it can be known to be stale. */
typedef struct oct_buffer {
    char name[32];
    size_t element, count; /* bytes in an element */
    uint64_t version;
    oct_device *device;
    void *memory;
} oct_buffer;

oct_status oct_buffer_create(oct_buffer **out, oct_device *device, const char *name, size_t element,
                             size_t count);
void oct_buffer_free(oct_buffer *buffer);
/* Copies elements [first, first + count); reading waits for all that was launched before. */
oct_status oct_buffer_write(oct_buffer *buffer, const void *data, size_t first, size_t count);
/* As write, without waiting: the data is copied first. For a few numbers a step. */
oct_status oct_buffer_post(oct_buffer *buffer, const void *data, size_t first, size_t count);
oct_status oct_buffer_read(void *out, oct_buffer *buffer, size_t first, size_t count);
/* Copies all elements of another buffer of the same size. */
oct_status oct_buffer_copy(oct_buffer *to, oct_buffer *from);
/* Copies the first elements of another buffer with elements of the same size. */
oct_status oct_buffer_copy_part(oct_buffer *to, oct_buffer *from, size_t count);
/* Sets every byte of the buffer. */
oct_status oct_buffer_fill(oct_buffer *buffer, unsigned char byte);

/* A buffer that is to take the place of another one, or of none. */
typedef struct oct_buffer_plan {
    oct_buffer **at;
    const char *name;
    size_t element, count;
} oct_buffer_plan;

enum { OCT_BUFFERS_TOGETHER = 8 };

/* Makes new buffers, then frees those they replace: all of them, or none where one cannot be had.
 * At most OCT_BUFFERS_TOGETHER; nothing is copied. */
oct_status oct_buffers_replace(oct_device *device, const oct_buffer_plan *plans, size_t n);

/* Programs ---------------------------------------------------------------------------------- */

typedef struct oct_program oct_program;
typedef struct oct_kernel oct_kernel;

/* A header that a kernel file includes under a name of its own: "boundary.clh", "user.clh". */
typedef struct oct_include {
    const char *name;  /* as the kernel file says it */
    const char *label; /* what it is called in the compiler's messages */
    const char *text;  /* NULL: the embedded file `label` */
} oct_include;

typedef struct oct_build {
    const char *file; /* in kernels/ */
    oct_precision precision;
    const char *options; /* -D..., only for what changes the shape of the code; may be NULL */
    const oct_include *includes; /* ends with one without name; may be NULL */
    /* Whose fault it is when it does not compile, as the beginning of a sentence: OCT_STATUS_INPUT
     * then. NULL: ours. */
    const char *about;
} oct_build;

/* Compiles a kernel file, or takes it from the cache. */
oct_status oct_program_create(oct_program **out, oct_device *device, const oct_build *build);
void oct_program_free(oct_program *program);
oct_status oct_kernel_create(oct_kernel **out, oct_program *program, const char *name);
void oct_kernel_free(oct_kernel *kernel);

/* Launches ---------------------------------------------------------------------------------- */

typedef enum oct_arg_kind {
    OCT_ARG_IN,  /* a buffer that is read; NULL gives a null pointer */
    OCT_ARG_OUT, /* a buffer that is written */
    OCT_ARG_REAL,
    OCT_ARG_UINT,
    OCT_ARG_ULONG
} oct_arg_kind;

typedef struct oct_arg {
    oct_arg_kind kind;
    oct_buffer *buffer;
    double real; /* becomes float or double, as the program's precision has it */
    uint64_t integer;
} oct_arg;

#define OCT_IN(b)    ((oct_arg){.kind = OCT_ARG_IN, .buffer = (b)})
#define OCT_OUT(b)   ((oct_arg){.kind = OCT_ARG_OUT, .buffer = (b)})
#define OCT_REAL(x)  ((oct_arg){.kind = OCT_ARG_REAL, .real = (x)})
#define OCT_UINT(x)  ((oct_arg){.kind = OCT_ARG_UINT, .integer = (x)})
#define OCT_ULONG(x) ((oct_arg){.kind = OCT_ARG_ULONG, .integer = (x)})

/* Runs a kernel on `items` work-items in groups of `group` (0: the usual size). The number of
 * items is rounded up to whole groups, so kernels check their index. */
oct_status oct_kernel_launch(oct_kernel *kernel, size_t items, size_t group, const oct_arg *args,
                             size_t n_args);
#define OCT_LAUNCH(kernel, items, group, ...)                                                      \
    oct_kernel_launch((kernel), (items), (group), (const oct_arg[]){__VA_ARGS__},                  \
                      sizeof((const oct_arg[]){__VA_ARGS__}) / sizeof(oct_arg))

/* The folder for what may be remembered between runs, "" when there is none. */
void oct_cache_path(char *out, size_t bytes, const char *file);

#endif
