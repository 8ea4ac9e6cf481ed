#include "core/state.h"
#include "util/status.h"

#include <stdlib.h>
#include <string.h>

/* The arrays of oct_bodies: where they are and how many bytes a body takes in each. */
static const struct {
    size_t offset, size;
} columns[] = {
    {offsetof(oct_bodies, position), 3 * sizeof(double)},
    {offsetof(oct_bodies, velocity), 3 * sizeof(double)},
    {offsetof(oct_bodies, mass), sizeof(double)},
    {offsetof(oct_bodies, radius), sizeof(double)},
    {offsetof(oct_bodies, acceleration), 3 * sizeof(double)},
    {offsetof(oct_bodies, potential), sizeof(double)},
    {offsetof(oct_bodies, id), sizeof(uint64_t)},
    {offsetof(oct_bodies, type), sizeof(uint8_t)},
    {offsetof(oct_bodies, system), sizeof(uint32_t)},
    {offsetof(oct_bodies, spin), 3 * sizeof(double)},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static oct_status resize_columns(oct_bodies *bodies, size_t n)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        char *field = (char *)bodies + columns[c].offset, *array;
        memcpy(&array, field, sizeof array);
        if (!array) {
            OCT_TRY(oct_alloc(field, n, columns[c].size, "bodies"));
            continue;
        }
        /* An array that cannot be made smaller holds fewer bodies as well. */
        oct_status status = oct_realloc(field, n, columns[c].size, "bodies");
        if (n > bodies->n)
            OCT_TRY(status);
        memcpy(&array, field, sizeof array);
        if (n > bodies->n)
            memset(array + bodies->n * columns[c].size, 0, (n - bodies->n) * columns[c].size);
    }
    bodies->n = n;
    return OCT_STATUS_OK;
}

oct_status oct_bodies_resize(oct_bodies *bodies, size_t n)
{
    oct_status status = resize_columns(bodies, n);
    /* Who had none before has nothing to clear. */
    if (status != OCT_STATUS_OK && bodies->n == 0)
        oct_bodies_clear(bodies);
    return status;
}

void oct_bodies_clear(oct_bodies *bodies)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        void *array;
        memcpy(&array, (char *)bodies + columns[c].offset, sizeof array);
        free(array);
    }
    *bodies = (oct_bodies){0};
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
