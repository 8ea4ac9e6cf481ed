/* Catalogues of groups: which columns they have, whatever the file. */
#ifndef OCT_IO_CATALOGUE_H
#define OCT_IO_CATALOGUE_H

#include "core/field.h"

typedef struct oct_catalogue_column {
    const char *name, *data_set; /* in tables, and in HDF5 files */
    bool whole;                  /* a uint64_t; else doubles */
    unsigned width;              /* 1, or 3 for a vector */
    size_t offset;               /* in an oct_group */
    oct_dimension unit;
    const char *doc;
} oct_catalogue_column;

/* Ends with one without name. */
extern const oct_catalogue_column oct_catalogue_columns[];

/* The HDF5 file. */
oct_status oct_catalogue_save(const oct_groups *groups, const oct_file_info *info,
                              const char *path);

#endif
