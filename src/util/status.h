/* Errors are values with a sentence attached, kept per thread. */
#ifndef OCT_UTIL_STATUS_H
#define OCT_UTIL_STATUS_H

#include "octant/fail.h"
#include "octant/octant.h"

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
oct_status oct_failure_record(oct_failure *failure, oct_status status);

/* As OCT_TRY in a function that cleans up at the label `done` and returns `status`. */
#define OCT_TRY_DONE(call)                                                                         \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != OCT_STATUS_OK)                                                               \
            goto done;                                                                             \
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
