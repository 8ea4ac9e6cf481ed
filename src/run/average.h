/* Means of measurements over the trailing window of a run. */
#ifndef OCT_RUN_AVERAGE_H
#define OCT_RUN_AVERAGE_H

#include "core/clock.h"

typedef struct oct_average {
    const oct_column *columns; /* the caller's */
    int64_t window;            /* in ticks */
    size_t n_values, n_rows, room;
    int64_t *ticks; /* of the rows in the window, oldest first */
    double *rows;   /* their values */
    double *means;  /* of the values, as of the last row */
} oct_average;

/* The window is a time; 0: the means are those of the last row alone. */
oct_status oct_average_start(oct_average *out, const oct_column *columns, const oct_clock *clock,
                             double window);
/* Adds a row, forgets those that are not in (tick - window, tick] and takes the means. A value
 * that is not a number is left out of its mean. */
oct_status oct_average_add(oct_average *average, int64_t tick, const double *values);
/* Whether a column is averaged at all: what counts, or compares with the start, is not. */
bool oct_average_applies(const oct_column *column);
void oct_average_clear(oct_average *average);

#endif
