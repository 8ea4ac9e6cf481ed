/* What modules say about the settings they were given, before anything is simulated. */
#ifndef OCT_CORE_REVIEW_H
#define OCT_CORE_REVIEW_H

#include "util/status.h"

typedef struct oct_reviewer {
    oct_review_log log;
    void *context;
} oct_reviewer;

/* What was chosen where the scene does not say. */
void oct_review_note(const oct_reviewer *to, const char *format, ...) OCT_PRINTF(2, 3);
/* What is probably not meant. */
void oct_review_problem(const oct_reviewer *to, const char *format, ...) OCT_PRINTF(2, 3);

#endif
