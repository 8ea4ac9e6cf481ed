/* Times of launches, from the device's own clock: by kernel, and as a trace that
 * chrome://tracing and Perfetto open. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cl.h"
#include "util/file.h"
#include "util/text.h"

enum { MOST_SPANS = 1 << 22 };

/* Kernels come and go; a name must stay as long as its spans. */
static oct_status keep_name(const char **out, oct_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->n_names; i++)
        if (strcmp(profile->names[i], name) == 0) {
            *out = profile->names[i];
            return OCT_STATUS_OK;
        }
    OCT_TRY(oct_realloc(&profile->names, profile->n_names + 1, sizeof *profile->names, "names"));
    OCT_TRY(oct_text_copy(&profile->names[profile->n_names], name));
    *out = profile->names[profile->n_names++];
    return OCT_STATUS_OK;
}

static oct_status read_span(oct_profile_span *out, const oct_profile_entry *entry)
{
    out->name = entry->name;
    OCT_CL(clGetEventProfilingInfo,
           (entry->event, CL_PROFILING_COMMAND_START, sizeof out->start, &out->start, NULL),
           "a launch of '%s'", out->name);
    OCT_CL(clGetEventProfilingInfo,
           (entry->event, CL_PROFILING_COMMAND_END, sizeof out->end, &out->end, NULL),
           "a launch of '%s'", out->name);
    return OCT_STATUS_OK;
}

oct_status oct_profile_collect(oct_device *device)
{
    oct_profile *profile = &device->profile;
    oct_status status = OCT_STATUS_OK;
    if (profile->n_pending == 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_device_wait(device));
    if (profile->n_spans + profile->n_pending > profile->capacity) {
        size_t capacity = 2 * (profile->n_spans + profile->n_pending);
        OCT_TRY(oct_realloc(&profile->spans, capacity, sizeof *profile->spans, "spans"));
        profile->capacity = capacity;
    }
    for (size_t i = 0; i < profile->n_pending; i++) {
        oct_profile_span span;
        if (status == OCT_STATUS_OK)
            status = read_span(&span, &profile->pending[i]);
        if (status == OCT_STATUS_OK && profile->n_spans < MOST_SPANS)
            profile->spans[profile->n_spans++] = span;
        clReleaseEvent(profile->pending[i].event);
    }
    profile->n_pending = 0;
    return status;
}

oct_status oct_profile_add(oct_device *device, const char *name, cl_event event)
{
    oct_profile *profile = &device->profile;
    const size_t most = sizeof profile->pending / sizeof profile->pending[0];
    const char *kept;
    oct_status status = profile->n_pending < most ? OCT_STATUS_OK : oct_profile_collect(device);
    if (status == OCT_STATUS_OK)
        status = keep_name(&kept, profile, name);
    if (status == OCT_STATUS_OK)
        profile->pending[profile->n_pending++] = (oct_profile_entry){kept, event};
    else
        clReleaseEvent(event);
    return status;
}

void oct_profile_clear(oct_profile *profile)
{
    for (size_t i = 0; i < profile->n_pending; i++)
        clReleaseEvent(profile->pending[i].event);
    for (size_t i = 0; i < profile->n_names; i++)
        free(profile->names[i]);
    free(profile->names);
    free(profile->spans);
    *profile = (oct_profile){.on = profile->on};
}

static int longer(const void *a, const void *b)
{
    double x = ((const oct_kernel_time *)a)->ms, y = ((const oct_kernel_time *)b)->ms;
    return (x < y) - (x > y);
}

oct_status oct_device_times(oct_kernel_time **out, size_t *n, oct_device *device)
{
    oct_profile *profile = &device->profile;
    OCT_TRY(oct_profile_collect(device));
    OCT_TRY(oct_alloc(out, profile->n_names, sizeof **out, "kernel times"));
    *n = profile->n_names;
    for (size_t i = 0; i < profile->n_names; i++)
        snprintf((*out)[i].name, sizeof(*out)[i].name, "%s", profile->names[i]);
    for (size_t s = 0; s < profile->n_spans; s++)
        for (size_t i = 0; i < *n; i++)
            if (profile->names[i] == profile->spans[s].name) {
                (*out)[i].launches++;
                (*out)[i].ms += 1e-6 * (double)(profile->spans[s].end - profile->spans[s].start);
            }
    qsort(*out, *n, sizeof **out, longer);
    return OCT_STATUS_OK;
}

void oct_device_times_free(oct_kernel_time *times)
{
    free(times);
}

oct_status oct_device_trace(oct_device *device, const char *path)
{
    oct_profile *profile = &device->profile;
    OCT_TRY(oct_profile_collect(device));
    oct_text text = {0};
    oct_text_add(&text, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{\"name\":\"thread_name\","
                        "\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"name\":");
    oct_text_add_json(&text, device->info.name);
    oct_text_add(&text, "}}");
    cl_ulong origin = profile->n_spans ? profile->spans[0].start : 0;
    for (size_t i = 0; i < profile->n_spans; i++) {
        const oct_profile_span *span = &profile->spans[i];
        oct_text_add(&text,
                     ",\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%.3f,"
                     "\"dur\":%.3f}",
                     span->name, 1e-3 * (double)(span->start - origin),
                     1e-3 * (double)(span->end - span->start));
    }
    oct_text_add(&text, "\n]}\n");
    char *data;
    size_t length = text.length;
    OCT_TRY(oct_text_take(&data, &text));
    oct_status status = oct_file_write(path, data, length, false);
    free(data);
    return status;
}
