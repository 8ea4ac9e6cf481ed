/* Symplectic epicycle integrator (Rein & Tremaine 2011): drift-kick-drift, where a drift is the
 * exact motion in the rotating sheet without other forces. */
#include <math.h>

#include "core/faces.h"
#include "core/sim.h"

typedef struct sei {
    oct_program *program;
    oct_kernel *drift;
    double dt;
    double omega[2], shear[2], sine[2]; /* in the plane, vertically */
    oct_faces faces;
    oct_buffer *cleared;
} sei;

static oct_status sei_check(const void *self, const oct_setup *setup)
{
    (void)self;
    OCT_CHECK(oct_setup_boundary(setup)->rotation, OCT_STATUS_INPUT,
              "integrator sei needs a rotating box: expected box.boundary: shear");
    return OCT_STATUS_OK;
}

static oct_status sei_init(void *state, oct_domain *domain)
{
    sei *self = state;
    OCT_TRY(oct_domain_build(&self->program, domain, "sheet.cl", NULL));
    return OCT_KERNEL(
        &self->drift, self->program, "integrator_sei_drift", OCT_BIND_DOMAIN(domain),
        OCT_BIND_REAL("dt", &self->dt), OCT_BIND_REAL("omega", &self->omega[0]),
        OCT_BIND_REAL("shear", &self->shear[0]), OCT_BIND_REAL("sine", &self->sine[0]),
        OCT_BIND_REAL("omega_z", &self->omega[1]), OCT_BIND_REAL("shear_z", &self->shear[1]),
        OCT_BIND_REAL("sine_z", &self->sine[1]), OCT_BIND_OUT("cleared", &self->cleared),
        OCT_BIND_REAL("size_x", &self->faces.size[0]),
        OCT_BIND_REAL("size_y", &self->faces.size[1]),
        OCT_BIND_REAL("size_z", &self->faces.size[2]), OCT_BIND_REAL("offset", &self->faces.offset),
        OCT_BIND_REAL("speed", &self->faces.speed));
}

static oct_status sei_drift(void *state, oct_domain *domain, double dt)
{
    sei *self = state;
    oct_domain_boundary(domain)->rotation(self->omega, domain->boundary.state);
    self->dt = dt;
    for (int k = 0; k < 2; k++) {
        self->shear[k] = tan(self->omega[k] * dt / 2) / self->omega[k];
        self->sine[k] = sin(self->omega[k] * dt);
    }
    /* The wrap at the faces is that of the time when the drift has ended. */
    if (domain->faces) {
        oct_clock then = domain->sim->clock;
        oct_clock_drift(&then, dt);
        domain->faces->find(domain->faces, then.time);
        self->faces = *domain->faces;
        domain->met = true;
    }
    self->cleared = oct_domain_clearing(domain);
    return oct_kernel_launch(self->drift, domain->n, 0);
}

static oct_status sei_step(const void *self, oct_sim *sim, double dt)
{
    (void)self;
    oct_sim_clear_ahead(sim);
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
    .rotates = true,
    .collides_ahead = true,
    .free = sei_free,
    .shared = true,
};
