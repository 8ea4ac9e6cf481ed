/* Rows of measurements in memory, copied under the lock and written as JSON. */
#include "view/series.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void oct_series_clear(oct_series *series)
{
    free(series->columns);
    free(series->rows);
    *series = (oct_series){.epoch = series->epoch};
}

void oct_series_start(oct_series *series, char *columns, size_t width)
{
    oct_series_clear(series);
    series->epoch++;
    series->columns = columns;
    series->width = width;
}

oct_status oct_series_add(oct_series *series, const double *row)
{
    size_t bytes = series->width * sizeof *row;
    if (!series->rows)
        OCT_TRY(oct_alloc(&series->rows, OCT_SERIES_ROWS, bytes, "rows"));
    if (series->n == OCT_SERIES_ROWS) {
        series->n /= 2;
        series->epoch++;
        for (size_t i = 1; i < series->n; i++)
            memcpy(series->rows + i * series->width, series->rows + 2 * i * series->width, bytes);
    }
    memcpy(series->rows + series->n++ * series->width, row, bytes);
    return OCT_STATUS_OK;
}

oct_status oct_series_copy(oct_series *out, size_t *first, const oct_series *series, uint64_t epoch,
                           uint64_t from)
{
    uint64_t known = epoch == series->epoch ? from : 0;
    *first = known < series->n ? (size_t)known : series->n;
    size_t left = series->n - *first, n = left < OCT_SERIES_GIVEN ? left : OCT_SERIES_GIVEN;
    *out = (oct_series){.epoch = series->epoch, .width = series->width, .n = n};
    OCT_TRY(oct_text_copy(&out->columns, series->columns ? series->columns : "[]"));
    oct_status status = oct_alloc(&out->rows, n, series->width * sizeof *out->rows, "rows");
    if (status != OCT_STATUS_OK)
        oct_series_clear(out);
    else if (n > 0)
        memcpy(out->rows, series->rows + *first * series->width,
               n * series->width * sizeof *out->rows);
    return status;
}

void oct_series_write(oct_text *out, const oct_series *copy, size_t first)
{
    oct_text_add(out, "{\"epoch\": %" PRIu64 ", \"first\": %zu, \"next\": %zu, \"columns\": %s",
                 copy->epoch, first, first + copy->n, copy->columns);
    oct_text_add(out, ", \"rows\": [");
    for (size_t i = 0; i < copy->n; i++) {
        for (size_t k = 0; k < copy->width; k++) {
            oct_text_add(out, k ? ", " : i ? ",\n[" : "\n[");
            oct_text_add_number(out, copy->rows[i * copy->width + k]);
        }
        oct_text_add(out, "]");
    }
    oct_text_add(out, "]}\n");
}
