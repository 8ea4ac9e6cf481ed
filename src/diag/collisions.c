/* Rates of what collisions do, between one measurement and the next. */
#include <math.h>

#include "core/join.h"
#include "diag/diag_patch.h"

/* What had happened by a time; NaN where there was no measurement yet. */
typedef struct mark {
    double time;
    oct_impacts impacts;
} mark;

/* The last two measurements. They are part of the state, so that a resumed run goes on with the
 * same intervals; as bytes, for devices without double. */
typedef struct window {
    mark from, to;
} window;

typedef struct collisions {
    oct_buffer *window;
    window last;    /* what is in it, */
    uint64_t known; /* as of this version of it */
    uint32_t mass;  /* place of the sum */
} collisions;

static const oct_column columns[] = {
    {"collisions", 1, 0, 0, 0, .doc = "collisions of a particle in an orbit"},
    {"viscosity_collisional", 1, 2, 0, -1,
     .doc = "viscosity by momentum handed over in collisions, since the last measurement"},
    {"viscosity_dissipation", 1, 2, 0, -1,
     .doc =
         "viscosity that makes up for the energy lost in collisions, since the last measurement"},
    {0},
};

static bool collisions_applies(const oct_setup *setup)
{
    return oct_patch_rotates(setup) && oct_setup_collision(setup)->impacts;
}

static oct_status collisions_init(void *state, oct_domain *domain)
{
    collisions *self = state;
    const window none = {.from.time = NAN, .to.time = NAN};
    OCT_TRY(oct_buffer_create(&self->window, domain->device, "collision_window", sizeof none, 1));
    OCT_TRY(oct_buffer_write(self->window, &none, 0, 1));
    return oct_domain_add_state(domain, self->window);
}

static void collisions_memory(oct_needs *needs, const void *self)
{
    (void)self;
    oct_needs_add(needs, sizeof(window), 1);
}

/* The interval that ends now: the one before has ended when time has passed since. */
static oct_status window_now(window *out, collisions *self, oct_domain *domain)
{
    if (self->known != self->window->version)
        OCT_TRY(oct_buffer_read(&self->last, self->window, 0, 1));
    self->known = self->window->version;
    *out = self->last;
    if (out->to.time == oct_sim_time(domain->sim))
        return OCT_STATUS_OK;
    out->from = out->to;
    out->to.time = oct_sim_time(domain->sim);
    OCT_TRY(oct_readback_impacts(&out->to.impacts, domain));
    OCT_TRY(oct_buffer_post(self->window, out, 0, 1));
    self->known = self->window->version;
    self->last = *out;
    return OCT_STATUS_OK;
}

static oct_status collisions_launch(void *state, oct_domain *domain)
{
    collisions *self = state;
    OCT_TRY(oct_readback_launch_impacts(domain));
    return oct_readback_sum_mass(&self->mass, domain, NULL);
}

static oct_status mass_of(double *out, void *state, oct_domain *domain, const void *about)
{
    (void)about;
    return oct_readback_sums(out, domain, ((const collisions *)state)->mass, 1);
}

static oct_status collisions_measure(double *out, void *state, oct_domain *domain)
{
    collisions *self = state;
    window w;
    double mass;
    oct_patch frame = oct_patch_of(domain);
    OCT_TRY(window_now(&w, self, domain));
    OCT_TRY(oct_join_parts(&mass, self, domain, &(oct_join){.part = mass_of, .n = 1}));
    /* NaN with the first measurement, and in all that follows from it. */
    double passed = w.to.time - w.from.time, omega = frame.omega;
    double orbits = passed * omega / (2 * acos(-1.0));
    const oct_impacts *from = &w.from.impacts, *to = &w.to.impacts;
    out[0] = 2 * (to->pairs - from->pairs) / ((double)oct_sim_count(domain->sim) * orbits);
    out[1] = 2 / (3 * omega) * (to->transport - from->transport) / (mass * passed);
    out[2] = 4 / (9 * omega * omega) * (to->energy - from->energy) / (mass * passed);
    return OCT_STATUS_OK;
}

static void collisions_free(void *state)
{
    collisions *self = state;
    oct_buffer_free(self->window);
}

const oct_diag oct_diag_collisions = {
    .version = OCT_MODULE_VERSION,
    .name = "collisions",
    .doc = "Collision rate of a rotating sheet, and the viscosities that come from collisions.",
    .state_size = sizeof(collisions),
    .columns = columns,
    .applies = collisions_applies,
    .init = collisions_init,
    .launch = collisions_launch,
    .measure = collisions_measure,
    .looks = oct_looks_nowhere,
    .memory = collisions_memory,
    .free = collisions_free,
    .shared = true,
    .ahead = true,
};
