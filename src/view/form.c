/* Reads lines, looks up keys, and refuses what was not asked for. */
#include "view/form.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/number.h"

static oct_status read_line(oct_form *out, char *line)
{
    char *equals = strchr(line, '=');
    for (const char *c = line; *c; c++)
        OCT_CHECK((unsigned char)*c >= 0x20, OCT_STATUS_INPUT, "line %zu holds a control character",
                  out->n + 1);
    OCT_CHECK(equals && equals > line, OCT_STATUS_INPUT,
              "line %zu assigns nothing: expected KEY=VALUE", out->n + 1);
    OCT_CHECK(out->n < OCT_FORM_LINES, OCT_STATUS_INPUT, "there are more than %d lines",
              OCT_FORM_LINES);
    *equals = '\0';
    out->rows[out->n].key = line;
    out->rows[out->n++].value = equals + 1;
    return OCT_STATUS_OK;
}

oct_status oct_form_read(oct_form *out, char *text)
{
    out->n = 0;
    while (text) {
        char *end = strchr(text, '\n'), *next = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        if (end > text && end[-1] == '\r')
            end[-1] = '\0';
        if (*text)
            OCT_TRY(read_line(out, text));
        text = next;
    }
    return OCT_STATUS_OK;
}

const char *oct_form_get(const oct_form *form, const char *key)
{
    for (size_t i = 0; i < form->n; i++)
        if (strcmp(form->rows[i].key, key) == 0)
            return form->rows[i].value;
    return NULL;
}

oct_status oct_form_check(const oct_form *form, const char *const *names)
{
    for (size_t i = 0; i < form->n; i++) {
        const char *key = form->rows[i].key;
        size_t n = 0, found = 0;
        for (; names[n]; n++)
            found += strcmp(names[n], key) == 0;
        if (!found) {
            const char *nearest = oct_text_nearest(key, names, n);
            return OCT_FAIL(OCT_STATUS_INPUT, "there is no key '%.40s' here%s%s%s", key,
                            nearest ? "; did you mean '" : "", nearest ? nearest : "",
                            nearest ? "'?" : "");
        }
        OCT_CHECK(oct_form_get(form, key) == form->rows[i].value, OCT_STATUS_INPUT,
                  "%s is there twice", key);
    }
    return OCT_STATUS_OK;
}

oct_status oct_form_number(double *out, const oct_form *form, const char *key, double min,
                           double max)
{
    const char *text = oct_form_get(form, key), *end;
    double value;
    if (!text)
        return OCT_STATUS_OK;
    OCT_CHECK(oct_number_read(&value, &end, text) && !*end && value >= min && value <= max,
              OCT_STATUS_INPUT, "%s is '%.40s': expected a number from %g to %g", key, text, min,
              max);
    *out = value;
    return OCT_STATUS_OK;
}

oct_status oct_form_count(uint64_t *out, const oct_form *form, const char *key, uint64_t min,
                          uint64_t max)
{
    const char *text = oct_form_get(form, key);
    char *end;
    if (!text)
        return OCT_STATUS_OK;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    /* strtoull takes "-1" for a very large number. */
    bool whole = text[0] >= '0' && text[0] <= '9' && !*end && !errno;
    OCT_CHECK(whole && value >= min && value <= max, OCT_STATUS_INPUT,
              "%s is '%.40s': expected a whole number from %llu to %llu", key, text,
              (unsigned long long)min, (unsigned long long)max);
    *out = value;
    return OCT_STATUS_OK;
}
