/* Celestial's integration (section 3.7.3): the pull of distant systems is found once a step and
 * held while Euler steps follow that of the own one. */
#include "integrator/integrator_parts.h"

enum { INNER_SYMPLECTIC, INNER_EXPLICIT };
static const char *const inners[] = {"symplectic", "explicit", NULL};

typedef struct two_rate {
    int64_t substeps;
    int inner;
    oct_buffer *far;
} two_rate;

static const oct_field fields[] = {
    OCT_FIELD_SUBSTEPS(two_rate),
    {.name = "inner",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(two_rate, inner),
     .initial = "symplectic",
     .choices = inners,
     .doc = "the inner step: symplectic or explicit Euler"},
    {.type = OCT_FIELD_END},
};

static oct_status two_rate_check(const void *self, const oct_setup *setup)
{
    (void)self;
    return oct_integrator_needs_parts(setup, "two-rate");
}

static void two_rate_memory(oct_needs *needs, const void *self)
{
    (void)self;
    oct_needs_add(needs, 4 * oct_real_size(needs->precision), needs->n);
}

static oct_status two_rate_init(void *state, oct_domain *domain)
{
    two_rate *self = state;
    oct_integrator_start_parts(domain->sim);
    return oct_buffer_create(&self->far, domain->device, "acceleration_far",
                             domain->acceleration->element, domain->n);
}

static oct_status kick_far(const two_rate *self, oct_sim *sim, double dt)
{
    return oct_sim_begin_operation(sim) ? oct_domain_kick(sim->domain, self->far, dt)
                                        : OCT_STATUS_OK;
}

static oct_status two_rate_step(const void *state, oct_sim *sim, double dt)
{
    const two_rate *self = state;
    double h = dt / (double)self->substeps;
    OCT_TRY(oct_sim_forces_far(sim));
    OCT_TRY(oct_buffer_copy(self->far, sim->domain->acceleration));
    for (int64_t i = 0; i < self->substeps; i++) {
        OCT_TRY(oct_sim_forces_near(sim));
        if (self->inner == INNER_SYMPLECTIC) {
            OCT_TRY(kick_far(self, sim, h));
            OCT_TRY(oct_sim_kick_drift(sim, h, h));
        } else {
            OCT_TRY(oct_sim_drift(sim, h));
            OCT_TRY(oct_sim_kick(sim, h));
            OCT_TRY(kick_far(self, sim, h));
        }
    }
    return oct_integrator_end_parts(sim, dt);
}

static void two_rate_free(void *state)
{
    two_rate *self = state;
    oct_buffer_free(self->far);
}

const oct_integrator oct_integrator_two_rate = {
    .version = OCT_MODULE_VERSION,
    .name = "two-rate",
    .doc = "Celestial's integration: Euler steps with the pull of a body's own system, that of all "
           "others held over them: first order. For comparison; respa costs the same.",
    .state_size = sizeof(two_rate),
    .fields = fields,
    .check = two_rate_check,
    .free = two_rate_free,
    .init = two_rate_init,
    .step = two_rate_step,
    .repeats = true,
    .collides_ahead = true,
    .shared = true,
    .memory = two_rate_memory,
};
