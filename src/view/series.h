/* The measurements of a run so far, for charts. */
#ifndef OCT_VIEW_SERIES_H
#define OCT_VIEW_SERIES_H

#include "util/text.h"

enum { OCT_SERIES_ROWS = 4096, OCT_SERIES_GIVEN = 500 };

typedef struct oct_series {
    uint64_t epoch; /* another one when rows or columns are no longer those from before */
    char *columns;  /* a JSON list of them, "step" and "time" first */
    size_t width, n;
    double *rows;
} oct_series;

/* Forgets all rows; takes the columns over. */
void oct_series_start(oct_series *series, char *columns, size_t width);
/* Adds a row; where there are too many, every second one is forgotten. */
oct_status oct_series_add(oct_series *series, const double *row);
void oct_series_clear(oct_series *series);

/* Rows as a client asks for them: from number `from` on if the epoch is still that one, else from
 * the first. The copy is the caller's, so that it can be written out without holding a lock. */
oct_status oct_series_copy(oct_series *out, size_t *first, const oct_series *series, uint64_t epoch,
                           uint64_t from);
void oct_series_write(oct_text *out, const oct_series *copy, size_t first);

#endif
