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

static bool periodic_nearest(const void *state)
{
    const periodic *self = state;
    return self->ghosts[0] == 0 && self->ghosts[1] == 0 && self->ghosts[2] == 0;
}

static const char *periodic_header(const void *state)
{
    return periodic_nearest(state) ? "boundary_periodic.clh" : "boundary_open.clh";
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
                      OCT_REAL(self->size[1]), OCT_REAL(self->size[2]), OCT_UINT(sim->n),
                      OCT_IN(sim->counters));
}

static bool periodic_size(double out[3], const void *state)
{
    const periodic *self = state;
    for (int k = 0; k < 3; k++)
        out[k] = self->size[k];
    return true;
}

static oct_image periodic_image(const void *state, const int32_t cell[3], double time)
{
    const periodic *self = state;
    oct_image image = {0};
    (void)time;
    for (int k = 0; k < 3; k++)
        image.shift[k] = cell[k] * self->size[k];
    return image;
}

static void periodic_ghosts(uint32_t rings[3], const void *state)
{
    const periodic *self = state;
    for (int k = 0; k < 3; k++)
        rings[k] = (uint32_t)self->ghosts[k];
}

static void periodic_repeats(bool out[3], const void *self)
{
    (void)self;
    out[0] = out[1] = out[2] = true;
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
    .image = periodic_image,
    .ghosts = periodic_ghosts,
    .repeats = periodic_repeats,
    .nearest = periodic_nearest,
    .free = periodic_free,
};
