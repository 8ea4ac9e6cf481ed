/* What a closed system conserves, and how well. */
#include <math.h>

#include "core/join.h"
#include "diag/diag_pairs.h"

typedef struct conserved {
    oct_program *program;
    oct_kernel *sum;
    oct_pairs pairs;
    double omega; /* of the frame */
    uint32_t place, pairs_place;
} conserved;

/* Columns of the kernel. */
enum { COUNT, MASS, CENTRE, MOMENTUM = 5, ANGULAR = 8, MOTION = 11, SPIN, POTENTIAL, SUMS };

static const oct_column columns[] = {
    {"n", 1, 0, 0, 0, .doc = "particles, without removed ones"},
    {"removed", 1, 0, 0, 0, .doc = "particles removed so far"},
    {"mass", 1, 0, 1, 0, .doc = "total mass"},
    {"energy", 1, 2, 1, -2, .doc = "kinetic and potential energy; none in a sheared box"},
    {"energy_error", 1, 0, 0, 0,
     .doc = "relative change since the start of the energy and what collisions have taken of it"},
    {"kinetic", 1, 2, 1, -2, .doc = "kinetic energy, that of spins included"},
    {"potential", 1, 2, 1, -2, .doc = "potential energy"},
    {"virial", 1, 0, 0, 0, .doc = "virial ratio 2 T / |W|, without the energy of spins"},
    {"momentum", 3, 1, 1, -1, .doc = "total momentum"},
    {"angular_momentum", 3, 2, 1, -1,
     .doc = "total angular momentum about the origin, spins included"},
    {"centre", 3, 1, 0, 0, .doc = "centre of mass"},
    {0},
};

static oct_status conserved_init(void *state, oct_domain *domain)
{
    conserved *self = state;
    /* All pairs are at hand where all bodies are. */
    if (!domain->sim->comm)
        OCT_TRY(oct_pairs_init(&self->pairs, domain));
    OCT_TRY(oct_domain_build(&self->program, domain, "state.cl", NULL));
    return OCT_KERNEL(&self->sum, self->program, "diag_conserved_sum", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_OUT("partials", &domain->readback.partials),
                      OCT_BIND_REAL("omega", &self->omega));
}

/* Potential energy of the forces that is not half of mass times potential. */
static oct_status other_energy(double *out, void *self, oct_domain *domain, const void *about)
{
    const oct_force *force;
    void *state;
    (void)self;
    (void)about;
    *out = 0;
    for (size_t i = 0; (force = oct_domain_force(&state, domain, i)) != NULL; i++) {
        double part = 0;
        if (force->energy)
            OCT_TRY(force->energy(&part, state, domain));
        *out += part;
    }
    return OCT_STATUS_OK;
}

static oct_status conserved_launch(void *state, oct_domain *domain)
{
    conserved *self = state;
    self->omega = oct_setup_omega(domain->setup);
    OCT_TRY(oct_readback_launch_impacts(domain));
    OCT_TRY(oct_readback_sum(&self->place, domain, self->sum, SUMS, 0));
    return self->pairs.program ? oct_pairs_launch(&self->pairs_place, &self->pairs, domain)
                               : OCT_STATUS_OK;
}

/* Energies need the potential. In a sheared box there is none but the potential's own. */
static uint64_t conserved_looks(const oct_setup *setup)
{
    enum { ENERGY = 3, ENERGY_ERROR, KINETIC, POTENTIAL_ENERGY, VIRIAL };
    uint64_t potential = UINT64_C(1) << POTENTIAL_ENERGY;
    uint64_t others = UINT64_C(1) << ENERGY | UINT64_C(1) << ENERGY_ERROR | UINT64_C(1) << VIRIAL;
    return oct_setup_boundary(setup)->rotation ? potential : potential | others;
}

/* A domain's sums. */
static oct_status sums_of(double *out, void *state, oct_domain *domain, const void *about)
{
    const conserved *self = state;
    (void)about;
    return oct_readback_sums(out, domain, self->place, SUMS);
}

static oct_status conserved_measure(double *out, void *state, oct_domain *domain)
{
    conserved *self = state;
    double sums[SUMS], other;
    oct_impacts impacts;
    OCT_TRY(oct_join_parts(sums, self, domain, &(oct_join){.part = sums_of, .n = SUMS}));
    /* Only within one domain are all pairs at hand. */
    if (self->pairs.program && !domain->sim->domain->beside)
        OCT_TRY(oct_pairs_energy(&sums[POTENTIAL], self->pairs_place, domain));
    OCT_TRY(oct_join_parts(&other, self, domain, &(oct_join){.part = other_energy, .n = 1}));
    OCT_TRY(oct_readback_impacts(&impacts, domain));
    /* Kinetic energy that collisions have taken since the start. */
    double lost = impacts.energy;
    double kinetic = sums[MOTION] + sums[SPIN], potential = sums[POTENTIAL] + other;
    double energy = kinetic + potential;
    if (isnan(domain->sim->energy_start)) {
        domain->sim->energy_start = energy + lost;
        domain->sim->energy_worst = 0;
    }
    /* A system without energy at the start has no relative error: the change itself is given. */
    double unit = domain->sim->energy_start != 0 ? fabs(domain->sim->energy_start) : 1;
    /* A sheared box draws energy from the flow: there is none to conserve. */
    double defined = oct_setup_boundary(domain->setup)->rotation ? NAN : 1;
    *out++ = sums[COUNT];
    *out++ = (double)domain->sim->removed;
    *out++ = sums[MASS];
    *out++ = energy * defined;
    *out++ = (energy + lost - domain->sim->energy_start) / unit * defined;
    *out++ = kinetic;
    *out++ = potential;
    *out++ = potential != 0 ? 2 * sums[MOTION] / fabs(potential) * defined : 0;
    for (int k = 0; k < 6; k++)
        *out++ = sums[MOMENTUM + k];
    for (int k = 0; k < 3; k++)
        *out++ = sums[MASS] > 0 ? sums[CENTRE + k] / sums[MASS] : 0;
    return OCT_STATUS_OK;
}

static void conserved_free(void *state)
{
    conserved *self = state;
    oct_pairs_clear(&self->pairs);
    oct_kernel_free(self->sum);
    oct_program_free(self->program);
}

const oct_diag oct_diag_conserved = {
    .version = OCT_MODULE_VERSION,
    .name = "conserved",
    .doc = "Energy, momentum, angular momentum, centre of mass and virial ratio.",
    .state_size = sizeof(conserved),
    .columns = columns,
    .init = conserved_init,
    .launch = conserved_launch,
    .measure = conserved_measure,
    .looks = conserved_looks,
    .free = conserved_free,
    .shared = true,
    .ahead = true,
};
