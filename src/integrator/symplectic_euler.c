/* A kick and a drift: first order, symplectic. */
#include "core/sim.h"

static oct_status symplectic_euler_step(const void *self, oct_sim *sim, double dt)
{
    (void)self;
    OCT_TRY(oct_sim_forces(sim));
    OCT_TRY(oct_sim_kick_drift(sim, dt, dt));
    return oct_sim_collide(sim, dt);
}

const oct_integrator oct_integrator_symplectic_euler = {
    .version = OCT_MODULE_VERSION,
    .name = "symplectic-euler",
    .doc = "Kick, then drift with the new velocity: first order, symplectic.",
    .step = symplectic_euler_step,
    .repeats = true,
    .collides_ahead = true,
    .shared = true,
};
