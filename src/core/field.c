/* Values of fields: cleared, found by name, and described as a message wants them. */
#include "core/setup.h"
#include "core/units.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A limit this large is there only to keep infinities out. */
#define HUGE_LIMIT 1e300

static char *at(void *state, size_t offset)
{
    return (char *)state + offset;
}

static void clear_texts(oct_texts *texts)
{
    for (size_t i = 0; i < texts->n; i++)
        free(texts->items[i]);
    free(texts->items);
    *texts = (oct_texts){0};
}

static void clear_parameter(oct_parameter *parameter)
{
    free(parameter->name);
    free(parameter->values);
    *parameter = (oct_parameter){0};
}

static void clear_parameters(oct_parameters *parameters)
{
    for (size_t i = 0; i < parameters->n; i++)
        clear_parameter(&parameters->items[i]);
    free(parameters->items);
    *parameters = (oct_parameters){0};
}

void oct_field_clear(void *state, const oct_field *fields)
{
    for (const oct_field *f = fields; f && f->type != OCT_FIELD_END; f++) {
        void *slot = at(state, f->offset);
        if (f->type == OCT_FIELD_TEXT || f->type == OCT_FIELD_PATH) {
            char **text = slot;
            free(*text);
            *text = NULL;
        } else if (f->type == OCT_FIELD_CODE) {
            oct_code *code = slot;
            free(code->text);
            free(code->label);
            *code = (oct_code){0};
        } else if (f->type == OCT_FIELD_TEXTS) {
            clear_texts(slot);
        } else if (f->type == OCT_FIELD_PARAMETERS) {
            clear_parameters(slot);
        } else if (f->type == OCT_FIELD_NUMBERS) {
            clear_parameter(slot);
        } else if (f->type == OCT_FIELD_GROUP) {
            oct_field_clear(slot, f->group);
        } else if (f->type == OCT_FIELD_MODEL) {
            oct_entry_clear(slot);
        }
    }
}

bool oct_field_in(const oct_field *fields, const char *name)
{
    for (; fields && fields->type != OCT_FIELD_END; fields++)
        if (strcmp(fields->name, name) == 0)
            return true;
    return false;
}

bool oct_field_real(double *out, const void *state, const oct_field *fields, const char *name)
{
    for (const oct_field *f = fields; f && f->type != OCT_FIELD_END; f++)
        if (f->type == OCT_FIELD_REAL && strcmp(f->name, name) == 0) {
            memcpy(out, (const char *)state + f->offset, sizeof *out);
            return true;
        }
    return false;
}

bool oct_field_identifier(const char *name)
{
    static const char *const reserved[] = {
        "auto",     "bool",     "break",   "case",    "char",    "const",     "constant",
        "continue", "default",  "do",      "double",  "else",    "enum",      "extern",
        "float",    "for",      "global",  "goto",    "half",    "if",        "inline",
        "int",      "kernel",   "local",   "long",    "private", "read_only", "read_write",
        "register", "restrict", "return",  "short",   "signed",  "sizeof",    "static",
        "struct",   "switch",   "typedef", "uniform", "union",   "unsigned",  "void",
        "volatile", "while",    "pipe",    "generic", "true",    "false",     "write_only"};
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (strcmp(reserved[i], name) == 0)
            return false;
    return isalpha((unsigned char)name[0]) && strlen(name) < 64 &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] ==
               '\0';
}

/* " above 0", " from 1 to 10", " not below 0"; nothing where every number will do. */
static void describe_range(char *out, size_t bytes, const oct_field *f)
{
    bool ranged = f->min != 0 || f->max != 0;
    bool low = ranged && f->min > -HUGE_LIMIT, high = ranged && f->max < HUGE_LIMIT;
    /* The largest integer is no limit worth a word. */
    if (f->type == OCT_FIELD_INT || f->type == OCT_FIELD_INT3)
        high = high && f->max < (double)INT64_MAX;
    if (low && high)
        snprintf(out, bytes, " %s %.10g %s %.10g", f->above_min ? "above" : "from", f->min,
                 f->above_min ? "and up to" : "to", f->max);
    else if (low)
        snprintf(out, bytes, " %s %.10g", f->above_min ? "above" : "not below", f->min);
    else if (high)
        snprintf(out, bytes, " not above %.10g", f->max);
    else
        out[0] = '\0';
}

static void describe_choices(char *out, size_t bytes, const char *before, const oct_field *f)
{
    int used = snprintf(out, bytes, "%s", before);
    for (size_t i = 0; f->choices && f->choices[i]; i++) {
        if (used < 0 || (size_t)used >= bytes)
            return;
        used += snprintf(out + used, bytes - (size_t)used, "%s%s", i ? ", " : "", f->choices[i]);
    }
}

void oct_field_expect(char *out, size_t bytes, const oct_field *f)
{
    char range[80], name[64], dimension[72] = "";
    describe_range(range, sizeof range, f);
    oct_units_dimension(name, sizeof name, f->unit);
    if (strcmp(name, "number") != 0)
        snprintf(dimension, sizeof dimension, " (%s)", name);
    switch (f->type) {
    case OCT_FIELD_REAL:
        snprintf(out, bytes, "a number%s%s", range, dimension);
        break;
    case OCT_FIELD_REAL3:
        snprintf(out, bytes, "a list of 3 numbers%s%s", range, dimension);
        break;
    case OCT_FIELD_INT:
        snprintf(out, bytes, "an integer%s", range);
        break;
    case OCT_FIELD_INT3:
        snprintf(out, bytes, "a list of 3 integers%s", range);
        break;
    case OCT_FIELD_BOOL:
        snprintf(out, bytes, "true or false");
        break;
    case OCT_FIELD_CHOICE:
        describe_choices(out, bytes, "one of ", f);
        break;
    case OCT_FIELD_TEXTS:
        describe_choices(out, bytes, f->choices ? "a list of " : "a list of texts", f);
        break;
    case OCT_FIELD_PATH:
        snprintf(out, bytes, "a file name");
        break;
    case OCT_FIELD_CODE:
        snprintf(out, bytes, "a text of any number of lines");
        break;
    case OCT_FIELD_SECONDS:
        snprintf(out, bytes, "seconds on the wall%s, or a time such as '10 min'", range);
        break;
    case OCT_FIELD_PARAMETERS:
        snprintf(out, bytes, "names with numbers or lists of numbers, %s",
                 f->plain ? "without units" : "with or without units");
        break;
    case OCT_FIELD_NUMBERS:
        snprintf(out, bytes, "a number or a list of numbers, without units");
        break;
    case OCT_FIELD_GROUP:
        snprintf(out, bytes, "a map");
        break;
    case OCT_FIELD_MODEL:
        snprintf(out, bytes, "a model, 'NAME: {...}'");
        break;
    default:
        snprintf(out, bytes, "a text");
    }
}
