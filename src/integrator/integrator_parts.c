/* Refuses gravity without parts, and ends a step with the boundary and the collisions. */
#include "integrator/integrator_parts.h"

oct_status oct_integrator_needs_parts(const oct_setup *setup, const char *integrator)
{
    const oct_force *gravity = oct_setup_gravity(setup);
    OCT_CHECK(gravity->accumulate_near && gravity->accumulate_far, OCT_STATUS_INPUT,
              "integrator %s needs the pull of a body's own system and that of all others apart, "
              "which gravity %s does not tell: expected gravity.method: systems",
              integrator, gravity->name);
    return OCT_STATUS_OK;
}

void oct_integrator_start_parts(oct_sim *sim)
{
    sim->whole_steps = oct_setup_boundary(sim->setup)->image != NULL;
}

oct_status oct_integrator_end_parts(oct_sim *sim, double dt)
{
    OCT_TRY(oct_sim_arrive(sim));
    return oct_sim_collide(sim, dt);
}
