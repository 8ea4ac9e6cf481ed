/* A box that repeats itself in all directions. */
#include <stdlib.h>

#include "core/sim.h"

typedef struct periodic {
    double size[3];
    int64_t ghosts[3];

    oct_program *program;
    oct_kernel *wrap;
} periodic;

static const oct_field fields[] = {
    {.name = "size",
     .type = OCT_FIELD_REAL3,
     .offset = offsetof(periodic, size),
     .unit = {1, 0, 0},
     .min = 0,
     .above_min = true,
     .max = 1e300,
     .doc = "sides of the box, which is centred on the origin"},
    {.name = "ghosts",
     .type = OCT_FIELD_INT3,
     .offset = offsetof(periodic, ghosts),
     .initial = "[0, 0, 0]",
     .min = 0,
     .max = 16,
     .doc = "rings of images that act on a particle in each direction; all 0: only the nearest "
            "image of each particle acts"},
    {0},
};

static bool nearest(const periodic *self)
{
    return self->ghosts[0] == 0 && self->ghosts[1] == 0 && self->ghosts[2] == 0;
}

static const char *periodic_header(const void *state)
{
    return nearest(state) ? "boundary_periodic.clh" : "boundary_open.clh";
}

static oct_status periodic_init(void *state, oct_sim *sim)
{
    periodic *self = state;
    OCT_TRY(oct_sim_build(&self->program, sim, "boundary_periodic.cl", NULL));
    return oct_kernel_create(&self->wrap, self->program, "boundary_periodic_wrap");
}

static oct_status periodic_apply(void *state, oct_sim *sim)
{
    periodic *self = state;
    return OCT_LAUNCH(self->wrap, sim->n, 0, OCT_OUT(sim->position), OCT_REAL(self->size[0]),
                      OCT_REAL(self->size[1]), OCT_REAL(self->size[2]), OCT_UINT(sim->n));
}

static bool periodic_size(double out[3], const void *state)
{
    const periodic *self = state;
    for (int k = 0; k < 3; k++)
        out[k] = self->size[k];
    return true;
}

static uint32_t periodic_image_count(const void *state)
{
    const periodic *self = state;
    return (uint32_t)((2 * self->ghosts[0] + 1) * (2 * self->ghosts[1] + 1) *
                      (2 * self->ghosts[2] + 1));
}

/* 0, 1, -1, 2, -2, ...: the box itself comes first, and images come in opposite pairs. */
static double image_step(uint32_t index)
{
    double step = (index + 1) / 2;
    return index % 2 ? step : -step;
}

static oct_image periodic_image(const void *state, uint32_t index, double time)
{
    const periodic *self = state;
    oct_image image;
    (void)time;
    for (int k = 0; k < 3; k++) {
        uint32_t n = (uint32_t)(2 * self->ghosts[k] + 1);
        image.shift[k] = image_step(index % n) * self->size[k];
        index /= n;
    }
    return image;
}

static void periodic_free(void *state)
{
    periodic *self = state;
    oct_kernel_free(self->wrap);
    oct_program_free(self->program);
}

const oct_boundary oct_boundary_periodic = {
    .version = OCT_MODULE_VERSION,
    .name = "periodic",
    .doc = "A box that repeats itself in all directions.",
    .state_size = sizeof(periodic),
    .fields = fields,
    .header = periodic_header,
    .init = periodic_init,
    .apply = periodic_apply,
    .size = periodic_size,
    .image_count = periodic_image_count,
    .image = periodic_image,
    .free = periodic_free,
};
