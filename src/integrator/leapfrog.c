/* Kick, drift, kick: second order, symplectic, one force a step. */
#include "core/look.h"
#include "integrator/integrator_burst.h"

typedef struct leapfrog {
    bool bursts;
} leapfrog;

static const oct_field fields[] = {
    {.name = "bursts",
     .type = OCT_FIELD_BOOL,
     .offset = offsetof(leapfrog, bursts),
     .initial = "true",
     .doc = "many steps in one launch where there are few bodies, up to 256, on NVIDIA's GPUs "
            "1024, and nothing acts but direct gravity; false: one by one"},
    {.type = OCT_FIELD_END},
};

static oct_status leapfrog_step(const void *self, oct_sim *sim, double dt)
{
    (void)self;
    OCT_TRY(oct_sim_forces(sim));
    oct_sim_clear_ahead(sim);
    OCT_TRY(oct_sim_kick_drift(sim, dt / 2, dt));
    OCT_TRY(oct_sim_forces(sim));
    OCT_TRY(oct_sim_kick(sim, dt / 2));
    return oct_sim_collide(sim, dt);
}

static bool leaps(const leapfrog *self, const oct_domain *domain)
{
    return self->bursts && oct_domain_gravity(domain)->leap && !domain->sim->comm &&
           oct_integrator_is_undisturbed(domain);
}

static oct_status leapfrog_init(void *state, oct_domain *domain)
{
    uint64_t none;
    return leaps(state, domain)
               ? oct_domain_gravity(domain)->leap(&none, domain->gravity.state, domain, 0, 0)
               : OCT_STATUS_OK;
}

static oct_status leapfrog_burst(uint64_t *taken, void *state, oct_domain *domain, double dt,
                                 uint64_t most)
{
    *taken = 0;
    if (!leaps(state, domain))
        return OCT_STATUS_OK;
    OCT_TRY(oct_sim_forces(domain->sim));
    OCT_TRY(oct_domain_gravity(domain)->leap(taken, domain->gravity.state, domain, dt, most));
    if (*taken > 0)
        oct_forces_found(domain);
    return OCT_STATUS_OK;
}

const oct_integrator oct_integrator_leapfrog = {
    .version = OCT_MODULE_VERSION,
    .name = "leapfrog",
    .doc = "Kick-drift-kick leapfrog: second order, symplectic, time-reversible.",
    .state_size = sizeof(leapfrog),
    .fields = fields,
    .init = leapfrog_init,
    .step = leapfrog_step,
    .burst = leapfrog_burst,
    .repeats = true,
    .ends_with_forces = true,
    .shared = true,
};
