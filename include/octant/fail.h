/* A part of module.h: how a module says what is wrong. A status is handed on by whoever gets it,
 * with the sentence of the one who found out. */
#ifndef OCTANT_FAIL_H
#define OCTANT_FAIL_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define OCT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define OCT_PRINTF(text, first)
#endif

/* Records the sentence and returns the status. */
oct_status oct_fail(oct_status status, const char *file, int line, const char *format, ...)
    OCT_PRINTF(4, 5);
/* Puts "prefix: " before the sentence of the failure that is being passed on. */
oct_status oct_fail_within(oct_status status, const char *format, ...) OCT_PRINTF(2, 3);
#define OCT_FAIL(status, ...) oct_fail((status), __FILE__, __LINE__, __VA_ARGS__)

#define OCT_TRY(call)                                                                              \
    do {                                                                                           \
        oct_status oct_try_status = (call);                                                        \
        if (oct_try_status != OCT_STATUS_OK)                                                       \
            return oct_try_status;                                                                 \
    } while (0)

#define OCT_CHECK(condition, status, ...)                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return OCT_FAIL((status), __VA_ARGS__);                                                \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
