/* The OpenCL calls that src/device makes, each with a code that it may return. */
#include <CL/cl.h>

#include "fault_parts.h"

#define CALLS(X)                                                                                   \
    X(clGetPlatformIDs)                                                                            \
    X(clGetPlatformInfo)                                                                           \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clCreateCommandQueue)                                                                        \
    X(clCreateBuffer)                                                                              \
    X(clCreateSubBuffer)                                                                           \
    X(clCreateProgramWithSource)                                                                   \
    X(clCreateProgramWithBinary)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clGetProgramInfo)                                                                            \
    X(clGetProgramBuildInfo)                                                                       \
    X(clCreateKernel)                                                                              \
    X(clGetKernelInfo)                                                                             \
    X(clSetKernelArg)                                                                              \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueCopyBuffer)                                                                         \
    X(clEnqueueFillBuffer)                                                                         \
    X(clFlush)                                                                                     \
    X(clFinish)                                                                                    \
    X(clWaitForEvents)                                                                             \
    X(clSetEventCallback)                                                                          \
    X(clGetEventProfilingInfo)                                                                     \
    X(clReleaseContext)                                                                            \
    X(clReleaseCommandQueue)                                                                       \
    X(clReleaseMemObject)                                                                          \
    X(clReleaseProgram)                                                                            \
    X(clReleaseKernel)                                                                             \
    X(clReleaseEvent)

#define INDEX(name) CALL_##name,
enum { CALLS(INDEX) N_CALLS };

#define STRIKES(name) fault_strikes(&fault_cl_calls[CALL_##name])

#define ASK(name, parameters, arguments, failed)                                                   \
    static cl_int CL_API_CALL wrap_##name parameters                                               \
    {                                                                                              \
        return STRIKES(name) ? failed : name arguments;                                            \
    }

/* Those that create return NULL and leave the code in `code`. */
#define CREATE(type, name, parameters, arguments, failed)                                          \
    static type CL_API_CALL wrap_##name parameters                                                 \
    {                                                                                              \
        if (STRIKES(name)) {                                                                       \
            if (code)                                                                              \
                *code = failed;                                                                    \
            return NULL;                                                                           \
        }                                                                                          \
        type made = name arguments;                                                                \
        fault_count_object(made != NULL);                                                          \
        return made;                                                                               \
    }

/* Those that enqueue may create an event. */
#define ENQUEUE(name, parameters, arguments)                                                       \
    static cl_int CL_API_CALL wrap_##name parameters                                               \
    {                                                                                              \
        if (STRIKES(name))                                                                         \
            return CL_OUT_OF_RESOURCES;                                                            \
        cl_int result = name arguments;                                                            \
        fault_count_object(result == CL_SUCCESS && event);                                         \
        return result;                                                                             \
    }

/* A release that complains has still released, or whoever looks at leaks would see ours. */
#define RELEASE(name, type)                                                                        \
    static cl_int CL_API_CALL wrap_##name(type object)                                             \
    {                                                                                              \
        bool strikes = STRIKES(name);                                                              \
        cl_int result = name(object);                                                              \
        fault_count_object(result == CL_SUCCESS ? -1 : 0);                                         \
        return strikes ? CL_OUT_OF_RESOURCES : result;                                             \
    }

ASK(clGetPlatformIDs, (cl_uint most, cl_platform_id *out, cl_uint *n), (most, out, n),
    CL_OUT_OF_HOST_MEMORY)
ASK(clGetPlatformInfo,
    (cl_platform_id platform, cl_platform_info what, size_t room, void *out, size_t *bytes),
    (platform, what, room, out, bytes), CL_OUT_OF_HOST_MEMORY)
ASK(clGetDeviceIDs,
    (cl_platform_id platform, cl_device_type type, cl_uint most, cl_device_id *out, cl_uint *n),
    (platform, type, most, out, n), CL_OUT_OF_RESOURCES)
ASK(clGetDeviceInfo,
    (cl_device_id device, cl_device_info what, size_t room, void *out, size_t *bytes),
    (device, what, room, out, bytes), CL_OUT_OF_RESOURCES)
CREATE(cl_context, clCreateContext,
       (const cl_context_properties *how, cl_uint n, const cl_device_id *devices,
        void(CL_CALLBACK *tell)(const char *, const void *, size_t, void *), void *data,
        cl_int *code),
       (how, n, devices, tell, data, code), CL_DEVICE_NOT_AVAILABLE)
CREATE(cl_command_queue, clCreateCommandQueue,
       (cl_context context, cl_device_id device, cl_command_queue_properties how, cl_int *code),
       (context, device, how, code), CL_OUT_OF_RESOURCES)
CREATE(cl_mem, clCreateBuffer,
       (cl_context context, cl_mem_flags flags, size_t bytes, void *from, cl_int *code),
       (context, flags, bytes, from, code), CL_MEM_OBJECT_ALLOCATION_FAILURE)
CREATE(cl_mem, clCreateSubBuffer,
       (cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type, const void *region,
        cl_int *code),
       (whole, flags, type, region, code), CL_MEM_OBJECT_ALLOCATION_FAILURE)
CREATE(cl_program, clCreateProgramWithSource,
       (cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *code),
       (context, n, texts, lengths, code), CL_OUT_OF_HOST_MEMORY)
CREATE(cl_program, clCreateProgramWithBinary,
       (cl_context context, cl_uint n, const cl_device_id *devices, const size_t *lengths,
        const unsigned char **binaries, cl_int *loaded, cl_int *code),
       (context, n, devices, lengths, binaries, loaded, code), CL_INVALID_BINARY)
ASK(clBuildProgram,
    (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
     void(CL_CALLBACK *tell)(cl_program, void *), void *data),
    (program, n, devices, options, tell, data), CL_OUT_OF_HOST_MEMORY)
ASK(clGetProgramInfo,
    (cl_program program, cl_program_info what, size_t room, void *out, size_t *bytes),
    (program, what, room, out, bytes), CL_OUT_OF_HOST_MEMORY)
ASK(clGetProgramBuildInfo,
    (cl_program program, cl_device_id device, cl_program_build_info what, size_t room, void *out,
     size_t *bytes),
    (program, device, what, room, out, bytes), CL_OUT_OF_HOST_MEMORY)
CREATE(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *code),
       (program, name, code), CL_OUT_OF_HOST_MEMORY)
ASK(clGetKernelInfo, (cl_kernel kernel, cl_kernel_info what, size_t room, void *out, size_t *bytes),
    (kernel, what, room, out, bytes), CL_OUT_OF_HOST_MEMORY)
ASK(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t bytes, const void *value),
    (kernel, index, bytes, value), CL_OUT_OF_RESOURCES)
ENQUEUE(clEnqueueNDRangeKernel,
        (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *from,
         const size_t *items, const size_t *group, cl_uint n, const cl_event *after,
         cl_event *event),
        (queue, kernel, dimensions, from, items, group, n, after, event))
ENQUEUE(clEnqueueReadBuffer,
        (cl_command_queue queue, cl_mem memory, cl_bool wait, size_t at, size_t bytes, void *out,
         cl_uint n, const cl_event *after, cl_event *event),
        (queue, memory, wait, at, bytes, out, n, after, event))
ENQUEUE(clEnqueueWriteBuffer,
        (cl_command_queue queue, cl_mem memory, cl_bool wait, size_t at, size_t bytes,
         const void *from, cl_uint n, const cl_event *after, cl_event *event),
        (queue, memory, wait, at, bytes, from, n, after, event))
ENQUEUE(clEnqueueCopyBuffer,
        (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_at, size_t to_at, size_t bytes,
         cl_uint n, const cl_event *after, cl_event *event),
        (queue, from, to, from_at, to_at, bytes, n, after, event))
ENQUEUE(clEnqueueFillBuffer,
        (cl_command_queue queue, cl_mem memory, const void *pattern, size_t unit, size_t at,
         size_t bytes, cl_uint n, const cl_event *after, cl_event *event),
        (queue, memory, pattern, unit, at, bytes, n, after, event))
ASK(clFlush, (cl_command_queue queue), (queue), CL_OUT_OF_RESOURCES)
ASK(clFinish, (cl_command_queue queue), (queue), CL_OUT_OF_RESOURCES)
ASK(clWaitForEvents, (cl_uint n, const cl_event *events), (n, events), CL_OUT_OF_RESOURCES)
ASK(clSetEventCallback,
    (cl_event event, cl_int type, void(CL_CALLBACK *tell)(cl_event, cl_int, void *), void *data),
    (event, type, tell, data), CL_OUT_OF_HOST_MEMORY)
ASK(clGetEventProfilingInfo,
    (cl_event event, cl_profiling_info what, size_t room, void *out, size_t *bytes),
    (event, what, room, out, bytes), CL_PROFILING_INFO_NOT_AVAILABLE)
RELEASE(clReleaseContext, cl_context)
RELEASE(clReleaseCommandQueue, cl_command_queue)
RELEASE(clReleaseMemObject, cl_mem)
RELEASE(clReleaseProgram, cl_program)
RELEASE(clReleaseKernel, cl_kernel)
RELEASE(clReleaseEvent, cl_event)

#define ENTRY(name) {#name, "cl", (fault_function)wrap_##name, 0, false},
fault_call fault_cl_calls[] = {CALLS(ENTRY)};
const size_t fault_n_cl_calls = N_CALLS;
