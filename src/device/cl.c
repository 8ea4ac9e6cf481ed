/* OpenCL's error codes as sentences, with what a user may do about them. */
#include "device/cl.h"

#include <stdarg.h>
#include <stdio.h>

const char *oct_cl_name(cl_int code)
{
#define NAME(x)                                                                                    \
    case x:                                                                                        \
        return #x
    switch (code) {
        NAME(CL_DEVICE_NOT_FOUND);
        NAME(CL_DEVICE_NOT_AVAILABLE);
        NAME(CL_COMPILER_NOT_AVAILABLE);
        NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        NAME(CL_OUT_OF_RESOURCES);
        NAME(CL_OUT_OF_HOST_MEMORY);
        NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
        NAME(CL_BUILD_PROGRAM_FAILURE);
        NAME(CL_INVALID_VALUE);
        NAME(CL_INVALID_DEVICE);
        NAME(CL_INVALID_CONTEXT);
        NAME(CL_INVALID_QUEUE_PROPERTIES);
        NAME(CL_INVALID_COMMAND_QUEUE);
        NAME(CL_INVALID_MEM_OBJECT);
        NAME(CL_INVALID_BINARY);
        NAME(CL_INVALID_BUILD_OPTIONS);
        NAME(CL_INVALID_PROGRAM);
        NAME(CL_INVALID_PROGRAM_EXECUTABLE);
        NAME(CL_INVALID_KERNEL_NAME);
        NAME(CL_INVALID_KERNEL);
        NAME(CL_INVALID_ARG_INDEX);
        NAME(CL_INVALID_ARG_VALUE);
        NAME(CL_INVALID_ARG_SIZE);
        NAME(CL_INVALID_KERNEL_ARGS);
        NAME(CL_INVALID_WORK_DIMENSION);
        NAME(CL_INVALID_WORK_GROUP_SIZE);
        NAME(CL_INVALID_WORK_ITEM_SIZE);
        NAME(CL_INVALID_GLOBAL_OFFSET);
        NAME(CL_INVALID_EVENT);
        NAME(CL_INVALID_OPERATION);
        NAME(CL_INVALID_BUFFER_SIZE);
        NAME(CL_INVALID_GLOBAL_WORK_SIZE);
    case -1001:
        return "CL_PLATFORM_NOT_FOUND_KHR";
    default:
        return "an unknown code";
    }
#undef NAME
}

static const char *remedy(cl_int code)
{
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
        return "; use fewer particles, a lower precision or a device with more memory";
    case CL_OUT_OF_HOST_MEMORY:
        return "; the host has no memory left";
    case CL_DEVICE_NOT_AVAILABLE:
        return "; another program may hold the device";
    case CL_COMPILER_NOT_AVAILABLE:
        return "; install the driver's OpenCL compiler";
    case -1001:
        return "; install an OpenCL driver (on Debian: pocl-opencl-icd)";
    default:
        return "";
    }
}

oct_status oct_cl_fail(cl_int code, const char *call, const char *file, int line,
                       const char *format, ...)
{
    char what[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return oct_fail(OCT_STATUS_DEVICE, file, line, "%s failed with %s (%d) on %s%s", call,
                    oct_cl_name(code), (int)code, what, remedy(code));
}
