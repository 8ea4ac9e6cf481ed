/* Gravity by direct summation or by the octree, whichever is faster for this many particles on
 * this kind of device. */
#include "core/lead.h"
#include "force/force_fields.h"
#include "force/force_method.h"

typedef struct auto_gravity {
    double theta, softening;
    oct_softenings softenings;

    oct_choice method;
} auto_gravity;

static const oct_field fields[] = {
    {.name = "theta",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(auto_gravity, theta),
     .initial = "0.5",
     .min = 0,
     .above_min = true,
     .max = 2,
     .doc = "opening angle θ, where the tree is taken"},
    OCT_FIELD_SOFTENINGS(auto_gravity),
    {0},
};

/* From how many particles on the tree is faster: see docs/performance.md. Images multiply what
 * direct summation does, and hardly what the tree does. */
static uint64_t crossover(const oct_device_info *info)
{
    return oct_device_is_cpu(info) ? 5000 : 28000;
}

static oct_status auto_init(void *state, oct_domain *domain)
{
    auto_gravity *self = state;
    uint64_t sources = oct_domain_all(domain) * domain->acting.n;
    bool tree = sources >= crossover(oct_device_describe(domain->device));
    OCT_TRY(oct_force_method_make(&self->method, tree ? "tree" : "direct", self, fields));
    OCT_CHECK(!domain->sim->comm || oct_force_method_of(&self->method)->shared, OCT_STATUS_INPUT,
              "gravity.method '%s', which auto takes here, does not work with more than one domain "
              "yet: run it on one, or choose direct",
              self->method.module->name);
    return oct_force_method_of(&self->method)->init(self->method.state, domain);
}

static oct_status auto_accumulate(void *state, oct_domain *domain)
{
    auto_gravity *self = state;
    return oct_force_method_of(&self->method)->accumulate(self->method.state, domain);
}

static oct_status auto_leap(uint64_t *taken, void *state, oct_domain *domain, double dt,
                            uint64_t most)
{
    auto_gravity *self = state;
    const oct_force *method = oct_force_method_of(&self->method);
    *taken = 0;
    return method->leap ? method->leap(taken, self->method.state, domain, dt, most) : OCT_STATUS_OK;
}

static oct_status auto_waited(void *state, oct_domain *domain)
{
    auto_gravity *self = state;
    return oct_force_method_waited(&self->method, domain);
}

static oct_status auto_interactions(double out[2], void *state, oct_domain *domain)
{
    auto_gravity *self = state;
    return oct_force_method_interactions(out, &self->method, domain);
}

static void auto_memory(oct_needs *needs, const void *state)
{
    bool tree = needs->n * oct_images_acting(needs->setup) >= crossover(needs->device);
    oct_force_method_memory(needs, tree ? "tree" : "direct", state, fields);
}

static oct_follows auto_follows(const void *state)
{
    const auto_gravity *self = state;
    /* Before it is known which of the two is taken: what both do. */
    return self->method.module ? oct_force_method_of(&self->method)->follows(self->method.state)
                               : OCT_FOLLOWS_PLACES;
}

static void auto_free(void *state)
{
    auto_gravity *self = state;
    oct_choice_clear(&self->method);
}

const oct_force oct_force_auto = {
    .version = OCT_MODULE_VERSION,
    .name = "auto",
    .doc = "Gravity by direct summation or by the tree, whichever is faster for this many "
           "particles on this device.",
    .state_size = sizeof(auto_gravity),
    .fields = fields,
    .gravity = true,
    .sets = true,
    .init = auto_init,
    .accumulate = auto_accumulate,
    .leap = auto_leap,
    .waited = auto_waited,
    .interactions = auto_interactions,
    .memory = auto_memory,
    .free = auto_free,
    .follows = auto_follows,
    .shared = true,
};
