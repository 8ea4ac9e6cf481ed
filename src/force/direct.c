/* Gravity by direct summation: exact, the faster method for few particles, and the oracle. */
#include <stdio.h>
#include <string.h>

#include "force/force_fields.h"
#include "force/force_leap.h"
#include "force/force_ring.h"
#include "force/force_units.h"

typedef struct direct {
    double softening;
    oct_softenings softenings;
    int kernel; /* an oct_force_kernel */

    oct_program *program, *pairs_program;
    oct_kernel *prepare, *pairs, *fold;
    oct_buffer *high, *low, *partials;
    oct_buffer *soft; /* what sources bring to the softening of pairs; NULL: all bring the same */
    uint32_t parts;
    size_t group, per_group; /* work-items in a group, and targets they sum for */
    oct_force_units units;
    /* Where other ranks have bodies too: theirs, and the same kernels for them. */
    oct_ring ring;
    oct_kernel *prepare_ring, *pairs_ring;
    /* For sets of `most` bodies or fewer, on GPUs; NULL until there is a set. */
    oct_program *few_program;
    oct_kernel *few, *join, *few_ring, *join_ring;
    uint32_t most;
    size_t few_groups; /* work-groups that fill the device; 0: these kernels are not for it */
    char options[256]; /* that pair sums are built with */
    oct_leap leap;
} direct;

static const oct_field fields[] = {
    OCT_FIELD_SOFTENINGS(direct),
    OCT_FIELD_KERNEL(
        direct, "how pairs are summed: tiles of sources in local memory (GPUs), vector lanes of "
                "targets (CPUs), the same without instructions of one processor, or what suits the "
                "device"),
    {0},
};

/* How a kind of device sums: measured with `octant bench direct`, see docs/performance.md. */
typedef struct tuning {
    const char *file, *kernel, *options;
    size_t group, per_group;  /* work-items in a group, and targets they sum for */
    unsigned groups_per_unit; /* work-groups that keep a compute unit busy */
} tuning;

static const tuning tunings[] = {
    [OCT_FORCE_TILES] = {"force_direct_tiles.cl", "force_direct_tiles",
                         "-D TILE=256 -D TARGETS=4 -D UNROLL=16", 256, 1024, 8},
    [OCT_FORCE_LANES] = {"force_direct_lanes.cl", "force_direct_lanes", "-D TILE=256", 1, 16, 1},
    [OCT_FORCE_PORTABLE] = {"force_direct_lanes.cl", "force_direct_lanes",
                            "-D TILE=256 -D OCT_PORTABLE", 1, 16, 1},
};

/* Where an interaction has fewest instructions: reads for more targets gain less than they cost,
 * unless there are so many bodies that they fill a device anyhow. */
static const tuning single_tiles[] = {{"force_direct_tiles.cl", "force_direct_tiles",
                                       "-D TILE=256 -D TARGETS=2 -D UNROLL=16", 256, 512, 8},
                                      {"force_direct_tiles.cl", "force_direct_tiles",
                                       "-D TILE=256 -D TARGETS=4 -D UNROLL=4", 256, 1024, 8}};

enum { SINGLE_MANY = 1 << 18 }; /* bodies that the second of these is for */
enum { MOST_PARTS = 32 };

static const tuning *choose_tuning(const direct *self, const oct_device_info *info,
                                   oct_precision precision, uint64_t n)
{
    oct_force_kernel kernel = oct_force_kernel_choose(self->kernel, info);
    bool single = precision == OCT_PRECISION_SINGLE && kernel == OCT_FORCE_TILES;
    return single ? &single_tiles[n >= SINGLE_MANY] : &tunings[kernel];
}

/* Targets alone do not fill a GPU when there are few: then the sources are cut into parts too. A
 * part of less than a few tiles would be all overhead. */
static uint32_t choose_parts(const tuning *t, const oct_device_info *info, uint64_t n)
{
    uint64_t groups = (n + t->per_group - 1) / t->per_group;
    if (oct_leap_suits(n, t->group == 1, info))
        return 1; /* as leaps sum */
    uint64_t parts = info->compute_units * t->groups_per_unit / (groups ? groups : 1);
    uint64_t most = n / t->per_group;
    parts = parts < most ? parts : most;
    parts = parts < MOST_PARTS ? parts : MOST_PARTS;
    return parts == 0 ? 1 : (uint32_t)parts;
}

/* A set of so many bodies gives each compute unit a work-group of targets; one of half the bodies
 * is hardly cheaper than all. */
static uint32_t choose_most(const tuning *t, const oct_device_info *info, uint64_t n,
                            uint32_t parts)
{
    uint64_t most = info->compute_units * t->per_group / parts;
    return (uint32_t)(most < n / 2 ? most : n / 2);
}

static oct_status make_buffers(direct *self, oct_domain *domain)
{
    oct_device *device = domain->device;
    size_t force4 = 4 * oct_force_size(domain->precision);
    size_t real4 = 4 * oct_real_size(domain->precision);
    bool split = domain->precision == OCT_PRECISION_MIXED;
    OCT_TRY(oct_buffer_create(&self->high, device, "direct.high", force4, domain->n));
    OCT_TRY(oct_buffer_create(&self->low, device, "direct.low", force4, split ? domain->n : 0));
    if (domain->softening)
        OCT_TRY(oct_buffer_create(&self->soft, device, "direct.soft",
                                  oct_force_size(domain->precision), domain->n));
    return oct_buffer_create(&self->partials, device, "direct.partials", real4,
                             (size_t)self->parts * domain->n);
}

/* Where sums go, and sources as sums take them: the domain's own, and those that are held here. */
static const oct_offer sum_offers[] = {OCT_OFFER(direct, "partials", partials),
                                       OCT_OFFER(direct, "parts", parts),
                                       OCT_OFFER(direct, "most", most),
                                       {0}};
static const oct_offer own_offers[] = {OCT_OFFER(direct, "high", high),
                                       OCT_OFFER(direct, "low", low),
                                       OCT_OFFER(direct, "soft", soft),
                                       {0}};
static const oct_offer held_offers[] = {OCT_OFFER(oct_ring, "high", high),
                                        OCT_OFFER(oct_ring, "low", low),
                                        OCT_OFFER(oct_ring, "soft", soft),
                                        {0}};
#define TARGETS                                                                                    \
    OCT_BIND_DOMAIN(domain), OCT_BIND_OFFERS(oct_force_unit_offers, &self->units),                 \
        OCT_BIND_OFFERS(sum_offers, self)
#define OWN_SOURCES OCT_BIND_OFFERS(own_offers, self)
#define HELD_SOURCES                                                                               \
    OCT_BIND_OFFERS(held_offers, &self->ring), OCT_BIND_IN("sources", &self->ring.strangers),      \
        OCT_BIND_IN("n_sources", &self->ring.n_list)

/* Kernels for the sources of other ranks, which are a list of their own. */
static oct_status make_ring(direct *self, oct_domain *domain, const char *pairs)
{
    if (!domain->sim->comm)
        return OCT_STATUS_OK;
    OCT_TRY(OCT_KERNEL(&self->prepare_ring, self->program, "force_direct_prepare",
                       OCT_BIND_OFFERS(oct_ring_offers, &self->ring),
                       OCT_BIND_OFFERS_OF(oct_sim_offers, &domain->sim),
                       OCT_BIND_OFFERS(oct_force_unit_offers, &self->units)));
    return OCT_KERNEL(&self->pairs_ring, self->pairs_program, pairs, TARGETS, HELD_SOURCES);
}

/* Kernels for sets of few bodies, when there is a set. */
static oct_status make_few(direct *self, oct_domain *domain)
{
    oct_program **program = &self->few_program;
    OCT_TRY(oct_domain_build(program, domain, "force_direct_few.cl", self->options));
    OCT_TRY(OCT_KERNEL(&self->few, *program, "force_direct_few", TARGETS, OWN_SOURCES));
    OCT_TRY(OCT_KERNEL(&self->join, *program, "force_direct_join", TARGETS));
    if (!domain->sim->comm)
        return OCT_STATUS_OK;
    OCT_TRY(OCT_KERNEL(&self->few_ring, *program, "force_direct_few", TARGETS, HELD_SOURCES));
    return OCT_KERNEL(&self->join_ring, *program, "force_direct_join", TARGETS,
                      OCT_BIND_IN("sources", &self->ring.strangers),
                      OCT_BIND_IN("n_sources", &self->ring.n_list));
}

static oct_status direct_init(void *state, oct_domain *domain)
{
    direct *self = state;
    const oct_device_info *info = oct_device_describe(domain->device);
    const tuning *t = choose_tuning(self, info, domain->precision, domain->n);
    /* A vector of doubles has half the lanes. */
    bool halved = t->group == 1 && domain->precision == OCT_PRECISION_DOUBLE;
    self->group = t->group;
    self->per_group = halved ? t->per_group / 2 : t->per_group;
    self->parts = choose_parts(t, info, domain->n);
    self->most = choose_most(t, info, domain->n, self->parts);
    self->few_groups = t->group == 1 ? 0 : info->compute_units * t->groups_per_unit;
    OCT_TRY(make_buffers(self, domain));
    const char *softened = oct_force_softening_options(self->softening, domain);
    snprintf(self->options, sizeof self->options, "%s%s", t->options, softened);
    OCT_TRY(oct_domain_build(&self->program, domain, "force_direct.cl",
                             domain->softening ? softened : NULL));
    OCT_TRY(oct_domain_build(&self->pairs_program, domain, t->file, self->options));
    OCT_TRY(OCT_KERNEL(&self->prepare, self->program, "force_direct_prepare",
                       OCT_BIND_DOMAIN(domain), OWN_SOURCES,
                       OCT_BIND_OFFERS(oct_force_unit_offers, &self->units)));
    OCT_TRY(OCT_KERNEL(&self->fold, self->program, "force_direct_fold", TARGETS));
    OCT_TRY(make_ring(self, domain, t->kernel));
    return OCT_KERNEL(&self->pairs, self->pairs_program, t->kernel, TARGETS, OWN_SOURCES);
}

/* What sums up the pulls of some sources: on many targets, and on few. */
typedef struct sums {
    oct_kernel *prepare, *pairs, *few, *join;
    size_t sources; /* as many as there can be */
} sums;

/* The pulls of sources on the bodies of the domain, or of its set. Which of the kernels for many
 * and for few leaves at once the device decides: it knows how many bodies a set has. */
static oct_status sum_up(const direct *self, oct_domain *domain, const sums *s)
{
    size_t groups = (domain->n + self->per_group - 1) / self->per_group * self->parts;
    OCT_TRY(oct_kernel_launch(s->prepare, s->sources, 0));
    OCT_TRY(oct_kernel_launch(s->pairs, groups * self->group, self->group));
    if (!domain->set || !s->few)
        return oct_kernel_launch(self->fold, domain->n, 0);
    OCT_TRY(oct_kernel_launch(s->few, self->few_groups * self->group, self->group));
    return oct_kernel_launch(s->join, self->few_groups * self->group, self->group);
}

/* What other ranks have pulls too. */
static oct_status sum_ring(direct *self, oct_domain *domain)
{
    bool more = true;
    OCT_TRY(oct_device_flush(domain->device));
    while (more) {
        OCT_TRY(oct_ring_next(&more, &self->ring, domain));
        if (more)
            OCT_TRY(sum_up(self, domain,
                           &(sums){self->prepare_ring, self->pairs_ring, self->few_ring,
                                   self->join_ring, self->ring.room}));
    }
    return OCT_STATUS_OK;
}

static oct_status direct_accumulate(void *state, oct_domain *domain)
{
    direct *self = state;
    bool shared = domain->sim->comm != NULL;
    oct_force_units_find(&self->units, self->softening, domain);
    if (domain->set && self->few_groups && !self->few_program)
        OCT_TRY(make_few(self, domain));
    OCT_TRY(oct_sources_list(domain));
    if (shared)
        OCT_TRY(oct_ring_begin(&self->ring, domain));
    OCT_TRY(sum_up(self, domain,
                   &(sums){self->prepare, self->pairs, self->few, self->join, domain->n}));
    return shared ? sum_ring(self, domain) : OCT_STATUS_OK;
}

static oct_status direct_leap(uint64_t *taken, void *state, oct_domain *domain, double dt,
                              uint64_t most)
{
    direct *self = state;
    bool lanes = self->group == 1;
    *taken = 0;
    if (!oct_leap_suits(domain->n, lanes, oct_device_describe(domain->device)))
        return OCT_STATUS_OK;
    if (!self->leap.kernel) {
        const char *name;
        OCT_TRY(oct_leap_build(&self->leap, &name, domain, lanes, self->options));
        OCT_TRY(OCT_KERNEL(&self->leap.kernel, self->leap.program, name, TARGETS, OWN_SOURCES,
                           OCT_BIND_OFFERS(oct_leap_offers, &self->leap)));
    }
    if (most == 0)
        return OCT_STATUS_OK;
    oct_force_units_find(&self->units, self->softening, domain);
    OCT_TRY(oct_sources_list(domain));
    return oct_leap_launch(taken, &self->leap, domain, dt, most);
}

static void direct_memory(oct_needs *needs, const void *self)
{
    uint64_t force4 = 4 * oct_force_size(needs->precision), n = needs->n;
    const tuning *t = choose_tuning(self, needs->device, needs->precision, n);
    oct_needs_add(needs, force4, n);
    oct_needs_add(needs, force4, needs->precision == OCT_PRECISION_MIXED ? n : 0);
    if (oct_setup_softens(needs->setup))
        oct_needs_add(needs, oct_force_size(needs->precision), n);
    oct_needs_add(needs, 4 * oct_real_size(needs->precision),
                  choose_parts(t, needs->device, n) * n);
}

static oct_follows direct_follows(const void *self)
{
    (void)self;
    return OCT_FOLLOWS_PLACES;
}

static void direct_free(void *state)
{
    direct *self = state;
    oct_kernel_free(self->prepare);
    oct_kernel_free(self->pairs);
    oct_kernel_free(self->fold);
    oct_kernel_free(self->prepare_ring);
    oct_kernel_free(self->pairs_ring);
    oct_kernel_free(self->few);
    oct_kernel_free(self->join);
    oct_kernel_free(self->few_ring);
    oct_kernel_free(self->join_ring);
    oct_ring_end(&self->ring);
    oct_leap_free(&self->leap);
    oct_program_free(self->program);
    oct_program_free(self->pairs_program);
    oct_program_free(self->few_program);
    oct_buffer_free(self->high);
    oct_buffer_free(self->low);
    oct_buffer_free(self->soft);
    oct_buffer_free(self->partials);
}

const oct_force oct_force_direct = {
    .version = OCT_MODULE_VERSION,
    .name = "direct",
    .doc = "Gravity summed over all pairs: exact, and the faster method for few particles.",
    .state_size = sizeof(direct),
    .fields = fields,
    .gravity = true,
    .sets = true,
    .all_pairs = true,
    .init = direct_init,
    .accumulate = direct_accumulate,
    .leap = direct_leap,
    .memory = direct_memory,
    .free = direct_free,
    .follows = direct_follows,
    .shared = true,
};
