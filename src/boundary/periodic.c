/* A box that repeats itself in all directions for ever, in a background that makes up for its mean
 * density. */
#include "boundary/boundary_lattice.h"

#include <math.h>

typedef struct periodic {
    double size[3];

    double margin;     /* how far bodies may be outside */
    double follow_far; /* of it, how far from its star a body still goes with it */
    oct_lattice lattice;
    oct_program *program;
    oct_kernel *wrap, *lead, *follow;
} periodic;

/* The rest of the margin is for their way before the next wrap. */
#define FOLLOWING 0.8

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

/* Gravity that tells the pull of a body's own system from that of all others needs systems whole:
 * planets are then where their star is, be it on the other side of a face. */
static double margin_of(const periodic *self, const oct_setup *setup)
{
    const oct_force *gravity = oct_setup_gravity(setup);
    return gravity->accumulate_near ? fmin(self->size[0], fmin(self->size[1], self->size[2])) / 8
                                    : 0;
}

static oct_status periodic_init(void *state, oct_domain *domain)
{
    periodic *self = state;
    self->margin = margin_of(self, domain->setup);
    OCT_TRY(oct_domain_build(&self->program, domain, "boundary_periodic.cl", NULL));
    self->follow_far = FOLLOWING * self->margin;
#define SIZE                                                                                       \
    OCT_BIND_REAL("size_x", &self->size[0]), OCT_BIND_REAL("size_y", &self->size[1]),              \
        OCT_BIND_REAL("size_z", &self->size[2])
    OCT_TRY(OCT_KERNEL(&self->wrap, self->program, "boundary_periodic_wrap",
                       OCT_BIND_DOMAIN(domain), SIZE));
    OCT_TRY(OCT_KERNEL(&self->lead, self->program, "boundary_periodic_lead",
                       OCT_BIND_DOMAIN(domain), SIZE));
    OCT_TRY(OCT_KERNEL(&self->follow, self->program, "boundary_periodic_follow",
                       OCT_BIND_DOMAIN(domain), SIZE, OCT_BIND_REAL("margin", &self->follow_far)));
#undef SIZE
    return oct_setup_has_gravity(domain->setup)
               ? oct_lattice_start(&self->lattice, domain, self->size, self->margin)
               : OCT_STATUS_OK;
}

static oct_status periodic_pull(void *state, oct_domain *domain)
{
    periodic *self = state;
    return oct_lattice_add(&self->lattice, domain);
}

static oct_status periodic_apply(void *state, oct_domain *domain)
{
    periodic *self = state;
    if (self->margin == 0)
        return oct_kernel_launch(self->wrap, domain->n, 0);
    OCT_TRY(oct_kernel_launch(self->lead, domain->system_table.n, 0));
    return oct_kernel_launch(self->follow, domain->n, 0);
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

static void periodic_memory(oct_needs *needs, const void *state)
{
    const periodic *self = state;
    oct_lattice_memory(needs, self->size, margin_of(self, needs->setup));
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
    oct_kernel_free(self->lead);
    oct_kernel_free(self->follow);
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
    .sets = true,
    .size = periodic_size,
    .image = periodic_image,
    .ghosts = periodic_ghosts,
    .repeats = periodic_repeats,
    .memory = periodic_memory,
    .free = periodic_free,
    .shared = true,
};
