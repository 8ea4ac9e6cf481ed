#include "core/state.h"

#include "util/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const oct_state_array *oct_state_find(const oct_state *state, const char *name)
{
    for (size_t i = 0; i < state->n_arrays; i++)
        if (strcmp(state->arrays[i].name, name) == 0)
            return &state->arrays[i];
    return NULL;
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

/* A column of the state on its way to bodies, or back. */
typedef struct crossing {
    const oct_column_spec *spec;
    char *there; /* the array of the state */
    size_t element, lane;
    char *here; /* the array of the bodies */
    size_t bytes;
    bool wide; /* the bodies have doubles, whatever the column is */
} crossing;

/* The array that holds a column; NULL where the state has none. */
static oct_status find_column(const oct_state_array **out, const oct_column_spec **holder,
                              const oct_state *state, const oct_column_spec *spec, size_t count)
{
    *holder = spec->within ? oct_column_find(spec->within) : spec;
    *out = NULL;
    if (((*holder)->flags & OCT_COLUMN_WHERE_USED) && !oct_state_find(state, (*holder)->name))
        return OCT_STATUS_OK;
    return find_particles(out, state, (*holder)->name,
                          oct_column_element(*holder, state->precision), count);
}

static double real_at(const crossing *c, size_t i, size_t k, bool single)
{
    const char *number = c->there + i * c->element;
    if (single)
        return (double)((const float *)(const void *)number)[c->lane + k];
    return ((const double *)(const void *)number)[c->lane + k];
}

/* The numbers of one particle. */
static void take_numbers(const crossing *c, size_t to, size_t from, bool single)
{
    char *here = c->here + to * c->bytes;
    for (size_t k = 0; k < c->spec->width; k++) {
        if (c->spec->type == OCT_COLUMN_REAL)
            ((double *)(void *)here)[k] = real_at(c, from, k, single);
        else if (c->wide)
            ((double *)(void *)here)[k] =
                (double)((const int64_t *)(const void *)(c->there + from * c->element))[k];
        else
            memcpy(here, c->there + from * c->element, c->bytes);
    }
}

static oct_status take_column(const oct_column_spec *spec, char *here, size_t bytes,
                              const oct_state *state, const uint8_t *types, size_t count)
{
    const oct_state_array *array;
    const oct_column_spec *holder;
    OCT_TRY(find_column(&array, &holder, state, spec, count));
    if (!array)
        return OCT_STATUS_OK;
    const crossing c = {.spec = spec,
                        .there = array->data,
                        .element = array->element,
                        .lane = spec->within ? holder->lanes - 1 : 0,
                        .here = here,
                        .bytes = bytes,
                        .wide = spec->flags & OCT_COLUMN_USER};
    for (size_t i = 0, k = 0; i < count; i++)
        if (types[i] != OCT_TYPE_REMOVED)
            take_numbers(&c, k++, i, state->precision == OCT_PRECISION_SINGLE);
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
            OCT_TRY(take_column(spec, oct_column_host(out, spec), bytes, state, types, count));
        }
    for (size_t c = 0; c < out->n_columns; c++) {
        oct_user_column *column = &out->columns[c];
        char label[OCT_COLUMN_LABEL];
        oct_column_spec spec = oct_column_user(label, column);
        OCT_TRY(take_column(&spec, (char *)column->data, column->width * sizeof(double), state,
                            types, count));
    }
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
