/* Reference system propagator (Tuckerman, Berne & Martyna 1992): the pull of distant systems as one
 * impulse in the middle of leapfrog steps with that of the own one. */
#include "integrator/integrator_parts.h"

typedef struct respa {
    int64_t substeps;
} respa;

static const oct_field fields[] = {
    OCT_FIELD_SUBSTEPS(respa),
    {.type = OCT_FIELD_END},
};

static oct_status respa_check(const void *self, const oct_setup *setup)
{
    (void)self;
    return oct_integrator_needs_parts(setup, "respa");
}

static oct_status respa_init(void *state, oct_domain *domain)
{
    (void)state;
    oct_integrator_start_parts(domain->sim);
    return OCT_STATUS_OK;
}

static oct_status impulse(oct_sim *sim, double dt)
{
    OCT_TRY(oct_sim_forces_far(sim));
    return oct_sim_kick(sim, dt);
}

/* Inner steps are drift-kick-drift, so nothing is carried over to the next one. The drifts between
 * two kicks are one, but for the middle of an even number of steps, where the impulse comes. */
static oct_status respa_step(const void *state, oct_sim *sim, double dt)
{
    const respa *self = state;
    double h = dt / (double)self->substeps;
    OCT_TRY(oct_sim_drift(sim, h / 2));
    for (int64_t i = 1; i <= self->substeps; i++) {
        bool middle = 2 * i == self->substeps, last = i == self->substeps;
        if (2 * i - 1 == self->substeps)
            OCT_TRY(impulse(sim, dt));
        OCT_TRY(oct_sim_forces_near(sim));
        OCT_TRY(oct_sim_kick_drift(sim, h, middle || last ? h / 2 : h));
        if (middle) {
            OCT_TRY(impulse(sim, dt));
            OCT_TRY(oct_sim_drift(sim, h / 2));
        }
    }
    return oct_integrator_end_parts(sim, dt);
}

const oct_integrator oct_integrator_respa = {
    .version = OCT_MODULE_VERSION,
    .name = "respa",
    .doc = "Leapfrog steps with the pull of a body's own system, and one impulse of all others in "
           "the middle: second order, symplectic, time-reversible.",
    .state_size = sizeof(respa),
    .fields = fields,
    .check = respa_check,
    .init = respa_init,
    .step = respa_step,
    .repeats = true,
    .collides_ahead = true,
    .shared = true,
};
