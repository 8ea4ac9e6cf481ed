/* Kick, drift, kick: second order, symplectic, one force a step. */
#include "core/sim.h"

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

const oct_integrator oct_integrator_leapfrog = {
    .version = OCT_MODULE_VERSION,
    .name = "leapfrog",
    .doc = "Kick-drift-kick leapfrog: second order, symplectic, time-reversible.",
    .step = leapfrog_step,
    .repeats = true,
    .ends_with_forces = true,
    .shared = true,
};
