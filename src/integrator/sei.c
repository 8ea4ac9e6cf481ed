/* Symplectic epicycle integrator (Rein & Tremaine 2011): drift-kick-drift, where a drift is the
 * exact motion in the rotating sheet without other forces. */
#include <math.h>

#include "core/sim.h"

typedef struct sei {
    oct_program *program;
    oct_kernel *drift;
} sei;

static const oct_boundary *boundary_of(const oct_setup *setup)
{
    return (const oct_boundary *)setup->boundary.module;
}

static oct_status sei_check(const void *self, const oct_setup *setup)
{
    (void)self;
    OCT_CHECK(boundary_of(setup)->rotation, OCT_STATUS_INPUT,
              "integrator sei needs a rotating box: expected box.boundary: shear");
    return OCT_STATUS_OK;
}

static oct_status sei_init(void *state, oct_sim *sim)
{
    sei *self = state;
    OCT_TRY(oct_sim_build(&self->program, sim, "sheet.cl", NULL));
    return oct_kernel_create(&self->drift, self->program, "integrator_sei_drift");
}

static oct_status drift(const sei *self, oct_sim *sim, double dt)
{
    double omega[2];
    boundary_of(sim->setup)->rotation(omega, sim->setup->boundary.state);
    if (oct_sim_turn(sim))
        OCT_TRY(OCT_LAUNCH(
            self->drift, sim->n, 0, OCT_OUT(sim->position), OCT_OUT(sim->position_low),
            OCT_OUT(sim->velocity), OCT_OUT(sim->velocity_low), OCT_IN(sim->type),
            OCT_REAL(omega[0]), OCT_REAL(tan(omega[0] * dt / 2) / omega[0]),
            OCT_REAL(sin(omega[0] * dt)), OCT_REAL(omega[1]),
            OCT_REAL(tan(omega[1] * dt / 2) / omega[1]), OCT_REAL(sin(omega[1] * dt)), OCT_REAL(dt),
            OCT_UINT(sim->n), OCT_OUT(sim->counters), OCT_UINT(oct_sim_step_offset(sim))));
    return oct_sim_moved(sim, dt);
}

static oct_status sei_step(void *self, oct_sim *sim, double dt)
{
    OCT_TRY(drift(self, sim, dt / 2));
    OCT_TRY(oct_sim_forces(sim));
    OCT_TRY(oct_sim_kick(sim, dt));
    OCT_TRY(oct_sim_collide(sim, dt));
    return drift(self, sim, dt / 2);
}

static void sei_free(void *state)
{
    sei *self = state;
    oct_kernel_free(self->drift);
    oct_program_free(self->program);
}

const oct_integrator oct_integrator_sei = {
    .version = OCT_MODULE_VERSION,
    .name = "sei",
    .doc = "Symplectic epicycle integrator for the rotating sheet: second order, time-reversible, "
           "exact without forces.",
    .state_size = sizeof(sei),
    .check = sei_check,
    .init = sei_init,
    .step = sei_step,
    .repeats = true,
    .free = sei_free,
};
