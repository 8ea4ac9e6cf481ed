/* Arrays of a saved state: found, checked, and read as bodies. */
#include "core/state.h"
#include "core/softening.h"

#include "util/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const oct_state_array *oct_state_find(const oct_state *state, const char *name)
{
    for (size_t i = 0; i < state->n_arrays; i++)
        if (strcmp(state->arrays[i].name, name) == 0)
            return &state->arrays[i];
    return NULL;
}

static oct_status add_array(oct_state_array **out, oct_state *state, const char *name,
                            size_t element, size_t count)
{
    OCT_CHECK(state->n_arrays < OCT_STATE_ARRAYS, OCT_STATUS_INTERNAL,
              "a state has no room for array '%s'", name);
    *out = &state->arrays[state->n_arrays];
    snprintf((*out)->name, sizeof(*out)->name, "%s", name);
    (*out)->element = element;
    (*out)->count = count;
    OCT_TRY(oct_alloc(&(*out)->data, count, element, name));
    state->n_arrays++;
    return OCT_STATUS_OK;
}

oct_status oct_state_add(oct_state *state, const char *name, const void *data, size_t element,
                         size_t count)
{
    oct_state_array *array = NULL;
    OCT_TRY(add_array(&array, state, name, element, count));
    memcpy(array->data, data, count * element);
    return OCT_STATUS_OK;
}

uint64_t oct_state_bytes(const oct_state *state)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < state->n_arrays; i++)
        bytes += (uint64_t)state->arrays[i].element * state->arrays[i].count;
    return bytes;
}

void oct_state_clear(oct_state *state)
{
    for (size_t i = 0; i < state->n_arrays; i++)
        free(state->arrays[i].data);
    free(state->scene);
    *state = (oct_state){0};
}

static oct_status find_particles(const oct_state_array **out, const oct_state *state,
                                 const char *name, size_t element, size_t count)
{
    const oct_state_array *array = oct_state_find(state, name);
    OCT_CHECK(array, OCT_STATUS_INPUT, "the state has no array '%s'", name);
    OCT_CHECK(array->element == element && array->count == count, OCT_STATUS_INPUT,
              "array '%s' of the state is %zu x %zu bytes, not %zu x %zu", name, array->count,
              array->element, count, element);
    *out = array;
    return OCT_STATUS_OK;
}

oct_status oct_state_systems(const oct_state_array **out, const oct_state *state, size_t n)
{
    *out = NULL;
    if (!oct_state_find(state, "system"))
        return OCT_STATUS_OK;
    return find_particles(out, state, "system", sizeof(uint32_t), n);
}

/* Fills the host's array of a column, `bytes` a body, from those that are not removed. */
static oct_status take_column(char *out, size_t bytes, const oct_column_spec *spec,
                              const oct_state *state, const uint8_t *types, size_t count)
{
    const oct_column_spec *holder = spec->within ? oct_column_find(spec->within) : spec;
    const oct_state_array *array;
    if (holder->flags & OCT_COLUMN_WHERE_USED && !oct_state_find(state, holder->name))
        return OCT_STATUS_OK;
    size_t element = oct_column_element(holder, state->precision);
    OCT_TRY(find_particles(&array, state, holder->name, element, count));
    const char *rows = array->data;
    bool numbers = spec->type == OCT_COLUMN_REAL || spec->flags & OCT_COLUMN_USER;
    for (size_t i = 0; i < count; i++) {
        double wide[3];
        if (types[i] == OCT_TYPE_REMOVED)
            continue;
        if (numbers)
            oct_column_unpack(wide, rows + i * element, spec, state->precision);
        memcpy(out, numbers ? (const void *)wide : rows + i * element, bytes);
        out += bytes;
    }
    return OCT_STATUS_OK;
}

oct_status oct_state_bodies(oct_bodies *out, const oct_state *state)
{
    const oct_state_array *first = oct_state_find(state, "position"), *type;
    size_t count = first ? first->count : 0, n = 0;
    OCT_TRY(find_particles(&type, state, "type", sizeof(uint8_t), count));
    const uint8_t *types = type->data;
    for (size_t i = 0; i < count; i++)
        n += types[i] != OCT_TYPE_REMOVED;
    OCT_TRY(oct_bodies_resize(out, n));
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++)
        if (spec->host) {
            size_t bytes = oct_column_host_bytes(spec);
            memset(oct_column_host(out, spec), 0, n * bytes);
            OCT_TRY(take_column(oct_column_host(out, spec), bytes, spec, state, types, count));
        }
    for (size_t c = 0; c < out->n_columns; c++) {
        oct_user_column *column = &out->columns[c];
        char label[OCT_COLUMN_LABEL];
        oct_column_spec spec = oct_column_user(label, column);
        OCT_TRY(take_column((char *)column->data, column->width * sizeof(double), &spec, state,
                            types, count));
    }
    return OCT_STATUS_OK;
}

/* The array of a column; `own` are the host's numbers, NULL: it has none. */
static oct_status give_column(oct_state *state, const oct_column_spec *spec, const void *own,
                              const oct_bodies *bodies)
{
    const oct_column_spec *within = oct_column_within(spec);
    const double *numbers = own, *last = within ? oct_column_host(bodies, within) : NULL;
    oct_state_array *array;
    OCT_TRY(add_array(&array, state, spec->name, oct_column_element(spec, state->precision),
                      bodies->n));
    char *rows = array->data;
    if (own && spec->type != OCT_COLUMN_REAL && !(spec->flags & OCT_COLUMN_USER))
        memcpy(rows, own, bodies->n * array->element);
    else
        for (size_t i = 0; own && i < bodies->n; i++)
            oct_column_pack(rows + i * array->element, spec, state->precision,
                            numbers + i * spec->width, last ? last + i : NULL);
    return OCT_STATUS_OK;
}

oct_status oct_state_of_bodies(oct_state *state, const oct_bodies *bodies)
{
    oct_state_array *scales;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++) {
        bool used = !(spec->flags & OCT_COLUMN_WHERE_USED) ||
                    (spec->host == offsetof(oct_bodies, spin) && oct_bodies_spin(bodies)) ||
                    (spec->host == offsetof(oct_bodies, softening) && oct_bodies_soften(bodies));
        if (!spec->within && used && oct_column_kept(spec, state->precision))
            OCT_TRY(give_column(state, spec, spec->host ? oct_column_host(bodies, spec) : NULL,
                                bodies));
    }
    for (size_t c = 0; c < bodies->n_columns; c++) {
        char label[OCT_COLUMN_LABEL];
        const oct_column_spec spec = oct_column_user(label, &bodies->columns[c]);
        OCT_TRY(give_column(state, &spec, bodies->columns[c].data, bodies));
    }
    OCT_TRY(add_array(&scales, state, "scales", sizeof(double), 2));
    memcpy(scales->data, (double[]){1, 1}, 2 * sizeof(double));
    return OCT_STATUS_OK;
}

void oct_fold(double *x, double period)
{
    if (period > 0 && fabs(*x) > period / 2)
        *x -= period * rint(*x / period);
}

void oct_bodies_fold(oct_bodies *bodies, const double period[3])
{
    for (size_t i = 0; i < 3 * bodies->n; i++)
        oct_fold(&bodies->position[i], period[i % 3]);
}
