/* Tables of numbers in CSV files, read back. */
#ifndef OCT_RUN_TABLE_H
#define OCT_RUN_TABLE_H

#include "util/status.h"

typedef struct oct_table {
    char *header; /* the first line, without its end */
    size_t n_columns, n_rows;
    double *values; /* row after row; NaN where the file has no number */
} oct_table;

/* Reads a header and the rows below it; a row with fewer or more columns is refused by its line.
 * OCT_STATUS_MISSING where there is no such file. */
oct_status oct_table_read(oct_table *out, const char *path);
void oct_table_clear(oct_table *table);

#endif
