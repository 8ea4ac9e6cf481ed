/* Tables as HDF5 files: a data set for each column, with its unit. */
#ifndef OCT_IO_TABLE_H5_H
#define OCT_IO_TABLE_H5_H

#include "util/status.h"

/* Text where there is some, else numbers. */
typedef struct oct_table_column {
    const char *name, *unit; /* "": none */
    const double *numbers;
    const char *const *texts;
} oct_table_column;

/* Replaces the file, whole or not at all. */
oct_status oct_table_save(const char *path, const oct_table_column *columns, size_t n, size_t rows);

#endif
