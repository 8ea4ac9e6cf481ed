/* Times of launches, from the device's own clock, and what the host did meanwhile: by kernel, on
 * one time line, and as a trace that chrome://tracing and Perfetto open. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

int64_t oct_profile_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static oct_status read_time(int64_t *out, const oct_profile_entry *entry, cl_profiling_info what)
{
    cl_ulong time;
    OCT_CL(clGetEventProfilingInfo, (entry->event, what, sizeof time, &time, NULL),
           "a launch of '%s'", entry->name);
    *out = (int64_t)time;
    return OCT_STATUS_OK;
}

static void relate_clocks(oct_profile *profile, const oct_profile_entry *entry, int64_t queued)
{
    int64_t least = entry->before - queued, most = entry->after - queued;
    bool first = !profile->related;
    profile->ahead_least = first || least > profile->ahead_least ? least : profile->ahead_least;
    profile->ahead_most = first || most < profile->ahead_most ? most : profile->ahead_most;
    profile->related = true;
}

static oct_status read_span(oct_profile_span *out, oct_profile *profile,
                            const oct_profile_entry *entry)
{
    int64_t queued;
    *out = (oct_profile_span){.name = entry->name, .lane = OCT_LANE_DEVICE};
    OCT_TRY(read_time(&queued, entry, CL_PROFILING_COMMAND_QUEUED));
    OCT_TRY(read_time(&out->start, entry, CL_PROFILING_COMMAND_START));
    OCT_TRY(read_time(&out->end, entry, CL_PROFILING_COMMAND_END));
    relate_clocks(profile, entry, queued);
    return OCT_STATUS_OK;
}

static oct_status make_room(oct_profile *profile, size_t more)
{
    if (profile->n_spans + more <= profile->capacity)
        return OCT_STATUS_OK;
    size_t capacity = 2 * (profile->n_spans + more);
    OCT_TRY(oct_realloc(&profile->spans, capacity, sizeof *profile->spans, "spans"));
    profile->capacity = capacity;
    return OCT_STATUS_OK;
}

oct_status oct_profile_collect(oct_device *device)
{
    oct_profile *profile = &device->profile;
    oct_status status = OCT_STATUS_OK;
    if (profile->n_pending == 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_device_wait(device));
    OCT_TRY(make_room(profile, profile->n_pending));
    for (size_t i = 0; i < profile->n_pending; i++) {
        oct_profile_span span;
        if (status == OCT_STATUS_OK)
            status = read_span(&span, profile, &profile->pending[i]);
        if (status == OCT_STATUS_OK && profile->n_spans < MOST_SPANS)
            profile->spans[profile->n_spans++] = span;
        clReleaseEvent(profile->pending[i].event);
    }
    profile->n_pending = 0;
    return status;
}

oct_status oct_profile_add(oct_device *device, const char *name, cl_event event, int64_t before)
{
    int64_t after = oct_profile_clock();
    oct_profile *profile = &device->profile;
    const size_t most = sizeof profile->pending / sizeof profile->pending[0];
    const char *kept;
    oct_status status = profile->n_pending < most ? OCT_STATUS_OK : oct_profile_collect(device);
    if (status == OCT_STATUS_OK)
        status = keep_name(&kept, profile, name);
    if (status == OCT_STATUS_OK)
        profile->pending[profile->n_pending++] = (oct_profile_entry){kept, event, before, after};
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
            if (profile->names[i] == profile->spans[s].name &&
                profile->spans[s].lane == OCT_LANE_DEVICE) {
                (*out)[i].launches++;
                (*out)[i].ms += 1e-6 * (double)(profile->spans[s].end - profile->spans[s].start);
            }
    size_t kept = 0; /* names of what the host did have no launches */
    for (size_t i = 0; i < *n; i++)
        if ((*out)[i].launches > 0)
            (*out)[kept++] = (*out)[i];
    *n = kept;
    qsort(*out, *n, sizeof **out, longer);
    return OCT_STATUS_OK;
}

void oct_device_times_free(oct_kernel_time *times)
{
    free(times);
}

oct_status oct_device_note_span(oct_device *device, oct_lane lane, const char *name, double start_s,
                                double end_s)
{
    oct_profile *profile = &device->profile;
    oct_profile_span span = {.lane = lane, .start = (int64_t)(1e9 * start_s)};
    if (!profile->on || profile->n_spans >= MOST_SPANS)
        return OCT_STATUS_OK;
    span.end = (int64_t)(1e9 * end_s);
    OCT_TRY(make_room(profile, 1));
    OCT_TRY(keep_name(&span.name, profile, name));
    profile->spans[profile->n_spans++] = span;
    return OCT_STATUS_OK;
}

static int64_t host_time(const oct_profile *profile, const oct_profile_span *span, int64_t time)
{
    int64_t ahead = profile->ahead_least + (profile->ahead_most - profile->ahead_least) / 2;
    return span->lane == OCT_LANE_DEVICE ? time + ahead : time;
}

oct_status oct_device_spans(oct_span **out, size_t *n, oct_device *device)
{
    oct_profile *profile = &device->profile;
    OCT_TRY(oct_profile_collect(device));
    OCT_TRY(oct_alloc(out, profile->n_spans, sizeof **out, "spans"));
    *n = profile->n_spans;
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < *n; i++) {
        int64_t start = host_time(profile, &profile->spans[i], profile->spans[i].start);
        first = start < first ? start : first;
    }
    for (size_t i = 0; i < *n; i++) {
        const oct_profile_span *span = &profile->spans[i];
        (*out)[i] = (oct_span){
            .name = span->name,
            .lane = span->lane,
            .start_s = 1e-9 * (double)(host_time(profile, span, span->start) - first),
            .end_s = 1e-9 * (double)(host_time(profile, span, span->end) - first),
        };
    }
    return OCT_STATUS_OK;
}

void oct_device_spans_free(oct_span *spans)
{
    free(spans);
}

static void add_lane(oct_text *text, oct_lane lane, const char *name)
{
    oct_text_add(text,
                 "%s{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{"
                 "\"name\":",
                 lane > OCT_LANE_DEVICE ? ",\n" : "", (int)lane);
    oct_text_add_json(text, name);
    oct_text_add(text, "}}");
}

oct_status oct_device_trace(oct_device *device, const char *path)
{
    oct_span *spans;
    size_t n;
    oct_text text = {0};
    OCT_TRY(oct_device_spans(&spans, &n, device));
    oct_text_add(&text, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    add_lane(&text, OCT_LANE_DEVICE, device->info.name);
    add_lane(&text, OCT_LANE_HOST, "host");
    add_lane(&text, OCT_LANE_WRITER, "writer");
    for (size_t i = 0; i < n; i++)
        oct_text_add(&text,
                     ",\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,"
                     "\"dur\":%.3f}",
                     spans[i].name, (int)spans[i].lane, 1e6 * spans[i].start_s,
                     1e6 * (spans[i].end_s - spans[i].start_s));
    oct_device_spans_free(spans);
    oct_text_add(&text, "\n]}\n");
    char *data;
    size_t length = text.length;
    OCT_TRY(oct_text_take(&data, &text));
    oct_status status = oct_file_write(path, data, length, false);
    free(data);
    return status;
}
