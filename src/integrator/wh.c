/* Wisdom-Holman mapping (Wisdom & Holman 1991) of all solar systems at once, drift-kick-drift:
 * planets follow their Kepler orbits exactly, and kicks hold what is left of the force. */
#include "integrator/integrator_parts.h"

typedef struct wh {
    oct_program *program;
    oct_kernel *drift, *back, *kick;
    oct_buffer *jacobi, *jacobi_velocity;
    double dt;
} wh;

static oct_status wh_check(const void *self, const oct_setup *setup)
{
    (void)self;
    double softening = 0;
    OCT_TRY(oct_integrator_needs_parts(setup, "wh"));
    oct_field_real(&softening, setup->gravity.state, setup->gravity.module->fields, "softening");
    OCT_CHECK(softening == 0, OCT_STATUS_INPUT,
              "integrator wh follows Kepler orbits, which have no softening: expected "
              "gravity.softening: 0");
    return OCT_STATUS_OK;
}

static void wh_memory(oct_needs *needs, const void *self)
{
    (void)self;
    for (int i = 0; i < 2; i++)
        oct_needs_add(needs, 4 * oct_real_size(needs->precision), needs->n);
}

static oct_status wh_init(void *state, oct_domain *domain)
{
    wh *self = state;
    OCT_CHECK(domain->precision != OCT_PRECISION_SINGLE, OCT_STATUS_INPUT,
              "integrator wh needs the state in double: expected precision mixed or double");
    size_t real4 = 4 * oct_real_size(domain->precision);
    oct_integrator_start_parts(domain->sim);
    OCT_TRY(oct_buffer_create(&self->jacobi, domain->device, "jacobi", real4, domain->n));
    OCT_TRY(oct_buffer_create(&self->jacobi_velocity, domain->device, "jacobi_velocity", real4,
                              domain->n));
    OCT_TRY(oct_domain_build(&self->program, domain, "integrator_wh.cl", NULL));
    OCT_TRY(OCT_KERNEL(&self->drift, self->program, "integrator_wh_drift", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_OUT("jacobi", &self->jacobi),
                       OCT_BIND_OUT("jacobi_velocity", &self->jacobi_velocity),
                       OCT_BIND_REAL("G", &domain->setup->units.G),
                       OCT_BIND_REAL("dt", &self->dt)));
    OCT_TRY(OCT_KERNEL(&self->back, self->program, "integrator_wh_back", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_IN("jacobi", &self->jacobi),
                       OCT_BIND_IN("jacobi_velocity", &self->jacobi_velocity)));
    return OCT_KERNEL(&self->kick, self->program, "integrator_wh_kick", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_IN("jacobi", &self->jacobi),
                      OCT_BIND_IN("jacobi_velocity", &self->jacobi_velocity),
                      OCT_BIND_REAL("G", &domain->setup->units.G), OCT_BIND_REAL("dt", &self->dt));
}

static oct_status wh_drift(void *state, oct_domain *domain, double dt)
{
    wh *self = state;
    self->dt = dt;
    OCT_TRY(oct_sources_list(domain));
    OCT_TRY(oct_kernel_launch(self->drift, domain->n, 0));
    return oct_kernel_launch(self->back, domain->n, 0);
}

/* With the far acceleration; the near one is found on the way. */
static oct_status wh_kick(void *state, oct_domain *domain, double dt)
{
    wh *self = state;
    self->dt = dt;
    return oct_kernel_launch(self->kick, domain->n, 0);
}

static oct_status wh_step(const void *self, oct_sim *sim, double dt)
{
    (void)self;
    OCT_TRY(oct_sim_drift(sim, dt / 2));
    OCT_TRY(oct_sim_forces_far(sim));
    OCT_TRY(oct_sim_kick(sim, dt));
    OCT_TRY(oct_sim_drift(sim, dt / 2));
    return oct_integrator_end_parts(sim, dt);
}

static void wh_free(void *state)
{
    wh *self = state;
    oct_kernel_free(self->drift);
    oct_kernel_free(self->back);
    oct_kernel_free(self->kick);
    oct_program_free(self->program);
    oct_buffer_free(self->jacobi);
    oct_buffer_free(self->jacobi_velocity);
}

const oct_integrator oct_integrator_wh = {
    .version = OCT_MODULE_VERSION,
    .name = "wh",
    .doc = "Wisdom-Holman: Kepler orbits of the planets round their stars, other forces as kicks: "
           "second order with an error in proportion to the planets' masses, symplectic, "
           "time-reversible.",
    .state_size = sizeof(wh),
    .check = wh_check,
    .free = wh_free,
    .init = wh_init,
    .drift = wh_drift,
    .kick = wh_kick,
    .step = wh_step,
    .memory = wh_memory,
};
