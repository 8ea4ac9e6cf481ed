/* Gravity of solar systems: all pairs of bodies inside a system; other systems pull by their
 * centres of mass and second moments, unless they are so near that their bodies have to. A body
 * without a system is a system of its own. See docs/celestial.md. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "force/force_fields.h"
#include "force/force_gathering.h"
#include "force/force_method.h"
#include "force/force_nearest.h"
#include "force/force_packs.h"
#include "force/force_units.h"

/* As they are listed below. */
enum { QUADRUPOLE, GROUPED = 0 };
enum { FAR_SYSTEMS, FAR_BODIES, FAR_NONE };

typedef struct systems {
    double softening, opening, threshold;
    int order, far, packing, fallback, kernel;

    oct_program *program, *far_program, *near_program, *fold_program;
    oct_kernel *centres, *block_reach, *far_sums, *fold, *evaluate, *near, *opened;
    oct_buffer *centre, *high, *low, *quad, *reach; /* of systems; reach: of blocks of them */
    oct_buffer *partials, *partial_tides, *pull, *tide;
    oct_buffer *list;          /* blocks with systems that are opened, for each system */
    oct_buffer *work;          /* how many those were, and how many bodies they have */
    oct_buffer *packs, *alone; /* runs of bodies: as packing has it, and of one system each */
    uint32_t targets, parts, words;
    uint32_t systems, bodies;      /* that are pulled: the first ones of the domain */
    oct_gathering all;             /* where ranks share them; its gravity finds the far part */
    size_t group, per_group, pack; /* work-items, and targets they sum for, far and near */
    oct_force_units units, near_units;
    double per_opening;

    oct_choice method;    /* the fallback, with a threshold */
    oct_buffer *nearest;  /* square of each target's distance from the nearest system */
    oct_buffer *switched; /* whether the last step was the fallback's: part of the state */
    uint32_t is_switched;
    bool is_known; /* is_switched has been read */
    bool summed;   /* since the simulation was started or restored */
} systems;

static const char *const orders[] = {"quadrupole", "monopole", NULL};
static const char *const far_ways[] = {"systems", "bodies", "none", NULL};
static const char *const packings[] = {"grouped", "plain", NULL};
static const char *const fallbacks[] = {"direct", "tree", NULL};
static const oct_field fields[] = {
    OCT_FIELD_SOFTENING(systems),
    {.name = "order",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(systems, order),
     .initial = "quadrupole",
     .choices = orders,
     .doc = "order of the expansion of a system, as one that pulls and as one that is pulled"},
    {.name = "far",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(systems, far),
     .initial = "systems",
     .choices = far_ways,
     .doc = "what sums over the other systems: each system, whose bodies then feel its pull and "
            "tide, or each body for itself; none: systems do not know of each other"},
    {.name = "opening",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(systems, opening),
     .initial = "0.5",
     .min = 0,
     .max = 1e6,
     .doc = "two systems whose radii together are more than this times their distance are summed "
            "over body by body: smaller is more accurate and slower, but 0 opens none"},
    {.name = "packing",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(systems, packing),
     .initial = "grouped",
     .choices = packings,
     .doc = "how a work-group is filled: with as many systems as fit, or with one"},
    {.name = "threshold",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(systems, threshold),
     .initial = "0",
     .unit = {1, 0, 0},
     .min = 0,
     .max = 1e300,
     .doc = "whenever the centres of two systems are nearer than this, all forces are found by "
            "the fallback; 0: never"},
    {.name = "fallback",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(systems, fallback),
     .initial = "direct",
     .choices = fallbacks,
     .doc = "the method below the threshold"},
    OCT_FIELD_KERNEL(
        systems,
        "how sums are taken: with tiles of sources in local memory (GPUs), vector lanes of "
        "targets (CPUs), the same without instructions of one processor, or what suits the "
        "device"),
    {0},
};

/* How a kind of device sums: measured with `octant bench systems`. */
typedef struct tuning {
    const char *name, *options;
    size_t group;             /* work-items in a group */
    size_t targets[2];        /* of a work-item, by order */
    size_t pack;              /* bodies in a pack */
    unsigned groups_per_unit; /* work-groups that keep a compute unit busy */
} tuning;

static const tuning tunings[] = {
    [OCT_FORCE_TILES] = {"tiles", "-D UNROLL=8 -D PACK=64", 256, {1, 2}, 64, 32},
    [OCT_FORCE_LANES] = {"lanes", "", 1, {16, 16}, 16, 1},
    [OCT_FORCE_PORTABLE] = {"lanes", "-D OCT_PORTABLE", 1, {16, 16}, 16, 1},
};

/* TILE is that of the kernels: parts begin at its multiples. */
enum { TILE = 256, MOST_PARTS = 32, SMALLEST_BLOCK = 64, MOST_BLOCKS = 2048 };

static const tuning *choose_tuning(const systems *self, const oct_device_info *info)
{
    return &tunings[oct_force_kernel_choose(self->kernel, info)];
}

/* Targets alone do not fill a GPU when there are few: then the sources are cut into parts too. */
static uint32_t choose_parts(const systems *self, const oct_device_info *info, uint64_t targets,
                             uint64_t sources)
{
    const tuning *t = choose_tuning(self, info);
    uint64_t each = t->group * t->targets[self->order], groups = (targets + each - 1) / each;
    uint64_t parts = info->compute_units * t->groups_per_unit / (groups ? groups : 1);
    uint64_t most = (sources + TILE - 1) / TILE;
    parts = parts < most ? parts : most;
    parts = parts < MOST_PARTS ? parts : MOST_PARTS;
    return parts == 0 ? 1 : (uint32_t)parts;
}

/* Sources that share a bit: few, so that little is looked at again, unless the lists get long. */
static uint32_t choose_block(uint64_t sources)
{
    uint32_t block = SMALLEST_BLOCK;
    while (block < TILE && sources / block > MOST_BLOCKS)
        block *= 2;
    return block;
}

/* 32-bit words of a system's list for one part. */
static uint32_t words_for(uint64_t sources, uint32_t parts)
{
    uint64_t tiles = (sources + TILE - 1) / TILE, run = (tiles + parts - 1) / parts * TILE;
    return (uint32_t)((run / choose_block(sources) + 31) / 32);
}

static oct_status systems_check(const void *self, const oct_setup *setup)
{
    const oct_boundary *boundary = oct_setup_boundary(setup);
    const systems *s = self;
    OCT_CHECK(!boundary->rotation, OCT_STATUS_INPUT,
              "method systems keeps systems whole, and a sheared box shears those that cross its "
              "faces: expected box.boundary open or periodic, or method direct or tree");
    OCT_CHECK(s->far != FAR_NONE || !boundary->image, OCT_STATUS_INPUT,
              "with gravity.far none a system has nothing around it, not its images either: "
              "expected box.boundary: open");
    OCT_CHECK(s->far != FAR_NONE || s->threshold == 0, OCT_STATUS_INPUT,
              "with gravity.far none no system is near another: expected gravity.threshold: 0");
    return OCT_STATUS_OK;
}

/* Numbers that the tides on a system are summed up from, and vectors of four that they take: as in
 * the kernels. */
static size_t tides_of(const systems *self)
{
    return self->order == QUADRUPOLE ? 20 : 7;
}

static size_t rows_of(const systems *self)
{
    return self->order == QUADRUPOLE ? 5 : 2;
}

enum { ROWS = 12 };

/* The buffers for n systems, but for the packs. */
static void plan_buffers(oct_buffer_plan out[ROWS], systems *self, size_t n,
                         oct_precision precision)
{
    size_t force = oct_force_size(precision), real4 = 4 * oct_real_size(precision);
    size_t sums = (size_t)self->parts * self->targets;
    bool expands = self->far == FAR_SYSTEMS, opens = self->opening > 0 && self->far != FAR_NONE;
    n = self->far == FAR_NONE ? 0 : n;
    const oct_buffer_plan rows[ROWS] = {
        {&self->centre, "systems.centre", real4, n},
        {&self->high, "systems.high", 4 * force, n},
        {&self->low, "systems.low", 4 * force, n},
        {&self->quad, "systems.quad", 8 * force, n},
        {&self->reach, "systems.reach", force, n ? n / SMALLEST_BLOCK + 1 : 0},
        {&self->partials, "systems.partials", real4, sums},
        {&self->partial_tides, "systems.partial_tides", tides_of(self) * force, expands ? sums : 0},
        {&self->pull, "systems.pull", real4, expands ? n : 0},
        {&self->tide, "systems.tide", 4 * rows_of(self) * force, expands ? n : 0},
        {&self->list, "systems.list", sizeof(uint32_t),
         opens ? (size_t)self->words * self->parts * n : 0},
        {&self->work, "systems.work", 2 * sizeof(uint32_t), opens ? n : 0},
        {&self->nearest, "systems.nearest", sizeof(float), self->threshold > 0 ? sums : 0}};
    memcpy(out, rows, sizeof rows);
}

static oct_status make_buffers(systems *self, oct_domain *domain)
{
    oct_buffer_plan rows[ROWS];
    plan_buffers(rows, self, domain->system_table.n, domain->precision);
    for (size_t i = 0; i < ROWS; i++)
        OCT_TRY(oct_buffer_create(rows[i].at, domain->device, rows[i].name, rows[i].element,
                                  rows[i].count));
    OCT_TRY(oct_packs_make(&self->packs, domain, "systems.packs", self->systems, self->pack,
                           self->packing == GROUPED));
    return oct_packs_make(&self->alone, domain, "systems.alone", self->systems, self->pack, false);
}

/* What its kernels share. */
static const oct_offer systems_offers[] = {OCT_OFFER(systems, "centre", centre),
                                           OCT_OFFER(systems, "high", high),
                                           OCT_OFFER(systems, "low", low),
                                           OCT_OFFER(systems, "quad", quad),
                                           OCT_OFFER(systems, "reach", reach),
                                           OCT_OFFER(systems, "pull", pull),
                                           OCT_OFFER(systems, "tide", tide),
                                           OCT_OFFER(systems, "partials", partials),
                                           OCT_OFFER(systems, "tides", partial_tides),
                                           OCT_OFFER(systems, "opened", list),
                                           OCT_OFFER(systems, "nearest", nearest),
                                           OCT_OFFER(systems, "targets", targets),
                                           OCT_OFFER(systems, "parts", parts),
                                           OCT_OFFER(systems, "words", words),
                                           OCT_OFFER(systems, "per_opening", per_opening),
                                           {0}};

#define ALL                                                                                        \
    OCT_BIND_DOMAIN(domain), OCT_BIND_OFFERS(systems_offers, self),                                \
        OCT_BIND_OFFERS(oct_force_unit_offers, &self->units)

static oct_status bind_expansion(systems *self, oct_domain *domain)
{
    OCT_TRY(OCT_KERNEL(&self->centres, self->program, "force_systems_centres", ALL));
    OCT_TRY(OCT_KERNEL(&self->block_reach, self->program, "force_systems_reach", ALL));
    OCT_TRY(OCT_KERNEL(&self->evaluate, self->program, "force_systems_evaluate", ALL));
    if (self->far == FAR_SYSTEMS)
        return OCT_KERNEL(&self->fold, self->program, "force_systems_fold", ALL);
    OCT_TRY(oct_domain_build(&self->fold_program, domain, "force_direct.cl", NULL));
    return OCT_KERNEL(&self->fold, self->fold_program, "force_direct_fold",
                      OCT_BIND_UINT("n", &self->targets), ALL);
}

static oct_status make_kernels(systems *self, oct_domain *domain, const tuning *t)
{
    char options[256], file[64], name[64];
    const char *images = domain->acting.n > 1 ? " -D IMAGES" : "";
    snprintf(options, sizeof options, "-D BLOCK=%u -D TARGETS=%zu %s%s%s%s%s%s%s",
             choose_block(domain->system_table.n), t->targets[self->order], t->options, images,
             self->order == QUADRUPOLE ? " -D QUADRUPOLE" : "",
             self->far == FAR_SYSTEMS ? "" : " -D BODIES",
             self->softening > 0 ? " -D SOFTENED" : "", self->opening > 0 ? " -D OPENING" : "",
             self->threshold > 0 ? " -D NEAREST" : "");
    if (self->far != FAR_NONE) {
        OCT_TRY(oct_domain_build(&self->program, domain, "force_systems.cl", options));
        OCT_TRY(bind_expansion(self, domain));
        snprintf(file, sizeof file, "force_systems_far_%s.cl", t->name);
        snprintf(name, sizeof name, "force_systems_far_%s", t->name);
        OCT_TRY(oct_domain_build(&self->far_program, domain, file, options));
        OCT_TRY(OCT_KERNEL(&self->far_sums, self->far_program, name, ALL));
    }
    /* Pairs of bodies know nothing of the expansion. */
    snprintf(options, sizeof options, "-D BLOCK=%u %s%s", choose_block(domain->system_table.n),
             t->options, images);
    snprintf(file, sizeof file, "force_systems_near_%s.cl", t->name);
    OCT_TRY(oct_domain_build(&self->near_program, domain, file, options));
    snprintf(name, sizeof name, "force_systems_near_%s", t->name);
    OCT_TRY(OCT_KERNEL(&self->near, self->near_program, name, OCT_BIND_DOMAIN(domain),
                       OCT_BIND_OFFERS(oct_force_unit_offers, &self->near_units),
                       OCT_BIND_IN("packs", &self->packs)));
    if (self->far == FAR_NONE)
        return OCT_STATUS_OK;
    snprintf(name, sizeof name, "force_systems_opened_%s", t->name);
    return OCT_KERNEL(&self->opened, self->near_program, name, ALL,
                      OCT_BIND_IN("packs", &self->alone), OCT_BIND_OUT("work", &self->work));
}

#undef ALL

static oct_status make_fallback(systems *self, oct_domain *domain)
{
    OCT_TRY(oct_force_method_make(&self->method, fallbacks[self->fallback], self, fields));
    OCT_TRY(oct_force_method_of(&self->method)->init(self->method.state, domain));
    OCT_TRY(oct_buffer_create(&self->switched, domain->device, "systems.switched", 4, 1));
    OCT_TRY(oct_buffer_fill(self->switched, 0));
    return oct_domain_add_state(domain, self->switched);
}

/* How n systems are summed over, for so many of them with so many bodies. */
static void choose_shape(systems *self, const oct_device_info *info, oct_precision precision,
                         uint64_t n)
{
    const tuning *t = choose_tuning(self, info);
    /* A vector of doubles has half the lanes. */
    size_t share = t->group == 1 && precision == OCT_PRECISION_DOUBLE ? 2 : 1;
    self->group = t->group;
    self->per_group = t->group * t->targets[self->order] / share;
    self->pack = t->pack / share;
    self->targets = self->far == FAR_SYSTEMS ? self->systems
                    : self->far == FAR_NONE  ? 0
                                             : self->bodies;
    self->parts = choose_parts(self, info, self->targets, n);
    self->words = words_for(n, self->parts);
}

static oct_status systems_init(void *state, oct_domain *domain);

/* Systems of all ranks pull at this one's: their far part is found where all are together. */
static oct_status start_all(systems *self, oct_domain *domain)
{
    OCT_CHECK(self->threshold == 0, OCT_STATUS_INPUT,
              "gravity.threshold does not work with more than one domain yet: run it on one");
    OCT_TRY(oct_gathering_start(&self->all, domain));
    systems *whole = self->all.gravity.state;
    whole->systems = self->all.systems_own;
    whole->bodies = self->all.n_own;
    self->far = FAR_NONE;
    return systems_init(whole, self->all.domain);
}

static oct_status systems_init(void *state, oct_domain *domain)
{
    systems *self = state;
    const oct_device_info *info = oct_device_describe(domain->device);
    const tuning *t = choose_tuning(self, info);
    uint32_t n = domain->system_table.n;
    OCT_CHECK(n > 0, OCT_STATUS_INPUT,
              "method systems needs solar systems, and this scene has none: expected a model that "
              "makes them or a file that numbers them, or method direct or tree");
    if (oct_owners_several(domain->sim) && self->bodies == 0 && self->far != FAR_NONE)
        OCT_TRY(start_all(self, domain));
    self->systems = self->systems ? self->systems : n;
    self->bodies = self->bodies ? self->bodies : domain->n;
    choose_shape(self, info, domain->precision, n);
    OCT_TRY(make_buffers(self, domain));
    OCT_TRY(make_kernels(self, domain, t));
    return self->threshold > 0 ? make_fallback(self, domain) : OCT_STATUS_OK;
}

/* Whether there is nothing beyond a body's own system. */
static bool is_alone(const systems *self, const oct_domain *domain)
{
    return !self->all.domain &&
           (self->far == FAR_NONE || (domain->system_table.n == 1 && domain->acting.n == 1));
}

static oct_status sum_far(systems *self, oct_domain *domain)
{
    size_t groups = (self->targets + self->per_group - 1) / self->per_group * self->parts;
    /* What is divided by less than this reaches everything, and no float overflows. */
    self->per_opening = self->opening > 0 ? 1 / fmax(self->opening, 1e-12) : 0;
    oct_force_units_find(&self->units, self->softening, domain);
    OCT_TRY(oct_kernel_launch(self->centres, domain->system_table.n, 0));
    OCT_TRY(oct_kernel_launch(self->block_reach, self->reach->count, 0));
    return oct_kernel_launch(self->far_sums, groups * self->group, self->group);
}

/* Adds what was summed over systems, and the bodies of the opened ones. */
static oct_status add_far(systems *self, oct_domain *domain)
{
    size_t group = self->group == 1 ? 1 : self->pack;
    if (is_alone(self, domain))
        return OCT_STATUS_OK;
    OCT_TRY(oct_sources_list(domain));
    if (self->far == FAR_SYSTEMS) {
        OCT_TRY(oct_kernel_launch(self->fold, self->systems, 0));
        OCT_TRY(oct_kernel_launch(self->evaluate, self->bodies, 0));
    } else {
        OCT_TRY(oct_kernel_launch(self->fold, self->bodies, 0));
    }
    return self->opening > 0 ? oct_kernel_launch(self->opened, self->alone->count * group, group)
                             : OCT_STATUS_OK;
}

/* Adds so many times the pull of the bodies of the same system. */
static oct_status add_near(systems *self, oct_domain *domain, double times)
{
    size_t group = self->group == 1 ? 1 : self->pack;
    oct_force_units_find(&self->near_units, self->softening, domain);
    self->near_units.acceleration *= times;
    self->near_units.potential *= times;
    OCT_TRY(oct_sources_list(domain));
    return oct_kernel_launch(self->near, self->packs->count * group, group);
}

/* Says that the method has changed, once, also after a resume. */
static oct_status note_switch(systems *self, oct_domain *domain, bool over, uint32_t nearest)
{
    char names[OCT_NEAREST_BYTES];
    if (!self->is_known)
        OCT_TRY(oct_buffer_read(&self->is_switched, self->switched, 0, 1));
    self->is_known = true;
    if (domain->sim->looking || over == (self->is_switched == 1))
        return OCT_STATUS_OK;
    self->is_switched = over;
    OCT_TRY(oct_buffer_write(self->switched, &self->is_switched, 0, 1));
    OCT_TRY(oct_nearest_name(names, nearest, domain, self->centre));
    oct_sim_note(domain->sim, "step %llu: %s: forces by method %s",
                 (unsigned long long)oct_sim_steps(domain->sim) + 1, names,
                 over ? fallbacks[self->fallback] : "systems");
    return OCT_STATUS_OK;
}

/* Sums over systems. *over: two are nearer than the threshold, and these sums are not wanted. */
static oct_status sum_or_switch(bool *over, systems *self, oct_domain *domain)
{
    uint32_t nearest;
    double distance;
    *over = false;
    self->summed = true;
    if (is_alone(self, domain))
        return OCT_STATUS_OK;
    OCT_TRY(sum_far(self, domain));
    if (self->threshold == 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_nearest_find(&nearest, &distance, domain, self->nearest, self->targets));
    *over = distance < self->threshold;
    return note_switch(self, domain, *over, nearest);
}

/* The far part, where ranks share the bodies. */
static oct_status add_all(systems *self, oct_domain *domain)
{
    oct_gathering *g = &self->all;
    systems *whole = g->gravity.state;
    OCT_TRY(oct_gathering_bring(g, domain));
    whole->summed = true;
    OCT_TRY(sum_far(whole, g->domain));
    OCT_TRY(add_far(whole, g->domain));
    return oct_gathering_take(g, domain);
}

static oct_status systems_accumulate(void *state, oct_domain *domain)
{
    systems *self = state;
    bool over;
    if (self->all.domain) {
        OCT_TRY(add_all(self, domain));
        return add_near(self, domain, 1);
    }
    OCT_TRY(sum_or_switch(&over, self, domain));
    if (over)
        return oct_force_method_of(&self->method)->accumulate(self->method.state, domain);
    OCT_TRY(add_far(self, domain));
    return add_near(self, domain, 1);
}

static oct_status systems_accumulate_near(void *state, oct_domain *domain)
{
    return add_near(state, domain, 1);
}

/* The fallback has no parts: what is near is taken off again. */
static oct_status systems_accumulate_far(void *state, oct_domain *domain)
{
    systems *self = state;
    bool over;
    if (self->all.domain)
        return add_all(self, domain);
    OCT_TRY(sum_or_switch(&over, self, domain));
    if (!over)
        return add_far(self, domain);
    OCT_TRY(oct_force_method_of(&self->method)->accumulate(self->method.state, domain));
    return add_near(self, domain, -1);
}

static bool systems_alone(const void *state, const oct_domain *domain)
{
    return is_alone(state, domain);
}

static oct_status systems_waited(void *state, oct_domain *domain)
{
    systems *self = state;
    return self->method.module ? oct_force_method_waited(&self->method, domain) : OCT_STATUS_OK;
}

/* Systems and bodies that act on a body, on average. */
static oct_status systems_interactions(double out[2], void *state, oct_domain *domain)
{
    systems *self = state;
    if (self->all.domain)
        return systems_interactions(out, self->all.gravity.state, self->all.domain);
    uint32_t n = domain->system_table.n, *work;
    double all = self->far == FAR_NONE ? 1 : (double)n * domain->acting.n;
    oct_status status = OCT_STATUS_OK;
    out[0] = out[1] = self->summed ? 0 : NAN;
    if (self->is_switched)
        return oct_force_method_interactions(out, &self->method, domain);
    OCT_TRY(oct_alloc(&work, 2 * (size_t)n, sizeof *work, "interaction counts"));
    if (self->opening > 0 && !is_alone(self, domain))
        status = oct_readback_read(work, domain, self->work, n);
    for (uint32_t s = 0; s < self->systems && status == OCT_STATUS_OK; s++) {
        double bodies = domain->system_table.starts[s + 1] - domain->system_table.starts[s];
        out[0] += bodies * (all - 1 - work[2 * s]) / self->bodies;
        out[1] += bodies * (bodies - 1 + work[2 * s + 1]) / self->bodies;
    }
    free(work);
    return status;
}

static void systems_memory(oct_needs *needs, const void *state)
{
    systems self = *(const systems *)state;
    oct_buffer_plan rows[ROWS];
    self.systems = (uint32_t)needs->systems;
    self.bodies = (uint32_t)needs->n;
    choose_shape(&self, needs->device, needs->precision, needs->systems);
    plan_buffers(rows, &self, needs->systems, needs->precision);
    for (size_t i = 0; i < ROWS; i++)
        oct_needs_add(needs, rows[i].element, rows[i].count);
    /* A pack is full, or ends with a system. */
    for (int i = 0; i < 2; i++)
        oct_needs_add(needs, 8,
                      i == 0 && self.packing == GROUPED ? needs->n / (self.pack / 2 + 1) + 1
                                                        : needs->n / self.pack + needs->systems);
    if (self.threshold > 0) {
        oct_force_method_memory(needs, fallbacks[self.fallback], state, fields);
        oct_needs_add(needs, 4, 1);
    }
}

static void systems_free(void *state)
{
    systems *self = state;
    oct_kernel *const kernel_list[] = {self->centres, self->block_reach, self->far_sums,
                                       self->fold,    self->evaluate,    self->near,
                                       self->opened};
    oct_program *const programs[] = {self->program, self->far_program, self->near_program,
                                     self->fold_program};
    oct_buffer *const buffers[] = {self->centre, self->high,     self->low,           self->quad,
                                   self->reach,  self->partials, self->partial_tides, self->pull,
                                   self->tide,   self->list,     self->work,          self->packs,
                                   self->alone,  self->nearest,  self->switched};
    oct_gathering_end(&self->all);
    oct_choice_clear(&self->method);
    for (size_t i = 0; i < sizeof kernel_list / sizeof kernel_list[0]; i++)
        oct_kernel_free(kernel_list[i]);
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        oct_program_free(programs[i]);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
}

/* What method the last step had is remembered. */
static oct_follows systems_follows(const void *state)
{
    const systems *self = state;
    return self->threshold > 0 ? OCT_FOLLOWS_PAST : OCT_FOLLOWS_STATE;
}

const oct_force oct_force_systems = {
    .version = OCT_MODULE_VERSION,
    .name = "systems",
    .doc = "Gravity of solar systems: all pairs inside each, the others by their centres of mass.",
    .state_size = sizeof(systems),
    .fields = fields,
    .check = systems_check,
    .gravity = true,
    .all_pairs = true, /* of systems */
    .shared = true,
    .init = systems_init,
    .accumulate = systems_accumulate,
    .accumulate_near = systems_accumulate_near,
    .accumulate_far = systems_accumulate_far,
    .waited = systems_waited,
    .alone = systems_alone,
    .interactions = systems_interactions,
    .follows = systems_follows,
    .memory = systems_memory,
    .free = systems_free,
};
