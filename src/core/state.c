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

/* Number j of particle i in an array of real[4]. */
static double real_at(const oct_state_array *array, size_t i, size_t j)
{
    if (array->element == 4 * sizeof(float))
        return (double)((const float *)array->data)[4 * i + j];
    return ((const double *)array->data)[4 * i + j];
}

oct_status oct_state_bodies(oct_bodies *out, const oct_state *state)
{
    size_t real = state->precision == OCT_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
    const oct_state_array *position, *velocity, *acceleration, *id, *type, *system, *spin = NULL;
    const oct_state_array *first = oct_state_find(state, "position");
    size_t count = first ? first->count : 0, n = 0;
    OCT_TRY(find_particles(&position, state, "position", 4 * real, count));
    OCT_TRY(find_particles(&velocity, state, "velocity", 4 * real, count));
    OCT_TRY(find_particles(&acceleration, state, "acceleration", 4 * real, count));
    OCT_TRY(find_particles(&id, state, "id", sizeof(uint64_t), count));
    OCT_TRY(find_particles(&type, state, "type", sizeof(uint8_t), count));
    OCT_TRY(oct_state_systems(&system, state, count));
    if (oct_state_find(state, "spin"))
        OCT_TRY(find_particles(&spin, state, "spin", 4 * real, count));
    const uint8_t *types = type->data;
    const uint64_t *ids = id->data;
    for (size_t i = 0; i < count; i++)
        n += types[i] != OCT_TYPE_REMOVED;
    OCT_TRY(oct_bodies_resize(out, n));
    for (size_t i = 0, k = 0; i < count; i++) {
        if (types[i] == OCT_TYPE_REMOVED)
            continue;
        for (size_t j = 0; j < 3; j++) {
            out->position[3 * k + j] = real_at(position, i, j);
            out->velocity[3 * k + j] = real_at(velocity, i, j);
            out->acceleration[3 * k + j] = real_at(acceleration, i, j);
            out->spin[3 * k + j] = spin ? real_at(spin, i, j) : 0;
        }
        out->mass[k] = real_at(position, i, 3);
        out->radius[k] = real_at(velocity, i, 3);
        out->potential[k] = real_at(acceleration, i, 3);
        out->id[k] = ids[i];
        out->type[k] = types[i];
        out->system[k] = system ? ((const uint32_t *)system->data)[i] : 0;
        k++;
    }
    return OCT_STATUS_OK;
}

void oct_bodies_fold(oct_bodies *bodies, const double period[3])
{
    for (size_t i = 0; i < 3 * bodies->n; i++) {
        double *x = &bodies->position[i], size = period[i % 3];
        if (size > 0 && fabs(*x) > size / 2)
            *x -= size * rint(*x / size);
    }
}
