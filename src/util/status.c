/* The sentence and the place of the last failure, one a thread. */
#include "util/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local oct_error last;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

oct_status oct_fail(oct_status status, const char *file, int line, const char *format, ...)
{
    /* The arguments may point into the record itself when a sentence is rephrased. */
    char text[sizeof last.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(last.text, text, sizeof text);
    snprintf(last.place, sizeof last.place, "%s:%d", base_name(file), line);
    return status;
}

oct_status oct_fail_within(oct_status status, const char *format, ...)
{
    char prefix[512], text[sizeof last.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    snprintf(text, sizeof text, "%s: %.3500s", prefix, last.text);
    memcpy(last.text, text, sizeof text);
    return status;
}

oct_status oct_failure_check(const oct_failure *failure, const char *what)
{
    OCT_CHECK(failure->status == OCT_STATUS_OK, failure->status,
              "%s cannot be used any more since it failed: %s", what, failure->sentence);
    return OCT_STATUS_OK;
}

oct_status oct_failure_record(oct_failure *failure, oct_status status)
{
    if (status < 0 && status != OCT_STATUS_IO && failure->status == OCT_STATUS_OK) {
        failure->status = status;
        snprintf(failure->sentence, sizeof failure->sentence, "%.500s", last.text);
    }
    return status;
}

void oct_clear_error(void)
{
    last.text[0] = last.place[0] = '\0';
}

void oct_error_save(oct_error *out)
{
    *out = last;
}

void oct_error_restore(const oct_error *error)
{
    last = *error;
}

const char *oct_last_error(void)
{
    return last.text;
}

const char *oct_last_error_place(void)
{
    return last.place;
}

oct_status oct_realloc(void *inout_pointer, size_t count, size_t size, const char *what)
{
    void *memory;
    memcpy(&memory, inout_pointer, sizeof memory);
    if (count == 0)
        count = 1;
    OCT_CHECK(size == 0 || count <= (size_t)-1 / size, OCT_STATUS_MEMORY,
              "%zu %s of %zu bytes are more than memory can address", count, what, size);
    void *grown = realloc(memory, count * size);
    OCT_CHECK(grown, OCT_STATUS_MEMORY, "no memory for %zu %s (%zu bytes)", count, what,
              count * size);
    memcpy(inout_pointer, &grown, sizeof grown);
    return OCT_STATUS_OK;
}

oct_status oct_alloc(void *out_pointer, size_t count, size_t size, const char *what)
{
    /* Large memory comes zeroed from the system, a page at a time when it is first used. */
    void *memory = calloc(count ? count : 1, size);
    memcpy(out_pointer, &memory, sizeof memory);
    OCT_CHECK(memory, OCT_STATUS_MEMORY, "no memory for %zu %s of %zu bytes", count, what, size);
    return OCT_STATUS_OK;
}
