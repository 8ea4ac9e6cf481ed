/* Tables of numbers in CSV files, read back. */
#ifndef OCT_RUN_TABLE_H
#define OCT_RUN_TABLE_H

#include "util/text.h"

/* The lines that a table begins with: names, "# units: " with a unit for each, 1 where there is
 * none, and in a table of a run "# run: " with its name. Start from {0}. */
typedef struct oct_heading {
    oct_text names, units;
    const char *run; /* NULL: none */
} oct_heading;

void oct_heading_add(oct_heading *heading, const oct_column *column, const char *suffix,
                     const oct_units *units);
/* The lines, to be freed; the heading is cleared. */
oct_status oct_heading_take(char **out, oct_heading *heading);

typedef struct oct_table {
    char *names; /* with commas between them */
    char *units; /* NULL where the file says none */
    size_t n_columns, n_rows;
    double *values; /* row after row; NaN where the file has no number */
} oct_table;

/* Reads a heading and the rows below it; a row with fewer or more columns is refused by its line.
 * OCT_STATUS_MISSING where there is no such file. */
oct_status oct_table_read(oct_table *out, const char *path);
void oct_table_clear(oct_table *table);

#endif
