/* Keeps the rows of the window, and averages each column as its kind wants. */
#include "run/average.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/status.h"

bool oct_average_applies(const oct_column *column)
{
    static const char *const moment[] = {"n",      "removed", "energy_error", "energy_error_max",
                                         "orbits", "years"};
    for (size_t i = 0; i < sizeof moment / sizeof moment[0]; i++)
        if (strcmp(column->name, moment[i]) == 0)
            return false;
    return true;
}

oct_status oct_average_start(oct_average *out, const oct_column *columns, const oct_clock *clock,
                             double window)
{
    *out = (oct_average){.columns = columns};
    OCT_CHECK(window >= 0 && isfinite(window), OCT_STATUS_INPUT,
              "the time to average over is %g; expected 0 or more", window);
    out->window = oct_clock_ticks(clock, window);
    for (const oct_column *column = columns; column->name; column++)
        out->n_values += column->count;
    return oct_alloc(&out->means, out->n_values, sizeof *out->means, "means");
}

void oct_average_clear(oct_average *average)
{
    free(average->ticks);
    free(average->rows);
    free(average->means);
    *average = (oct_average){0};
}

static void forget_old_rows(oct_average *average, int64_t tick)
{
    size_t width = average->n_values, old = 0;
    while (old < average->n_rows && average->ticks[old] <= tick - average->window)
        old++;
    if (old == 0)
        return;
    average->n_rows -= old;
    memmove(average->ticks, average->ticks + old, average->n_rows * sizeof *average->ticks);
    memmove(average->rows, average->rows + old * width,
            average->n_rows * width * sizeof *average->rows);
}

/* The mean of value k of the rows, or the root of the mean square. */
static double mean_of(const oct_average *average, size_t k, bool squares)
{
    double sum = 0, last = NAN;
    size_t n = 0, width = average->n_values;
    for (size_t i = 0; i < average->n_rows; i++) {
        double value = average->rows[i * width + k];
        if (isnan(value))
            continue;
        sum += squares ? value * value : value;
        last = value;
        n++;
    }
    if (n <= 1)
        return last;
    return squares ? sqrt(sum / (double)n) : sum / (double)n;
}

oct_status oct_average_add(oct_average *average, int64_t tick, const double *values)
{
    size_t width = average->n_values;
    forget_old_rows(average, tick);
    if (average->n_rows > 0 && average->ticks[average->n_rows - 1] == tick)
        average->n_rows--; /* it was measured again, with more columns */
    if (average->n_rows == average->room) {
        size_t room = 2 * average->room + 1;
        OCT_TRY(oct_realloc(&average->ticks, room, sizeof *average->ticks, "averages"));
        OCT_TRY(oct_realloc(&average->rows, room * width, sizeof *average->rows, "averages"));
        average->room = room;
    }
    average->ticks[average->n_rows] = tick;
    memcpy(average->rows + average->n_rows++ * width, values, width * sizeof *values);
    size_t k = 0;
    for (const oct_column *column = average->columns; column->name; column++) {
        bool applies = oct_average_applies(column);
        for (unsigned i = 0; i < column->count; i++, k++)
            average->means[k] = applies ? mean_of(average, k, column->squares) : values[k];
    }
    return OCT_STATUS_OK;
}
