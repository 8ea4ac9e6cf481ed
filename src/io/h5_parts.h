/* What the files around HDF5 share. */
#ifndef OCT_IO_H5_PARTS_H
#define OCT_IO_H5_PARTS_H

#include "io/h5.h"

/* What the last attribute was given to. */
struct oct_h5_owner {
    hid_t id;         /* negative: none is open */
    char object[128]; /* its path in the file; "" where it is longer */
};

/* A group, a data set or an attribute of a file that is kept. */
typedef struct oct_h5_part {
    size_t object, name;  /* bytes of the names in `text`, with their ends; no name: no attribute */
    size_t rows, columns; /* of a data set; 0 columns: it is none */
    size_t bytes;         /* of an attribute's value */
    hid_t type;           /* of a data set */
    hid_t id;             /* an attribute, or a data set once it was opened again */
    char text[];          /* both names, and the value */
} oct_h5_part;

struct oct_h5_mold {
    hid_t file;
    oct_h5_part **parts;
    size_t n, at; /* there are, and the next to be filled */
    bool filling; /* not made for the first time */
    bool differs; /* what was to be filled in was another part than the one that is there */
};

/* The sentence of a failed call: what, where, and the innermost reason that HDF5 has recorded. */
oct_status oct_h5_fail(const oct_h5 *h5, const char *call, const char *object);

/* Checks a call by its result, which HDF5 makes negative when it fails. */
#define H5_DONE(result, object, function, ...)                                                     \
    do {                                                                                           \
        if (((result) = function(__VA_ARGS__)) < 0) {                                              \
            status = oct_h5_fail(h5, #function, (object));                                         \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

static inline void close_if_open(hid_t id, herr_t (*closer)(hid_t))
{
    if (id >= 0)
        closer(id);
}

/* Meets the next part of a file that is kept: *filled where it was there and has its new value.
 * Otherwise it is to be made. */
oct_status oct_h5_meet_group(bool *filled, const oct_h5 *h5, const char *group);
oct_status oct_h5_meet_data(bool *filled, const oct_h5 *h5, const char *object, hid_t type,
                            const void *data, size_t rows, size_t columns);
oct_status oct_h5_meet_attribute(bool *filled, const oct_h5 *h5, const char *object,
                                 const char *name, const void *value, size_t bytes);
/* An attribute that was made stays open in a file that is kept, and is closed in others. */
void oct_h5_keep_attribute(const oct_h5 *h5, hid_t attribute);

#endif
