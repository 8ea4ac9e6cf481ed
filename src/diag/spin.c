/* How bodies spin that collisions make spin: angular velocities in the inertial frame. */
#include <math.h>

#include "core/join.h"
#include "core/sim.h"

typedef struct spin {
    oct_program *program;
    oct_kernel *sum;
    uint32_t place;
} spin;

/* Columns of the kernel. */
enum { COUNT, MEAN, SQUARES = 4, ENERGY = 7, SUMS };

static const oct_column columns[] = {
    {"spin", 3, 0, 0, -1, .doc = "mean angular velocity of the bodies in the inertial frame"},
    {"spin_dispersion", 3, 0, 0, -1, .doc = "dispersion of their angular velocities",
     .squares = true},
    {"kinetic_spin", 1, 2, 1, -2, .doc = "kinetic energy of their spins in the inertial frame"},
    {0},
};

static oct_status spin_init(void *state, oct_domain *domain)
{
    spin *self = state;
    OCT_TRY(oct_domain_build(&self->program, domain, "diag_spin.cl", NULL));
    return OCT_KERNEL(&self->sum, self->program, "diag_spin_sum", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_OUT("partials", &domain->readback.partials));
}

static oct_status spin_launch(void *state, oct_domain *domain)
{
    spin *self = state;
    return oct_readback_sum(&self->place, domain, self->sum, SUMS, 0);
}

static oct_status sums_of(double *out, void *state, oct_domain *domain, const void *about)
{
    (void)about;
    return oct_readback_sums(out, domain, ((const spin *)state)->place, SUMS);
}

static oct_status spin_measure(double *out, void *state, oct_domain *domain)
{
    double sums[SUMS];
    OCT_TRY(oct_join_parts(sums, state, domain, &(oct_join){.part = sums_of, .n = SUMS}));
    for (int k = 0; k < 3; k++) {
        double mean = sums[MEAN + k] / sums[COUNT];
        out[k] = mean;
        out[3 + k] = sqrt(fmax(0, sums[SQUARES + k] / sums[COUNT] - mean * mean));
    }
    out[6] = sums[ENERGY];
    return OCT_STATUS_OK;
}

static void spin_free(void *state)
{
    spin *self = state;
    oct_kernel_free(self->sum);
    oct_program_free(self->program);
}

const oct_diag oct_diag_spin = {
    .version = OCT_MODULE_VERSION,
    .name = "spin",
    .doc = "Spins of rough bodies, and of those that merge.",
    .state_size = sizeof(spin),
    .columns = columns,
    .applies = oct_setup_spins,
    .init = spin_init,
    .launch = spin_launch,
    .measure = spin_measure,
    .looks = oct_looks_nowhere,
    .free = spin_free,
    .shared = true,
    .ahead = true,
};
