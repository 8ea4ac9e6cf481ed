/* Gravity by an octree: groups of neighbouring particles walk it together. */
#include "core/lineup.h"
#include "core/trade.h"
#include "force/force_fields.h"
#include "force/force_tree_runs.h"
#include "force/force_units.h"
#include "tree/essential.h"
#include "tree/keep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernels that walk a tree. */
typedef struct walks {
    oct_program *program;
    oct_kernel *sums, *begin; /* begin is NULL where groups walk alone */
    oct_kernel *join;         /* of slices; NULL where there are none */
    oct_kernel *torn;         /* for bodies of groups that gave up; NULL where none does */
} walks;

typedef struct tree_gravity {
    double theta, softening, alpha, least_acceleration;
    oct_softenings softenings;
    int criterion, order, curve, kernel, boxes;
    bool shift;
    int64_t leaf;

    oct_tree *tree;
    oct_tree_runs runs;
    oct_essential *others; /* what other ranks have sent; NULL where there are none */
    walks own, theirs;
    oct_program *cost_program, *keep_program;
    oct_kernel *add_cost, *keep; /* keep is NULL where no collisions are */
    oct_buffer *cost;   /* of bodies, for those who share them out; NULL where nobody does */
    uint32_t memory;    /* walks that costs are a mean of */
    oct_buffer *work;   /* cells and particles that each group summed over */
    oct_buffer *before; /* last accelerations in units of the scales, for the relative criterion */
    oct_buffer *after;  /* present ones that no step goes by, or not yet */
    oct_buffer *found;  /* where present ones go: one of the two */
    bool walked;        /* since the simulation was started or restored */
    size_t group;       /* work-items that walk for GROUP particles */
    oct_force_units units;
    double least; /* least_acceleration in units of the scales */
    double far;   /* the radius of a group over the least distance of cells that are expanded */
} tree_gravity;

/* Steps between trades of bodies that leave their domain's run of the curve: each leaf of few of
 * them is opened by all around it, which costs more than a trade does. */
enum { TRADE_EVERY = 1 };

/* What bodies cost is the mean of so many steps, of which each so-manieth is looked at. */
enum { COST_STEPS = 64, COST_EVERY = 8 };

/* Kernels name an image and an index in one word. */
enum { MOST_WITH_IMAGES = 1 << 28 };

/* With fewer bodies than this a GPU waits for its slowest groups, and finer boxes, which take
 * registers from all, are worth it. */
enum { FEW = 1 << 19, FINER_BOXES = 32 };
enum { BOXES_AUTO, BOXES_FINE };
static const char *const boxes[] = {"auto", "fine", "coarse", NULL};

static const char *const criteria[] = {"offset", "geometric", "min-distance", "relative", NULL};
enum { QUADRUPOLE, MONOPOLE, OCTUPOLE };
static const char *const orders[] = {"quadrupole", "monopole", "octupole", NULL};
static const char *const curves[] = {"hilbert", "morton", NULL};
static const oct_field fields[] = {
    {.name = "theta",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(tree_gravity, theta),
     .initial = "0.5",
     .min = 0,
     .above_min = true,
     .max = 2,
     .doc = "opening angle θ: smaller is more accurate and slower"},
    OCT_FIELD_SOFTENINGS(tree_gravity),
    {.name = "criterion",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(tree_gravity, criterion),
     .initial = "offset",
     .choices = criteria,
     .doc =
         "when a cell is accepted, d being its distance from the group: d > l/θ + δ with the box "
         "around its particles; d > l/θ + s with the cubic cell; d > l/θ with d to the box; or "
         "(M/d²)(b/d)³ < α |a| with the last acceleration"},
    {.name = "alpha",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(tree_gravity, alpha),
     .initial = "0.01",
     .min = 0,
     .above_min = true,
     .max = 1,
     .doc = "α of the relative criterion"},
    {.name = "least_acceleration",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(tree_gravity, least_acceleration),
     .initial = "0",
     .unit = {1, 0, -2},
     .min = 0,
     .max = 1e300,
     .doc = "accelerations below this count as this in the relative criterion"},
    {.name = "order",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(tree_gravity, order),
     .initial = "quadrupole",
     .choices = orders,
     .doc = "order of the expansion of a cell; octupole: third moments besides, which act on the "
            "middle of those who walk together, so that errors add up to less over steps"},
    {.name = "leaf",
     .type = OCT_FIELD_INT,
     .offset = offsetof(tree_gravity, leaf),
     .initial = "16",
     .min = 1,
     .max = 16,
     .doc = "most particles in a leaf"},
    {.name = "curve",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(tree_gravity, curve),
     .initial = "hilbert",
     .choices = curves,
     .doc = "the space-filling curve that particles are sorted along"},
    {.name = "shift",
     .type = OCT_FIELD_BOOL,
     .offset = offsetof(tree_gravity, shift),
     .initial = "false",
     .doc =
         "whether cells are elsewhere, at random, each time the tree is built, so that errors of "
         "forces do not add up over steps"},
    OCT_FIELD_KERNEL(
        tree_gravity,
        "how groups walk: with local memory (GPUs), in vector lanes (CPUs), the former without "
        "instructions of one vendor, or what suits the device"),
    {.name = "boxes",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(tree_gravity, boxes),
     .initial = "auto",
     .choices = boxes,
     .doc = "by which boxes around its particles a group that sums over many goes on, on GPUs: "
            "around two of them each, around sixteen as before, or by the number of particles"},
    {0},
};

static bool uses_lanes(const tree_gravity *self, const oct_device_info *info)
{
    return oct_force_kernel_choose(self->kernel, info) == OCT_FORCE_LANES;
}

static bool has_fine_boxes(const tree_gravity *self, uint64_t n)
{
    return self->boxes == BOXES_AUTO ? n < FEW : self->boxes == BOXES_FINE;
}

static const oct_column_spec last_acceleration = {
    .name = "tree.before", .type = OCT_COLUMN_REAL, .width = 1, .flags = OCT_COLUMN_STATE};

/* Of the domain's tree, or of those that other ranks have sent. */
static oct_status make_walks(walks *w, tree_gravity *self, oct_domain *domain, const oct_tree *tree,
                             const char *options)
{
    bool lanes = tree->options.rows;
    OCT_TRY(oct_domain_build(&w->program, domain,
                             lanes ? "force_tree_lanes.cl" : "force_tree_tiles.cl", options));
#define WALKS                                                                                      \
    OCT_BIND_DOMAIN(domain), OCT_BIND_OFFERS(oct_tree_offers, tree),                               \
        OCT_BIND_OFFERS(oct_essential_offers, self->others),                                       \
        OCT_BIND_OFFERS(oct_force_unit_offers, &self->units),                                      \
        OCT_BIND_IN("before", &self->before), OCT_BIND_IN("total_cells", &tree->total),            \
        OCT_BIND_IN("mass", &tree->walked), OCT_BIND_IN("quad", &tree->walked_quad),               \
        OCT_BIND_UINT("capacity", &tree->capacity), OCT_BIND_REAL("alpha", &self->alpha),          \
        OCT_BIND_REAL("least_acceleration", &self->least),                                         \
        OCT_BIND_OFFERS(oct_tree_run_offers, &self->runs)
#define SUMS WALKS, OCT_BIND_OUT("after", &self->found), OCT_BIND_OUT("work", &self->work)
    if (lanes)
        return OCT_KERNEL(&w->sums, w->program, "force_tree_lanes", SUMS,
                          OCT_BIND_REAL("far", &self->far));
    OCT_TRY(OCT_KERNEL(&w->begin, w->program, "force_tree_runs", WALKS));
    if (oct_tree_runs_sliced(domain->setup))
        OCT_TRY(OCT_KERNEL(&w->join, w->program, "force_tree_join", SUMS));
    if (self->runs.torn)
        OCT_TRY(OCT_KERNEL(&w->torn, w->program, "force_tree_torn", SUMS));
    return OCT_KERNEL(&w->sums, w->program, "force_tree_tiles", SUMS);
#undef SUMS
#undef WALKS
}

static void walks_clear(walks *w)
{
    oct_kernel_free(w->sums);
    oct_kernel_free(w->begin);
    oct_kernel_free(w->join);
    oct_kernel_free(w->torn);
    oct_program_free(w->program);
}

static oct_status make_cost(tree_gravity *self, oct_domain *domain)
{
    char options[32];
    snprintf(options, sizeof options, "-D GROUP=%d", OCT_TREE_GROUP);
    OCT_TRY(oct_domain_add_array(&self->cost, domain, &oct_lineup_cost));
    OCT_TRY(oct_domain_build(&self->cost_program, domain, "tree_cost.cl", options));
    return OCT_KERNEL(&self->add_cost, self->cost_program, "tree_cost", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_OFFERS(oct_tree_offers, self->tree),
                      OCT_BIND_OUT("cost", &self->cost), OCT_BIND_IN("work", &self->work),
                      OCT_BIND_UINT("memory", &self->memory));
}

/* The last step before bodies may move is among those that are looked at. With steps of their own
 * all are: bodies with short ones are in more of them. */
static oct_status add_cost(tree_gravity *self, oct_domain *domain)
{
    uint32_t moves = domain->sim->owners.every;
    uint32_t every = domain->set ? 1 : moves < COST_EVERY ? moves : COST_EVERY;
    self->memory = COST_STEPS / every;
    return (oct_sim_steps(domain->sim) + 1) % every == 0
               ? oct_kernel_launch(self->add_cost, domain->n, 0)
               : OCT_STATUS_OK;
}

static oct_status make_others(tree_gravity *self, oct_domain *domain, const char *options)
{
    const oct_essential_goal goal = {&self->before, &self->alpha, &self->least};
    char with[256];
    snprintf(with, sizeof with, "%s -D OTHERS", options);
    OCT_TRY(oct_essential_create(&self->others, self->tree, domain, &goal));
    OCT_TRY(make_cost(self, domain));
    domain->sim->owners.trade_every = TRADE_EVERY;
    domain->sim->owners.around = &self->tree->around;
    return make_walks(&self->theirs, self, domain, &self->others->forest, with);
}

/* Particles that a group sums over before it is torn, about six times what is usual. Of a Plummer
 * sphere of 2^19 bodies no group of one domain sums over 6000, theta = 0.5; of two domains four do,
 * over up to 330,000. */
static uint32_t most_particles(const tree_gravity *self)
{
    enum { MOST = 8192 };
    double finer = pow(0.5 / self->theta, 3);
    if (self->criterion == OCT_CRITERION_RELATIVE)
        finer = fmax(finer, pow(0.01 / self->alpha, 0.6));
    return (uint32_t)fmin(MOST * fmax(finer, 1), 1e9);
}

/* Collisions that find no room halt the device, and forces of the steps that were enqueued behind
 * them must not be remembered. */
static oct_status make_keep(tree_gravity *self, oct_domain *domain)
{
    if (!self->before || !oct_setup_collision(domain->setup)->collide)
        return OCT_STATUS_OK;
    OCT_TRY(oct_domain_build(&self->keep_program, domain, "force_tree_keep.cl", NULL));
    return OCT_KERNEL(&self->keep, self->keep_program, "force_tree_keep", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_OUT("before", &self->before), OCT_BIND_IN("after", &self->after));
}

static oct_status tree_init(void *state, oct_domain *domain)
{
    tree_gravity *self = state;
    const oct_device_info *info = oct_device_describe(domain->device);
    bool lanes = uses_lanes(self, info);
    char options[224], runs[96] = "";
    bool shared = domain->sim->comm && oct_comm_size(domain->sim->comm) > 1;
    bool remembers = self->criterion == OCT_CRITERION_RELATIVE;
    const oct_tree_options tree = {.curve = (oct_curve)self->curve,
                                   .criterion = (oct_criterion)self->criterion,
                                   .theta = self->theta,
                                   .leaf = (uint32_t)self->leaf,
                                   .portable = self->kernel == OCT_FORCE_PORTABLE,
                                   .rows = lanes,
                                   .softened = domain->softening != NULL,
                                   .thirds = self->order == OCTUPOLE,
                                   .records = !lanes,
                                   .cells = shared,
                                   .bounded = shared,
                                   .shifted = self->shift,
                                   .lists =
                                       lanes ? 0 : oct_tree_run_lists(domain->setup, domain->n)};
    bool images = domain->acting.n > 1;
    OCT_CHECK(
        lanes || strstr(info->platform, "Portable Computing Language") == NULL, OCT_STATUS_INPUT,
        "kernel %s of method tree crashes the compiler of PoCL: expected kernel auto or lanes",
        oct_force_kernels[self->kernel]);
    OCT_CHECK(!images || domain->n <= MOST_WITH_IMAGES, OCT_STATUS_SPACE,
              "%lu particles are too many for method tree with images of the box: expected at most "
              "%lu",
              (unsigned long)domain->n, (unsigned long)MOST_WITH_IMAGES);
    if (!lanes) {
        oct_tree_runs_options(runs, sizeof runs, domain);
        if (has_fine_boxes(self, domain->n))
            snprintf(runs + strlen(runs), sizeof runs - strlen(runs), " -D FINE=%d", FINER_BOXES);
    }
    OCT_CHECK(!shared || self->order != OCTUPOLE, OCT_STATUS_INPUT,
              "order octupole of method tree is for one rank: expected quadrupole or monopole");
    snprintf(options, sizeof options, "-D CRITERION=%d%s%s%s%s%s%s%s", self->criterion,
             self->order == MONOPOLE ? "" : " -D QUADRUPOLE",
             self->order == OCTUPOLE ? " -D OCTUPOLE" : "",
             oct_force_softening_options(self->softening, domain), images ? " -D IMAGES" : "",
             self->kernel == OCT_FORCE_PORTABLE ? " -D OCT_PORTABLE" : "",
             !lanes && shared ? " -D TORN" : "", runs);
    /* An expansion of order 5 leaves out (radius / distance)^5, a quadrupole theta^3 at most. */
    self->far = pow(0.02 * pow(self->theta, 3), 0.2);
    self->group = lanes ? 1 : 32;
    OCT_TRY(oct_tree_share(&self->tree, domain, &tree));
    OCT_TRY(
        oct_buffer_create(&self->work, domain->device, "tree.work", 8, oct_tree_groups(domain->n)));
    if (remembers)
        OCT_TRY(oct_domain_add_array(&self->before, domain, &last_acceleration));
    OCT_TRY(oct_buffer_create(&self->after, domain->device, "tree.after",
                              oct_real_size(domain->precision), remembers ? domain->n : 0));
    if (!lanes)
        OCT_TRY(oct_tree_runs_create(&self->runs, domain, self->theta));
    if (!lanes && shared)
        OCT_TRY(oct_tree_runs_tear(&self->runs, domain, most_particles(self)));
    OCT_TRY(make_walks(&self->own, self, domain, self->tree, options));
    OCT_TRY(make_keep(self, domain));
    return shared ? make_others(self, domain, options) : OCT_STATUS_OK;
}

static oct_status walk(const walks *w, const tree_gravity *self, const oct_domain *domain)
{
    if (w->begin)
        OCT_TRY(oct_kernel_launch(
            w->begin, oct_tree_run_count(domain->setup, domain->n) * self->group, self->group));
    OCT_TRY(oct_kernel_launch(w->sums, oct_tree_groups(domain->n) * self->group, self->group));
    if (w->join && self->tree->groups)
        OCT_TRY(oct_kernel_launch(w->join, OCT_TREE_SLICES / 2 * OCT_TREE_GROUP, 0));
    if (w->torn)
        OCT_TRY(oct_kernel_launch(w->torn, OCT_TREE_SLICES * self->group, self->group));
    return OCT_STATUS_OK;
}

/* What other ranks have comes while the own tree is walked. */
static oct_status walk_others(tree_gravity *self, oct_domain *domain)
{
    bool any;
    OCT_TRY(oct_device_flush(domain->device));
    OCT_TRY(oct_essential_receive(&any, self->others));
    return any ? walk(&self->theirs, self, domain) : OCT_STATUS_OK;
}

static oct_status tree_accumulate(void *state, oct_domain *domain)
{
    tree_gravity *self = state;
    oct_tree *tree = self->tree;
    bool looking = domain->sim->looking, ahead = oct_sim_runs_ahead(domain->sim);
    bool keeps = self->keep && ahead && !domain->set, lent = domain->lends;
    if (self->others && !oct_trade_found(domain))
        OCT_TRY(oct_lineup_box(tree->around, tree->primitives, domain));
    OCT_TRY(ahead ? oct_tree_enqueue(tree, domain) : oct_tree_update(tree, domain));
    if ((lent || domain->lends) && !domain->set)
        OCT_TRY(oct_buffer_fill(domain->acceleration, 0));
    self->walked = true;
    oct_force_units_find(&self->units, self->softening, domain);
    self->least = self->least_acceleration / self->units.acceleration;
    OCT_TRY(oct_tree_list_groups(tree, domain));
    /* A group reads what its own bodies had before, and then writes what they have. */
    self->found = looking || keeps || !self->before ? self->after : self->before;
    if (self->others)
        OCT_TRY(oct_essential_send(self->others));
    OCT_TRY(walk(&self->own, self, domain));
    if (self->others)
        OCT_TRY(walk_others(self, domain));
    if (looking)
        return OCT_STATUS_OK;
    if (keeps)
        OCT_TRY(oct_kernel_launch(self->keep, domain->n, 0));
    if (self->others)
        OCT_TRY(add_cost(self, domain));
    return oct_tree_tally(tree, self->work);
}

static oct_status tree_waited(void *state, oct_domain *domain)
{
    tree_gravity *self = state;
    return oct_tree_waited(self->tree, domain);
}

static oct_status tree_interactions(double out[2], void *state, oct_domain *domain)
{
    tree_gravity *self = state;
    size_t groups = self->work->count;
    uint32_t *work;
    out[0] = out[1] = self->walked ? 0 : NAN;
    OCT_TRY(oct_alloc(&work, 2 * groups, sizeof *work, "interaction counts"));
    oct_status status = oct_readback_read(work, domain, self->work, groups);
    for (size_t g = 0; status == OCT_STATUS_OK && g < groups; g++) {
        size_t size = g + 1 < groups ? OCT_TREE_GROUP : domain->n - g * OCT_TREE_GROUP;
        for (size_t k = 0; k < 2; k++)
            out[k] += (double)work[2 * g + k] * (double)size / (double)domain->n;
    }
    free(work);
    return status;
}

static void tree_memory(oct_needs *needs, const void *state)
{
    const tree_gravity *self = state;
    uint64_t real = oct_real_size(needs->precision);
    bool remembers = self->criterion == OCT_CRITERION_RELATIVE;
    oct_tree_list_memory(needs, false);
    needs->octree.thirds = self->order == OCTUPOLE;
    if (uses_lanes(self, needs->device)) {
        oct_tree_rows_memory(needs, (oct_criterion)self->criterion);
    } else {
        oct_tree_records_memory(needs, (oct_criterion)self->criterion,
                                oct_tree_run_lists(needs->setup, needs->n));
        oct_tree_runs_memory(needs);
    }
    oct_needs_add(needs, 8, oct_tree_groups((uint32_t)needs->n));
    if (remembers)
        oct_needs_add(needs, real, needs->n);
    oct_needs_add(needs, real, remembers ? needs->n : 0);
}

/* Of the past, what the device found before it stood still: that counts as state. */
static oct_follows tree_follows(const void *state)
{
    const tree_gravity *self = state;
    return self->criterion == OCT_CRITERION_RELATIVE ? OCT_FOLLOWS_STATE : OCT_FOLLOWS_PLACES;
}

static void tree_free(void *state)
{
    tree_gravity *self = state;
    walks_clear(&self->own);
    walks_clear(&self->theirs);
    oct_kernel_free(self->add_cost);
    oct_kernel_free(self->keep);
    oct_program_free(self->cost_program);
    oct_program_free(self->keep_program);
    oct_essential_free(self->others);
    oct_tree_runs_clear(&self->runs);
    oct_buffer_free(self->work);
    oct_buffer_free(self->after);
    oct_tree_free(self->tree);
}

const oct_force oct_force_tree = {
    .version = OCT_MODULE_VERSION,
    .name = "tree",
    .doc = "Gravity by an octree with quadrupoles: for many particles.",
    .state_size = sizeof(tree_gravity),
    .fields = fields,
    .gravity = true,
    .sets = true,
    .marks = true,
    .init = tree_init,
    .accumulate = tree_accumulate,
    .waited = tree_waited,
    .interactions = tree_interactions,
    .memory = tree_memory,
    .free = tree_free,
    .follows = tree_follows,
    .shared = true,
};
