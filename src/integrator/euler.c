/* Euler's step, which is first order and gains energy: for comparison. */
#include "core/sim.h"

static oct_status euler_step(const void *self, oct_sim *sim, double dt)
{
    (void)self;
    OCT_TRY(oct_sim_forces(sim));
    OCT_TRY(oct_sim_drift(sim, dt));
    OCT_TRY(oct_sim_kick(sim, dt));
    return oct_sim_collide(sim, dt);
}

const oct_integrator oct_integrator_euler = {
    .version = OCT_MODULE_VERSION,
    .name = "euler",
    .doc = "Explicit Euler: first order, not symplectic; its energy drifts. For comparison only.",
    .step = euler_step,
    .repeats = true,
    .collides_ahead = true,
    .shared = true,
};
