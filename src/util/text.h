/* Growing text, copies, and the nearest name for a misspelled one. */
#ifndef OCT_UTIL_TEXT_H
#define OCT_UTIL_TEXT_H

#include "util/status.h"

/* Text that grows. After a failed append it stays empty-safe and `failed` is set, so that a
 * writer may append many times and check once. Start from {0}. */
typedef struct oct_text {
    char *data;
    size_t length, capacity;
    bool failed;
} oct_text;

void oct_text_add(oct_text *text, const char *format, ...) OCT_PRINTF(2, 3);
void oct_text_add_bytes(oct_text *text, const char *bytes, size_t count);
/* Adds a JSON string with its quotes. */
void oct_text_add_json(oct_text *text, const char *string);
/* Adds a JSON number; null for what JSON has no number for. */
void oct_text_add_number(oct_text *text, double value);
/* Adds text to HTML or SVG, with what they reserve escaped. */
void oct_text_add_html(oct_text *text, const char *string);
/* Hands the text over, or says that memory ran out. */
oct_status oct_text_take(char **out, oct_text *text);
void oct_text_clear(oct_text *text);

oct_status oct_text_copy(char **out, const char *source);

#endif
