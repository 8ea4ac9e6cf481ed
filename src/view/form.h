/* What a request says: KEY=VALUE, one a line. */
#ifndef OCT_VIEW_FORM_H
#define OCT_VIEW_FORM_H

#include "util/status.h"

enum { OCT_FORM_LINES = 128 };

typedef struct oct_form {
    size_t n;
    struct {
        const char *key, *value;
    } rows[OCT_FORM_LINES];
} oct_form;

/* Takes the text apart in place; it must stay as long as the form. Empty lines do not count. */
oct_status oct_form_read(oct_form *out, char *text);
/* Refuses keys that are not among the names, which end with NULL, and keys that come twice. */
oct_status oct_form_check(const oct_form *form, const char *const *names);
/* The value of a key, or NULL. */
const char *oct_form_get(const oct_form *form, const char *key);
/* The value as a number from min to max; *out stays as it is where the key is not there. */
oct_status oct_form_number(double *out, const oct_form *form, const char *key, double min,
                           double max);
/* The same for whole numbers. */
oct_status oct_form_count(uint64_t *out, const oct_form *form, const char *key, uint64_t min,
                          uint64_t max);

#endif
