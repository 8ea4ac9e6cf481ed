/* Bodies on the host: an array for each column of the table, and for each of the user's. */
#include "core/column.h"
#include "util/status.h"

#include <stdlib.h>
#include <string.h>

/* An array of bodies: where its pointer is, and how many bytes a body takes. */
typedef struct array_at {
    char *field;
    size_t bytes;
} array_at;

enum { MOST_ARRAYS = 16 + OCT_USER_COLUMNS };

static size_t arrays_of(array_at out[MOST_ARRAYS], oct_bodies *bodies)
{
    size_t n = 0;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++)
        if (spec->host)
            out[n++] = (array_at){(char *)bodies + spec->host, oct_column_host_bytes(spec)};
    for (size_t c = 0; c < bodies->n_columns; c++)
        out[n++] =
            (array_at){(char *)&bodies->columns[c].data, bodies->columns[c].width * sizeof(double)};
    return n;
}

/* Sets bodies [first, end) to a column's default. */
static void fill_default(oct_user_column *column, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        memcpy(column->data + i * column->width, column->initial, column->width * sizeof(double));
}

static oct_status resize_arrays(oct_bodies *bodies, size_t n)
{
    array_at arrays[MOST_ARRAYS];
    size_t n_arrays = arrays_of(arrays, bodies), before = bodies->n;
    for (size_t a = 0; a < n_arrays; a++) {
        char *array;
        memcpy(&array, arrays[a].field, sizeof array);
        if (!array) {
            OCT_TRY(oct_alloc(arrays[a].field, n, arrays[a].bytes, "bodies"));
            continue;
        }
        /* An array that cannot be made smaller holds fewer bodies as well. */
        oct_status status = oct_realloc(arrays[a].field, n, arrays[a].bytes, "bodies");
        if (n > before)
            OCT_TRY(status);
        memcpy(&array, arrays[a].field, sizeof array);
        if (n > before)
            memset(array + before * arrays[a].bytes, 0, (n - before) * arrays[a].bytes);
    }
    for (size_t c = 0; c < bodies->n_columns; c++)
        fill_default(&bodies->columns[c], before, n);
    bodies->n = n;
    return OCT_STATUS_OK;
}

oct_status oct_bodies_resize(oct_bodies *bodies, size_t n)
{
    oct_status status = resize_arrays(bodies, n);
    /* Who had none before has nothing to clear. */
    if (status != OCT_STATUS_OK && bodies->n == 0)
        oct_bodies_clear(bodies);
    return status;
}

void oct_bodies_keep(oct_bodies *bodies, size_t first, size_t count)
{
    array_at arrays[MOST_ARRAYS];
    size_t n_arrays = arrays_of(arrays, bodies);
    for (size_t a = 0; a < n_arrays; a++) {
        char *array;
        memcpy(&array, arrays[a].field, sizeof array);
        if (array)
            memmove(array, array + first * arrays[a].bytes, count * arrays[a].bytes);
    }
    bodies->n = count;
}

void oct_bodies_clear(oct_bodies *bodies)
{
    array_at arrays[MOST_ARRAYS];
    size_t n_arrays = arrays_of(arrays, bodies);
    for (size_t a = 0; a < n_arrays; a++) {
        void *array;
        memcpy(&array, arrays[a].field, sizeof array);
        free(array);
    }
    free(bodies->columns);
    *bodies = (oct_bodies){0};
}

oct_user_column *oct_bodies_column(const oct_bodies *bodies, const char *name)
{
    for (size_t c = 0; c < bodies->n_columns; c++)
        if (strcmp(bodies->columns[c].name, name) == 0)
            return &bodies->columns[c];
    return NULL;
}

/* A unit that one side does not say agrees with any. */
static oct_status check_same(const oct_user_column *column, const char *unit, size_t width)
{
    OCT_CHECK(column->width == width, OCT_STATUS_INPUT,
              "column '%s' has %zu numbers a body here and %zu there; expected the same",
              column->name, column->width, width);
    OCT_CHECK(!*unit || !*column->unit || strcmp(column->unit, unit) == 0, OCT_STATUS_INPUT,
              "column '%s' is in '%s' here and in '%s' there; expected the same", column->name,
              column->unit, unit);
    return OCT_STATUS_OK;
}

oct_status oct_bodies_add_column(oct_bodies *bodies, const char *name, const char *unit,
                                 size_t width, bool integer, const double *initial)
{
    const double zeros[3] = {0};
    OCT_TRY(oct_column_check(name, unit, width, integer, initial ? initial : zeros));
    oct_user_column *there = oct_bodies_column(bodies, name), column = {0};
    if (there) {
        OCT_TRY(check_same(there, unit, width));
        if (!*there->unit)
            strcpy(there->unit, unit);
        return OCT_STATUS_OK;
    }
    OCT_CHECK(bodies->n_columns < OCT_USER_COLUMNS, OCT_STATUS_INPUT,
              "there is no room for column '%s': bodies have %d of the user's already", name,
              OCT_USER_COLUMNS);
    strcpy(column.name, name);
    strcpy(column.unit, unit);
    column.width = width;
    column.integer = integer;
    if (initial)
        memcpy(column.initial, initial, width * sizeof *initial);
    OCT_TRY(
        oct_realloc(&bodies->columns, bodies->n_columns + 1, sizeof *bodies->columns, "columns"));
    OCT_TRY(oct_alloc(&column.data, bodies->n, width * sizeof(double), "a column"));
    fill_default(&column, 0, bodies->n);
    bodies->columns[bodies->n_columns++] = column;
    return OCT_STATUS_OK;
}

oct_status oct_bodies_declare_as(oct_bodies *bodies, const oct_bodies *like)
{
    bool same = bodies->n_columns == like->n_columns;
    for (size_t c = 0; same && c < like->n_columns; c++) {
        const oct_user_column *a = &bodies->columns[c], *b = &like->columns[c];
        same = strcmp(a->name, b->name) == 0 && strcmp(a->unit, b->unit) == 0 &&
               a->width == b->width && a->integer == b->integer;
    }
    if (same)
        return OCT_STATUS_OK;
    while (bodies->n_columns > 0)
        free(bodies->columns[--bodies->n_columns].data);
    for (size_t c = 0; c < like->n_columns; c++) {
        const oct_user_column *column = &like->columns[c];
        OCT_TRY(oct_bodies_add_column(bodies, column->name, column->unit, column->width,
                                      column->integer, column->initial));
    }
    return OCT_STATUS_OK;
}

void oct_bodies_copy(oct_bodies *to, size_t first, const oct_bodies *from, size_t from_first,
                     size_t count, unsigned without)
{
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++) {
        size_t bytes = oct_column_host_bytes(spec);
        if (!spec->host || spec->flags & without)
            continue;
        char *target = (char *)oct_column_host(to, spec) + first * bytes;
        const char *source = oct_column_host(from, spec);
        if (source)
            memcpy(target, source + from_first * bytes, count * bytes);
        else
            memset(target, 0, count * bytes);
    }
    for (size_t c = 0; c < to->n_columns; c++) {
        oct_user_column *column = &to->columns[c];
        const oct_user_column *source = oct_bodies_column(from, column->name);
        if (source)
            memcpy(column->data + first * column->width, source->data + from_first * column->width,
                   count * column->width * sizeof(double));
        else
            fill_default(column, first, first + count);
    }
}

bool oct_bodies_find(size_t *index, const oct_bodies *bodies, uint64_t id)
{
    for (size_t i = 0; i < bodies->n; i++)
        if (bodies->id[i] == id) {
            *index = i;
            return true;
        }
    return false;
}

bool oct_bodies_spin(const oct_bodies *bodies)
{
    for (size_t i = 0; i < 3 * bodies->n; i++)
        if (bodies->spin[i] != 0)
            return true;
    return false;
}
