/* Kick, drift, kick with a step of its own for each body, dt over a power of two (block time steps:
 * McMillan 1986, Makino 1991). All drift together; forces are found for those whose step ends. */
#include <math.h>
#include <stdio.h>

#include "core/join.h"
#include "core/look.h"
#include "core/softening.h"
#include "integrator/integrator_heavy.h"
#include "tree/keep.h"

enum { GOTHIC, GADGET, ESCAPE };
static const char *const criteria[] = {"gothic", "gadget", "escape", NULL};
enum { OWN, SHARED };
static const char *const steps[] = {"own", "shared", NULL};

/* dt has 2^MOST_LEVELS ticks. */
enum { MOST_LEVELS = 20 };
_Static_assert(OCT_CLOCK_DT == INT64_C(1) << MOST_LEVELS, "a step of the deepest level is a tick");

/* A tree is kept until a step of this level or a longer one ends. */
enum { KEPT_LEVEL = 3 };

/* What a step leaves for the host to read: the deepest rung, whether somebody has none, and whether
 * the tree is to be built anew; and for the device, how many bodies have ended a step. */
enum { DEEPEST, NONE, DUE, ENDED, FOUND };

typedef struct block {
    int64_t levels, spread;
    double eta, length, heavy_masses, orbit, patience;
    int criterion, steps;
    bool symmetric, keep;

    oct_set *set;      /* who ends a step; NULL: all do, at any time */
    oct_buffer *marks; /* of it */
    oct_program *program;
    oct_kernel *open, *close, *choose, *survey, *share, *lead, *limit, *predict, *centre;
    oct_buffer *rung, *tau;  /* columns; tau is NULL unless symmetric, */
    oct_buffer *calm;        /* and calm without patience */
    oct_buffer *evaluations; /* forces of a body that steps have found */
    oct_heavy heavy;
    oct_buffer *found;     /* what DEEPEST, NONE, DUE and ENDED stand for */
    oct_buffer *predicted; /* where the next prediction goes */
    oct_buffer *lengths;   /* of bodies that differ in ε; NULL: none does */
    bool surveyed;         /* all bodies are known to have rungs */
    /* What kernels take beside: the fields as they have them, */
    double scale, orbit_time;
    uint32_t deepest, apart, shared;
    /* and of the next launch: dt, its half, and the drift of all; from which rung on bodies begin a
     * step, from which on they end it (0: all do), the level of the longest step that fits there,
     * ticks since all began one;
     * half of dt, or 0, where the last kick of a step is still due to heavy bodies. */
    double dt, half_dt, drift_dt, centre_dt;
    uint32_t beginning, ending, longest, past;
} block;

static const oct_field fields[] = {
    {.name = "levels",
     .type = OCT_FIELD_INT,
     .offset = offsetof(block, levels),
     .initial = "10",
     .min = 0,
     .max = MOST_LEVELS,
     .doc = "the shortest step is dt/2^levels; 0: all steps are dt, as leapfrog has them"},
    {.name = "eta",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(block, eta),
     .initial = "0.025",
     .min = 0,
     .above_min = true,
     .max = 1000,
     .doc = "η of the criterion"},
    {.name = "criterion",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(block, criterion),
     .initial = "gothic",
     .choices = criteria,
     .doc = "the longest step of a body: η min(ε/|v|, √(ε/|a|)), √(2ηε/|a|), or by the "
            "speed that escapes from there ηε/√(2|φ|)"},
    {.name = "length",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(block, length),
     .initial = "0",
     .unit = {1, 0, 0},
     .min = 0,
     .max = 1e300,
     .doc = "ε of the criterion; 0: a body's own softening, or gravity.softening"},
    {.name = "steps",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(block, steps),
     .initial = "own",
     .choices = steps,
     .doc = "each body has a step of its own, or all share the shortest that one of them wants"},
    {.name = "spread",
     .type = OCT_FIELD_INT,
     .offset = offsetof(block, spread),
     .initial = "2",
     .min = 0,
     .max = MOST_LEVELS,
     .doc = "levels that a body may be above the deepest one of its neighbours, the 64 bodies of "
            "its group in gravity's tree; where there is no tree, any"},
    {.name = "heavy",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(block, heavy_masses),
     .initial = "20",
     .min = 0,
     .max = INFINITY,
     .doc = "bodies of more than so many mean masses take the shortest step of all, since whoever "
            "is near them moves with it; inf: none do"},
    {.name = "orbit",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(block, orbit),
     .initial = "0",
     .min = 0,
     .max = 1000,
     .doc = "steps are no longer than so many √(ρ³/GM) of each heavy body, at a distance of "
            "ρ, softened by ε; 0: no matter where those are"},
    {.name = "patience",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(block, patience),
     .initial = "0",
     .min = 0,
     .max = INFINITY,
     .doc =
         "a body takes a longer step when it has wanted one for so many dt, one level at a time, "
         "so that steps do not go up and down with |a|, which makes energy drift; 0: at once"},
    {.name = "keep",
     .type = OCT_FIELD_BOOL,
     .offset = offsetof(block, keep),
     .initial = "true",
     .doc = "between the ends of steps of dt/8 gravity's tree is kept, with moments and boxes of "
            "now, until walks have summed over so much more than at first that a build would have "
            "been cheaper; not with criterion: geometric, nor where bodies may be removed"},
    {.name = "symmetric",
     .type = OCT_FIELD_BOOL,
     .offset = offsetof(block, symmetric),
     .initial = "false",
     .doc = "steps as long as the mean of what is wanted at both ends, to first order: less drift "
            "of the energy where orbits are eccentric"},
    {.type = OCT_FIELD_END},
};

static const oct_column_spec rung_column = {
    .name = "block.rung", .type = OCT_COLUMN_BYTE, .width = 1, .flags = OCT_COLUMN_STATE};
static const oct_column_spec calm_column = {
    .name = "block.calm", .type = OCT_COLUMN_REAL, .width = 1, .flags = OCT_COLUMN_STATE};
static const oct_column_spec tau_column = {
    .name = "block.tau", .type = OCT_COLUMN_REAL, .width = 1, .flags = OCT_COLUMN_STATE};

static bool is_plain(const block *self)
{
    return self->levels == 0;
}

/* Whether bodies may be in the middle of their steps when others end theirs. */
static bool differ(const block *self)
{
    return self->levels > 0 && self->steps == OWN;
}

/* Whether there are steps in which a tree may be kept. */
static bool keeps(const block *self)
{
    return differ(self) && self->keep && self->levels > KEPT_LEVEL;
}

/* The length that steps are chosen by. */
static double length_of(const block *self, const oct_setup *setup)
{
    return self->length > 0 ? self->length : oct_setup_softening(setup);
}

static oct_status block_check(const void *state, const oct_setup *setup)
{
    const block *self = state;
    const oct_force *force;
    if (is_plain(self))
        return OCT_STATUS_OK;
    OCT_CHECK(length_of(self, setup) > 0, OCT_STATUS_INPUT,
              "integrator block-leapfrog chooses steps by the softening, which is 0: expected "
              "gravity.softening or integrator.length above 0, or integrator.levels: 0");
    OCT_CHECK(self->criterion != ESCAPE || !oct_setup_boundary(setup)->image, OCT_STATUS_INPUT,
              "integrator.criterion: escape goes by a potential that is 0 far away: expected "
              "box.boundary: open, or another criterion");
    OCT_CHECK(!oct_setup_collision(setup)->collide, OCT_STATUS_INPUT,
              "integrator block-leapfrog does not know what bodies do that collide in the middle "
              "of their steps: expected collisions.method: none, or integrator.levels: 0");
    OCT_CHECK(self->patience == 0 || differ(self), OCT_STATUS_INPUT,
              "integrator.patience is that of bodies with steps of their own: expected 0 with "
              "steps: shared");
    if (!differ(self))
        return OCT_STATUS_OK;
    for (size_t i = 0; (force = oct_setup_force(setup, i)) != NULL; i++)
        OCT_CHECK(!force->kick, OCT_STATUS_INPUT,
                  "force %s changes more than velocities, for all bodies at once: it cannot be had "
                  "with steps that differ from body to body",
                  force->name);
    return oct_set_check(setup);
}

static void block_memory(oct_needs *needs, const void *state)
{
    const block *self = state;
    uint64_t real = oct_real_size(needs->precision);
    if (is_plain(self))
        return;
    oct_needs_add(needs, 1, needs->n);
    if (self->symmetric)
        oct_needs_add(needs, real, needs->n);
    if (self->patience > 0)
        oct_needs_add(needs, real, needs->n);
    oct_needs_add(needs, sizeof(uint64_t), 1);
    oct_heavy_memory(needs, self->orbit > 0);
    oct_needs_add(needs, sizeof(uint32_t), FOUND);
    if (!differ(self))
        return;
    oct_set_memory(needs);
    oct_needs_add(needs, 4 * real, needs->n); /* velocities that onlookers see */
    needs->keeps = keeps(self);
}

static const oct_offer offers[] = {OCT_OFFER(block, "rung", rung),
                                   OCT_OFFER(block, "tau", tau),
                                   OCT_OFFER(block, "calm", calm),
                                   OCT_OFFER(block, "patience", patience),
                                   OCT_OFFER(block, "evaluations", evaluations),
                                   OCT_OFFER(block, "found", found),
                                   OCT_OFFER(block, "predicted", predicted),
                                   OCT_OFFER(block, "dt", dt),
                                   OCT_OFFER(block, "half_dt", half_dt),
                                   OCT_OFFER(block, "drift_dt", drift_dt),
                                   OCT_OFFER(block, "eta", eta),
                                   OCT_OFFER(block, "lengths", lengths),
                                   OCT_OFFER(block, "length_scale", scale),
                                   OCT_OFFER(block, "orbit_time", orbit_time),
                                   OCT_OFFER(block, "centre_dt", centre_dt),
                                   OCT_OFFER(block, "beginning", beginning),
                                   OCT_OFFER(block, "ending", ending),
                                   OCT_OFFER(block, "marks", marks),
                                   OCT_OFFER(block, "longest", longest),
                                   OCT_OFFER(block, "past", past),
                                   OCT_OFFER(block, "levels", deepest),
                                   OCT_OFFER(block, "spread", apart),
                                   OCT_OFFER(block, "shared", shared),
                                   {0}};

/* Levels of neighbours are limited by gravity's tree, which it finds forces with: one that
 * onlookers hold may be of any time. */
static oct_status make_kernels(block *self, oct_domain *domain)
{
    char options[96];
    snprintf(options, sizeof options, "-D CRITERION=%d -D GROUP=%d -D TICKS=%d%s%s%s",
             self->criterion, OCT_TREE_GROUP, MOST_LEVELS, self->symmetric ? " -D SYMMETRIC" : "",
             self->orbit > 0 ? " -D ORBIT" : "", self->patience > 0 ? " -D PATIENCE" : "");
    OCT_TRY(oct_domain_build(&self->program, domain, "block_leapfrog.cl", options));
    const struct {
        oct_kernel **kernel;
        const char *name;
        bool wanted;
    } rows[] = {{&self->survey, "block_survey", true},
                {&self->choose, "block_choose", true},
                {&self->share, "block_share", self->shared},
                {&self->open, "block_open", differ(self)},
                {&self->close, "block_close", differ(self)},
                {&self->lead, "block_lead", differ(self)},
                {&self->predict, "block_predict", differ(self)},
                {&self->centre, "block_centre", self->orbit > 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].wanted)
            OCT_TRY(OCT_KERNEL(rows[i].kernel, self->program, rows[i].name, OCT_BIND_DOMAIN(domain),
                               OCT_BIND_OFFERS(offers, self),
                               OCT_BIND_OFFERS(oct_heavy_offers, &self->heavy)));
    if (!differ(self) || !domain->tree)
        return OCT_STATUS_OK;
    return OCT_KERNEL(&self->limit, self->program, "block_limit", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_TREE(domain), OCT_BIND_OFFERS(offers, self),
                      OCT_BIND_OFFERS(oct_heavy_offers, &self->heavy));
}

static oct_status block_init(void *state, oct_domain *domain)
{
    block *self = state;
    if (is_plain(self))
        return OCT_STATUS_OK;
    self->scale = length_of(self, domain->setup);
    self->lengths = self->length > 0 ? NULL : domain->softening;
    self->orbit_time = self->orbit / sqrt(domain->setup->units.G);
    self->deepest = (uint32_t)self->levels;
    self->apart = (uint32_t)self->spread;
    self->shared = !differ(self);
    OCT_TRY(oct_domain_add_array(&self->rung, domain, &rung_column));
    if (self->symmetric)
        OCT_TRY(oct_domain_add_array(&self->tau, domain, &tau_column));
    if (self->patience > 0)
        OCT_TRY(oct_domain_add_array(&self->calm, domain, &calm_column));
    OCT_TRY(oct_buffer_create(&self->evaluations, domain->device, "block.evaluations",
                              sizeof(uint64_t), 1));
    OCT_TRY(oct_buffer_fill(self->evaluations, 0));
    OCT_TRY(oct_domain_add_total(domain, self->evaluations, OCT_TOTAL_LONGS));
    OCT_TRY(oct_heavy_create(&self->heavy, domain, self->orbit > 0));
    OCT_TRY(
        oct_buffer_create(&self->found, domain->device, "block.found", sizeof(uint32_t), FOUND));
    if (differ(self)) {
        OCT_TRY(oct_set_create(&self->set, domain));
        self->marks = self->set->marks;
    }
    if (keeps(self) && oct_tree_can_keep(domain))
        OCT_TRY(oct_tree_keep(domain, self->found, DUE));
    return make_kernels(self, domain);
}

/* Ticks since all bodies began a step together. */
static int64_t ticks_past(const oct_clock *clock)
{
    return (clock->tick - clock->start.tick) % OCT_CLOCK_DT;
}

/* The level of the longest step that may begin or end there. */
static uint32_t longest_at(int64_t past)
{
    uint32_t level = 0;
    while (past % (OCT_CLOCK_DT >> level) != 0)
        level++;
    return level;
}

/* Forces of all where all begin a step. Where they are not there others have moved bodies, or come
 * with them, and a kept tree is not of these. */
static oct_status begin_together(oct_sim *sim)
{
    if (!oct_forces_fresh(sim->domain))
        oct_tree_forget(sim->domain->tree);
    return oct_sim_forces(sim);
}

/* Where heavy bodies are and how fast, with the last kick of their step still due or without it. */
static oct_status find_centres(block *self, oct_domain *domain, double due)
{
    self->centre_dt = due;
    if (!self->centre || self->heavy.n == 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_kernel_launch(self->centre, self->heavy.n, 0));
    return oct_heavy_join(&self->heavy, domain);
}

/* What the bodies of all ranks have left to be read, where others have some; each counts its own
 * that have ended a step. */
static oct_status join_found(block *self, oct_domain *domain)
{
    uint32_t found[ENDED];
    if (!domain->sim->comm)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_read(found, self->found, 0, ENDED));
    OCT_TRY(oct_join_most(found, ENDED, domain));
    return oct_buffer_write(self->found, found, 0, ENDED);
}

/* What each body wants after a step, where all take the same. */
static oct_status choose_together(block *self, oct_sim *sim, int64_t ticks)
{
    self->longest = longest_at(ticks_past(&sim->clock) + ticks);
    OCT_TRY(find_centres(self, sim->domain, 0));
    OCT_TRY(oct_buffer_fill(self->found, 0));
    OCT_TRY(oct_kernel_launch(self->choose, sim->domain->n, 0));
    OCT_TRY(join_found(self, sim->domain));
    return oct_kernel_launch(self->share, sim->domain->n, 0);
}

/* Bodies that have come from outside have no level yet; they come between blocks. */
static oct_status survey(block *self, oct_sim *sim)
{
    uint32_t found[FOUND];
    OCT_TRY(oct_tree_review(sim->domain->tree));
    OCT_TRY(oct_heavy_find(&self->heavy, sim->domain, self->heavy_masses));
    OCT_TRY(oct_buffer_fill(self->found, 0));
    OCT_TRY(oct_kernel_launch(self->survey, sim->domain->n, 0));
    OCT_TRY(join_found(self, sim->domain));
    OCT_TRY(oct_buffer_read(found, self->found, 0, FOUND));
    self->surveyed = true;
    if (!found[NONE])
        return OCT_STATUS_OK;
    OCT_TRY(begin_together(sim));
    if (self->shared)
        return choose_together(self, sim, 0);
    self->longest = longest_at(ticks_past(&sim->clock));
    OCT_TRY(find_centres(self, sim->domain, 0));
    OCT_TRY(oct_kernel_launch(self->choose, sim->domain->n, 0));
    OCT_TRY(join_found(self, sim->domain));
    return oct_kernel_launch(self->lead, sim->domain->n, 0);
}

/* As long as the shortest of all steps. */
static oct_status block_next(int64_t *ticks, const void *state, oct_sim *sim)
{
    block *self = sim->domain->integrator.state;
    uint32_t found[FOUND];
    (void)state;
    *ticks = OCT_CLOCK_DT;
    if (is_plain(self))
        return OCT_STATUS_OK;
    self->dt = oct_clock_dt(&sim->clock);
    self->half_dt = self->dt / 2;
    if (!self->surveyed)
        OCT_TRY(survey(self, sim));
    if (self->centre && !oct_edition_same(self->heavy.listed, sim->domain->placed))
        OCT_TRY(oct_heavy_find(&self->heavy, sim->domain, self->heavy_masses));
    OCT_TRY(oct_buffer_read(found, self->found, 0, FOUND));
    if (found[DUE])
        oct_tree_forget(sim->domain->tree);
    uint32_t deepest = found[DEEPEST];
    OCT_CHECK(deepest >= 1 && deepest <= MOST_LEVELS + 1, OCT_STATUS_INPUT,
              "the state has a body on level %ld: expected 0 to %d", (long)deepest - 1,
              MOST_LEVELS);
    *ticks >>= deepest - 1;
    OCT_CHECK(ticks_past(&sim->clock) % *ticks == 0, OCT_STATUS_INPUT,
              "the state has bodies in the middle of steps that do not begin at multiples of their "
              "own length");
    return OCT_STATUS_OK;
}

/* A step of one length for all. */
static oct_status step_together(block *self, oct_sim *sim, double dt, int64_t ticks)
{
    OCT_TRY(oct_sim_forces(sim));
    oct_sim_clear_ahead(sim);
    OCT_TRY(oct_sim_kick_drift(sim, dt / 2, dt));
    OCT_TRY(oct_sim_forces(sim));
    OCT_TRY(oct_sim_kick(sim, dt / 2));
    OCT_TRY(oct_sim_collide(sim, dt));
    return is_plain(self) ? OCT_STATUS_OK : choose_together(self, sim, ticks);
}

static oct_status end_steps(block *self, oct_sim *sim)
{
    oct_domain *domain = sim->domain;
    if (self->ending > 0) {
        self->set->cleared = true;
        oct_domain_restrict(domain, self->set);
    }
    /* A kept tree goes by where bodies were, so that what its forces err by goes with velocities
     * and does work; least where few go by it (docs/tree.md). */
    if (self->longest <= KEPT_LEVEL)
        oct_tree_forget(domain->tree);
    OCT_TRY(oct_sim_forces(sim));
    OCT_TRY(find_centres(self, domain, self->half_dt));
    OCT_TRY(oct_sim_kick(sim, self->dt));
    OCT_TRY(join_found(self, domain));
    return self->limit
               ? oct_kernel_launch(self->limit, oct_tree_groups(domain->n) * (size_t)OCT_TREE_GROUP,
                                   OCT_TREE_GROUP)
               : oct_kernel_launch(self->lead, domain->n, 0);
}

static oct_status block_step(const void *state, oct_sim *sim, double dt)
{
    block *self = sim->domain->integrator.state;
    int64_t past = ticks_past(&sim->clock), ticks = oct_clock_ticks(&sim->clock, dt);
    (void)state;
    if (!differ(self))
        return step_together(self, sim, dt, ticks);
    if (past == 0)
        OCT_TRY(begin_together(sim));
    self->beginning = longest_at(past) + 1;
    self->longest = longest_at(past + ticks);
    self->ending = self->longest > 0 ? self->longest + 1 : 0;
    OCT_TRY(oct_sim_drift(sim, dt));
    oct_status status = end_steps(self, sim);
    oct_domain_restrict(sim->domain, NULL);
    return status;
}

/* With the kick of those who begin a step. */
static oct_status block_drift(void *state, oct_domain *domain, double dt)
{
    block *self = state;
    self->drift_dt = dt;
    return oct_kernel_launch(self->open, domain->n, 0);
}

static oct_status block_kick(void *state, oct_domain *domain, double dt)
{
    block *self = state;
    return differ(self) ? oct_kernel_launch(self->close, domain->n, 0)
                        : oct_domain_kick(domain, domain->acceleration, dt);
}

static bool block_within(const void *state, int64_t ticks)
{
    return differ(state) && ticks % OCT_CLOCK_DT != 0;
}

static oct_status block_predict(void *state, oct_domain *domain, oct_buffer *out)
{
    block *self = state;
    self->predicted = out;
    self->dt = oct_clock_dt(&domain->sim->clock);
    self->past = (uint32_t)ticks_past(&domain->sim->clock);
    return oct_kernel_launch(self->predict, domain->n, 0);
}

static void block_free(void *state)
{
    block *self = state;
    oct_kernel *const kernels[] = {self->open,   self->close,   self->choose,
                                   self->survey, self->share,   self->lead,
                                   self->limit,  self->predict, self->centre};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        oct_kernel_free(kernels[i]);
    oct_program_free(self->program);
    oct_set_free(self->set);
    oct_buffer_free(self->evaluations);
    oct_heavy_clear(&self->heavy);
    oct_buffer_free(self->found);
}

const oct_integrator oct_integrator_block_leapfrog = {
    .version = OCT_MODULE_VERSION,
    .name = "block-leapfrog",
    .doc = "Kick-drift-kick leapfrog with a step of its own for each body, dt over a power of two, "
           "and forces for those whose step ends: second order.",
    .state_size = sizeof(block),
    .fields = fields,
    .check = block_check,
    .memory = block_memory,
    .init = block_init,
    .next = block_next,
    .step = block_step,
    .drift = block_drift,
    .kick = block_kick,
    .within = block_within,
    .predict = block_predict,
    .free = block_free,
    .shared = true,
};
