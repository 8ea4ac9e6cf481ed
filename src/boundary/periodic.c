/* A box that repeats itself in all directions for ever, in a background that makes up for its mean
 * density. */
#include "boundary/boundary_lattice.h"

typedef struct periodic {
    double size[3];

    oct_lattice lattice;
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
    {0},
};

static void periodic_ghosts(uint32_t rings[3], const void *state)
{
    const periodic *self = state;
    oct_lattice_rings(rings, self->size);
}

static oct_status periodic_check(const void *state, const oct_setup *setup)
{
    const periodic *self = state;
    (void)setup;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            OCT_CHECK(self->size[j] <= 32 * self->size[k], OCT_STATUS_INPUT,
                      "a periodic box of %g by %g by %g is too long: expected sides that differ by "
                      "a factor of 32 at most",
                      self->size[0], self->size[1], self->size[2]);
    return OCT_STATUS_OK;
}

static oct_status periodic_init(void *state, oct_sim *sim)
{
    periodic *self = state;
    OCT_TRY(oct_sim_build(&self->program, sim, "boundary_periodic.cl", NULL));
    OCT_TRY(oct_kernel_create(&self->wrap, self->program, "boundary_periodic_wrap"));
    return oct_sim_has_gravity(sim) ? oct_lattice_start(&self->lattice, sim, self->size)
                                    : OCT_STATUS_OK;
}

static oct_status periodic_pull(void *state, oct_sim *sim)
{
    periodic *self = state;
    return oct_lattice_add(&self->lattice, sim);
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

static uint64_t periodic_memory(const void *state, oct_precision precision)
{
    const periodic *self = state;
    return oct_lattice_memory(self->size, precision);
}

static void periodic_repeats(bool out[3], const void *self)
{
    (void)self;
    out[0] = out[1] = out[2] = true;
}

static void periodic_free(void *state)
{
    periodic *self = state;
    oct_lattice_end(&self->lattice);
    oct_kernel_free(self->wrap);
    oct_program_free(self->program);
}

const oct_boundary oct_boundary_periodic = {
    .version = OCT_MODULE_VERSION,
    .name = "periodic",
    .doc = "A box that repeats itself for ever in all directions; gravity is that of an infinite "
           "universe in which a uniform background makes up for the mean density.",
    .state_size = sizeof(periodic),
    .fields = fields,
    .check = periodic_check,
    .init = periodic_init,
    .apply = periodic_apply,
    .pull = periodic_pull,
    .size = periodic_size,
    .image = periodic_image,
    .ghosts = periodic_ghosts,
    .repeats = periodic_repeats,
    .memory = periodic_memory,
    .free = periodic_free,
};
