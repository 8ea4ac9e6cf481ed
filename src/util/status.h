/* Errors are values with a sentence attached, kept per thread. */
#ifndef OCT_UTIL_STATUS_H
#define OCT_UTIL_STATUS_H

#include "octant/octant.h"

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
void oct_clear_error(void);
/* A sentence and where it was made, to be carried from the thread that failed to another. */
typedef struct oct_error {
    char text[4096];
    char place[160];
} oct_error;
void oct_error_save(oct_error *out);
void oct_error_restore(const oct_error *error);

/* The failure that an object has not survived; none where its status is 0. */
typedef struct oct_failure {
    oct_status status;
    char sentence[512];
} oct_failure;
/* Refuses with the first failure, if there was one. `what` begins the sentence: "the film". */
oct_status oct_failure_check(const oct_failure *failure, const char *what);
/* Hands the status on. A negative one is kept with its sentence, unless another came before, or no
 * more than a file has failed. */
oct_status oct_failure_keep(oct_failure *failure, oct_status status);

#define OCT_FAIL(status, ...) oct_fail((status), __FILE__, __LINE__, __VA_ARGS__)

#define OCT_TRY(call)                                                                              \
    do {                                                                                           \
        oct_status oct_try_status = (call);                                                        \
        if (oct_try_status != OCT_STATUS_OK)                                                       \
            return oct_try_status;                                                                 \
    } while (0)

/* As OCT_TRY in a function that cleans up at the label `done` and returns `status`. */
#define OCT_TRY_DONE(call)                                                                         \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != OCT_STATUS_OK)                                                               \
            goto done;                                                                             \
    } while (0)

#define OCT_CHECK(condition, status, ...)                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return OCT_FAIL((status), __VA_ARGS__);                                                \
    } while (0)

#define OCT_CHECK_DONE(condition, code, ...)                                                       \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            status = OCT_FAIL((code), __VA_ARGS__);                                                \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

/* Zeroed memory, or OCT_STATUS_MEMORY with what it was for. */
oct_status oct_alloc(void *out_pointer, size_t count, size_t size, const char *what);
oct_status oct_realloc(void *inout_pointer, size_t count, size_t size, const char *what);

#endif
