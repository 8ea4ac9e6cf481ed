/* What a body has: one table of columns. Arrays on the host and on devices, files, checkpoints and
 * what is shown of a body are loops over it; a scene and modules add columns of their own. */
#ifndef OCT_CORE_COLUMN_H
#define OCT_CORE_COLUMN_H

#include "core/field.h"

/* On a device; the host has double, int64_t, uint64_t, uint32_t and uint8_t, and double for all
 * columns of the user's. */
typedef enum oct_column_type {
    OCT_COLUMN_REAL, /* float in single precision, else double */
    OCT_COLUMN_LONG,
    OCT_COLUMN_ULONG,
    OCT_COLUMN_UINT,
    OCT_COLUMN_BYTE
} oct_column_type;

typedef enum oct_column_flag {
    OCT_COLUMN_STATE = 1,          /* in checkpoints */
    OCT_COLUMN_DERIVED = 2,        /* follows from the others: new bodies have none yet */
    OCT_COLUMN_SHOWN = 4,          /* told of a body */
    OCT_COLUMN_SINGLE = 8,         /* there in single precision only */
    OCT_COLUMN_WHERE_USED = 16,    /* there only where bodies have or get any */
    OCT_COLUMN_TURNS = 32,         /* a vector that turns with its model */
    OCT_COLUMN_NOT_NEGATIVE = 64,  /* no negative numbers make sense */
    OCT_COLUMN_FROM_OUTSIDE = 128, /* models and files fill it */
    OCT_COLUMN_USER = 256,         /* of the scene */
    OCT_COLUMN_WITH_DOMAIN = 512,  /* made with a domain where it is used, and not later */
    OCT_COLUMN_SUMMED = 1024,      /* bodies that merge add it up */
    OCT_COLUMN_AVERAGED = 2048,    /* bodies that merge take the mean, by their masses */
    OCT_COLUMN_OF_FORCES = 4096,   /* forces write it; onlookers have theirs: core/look.h */
    OCT_COLUMN_FROM_START = 8192   /* there from the start of a simulation or never */
} oct_column_flag;

typedef struct oct_column_spec {
    const char *name; /* of the array, and in checkpoints */
    oct_column_type type;
    unsigned width;     /* numbers that a body has */
    unsigned lanes;     /* numbers of an element on a device; 0: width */
    const char *within; /* the column whose last lane it is; NULL: it is an array of its own */
    unsigned flags;
    oct_dimension unit;
    const char *unit_text; /* of the user's columns, in place of the dimension; else NULL */
    double initial[3];
    size_t host;                 /* where oct_bodies has the array; 0: nowhere */
    const char *const *headings; /* in CSV files, one for each number; NULL: not there */
    const char *data_set;        /* in snapshots; NULL: not there */
    const char *doc;
} oct_column_spec;

/* The core's own, in the order of the arrays in checkpoints. Ends with one without name. */
extern const oct_column_spec oct_columns[];

/* A column that a scene declares. */
typedef struct oct_column_plan {
    char *name, *unit;
    int64_t width;
    int type;  /* an oct_column_choice */
    int merge; /* an oct_column_merge */
    oct_parameter initial;
} oct_column_plan;

typedef enum oct_column_choice {
    OCT_COLUMN_CHOICE_REAL,
    OCT_COLUMN_CHOICE_INTEGER
} oct_column_choice;

typedef enum oct_column_merge {
    OCT_COLUMN_MERGE_KEEP,
    OCT_COLUMN_MERGE_SUM,
    OCT_COLUMN_MERGE_MEAN
} oct_column_merge;

extern const oct_field oct_column_fields[];

/* "column." and a name: what an array of the user's is called, on devices and in checkpoints. */
enum { OCT_COLUMN_LABEL = OCT_COLUMN_NAME + 8, OCT_COLUMN_EXACT = 53 /* bits */ };
/* The row for a column of the user's, which points to the label. */
oct_column_spec oct_column_user(char label[OCT_COLUMN_LABEL], const oct_user_column *column);

/* Whether a column is there in a precision. */
bool oct_column_kept(const oct_column_spec *spec, oct_precision precision);
/* Bytes of an element on a device. */
size_t oct_column_element(const oct_column_spec *spec, oct_precision precision);
/* Bytes of a body on the host, in one of the table's columns. */
size_t oct_column_host_bytes(const oct_column_spec *spec);
/* Where bodies have one of the table's columns. */
void *oct_column_host(const oct_bodies *bodies, const oct_column_spec *spec);

/* A body's numbers as an element on a device: its own, `width` of them, and in the last lane that
 * of the column within, where `last` is not NULL. For columns of real numbers, and the user's. */
void oct_column_pack(void *element, const oct_column_spec *spec, oct_precision precision,
                     const double *own, const double *last);
/* The same back: of a column within another, from the other's element. */
void oct_column_unpack(double out[3], const void *element, const oct_column_spec *spec,
                       oct_precision precision);

/* One of the table; NULL where there is none. */
const oct_column_spec *oct_column_find(const char *name);
/* The one that is the last lane of a column; NULL where none is. */
const oct_column_spec *oct_column_within(const oct_column_spec *spec);
/* Looks at what a scene or a program declares: the name, the number of numbers, the default. */
oct_status oct_column_check(const char *name, const char *unit, size_t width, bool integer,
                            const double initial[3]);
/* Refuses a number that a column of the user's cannot hold. */
oct_status oct_column_check_number(const char *name, bool integer, double number);

/* Leaves no bodies but [first, first + count). */
void oct_bodies_keep(oct_bodies *bodies, size_t first, size_t count);
/* Copies rows of all columns but those with one of these flags; what `from` does not have begins
 * with its default. */
void oct_bodies_copy(oct_bodies *to, size_t first, const oct_bodies *from, size_t from_first,
                     size_t count, unsigned without);
/* Gives bodies exactly the user's columns that others have. */
oct_status oct_bodies_declare_as(oct_bodies *bodies, const oct_bodies *like);
/* Whether any of the bodies spins. */
bool oct_bodies_spin(const oct_bodies *bodies);

#endif
