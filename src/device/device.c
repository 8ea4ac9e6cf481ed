/* Devices: listed, chosen by what the user says, opened, described. */
#include "device/device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "device/batch_parts.h"
#include "device/fetch.h"
#include "device/gate.h"
#include "util/embed.h"
#include "util/sized.h"
#include "util/text.h"

enum { MOST_DEVICES = 64 };

typedef struct found_device {
    cl_platform_id platform;
    cl_device_id id;
    oct_device_info info;
} found_device;

static void trim(char *text)
{
    char *start = text;
    while (isspace((unsigned char)*start))
        start++;
    size_t length = strlen(start);
    while (length > 0 && isspace((unsigned char)start[length - 1]))
        length--;
    memmove(text, start, length);
    text[length] = '\0';
}

/* Longer answers are cut: names are for reading and for the cache's key. */
static oct_status device_text(char *out, size_t bytes, cl_device_id id, cl_device_info what)
{
    char buffer[1024] = "";
    OCT_CL(clGetDeviceInfo, (id, what, sizeof buffer - 1, buffer, NULL), "a device's description");
    trim(buffer);
    snprintf(out, bytes, "%.*s", (int)bytes - 1, buffer);
    return OCT_STATUS_OK;
}

static oct_status describe(oct_device_info *out, cl_platform_id platform, cl_device_id id)
{
    char extensions[8192] = "";
    cl_device_type type = 0;
    cl_uint units = 0;
    cl_ulong memory = 0, largest = 0;
    *out = (oct_device_info){0};
    OCT_TRY(device_text(out->name, sizeof out->name, id, CL_DEVICE_NAME));
    OCT_TRY(device_text(out->vendor, sizeof out->vendor, id, CL_DEVICE_VENDOR));
    OCT_TRY(device_text(out->driver, sizeof out->driver, id, CL_DRIVER_VERSION));
    OCT_CL(clGetPlatformInfo,
           (platform, CL_PLATFORM_NAME, sizeof out->platform - 1, out->platform, NULL),
           "a platform's name");
    OCT_CL(clGetDeviceInfo, (id, CL_DEVICE_TYPE, sizeof type, &type, NULL), "device '%s'",
           out->name);
    OCT_CL(clGetDeviceInfo, (id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL),
           "device '%s'", out->name);
    OCT_CL(clGetDeviceInfo, (id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL),
           "device '%s'", out->name);
    OCT_CL(clGetDeviceInfo, (id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
           "device '%s'", out->name);
    OCT_CL(clGetDeviceInfo, (id, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, NULL),
           "device '%s'", out->name);
    snprintf(out->kind, sizeof out->kind, "%s",
             type & CL_DEVICE_TYPE_GPU   ? "gpu"
             : type & CL_DEVICE_TYPE_CPU ? "cpu"
                                         : "other");
    out->memory = memory;
    out->max_buffer = largest;
    out->compute_units = units;
    out->fp64 = strstr(extensions, "cl_khr_fp64") != NULL;
    return OCT_STATUS_OK;
}

static oct_status fail_without_device(void)
{
    char cache[4096];
    oct_cache_path(cache, sizeof cache, "");
    OCT_CHECK(cache[0], OCT_STATUS_MISSING,
              "no OpenCL device was found; a folder for compiled kernels cannot be made, without "
              "which some drivers do not start: set XDG_CACHE_HOME or POCL_CACHE_DIR");
    return OCT_FAIL(OCT_STATUS_MISSING,
                    "no OpenCL device was found; install a driver (on Debian: pocl-opencl-icd)");
}

static oct_status find_devices(found_device *found, size_t *n)
{
    cl_platform_id platforms[16];
    cl_uint n_platforms = 0;
    *n = 0;
    cl_int code = clGetPlatformIDs(16, platforms, &n_platforms);
    OCT_CL_CREATED(code, "clGetPlatformIDs", "this machine");
    for (cl_uint p = 0; p < n_platforms && p < 16; p++) {
        cl_device_id ids[MOST_DEVICES];
        cl_uint n_ids = 0;
        code = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST_DEVICES, ids, &n_ids);
        if (code == CL_DEVICE_NOT_FOUND)
            continue;
        OCT_CL_CREATED(code, "clGetDeviceIDs", "platform %u", p);
        for (cl_uint i = 0; i < n_ids && i < MOST_DEVICES && *n < MOST_DEVICES; i++) {
            found_device *device = &found[(*n)++];
            device->platform = platforms[p];
            device->id = ids[i];
            OCT_TRY(describe(&device->info, platforms[p], ids[i]));
        }
    }
    if (*n == 0)
        return fail_without_device();
    return OCT_STATUS_OK;
}

oct_status oct_device_list(oct_device_info **out, size_t *n)
{
    found_device found[MOST_DEVICES];
    OCT_TRY(find_devices(found, n));
    OCT_TRY(oct_alloc(out, *n, sizeof **out, "devices"));
    for (size_t i = 0; i < *n; i++)
        (*out)[i] = found[i].info;
    return OCT_STATUS_OK;
}

void oct_device_list_free(oct_device_info *list)
{
    free(list);
}

static bool contains(const char *text, const char *part)
{
    for (size_t length = strlen(part); *text; text++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

static bool matches(const oct_device_info *info, const char *choice)
{
    return !choice || strcmp(choice, info->kind) == 0 || contains(info->name, choice);
}

/* GPUs before others, then the one with more memory. */
static bool better(const oct_device_info *a, const oct_device_info *b)
{
    bool a_gpu = strcmp(a->kind, "gpu") == 0, b_gpu = strcmp(b->kind, "gpu") == 0;
    return a_gpu != b_gpu ? a_gpu : a->memory > b->memory;
}

static oct_status choose(const found_device **out, const found_device *found, size_t n,
                         const char *choice)
{
    const found_device *best = NULL;
    bool is_index = choice && *choice && choice[strspn(choice, "0123456789")] == '\0';
    if (is_index) {
        unsigned long index = strtoul(choice, NULL, 10);
        OCT_CHECK(index < n, OCT_STATUS_MISSING,
                  "there is no device %s: this machine has %zu, counted from 0", choice, n);
        best = &found[index];
    }
    for (size_t i = 0; i < n && !is_index; i++)
        if (matches(&found[i].info, choice) && (!best || better(&found[i].info, &best->info)))
            best = &found[i];
    OCT_CHECK(best, OCT_STATUS_MISSING,
              "no device matches '%.60s': expected an index, a part of a name, cpu or gpu (see "
              "'octant devices')",
              choice);
    *out = best;
    return OCT_STATUS_OK;
}

/* In place of the queue there is, if there is one. */
static oct_status open_queue(oct_device *device, bool profiling)
{
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(device->context, device->id,
                                                  profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    OCT_CL_CREATED(code, "clCreateCommandQueue", "device '%s'", device->info.name);
    if (device->queue) {
        oct_gate_leave(device);
        clReleaseCommandQueue(device->queue);
    }
    device->queue = queue;
    device->profile.on = profiling;
    oct_gate_join(device);
    return OCT_STATUS_OK;
}

/* A guest shares the context and the programs of its host. */
static oct_status open_found(oct_device *device, const found_device *found, const oct_device *host)
{
    cl_int code = CL_SUCCESS;
    device->platform = found->platform;
    device->id = found->id;
    device->info = found->info;
    device->guest = host != NULL;
    device->native = host ? host->native : OCT_NATIVE_UNKNOWN;
    device->context =
        host ? host->context : clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
    OCT_CL_CREATED(code, "clCreateContext", "device '%s'", device->info.name);
    if (host)
        device->programs = host->programs;
    else
        OCT_TRY(oct_built_programs_create(&device->programs));
    return open_queue(device, false);
}

static oct_status open_new(oct_device **out, const found_device *found, const oct_device *host)
{
    oct_device *device;
    *out = NULL;
    OCT_TRY(oct_alloc(&device, 1, sizeof *device, "device"));
    oct_status status = open_found(device, found, host);
    if (status != OCT_STATUS_OK) {
        oct_device_free(device);
        return status;
    }
    *out = device;
    return OCT_STATUS_OK;
}

oct_status oct_device_open(oct_device **out, const char *choice)
{
    found_device found[MOST_DEVICES];
    const found_device *chosen = NULL;
    size_t n;
    *out = NULL;
    OCT_TRY(find_devices(found, &n));
    OCT_TRY(choose(&chosen, found, n, choice));
    return open_new(out, chosen, NULL);
}

oct_status oct_device_share(oct_device **out, const oct_device *device)
{
    return open_new(out, &(found_device){device->platform, device->id, device->info}, device);
}

/* All parts are made at once: those of others are let go. */
static oct_status make_part(cl_device_id *out, const oct_device *device, uint32_t part,
                            uint32_t parts)
{
    cl_device_id ids[MOST_DEVICES];
    cl_uint n = 0;
    const cl_device_partition_property equally[] = {
        CL_DEVICE_PARTITION_EQUALLY,
        (cl_device_partition_property)(device->info.compute_units / parts), 0};
    cl_int code = clCreateSubDevices(device->id, equally, MOST_DEVICES, ids, &n);
    OCT_CL_CREATED(code, "clCreateSubDevices", "device '%s', which may have no parts",
                   device->info.name);
    for (cl_uint i = 0; i < n; i++)
        if (i != part)
            clReleaseDevice(ids[i]);
    OCT_CHECK(part < n, OCT_STATUS_DEVICE, "device '%s' has %u parts, not %u", device->info.name,
              (unsigned)n, (unsigned)parts);
    *out = ids[part];
    return OCT_STATUS_OK;
}

oct_status oct_device_part(oct_device **out, const oct_device *device, uint32_t part,
                           uint32_t parts)
{
    found_device found = {device->platform, NULL, device->info};
    *out = NULL;
    OCT_CHECK(part < parts && parts <= MOST_DEVICES && parts <= device->info.compute_units,
              OCT_STATUS_INPUT,
              "device '%s' cannot be divided into %u parts: expected at most %u, the number of its "
              "cores, and no more than %d",
              device->info.name, (unsigned)parts, (unsigned)device->info.compute_units,
              MOST_DEVICES);
    OCT_TRY(make_part(&found.id, device, part, parts));
    found.info.compute_units = device->info.compute_units / parts;
    oct_status status = open_new(out, &found, NULL);
    if (status == OCT_STATUS_OK)
        (*out)->part = true;
    else
        clReleaseDevice(found.id);
    return status;
}

void oct_device_free(oct_device *device)
{
    if (!device)
        return;
    if (device->mate)
        oct_mate_leave(device->mate);
    if (device->queue) {
        clFinish(device->queue);
        oct_stages_free(device);
        oct_profile_clear(&device->profile);
        oct_gate_leave(device);
        clReleaseCommandQueue(device->queue);
    }
    if (!device->guest)
        oct_built_programs_free(device->programs);
    if (!device->guest && device->context)
        clReleaseContext(device->context);
    if (device->part)
        clReleaseDevice(device->id);
    free(device);
}

const oct_device_info *oct_device_describe(const oct_device *device)
{
    return &device->info;
}

oct_status oct_device_get_handles(oct_device_handles *out, const oct_device *device)
{
    const oct_device_handles handles = {.size = out->size,
                                        .platform = device->platform,
                                        .id = device->id,
                                        .context = device->context,
                                        .queue = device->queue};
    OCT_TRY(OCT_SIZED_CHECK(oct_device_handles, queue, out));
    OCT_CHECK(!device->mate, OCT_STATUS_INPUT,
              "a member of a batch has no queue that could be handed out: run it without a batch");
    oct_sized_give(out, &handles, sizeof handles);
    return OCT_STATUS_OK;
}

bool oct_device_is_cpu(const oct_device_info *info)
{
    return strcmp(info->kind, "cpu") == 0;
}

bool oct_device_is_nvidia(const oct_device_info *info)
{
    return strstr(info->vendor, "NVIDIA") != NULL;
}

bool oct_device_is_pocl(const oct_device *device)
{
    return strcmp(device->info.platform, "Portable Computing Language") == 0;
}

oct_device_work oct_device_worked(const oct_device *device)
{
    return device->work;
}

/* Lets other threads at their work: at first for a few microseconds, which a sleep is too long for.
 */
static void pause_between_looks(int looks)
{
    enum { OFTEN = 64, SHORT_NS = 3000, LONG_NS = 20000 };
    struct timespec start, now, nap = {0, LONG_NS};
    if (looks >= OFTEN) {
        nanosleep(&nap, NULL);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < SHORT_NS);
}

oct_status oct_device_stand_by(oct_device *device)
{
    cl_event event;
    cl_int state = CL_QUEUED, code = CL_SUCCESS;
    if (!device->guest || strcmp(device->info.kind, "gpu") != 0)
        return OCT_STATUS_OK;
    OCT_CL(clEnqueueMarkerWithWaitList, (device->queue, 0, NULL, &event), "device '%s'",
           device->info.name);
    code = clFlush(device->queue);
    for (int looks = 0; code == CL_SUCCESS && state > CL_COMPLETE; looks++) {
        if (looks > 0)
            pause_between_looks(looks);
        code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    }
    clReleaseEvent(event);
    return code == CL_SUCCESS ? OCT_STATUS_OK
                              : oct_cl_fail(code, "clGetEventInfo", __FILE__, __LINE__,
                                            "device '%s'", device->info.name);
}

oct_status oct_device_wait(oct_device *device)
{
    device->work.waits++;
    if (device->mate)
        return oct_mate_wait(device->mate);
    OCT_TRY(oct_device_stand_by(device));
    OCT_CL(clFinish, (device->queue), "device '%s'", device->info.name);
    return OCT_STATUS_OK;
}

oct_status oct_device_flush(oct_device *device)
{
    if (device->mate)
        return OCT_STATUS_OK;
    OCT_CL(clFlush, (device->queue), "device '%s'", device->info.name);
    return OCT_STATUS_OK;
}

oct_status oct_device_profile(oct_device *device, bool on)
{
    OCT_CHECK(!device->mate || !on, OCT_STATUS_INPUT,
              "launches of a batch are those of all members: expected the profile of the device "
              "that runs them");
    OCT_TRY(oct_device_wait(device));
    if (on != device->profile.on)
        OCT_TRY(open_queue(device, on));
    oct_profile_clear(&device->profile);
    return OCT_STATUS_OK;
}

const char *oct_precision_name(oct_precision precision)
{
    static const char *const names[] = {"auto", "single", "mixed", "double"};
    return names[precision];
}

oct_status oct_device_precision(oct_precision *inout, const oct_device *device)
{
    if (*inout == OCT_PRECISION_AUTO)
        *inout = device->info.fp64 ? OCT_PRECISION_MIXED : OCT_PRECISION_SINGLE;
    OCT_CHECK(*inout == OCT_PRECISION_SINGLE || device->info.fp64, OCT_STATUS_INPUT,
              "device '%s' has no double precision: expected precision single, got %s",
              device->info.name, oct_precision_name(*inout));
    return OCT_STATUS_OK;
}

oct_status oct_device_fingerprint(char out[33], const oct_device *device, const char *source)
{
    oct_text text = {0};
    char version[256] = "";
    OCT_CL(clGetPlatformInfo,
           (device->platform, CL_PLATFORM_VERSION, sizeof version - 1, version, NULL),
           "a platform's version");
    oct_text_add(&text, "octant %s|%s|%s|%s|%s|%s|", oct_version(), device->info.name,
                 device->info.vendor, device->info.driver, device->info.platform, version);
    if (source)
        oct_text_add_bytes(&text, source, strlen(source));
    for (const oct_embedded_file *file = oct_kernel_files; !source && file->name; file++)
        oct_text_add_bytes(&text, file->text, file->length);
    if (text.failed) {
        oct_text_clear(&text);
        return OCT_FAIL(OCT_STATUS_MEMORY, "no memory for a text");
    }
    XXH128_hash_t hash = XXH3_128bits(text.data, text.length);
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
    oct_text_clear(&text);
    return OCT_STATUS_OK;
}
