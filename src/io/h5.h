/* HDF5 with every call checked and named. Objects are addressed by their path in the file. */
#ifndef OCT_IO_H5_H
#define OCT_IO_H5_H

#include "util/status.h"

#include <hdf5.h>

/* An open file. The HDF5 library serves one of them at a time: while a file is open it is locked
 * for this thread, and its own printing of errors is off. */
typedef struct oct_h5 {
    hid_t file;
    const char *path; /* for messages: the name the user knows */
    bool writing;
    struct oct_h5_owner *owner; /* what the last attribute was given to; NULL in files to read */
    struct oct_h5_mold *mold;   /* NULL: the file is not kept */
    H5E_auto2_t print;
    void *print_data;
} oct_h5;

typedef oct_status (*oct_h5_work)(const oct_h5 *h5, void *context);

/* Writes a sealed file of this kind and run, or with a kind of NULL one without a seal; equal
 * contents give equal bytes. The file appears whole or not at all, and the one before is kept as
 * PATH.prev. */
oct_status oct_h5_save(const char *path, const char *kind, const char *run, oct_h5_work write,
                       void *context);
/* A small file that stays in memory once it was written. The next of the same groups, data sets and
 * attributes has its numbers put into the places of the old ones: to make the places takes HDF5
 * longer than all else. The bytes are those of a file that was made anew. */
typedef struct oct_h5_mold oct_h5_mold;
/* The same as oct_h5_save; *mold: NULL at first. */
oct_status oct_h5_save_again(oct_h5_mold **mold, const char *path, const char *kind,
                             const char *run, oct_h5_work write, void *context);
void oct_h5_mold_free(oct_h5_mold *mold);
/* Opens a file for reading while `read` is at work. It is read on trial in another process first,
 * so that `read` must have no effect beyond its context. */
oct_status oct_h5_load(const char *path, oct_h5_work read, void *context);

/* Writing. A group's parents must be there; attributes belong to a group or a data set. */
oct_status oct_h5_add_group(const oct_h5 *h5, const char *group);
oct_status oct_h5_add_data(const oct_h5 *h5, const char *object, hid_t type, const void *data,
                           size_t rows, size_t columns);
/* The same data set of other files, which are beside this one, one after the other. */
typedef struct oct_h5_piece {
    const char *file;
    size_t rows; /* 0: it has none */
} oct_h5_piece;
oct_status oct_h5_add_virtual(const oct_h5 *h5, const char *object, hid_t type,
                              const oct_h5_piece *pieces, size_t n, size_t columns);
oct_status oct_h5_add_numbers(const oct_h5 *h5, const char *object, const char *name, hid_t type,
                              const void *values, size_t count);
/* Numbers that are no arrays, and three reals that are one element of an array. */
oct_status oct_h5_add_scalar(const oct_h5 *h5, const char *object, const char *name, double value);
oct_status oct_h5_add_whole(const oct_h5 *h5, const char *object, const char *name, int32_t value);
oct_status oct_h5_add_triple(const oct_h5 *h5, const char *object, const char *name,
                             const double values[3]);
oct_status oct_h5_add_text(const oct_h5 *h5, const char *object, const char *name,
                           const char *value);

/* Reading. Sizes are checked against what the file really holds before anything is read. */
bool oct_h5_has(const oct_h5 *h5, const char *object);
/* The shape of a data set of plain numbers; columns is 1 for a list. */
oct_status oct_h5_shape(size_t *rows, size_t *columns, const oct_h5 *h5, const char *object);
/* Reads a data set that must have this shape. */
oct_status oct_h5_get_data(void *out, const oct_h5 *h5, const char *object, hid_t type, size_t rows,
                           size_t columns);
/* Reads some rows of one. */
typedef struct oct_h5_rows {
    size_t first, count;
} oct_h5_rows;
oct_status oct_h5_get_rows(void *out, const oct_h5 *h5, const char *object, hid_t type,
                           oct_h5_rows rows, size_t columns);
/* Reads at most `room` numbers; *count is how many there are, 0 without such an attribute. */
oct_status oct_h5_get_numbers(void *out, size_t *count, const oct_h5 *h5, const char *object,
                              const char *name, hid_t type, size_t room);
/* Reads a text of fixed length, cut to fit; "" without such an attribute. */
oct_status oct_h5_get_text(char *out, size_t bytes, const oct_h5 *h5, const char *object,
                           const char *name);

#endif
