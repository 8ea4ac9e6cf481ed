/* Wisdom-Holman mapping (Wisdom & Holman 1991) of all solar systems at once, drift-kick-drift:
 * planets follow their Kepler orbits exactly, and kicks hold what is left of the force. */
#include <stdio.h>

#include "core/join.h"
#include "integrator/integrator_burst.h"
#include "integrator/integrator_parts.h"

typedef struct wh {
    int way; /* an oct_burst_way */

    oct_program *program;
    oct_kernel *drift, *back, *kick;
    oct_buffer *jacobi, *jacobi_velocity;
    double dt;
    uint32_t
        each; /* bodies of a work-item that drifts and kicks; 1: as many work-groups as usual */

    oct_program *burst_program;
    oct_kernel *burst; /* many steps at once */
    oct_buffer *packs; /* systems that share a work-group of it */
    uint32_t steps;    /* of the next launch */
    size_t group, groups;
} wh;

/* Bodies of a system whose steps go in bursts, as in integrator_wh_lanes.cl, and work-items of a
 * GPU that take those of smaller ones: they then need not wait for each other. */
enum { LARGEST = 64, SMALL_PACK = 32, LANES = 8 };
/* Systems that a work-item takes whole have so many bodies at most, or registers do not hold them;
 * and so many bodies there must be in all, or a GPU has too little to do. */
enum { WHOLE_BODIES = 9, WHOLE_GROUP = 32, WHOLE_ALL = 1 << 16 };

static const oct_field fields[] = {
    OCT_FIELD_BURST(wh),
    {.type = OCT_FIELD_END},
};

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
    return OCT_STATUS_OK;
}

/* Three kernels for systems that other bodies pull. */
static oct_status make_kernels(wh *self, oct_domain *domain)
{
    if (self->kick)
        return OCT_STATUS_OK;
    /* Large systems are those with many massless bodies. */
    bool many = domain->system_table.largest > LARGEST &&
                oct_burst_choose(self->way, oct_device_describe(domain->device)) == OCT_BURST_LANES;
    self->each = many ? LANES : 1;
    OCT_TRY(oct_domain_build(&self->program, domain,
                             many ? "integrator_wh_many.cl" : "integrator_wh.cl", NULL));
    OCT_TRY(OCT_KERNEL(
        &self->drift, self->program, many ? "integrator_wh_drift_many" : "integrator_wh_drift",
        OCT_BIND_DOMAIN(domain), OCT_BIND_OUT("jacobi", &self->jacobi),
        OCT_BIND_OUT("jacobi_velocity", &self->jacobi_velocity),
        OCT_BIND_REAL("G", &domain->setup->units.G), OCT_BIND_REAL("dt", &self->dt)));
    OCT_TRY(OCT_KERNEL(&self->back, self->program, "integrator_wh_back", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_IN("jacobi", &self->jacobi),
                       OCT_BIND_IN("jacobi_velocity", &self->jacobi_velocity)));
    return OCT_KERNEL(&self->kick, self->program,
                      many ? "integrator_wh_kick_many" : "integrator_wh_kick",
                      OCT_BIND_DOMAIN(domain), OCT_BIND_IN("jacobi", &self->jacobi),
                      OCT_BIND_IN("jacobi_velocity", &self->jacobi_velocity),
                      OCT_BIND_REAL("G", &domain->setup->units.G), OCT_BIND_REAL("dt", &self->dt));
}

/* The same in all domains, so that these have the bits of one. */
static oct_status choose_burst(oct_burst_way *out, uint32_t *largest, const wh *self,
                               oct_domain *domain)
{
    *largest = domain->system_table.largest;
    OCT_TRY(oct_join_most(largest, 1, domain));
    *out = oct_burst_choose(self->way, oct_device_describe(domain->device));
    if (self->way == OCT_BURST_AUTO && *out == OCT_BURST_TILES && domain->sim->n_all >= WHOLE_ALL)
        *out = OCT_BURST_WHOLE;
    if (*out == OCT_BURST_WHOLE && *largest > WHOLE_BODIES)
        *out = OCT_BURST_TILES;
    return OCT_STATUS_OK;
}

#define BURST_ARGUMENTS                                                                            \
    OCT_BIND_DOMAIN(domain), OCT_BIND_REAL("G", &domain->setup->units.G),                          \
        OCT_BIND_REAL("dt", &self->dt), OCT_BIND_UINT("steps", &self->steps)

/* A kernel that takes systems whole. */
static oct_status make_whole(wh *self, oct_domain *domain, uint32_t largest)
{
    char options[48];
    self->group = WHOLE_GROUP;
    self->groups = (domain->system_table.n + self->group - 1) / self->group;
    snprintf(options, sizeof options, "-D GROUP=%zu -D PLANETS=%u", self->group,
             largest > 1 ? largest - 1 : 1);
    OCT_TRY(oct_domain_build(&self->burst_program, domain, "integrator_wh_whole.cl", options));
    return OCT_KERNEL(&self->burst, self->burst_program, "integrator_wh_whole", BURST_ARGUMENTS);
}

/* One kernel for those that are alone. */
static oct_status make_burst(wh *self, oct_domain *domain)
{
    oct_burst_way way;
    uint32_t largest;
    char options[32];
    if (self->burst)
        return OCT_STATUS_OK;
    OCT_TRY(choose_burst(&way, &largest, self, domain));
    if (way == OCT_BURST_WHOLE)
        return make_whole(self, domain, largest);
    bool lanes = way == OCT_BURST_LANES;
    const char *name = lanes ? "integrator_wh_lanes" : "integrator_wh_tiles";
    self->group = lanes ? 1 : domain->system_table.largest <= SMALL_PACK ? SMALL_PACK : LARGEST;
    snprintf(options, sizeof options, "-D PACK=%zu", self->group);
    OCT_TRY(oct_integrator_burst_packs(&self->packs, domain, (uint32_t)self->group));
    self->groups = self->packs->count;
    OCT_TRY(oct_domain_build(&self->burst_program, domain,
                             lanes ? "integrator_wh_lanes.cl" : "integrator_wh_tiles.cl",
                             lanes ? NULL : options));
    return OCT_KERNEL(&self->burst, self->burst_program, name, BURST_ARGUMENTS,
                      OCT_BIND_IN("packs", &self->packs));
}

static oct_status wh_burst(uint64_t *taken, void *state, oct_domain *domain, double dt,
                           uint64_t most)
{
    wh *self = state;
    bool bursts;
    *taken = 0;
    OCT_TRY(oct_integrator_bursts(&bursts, domain, LARGEST));
    if (!bursts)
        return OCT_STATUS_OK;
    OCT_TRY(make_burst(self, domain));
    domain->near_alone = false;
    self->dt = dt;
    self->steps = oct_integrator_burst_steps(domain, most);
    OCT_TRY(oct_kernel_launch(self->burst, self->groups * self->group, self->group));
    *taken = self->steps;
    return OCT_STATUS_OK;
}

static oct_status launch(const wh *self, oct_kernel *kernel, const oct_domain *domain)
{
    return oct_kernel_launch(kernel, (domain->n + self->each - 1) / self->each, self->each > 1);
}

static oct_status wh_drift(void *state, oct_domain *domain, double dt)
{
    wh *self = state;
    self->dt = dt;
    OCT_TRY(make_kernels(self, domain));
    OCT_TRY(oct_sources_list(domain));
    OCT_TRY(launch(self, self->drift, domain));
    return oct_kernel_launch(self->back, domain->n, 0);
}

/* With the far acceleration; the near one is found on the way. */
static oct_status wh_kick(void *state, oct_domain *domain, double dt)
{
    wh *self = state;
    self->dt = dt;
    return launch(self, self->kick, domain);
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
    oct_kernel_free(self->burst);
    oct_program_free(self->program);
    oct_program_free(self->burst_program);
    oct_buffer_free(self->packs);
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
    .fields = fields,
    .check = wh_check,
    .free = wh_free,
    .init = wh_init,
    .drift = wh_drift,
    .kick = wh_kick,
    .step = wh_step,
    .burst = wh_burst,
    .repeats = true,
    .collides_ahead = true,
    .shared = true,
    .memory = wh_memory,
};
