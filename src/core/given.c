/* Bodies that models make or a program brings are checked here, and completed. */
#include "core/given.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/column.h"
#include "core/softening.h"
#include "core/system_table.h"
#include "util/parallel.h"
#include "util/status.h"

/* Numbers of body i in a column of the table; in messages it has the number that its model gave. */
static oct_status check_reals(const oct_column_spec *spec, const oct_bodies *bodies, size_t i,
                              unsigned long long number)
{
    if (spec->type != OCT_COLUMN_REAL || !(spec->flags & OCT_COLUMN_FROM_OUTSIDE))
        return OCT_STATUS_OK;
    const double *values = (const double *)oct_column_host(bodies, spec) + i * spec->width;
    bool positive = spec->flags & OCT_COLUMN_NOT_NEGATIVE;
    for (size_t k = 0; k < spec->width; k++)
        OCT_CHECK(isfinite(values[k]) && (!positive || values[k] >= 0), OCT_STATUS_INPUT,
                  "body %llu has %s %g; expected %s", number, spec->name, values[k],
                  positive ? "a finite number not below 0" : "finite numbers");
    return OCT_STATUS_OK;
}

static oct_status check_user_numbers(const oct_user_column *column, size_t i,
                                     unsigned long long number)
{
    for (size_t k = 0; k < column->width; k++) {
        oct_status status = oct_column_check_number(column->name, column->integer,
                                                    column->data[i * column->width + k]);
        if (status != OCT_STATUS_OK)
            return oct_fail_within(status, "body %llu", number);
    }
    return OCT_STATUS_OK;
}

typedef struct checked {
    const oct_bodies *bodies;
    size_t first;
} checked;

static oct_status check(void *context, size_t first, size_t end)
{
    const checked *made = context;
    const oct_bodies *b = made->bodies;
    for (size_t i = made->first + first; i < made->first + end; i++) {
        unsigned long long number = i - made->first + 1;
        for (const oct_column_spec *spec = oct_columns; spec->name; spec++)
            OCT_TRY(check_reals(spec, b, i, number));
        for (size_t c = 0; c < b->n_columns; c++)
            OCT_TRY(check_user_numbers(&b->columns[c], i, number));
    }
    return OCT_STATUS_OK;
}

oct_status oct_given_check(const oct_bodies *bodies, size_t first, size_t count)
{
    return oct_parallel(count, check, &(checked){bodies, first});
}

static int compare_ids(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

oct_status oct_given_check_ids(uint64_t *ids, size_t n, const char *where)
{
    size_t sorted = 1;
    while (sorted < n && ids[sorted - 1] <= ids[sorted])
        sorted++;
    if (sorted < n)
        qsort(ids, n, sizeof *ids, compare_ids);
    for (size_t i = 1; i < n; i++)
        OCT_CHECK(ids[i] != ids[i - 1], OCT_STATUS_INPUT,
                  "%s: two bodies have the id %llu; expected each id once in a scene", where,
                  (unsigned long long)ids[i]);
    return OCT_STATUS_OK;
}

/* Bodies that nobody has numbered are numbered here. */
static oct_status complete_ids(oct_bodies *bodies)
{
    size_t i = 0;
    uint64_t *ids;
    while (i < bodies->n && bodies->id[i] == 0)
        i++;
    for (size_t k = 0; i == bodies->n && k < i; k++)
        bodies->id[k] = k + 1;
    OCT_TRY(oct_alloc(&ids, bodies->n, sizeof *ids, "ids"));
    memcpy(ids, bodies->id, bodies->n * sizeof *ids);
    oct_status status = oct_given_check_ids(ids, bodies->n, "the bodies given");
    free(ids);
    return status;
}

static oct_status complete_types(oct_bodies *bodies)
{
    for (size_t i = 0; i < bodies->n; i++) {
        unsigned type = bodies->type[i] & OCT_TYPE_MASK, more = bodies->type[i] - type;
        OCT_CHECK(type <= OCT_TYPE_BLACK_HOLE && (more == 0 || more == OCT_TYPE_HELD),
                  OCT_STATUS_INPUT,
                  "body %llu has type %u; expected 1 to %d, and %d more where it is held",
                  (unsigned long long)i + 1, bodies->type[i], OCT_TYPE_BLACK_HOLE, OCT_TYPE_HELD);
        if (type == 0)
            bodies->type[i] = (uint8_t)(OCT_TYPE_BODY | more);
    }
    return OCT_STATUS_OK;
}

/* Columns of the user's that bodies bring are those that the scene declares. */
static oct_status check_columns(oct_bodies *out, const oct_bodies *given)
{
    for (size_t c = 0; c < given->n_columns; c++) {
        const oct_user_column *column = &given->columns[c];
        OCT_CHECK(oct_bodies_column(out, column->name), OCT_STATUS_INPUT,
                  "the bodies given have a column '%s', which the scene does not declare",
                  column->name);
        OCT_TRY(oct_bodies_add_column(out, column->name, column->unit, column->width,
                                      column->integer, NULL));
    }
    return OCT_STATUS_OK;
}

static oct_status fill(oct_bodies *out, const oct_setup *setup, const oct_bodies *given)
{
    uint32_t n_systems = 0;
    OCT_TRY(oct_setup_add_columns(out, setup));
    OCT_TRY(check_columns(out, given));
    OCT_TRY(oct_bodies_resize(out, given->n));
    oct_bodies_copy(out, 0, given, 0, given->n, OCT_COLUMN_DERIVED);
    OCT_TRY(oct_given_check(out, 0, given->n));
    OCT_TRY(complete_types(out));
    oct_setup_soften(out, 0, given->n, 0, setup);
    return oct_system_table_renumber(&n_systems, out->system, given->n);
}

oct_status oct_setup_copy(oct_bodies *out, const oct_setup *setup, const oct_bodies *given)
{
    OCT_CHECK(given->n > 0 && given->n < INT32_MAX, OCT_STATUS_INPUT,
              "%zu bodies were given; expected 1 to %ld", given->n, (long)INT32_MAX - 1);
    OCT_CHECK(given->position, OCT_STATUS_INPUT, "the bodies given have no positions");
    *out = (oct_bodies){0};
    oct_status status = fill(out, setup, given);
    if (status != OCT_STATUS_OK)
        oct_bodies_clear(out);
    return status;
}

oct_status oct_setup_adopt(oct_bodies *out, const oct_setup *setup, const oct_bodies *given)
{
    OCT_TRY(oct_setup_copy(out, setup, given));
    oct_status status = complete_ids(out);
    if (status != OCT_STATUS_OK)
        oct_bodies_clear(out);
    return status;
}
