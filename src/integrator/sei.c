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

static oct_status sei_init(void *state, oct_domain *domain)
{
    sei *self = state;
    OCT_TRY(oct_domain_build(&self->program, domain, "sheet.cl", NULL));
    return oct_kernel_create(&self->drift, self->program, "integrator_sei_drift");
}

static oct_status sei_drift(void *state, oct_domain *domain, double dt)
{
    sei *self = state;
    double omega[2];
    oct_domain_boundary(domain)->rotation(omega, domain->boundary.state);
    return OCT_LAUNCH(self->drift, domain->n, 0, OCT_OUT(domain->position),
                      OCT_OUT(domain->position_low), OCT_OUT(domain->velocity),
                      OCT_OUT(domain->velocity_low), OCT_IN(domain->type), OCT_REAL(omega[0]),
                      OCT_REAL(tan(omega[0] * dt / 2) / omega[0]), OCT_REAL(sin(omega[0] * dt)),
                      OCT_REAL(omega[1]), OCT_REAL(tan(omega[1] * dt / 2) / omega[1]),
                      OCT_REAL(sin(omega[1] * dt)), OCT_REAL(dt), OCT_UINT(domain->n),
                      OCT_OUT(domain->counters), OCT_UINT(oct_sim_step_offset(domain->sim)));
}

static oct_status sei_step(const void *self, oct_sim *sim, double dt)
{
    (void)self;
    OCT_TRY(oct_sim_drift(sim, dt / 2));
    OCT_TRY(oct_sim_forces(sim));
    OCT_TRY(oct_sim_kick(sim, dt));
    OCT_TRY(oct_sim_collide(sim, dt));
    return oct_sim_drift(sim, dt / 2);
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
    .drift = sei_drift,
    .step = sei_step,
    .repeats = true,
    .free = sei_free,
};
