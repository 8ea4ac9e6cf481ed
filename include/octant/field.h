/* A part of module.h: field tables. A module lists its parameters once; scenes, oct_scene_set,
 * defaults, ranges, messages and the resolved scene all come from that list. */
#ifndef OCTANT_FIELD_H
#define OCTANT_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a field holds, and what the state has for it. */
typedef enum oct_field_type {
    OCT_FIELD_END,
    OCT_FIELD_REAL,       /* double */
    OCT_FIELD_REAL3,      /* double[3] */
    OCT_FIELD_INT,        /* int64_t */
    OCT_FIELD_INT3,       /* int64_t[3] */
    OCT_FIELD_BOOL,       /* bool */
    OCT_FIELD_TEXT,       /* char *, owned */
    OCT_FIELD_PATH,       /* char *, owned; relative to the scene's folder */
    OCT_FIELD_CODE,       /* oct_code, owned: source of the user's, of any number of lines */
    OCT_FIELD_CHOICE,     /* int, an index into choices */
    OCT_FIELD_TEXTS,      /* oct_texts, owned; each one of choices where choices is set */
    OCT_FIELD_SECONDS,    /* double, time on the wall, whatever the scene's units are */
    OCT_FIELD_PARAMETERS, /* oct_parameters, owned: numbers under names of the user's */
    OCT_FIELD_NUMBERS,    /* oct_parameter, owned: a number or a list of them, without units */
    OCT_FIELD_GROUP,      /* a nested map: a struct with its own table */
    OCT_FIELD_MODEL       /* a model within a model, for the library's own (oct_model_entry) */
} oct_field_type;

/* Powers of length, mass and time. */
typedef struct oct_dimension {
    signed char length, mass, time;
} oct_dimension;

#define OCT_DIMENSIONLESS ((oct_dimension){0, 0, 0})
#define OCT_LENGTH        ((oct_dimension){1, 0, 0})
#define OCT_MASS          ((oct_dimension){0, 1, 0})
#define OCT_TIME          ((oct_dimension){0, 0, 1})
#define OCT_SPEED         ((oct_dimension){1, 0, -1})

/* A list of texts. */
typedef struct oct_texts {
    size_t n;
    char **items;
} oct_texts;

/* Source text that a scene holds itself, and where in it: what messages about a line call it. */
typedef struct oct_code {
    char *text, *label;
} oct_code;

/* Numbers that a scene gives to a function of the user's, in the scene's units. */
typedef struct oct_parameter {
    char *name; /* an identifier; NULL of OCT_FIELD_NUMBERS */
    bool list;
    size_t n;
    double *values;
} oct_parameter;

/* All numbers that a function of the user's gets. */
typedef struct oct_parameters {
    size_t n;
    oct_parameter *items;
} oct_parameters;

/* A key of a scene: how it is read, what is allowed, and where it goes. */
typedef struct oct_field {
    const char *name;
    oct_field_type type;
    size_t offset;       /* in the module's state */
    const char *initial; /* the default as a scene would say it; NULL: must be given */
    oct_dimension unit;
    double min, max;               /* for every number of the field */
    bool above_min;                /* min itself is excluded */
    bool plain;                    /* OCT_FIELD_PARAMETERS: numbers have no units */
    const char *const *choices;    /* NULL-terminated */
    const struct oct_field *group; /* OCT_FIELD_GROUP */
    const char *doc;
} oct_field;

#ifdef __cplusplus
}
#endif
#endif
