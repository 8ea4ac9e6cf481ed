/* Inside the device layer: OpenCL's types and the checking of its calls. */
#ifndef OCT_DEVICE_CL_H
#define OCT_DEVICE_CL_H

#include <CL/cl.h>
#include <pthread.h>

#include "device/device.h"
#include "util/status.h"

/* A launch that is not over, and when the host enqueued it, on its own clock. */
typedef struct oct_profile_entry {
    const char *name;
    cl_event event;
    int64_t before, after; /* ns */
} oct_profile_entry;

typedef struct oct_profile_span {
    const char *name;
    oct_lane lane;
    int64_t start, end; /* ns, on the device's clock or the host's */
} oct_profile_span;

typedef struct oct_profile {
    bool on;
    size_t n_pending, n_spans, capacity;
    oct_profile_entry pending[1024];
    oct_profile_span *spans;
    size_t n_names;
    char **names; /* owned copies, so that spans outlive their kernels */
    /* How far the host's clock is ahead of the device's: each launch was enqueued between two
     * readings of the one, at a time of the other. */
    bool related;
    int64_t ahead_least, ahead_most;
} oct_profile;

/* Ways to 1 / sqrt(x) in float; the numbers are those of OCT_NATIVE_RSQRT in kernels. */
typedef enum oct_native {
    OCT_NATIVE_EXACT,
    OCT_NATIVE_REFINED, /* the driver's estimate with a Newton step */
    OCT_NATIVE_PLAIN,   /* the driver's estimate as it is */
    OCT_NATIVE_UNKNOWN
} oct_native;

typedef struct oct_built_programs oct_built_programs;

typedef struct oct_stages oct_stages;

/* The widest launch of a kernel so far. */
typedef struct oct_gate_width {
    size_t items, group;
} oct_gate_width;

struct oct_device {
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    oct_device_info info;
    oct_memory memory; /* in buffers */
    uint64_t buffers;  /* made so far */
    oct_device_work work;
    oct_native native; /* UNKNOWN until a program asks */
    oct_built_programs *programs;
    bool guest; /* the context and the programs are those of a device that outlives this one */
    bool part;  /* of another one: the id is this one's own */
    bool gated; /* device/gate.h */
    struct oct_device *beside; /* the next one there */
    oct_stages *stages;        /* device/fetch.h; NULL: none yet */
    struct oct_mate *mate;     /* of a batch, which then gets all commands; NULL: the queue does */
    oct_profile profile;
};

bool oct_device_is_pocl(const oct_device *device);

/* Before a wait, where threads share a context of a GPU: until all that was asked of the device is
 * done. NVIDIA's driver lets none of them enqueue anything while another waits for it. */
oct_status oct_device_stand_by(oct_device *device);

typedef enum oct_number {
    OCT_NUMBER_OTHER, /* a vector, a struct, or not known */
    OCT_NUMBER_INT,
    OCT_NUMBER_UINT,
    OCT_NUMBER_REAL
} oct_number;

/* An argument as the kernel's source has it. */
typedef struct oct_argument {
    char name[40], type[40];
    char declared[80]; /* all words of its type, "global const real4 *" */
    bool pointer, read_only;
    bool buffer;  /* points to one: global or constant */
    size_t bytes; /* of what it points to, or its own; 0: not known */
    oct_number number;
} oct_argument;

typedef struct oct_signature {
    char name[64], file[128];
    unsigned line;
    /* Where in the source its list of arguments is, without the brackets, and where its body
     * begins, after the bracket; 0: not known. */
    size_t list, list_end, body;
    size_t n;
    oct_argument *arguments;
} oct_signature;

typedef struct oct_signatures {
    size_t n;
    oct_signature *list;
    /* Where in the source kernels ask in their bodies how large a launch is. */
    size_t n_sizes;
    size_t *sizes;
} oct_signatures;

/* The programs that were built since a device was opened, for all threads that use it. */
typedef struct oct_built {
    char key[40];
    cl_program program; /* NULL while a thread is building it */
    oct_signatures signatures;
    bool same_sizes; /* in a batch: launches of members must be equally large to be one */
} oct_built;

struct oct_built_programs {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t n;
    oct_built *built;
    size_t n_noted;
    char **noted; /* what was found to be good */
};

struct oct_program {
    oct_device *device;
    oct_built built; /* what it points to belongs to the device */
    char file[64];
};

/* What an argument is given: bits of a number, or a handle. */
typedef union oct_value {
    cl_mem memory;
    cl_float narrow;
    cl_double wide;
    cl_uint small;
    cl_ulong large;
} oct_value;

/* An argument with what it is bound to, and what the driver was last given. */
typedef struct oct_slot {
    const oct_argument *argument;
    bool bound;
    oct_arg_kind kind;
    const void *at; /* NULL: one of the numbers that follow */
    bool replaced;  /* `at` is where a pointer to an owner is, `offset` is in that */
    size_t offset;
    double real;
    uint64_t integer;
    bool given;
    oct_value value;
    uint64_t serial; /* of the buffer: a handle may be that of one that was freed */
} oct_slot;

struct oct_kernel {
    oct_device *device;
    cl_kernel kernel;
    struct oct_batch_kernel *shared; /* in a batch: that of all members */
    char name[64];
    oct_signature signature;
    oct_slot *slots; /* as many as it has arguments */
    bool bound;
    oct_gate_width widest;
};

/* The name of an OpenCL error code. */
const char *oct_cl_name(cl_int code);

/* "clFoo failed with CL_BAR (-1) on <what>; <remedy>". */
oct_status oct_cl_fail(cl_int code, const char *call, const char *file, int line,
                       const char *format, ...) OCT_PRINTF(5, 6);

/* Checks a call that returns its code; the rest says what it was about. */
#define OCT_CL(name, arguments, ...)                                                               \
    do {                                                                                           \
        cl_int oct_cl_code = name arguments;                                                       \
        if (oct_cl_code != CL_SUCCESS)                                                             \
            return oct_cl_fail(oct_cl_code, #name, __FILE__, __LINE__, __VA_ARGS__);               \
    } while (0)

/* Checks the code that a creating call left behind. */
#define OCT_CL_CREATED(code, name, ...)                                                            \
    do {                                                                                           \
        if ((code) != CL_SUCCESS)                                                                  \
            return oct_cl_fail((code), name, __FILE__, __LINE__, __VA_ARGS__);                     \
    } while (0)

oct_status oct_built_programs_create(oct_built_programs **out);
void oct_built_programs_free(oct_built_programs *programs);
/* What was built for that key; where it has no program the caller builds it and gives it, without
 * one where it failed. A program that another thread builds is waited for. */
oct_status oct_built_programs_take(oct_built *out, oct_built_programs *programs, const char *key);
void oct_built_programs_give(oct_built_programs *programs, const oct_built *given);

/* The text of a kernel file with its includes in place. Owned by the caller. */
oct_status oct_source_assemble(char **out, const oct_build *build);

/* Where a line of the assembled text comes from: the file's label and the line in it. */
void oct_source_locate(char *label, size_t bytes, unsigned *line, const char *source,
                       unsigned assembled_line);

/* What the kernels of an assembled text take, with the options it is compiled with. */
oct_status oct_signatures_read(oct_signatures *out, const char *source, const char *options);
void oct_signatures_clear(oct_signatures *signatures);

/* Whether a buffer's elements are what an argument points to. */
oct_status oct_slot_check(const oct_kernel *kernel, const oct_slot *slot, const oct_buffer *buffer);
/* Where its value is now; NULL where its owner is not there. */
const void *oct_slot_place(const oct_slot *slot);

/* Largest relative errors of native_rsqrt over all normal floats, and with a Newton step. */
typedef struct oct_native_errors {
    double plain, refined;
} oct_native_errors;
oct_status oct_native_measure(oct_native_errors *out, oct_device *device);
/* The fastest way that is good enough. */
oct_native oct_native_choose(const oct_native_errors *errors);
/* That of this device and driver: measured once, then remembered. */
oct_status oct_native_rsqrt(oct_native *out, oct_device *device);

/* What may be remembered between runs, on disk. Reading hands out NULL when there is none or it is
 * damaged. */
void oct_cache_read(unsigned char **out, size_t *bytes, const char *key);
void oct_cache_write(const unsigned char *binary, size_t bytes, const char *key);

/* Nanoseconds on the host's clock, which is never set. */
int64_t oct_profile_clock(void);
/* Takes over the event of a launch that was enqueued since `before`. */
oct_status oct_profile_add(oct_device *device, const char *name, cl_event event, int64_t before);
oct_status oct_profile_collect(oct_device *device);
void oct_profile_clear(oct_profile *profile);

#endif
