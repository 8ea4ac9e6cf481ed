/* A user's function of two bodies, summed over all pairs or over those within a range. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/user.h"
#include "force/force_pair.h"
#include "tree/tree.h"

enum { LEAF = 16, TARGETS_CPU = 64, NAME = OCT_COLUMN_NAME + 12 };
/* What passes write follows from the bodies, as accelerations do. */
enum { WRITTEN = OCT_COLUMN_DERIVED | OCT_COLUMN_OF_FORCES };

typedef struct pair {
    oct_pair_settings settings;

    oct_pair_shape shape;
    size_t pass; /* its place among the forces */
    bool ranged;
    uint32_t targets; /* bodies a work-item sums for */
    oct_tree *tree;   /* where there is a range */
    oct_program *program, *sums_program;
    oct_kernel *find_reach, *advance, *advance3, *sum;
    oct_buffer *reach_of, *numbers, *faults;
    oct_buffer *potential;              /* where it is written */
    oct_buffer *energy;                 /* the column that is energy, or NULL */
    oct_buffer *ranges;                 /* the column of the scene's that is the range, or NULL */
    oct_buffer *read[OCT_USER_COLUMNS]; /* columns of the domain's */
    oct_buffer *written[OCT_USER_COLUMNS]; /* the same, and rates */
    oct_buffer *changed[OCT_USER_COLUMNS]; /* what a rate is for, */
    oct_buffer *low[OCT_USER_COLUMNS];     /* and what single precision rounds off it */
    char names[OCT_USER_COLUMNS][2][NAME]; /* of rates and low parts */
    char potential_name[NAME];
    /* What the next launches take. */
    uint32_t level;
    double dt;
    oct_buffer *column, *column_low, *rate;
} pair;

static const char *const reaches[] = {[OCT_PAIR_LARGER] = "larger", [OCT_PAIR_OWN] = "own", NULL};
static const char *const images_met[] = {
    [OCT_PAIR_NEAREST] = "nearest", [OCT_PAIR_ACTING] = "acting", NULL};

static const oct_field fields[] = {
    {.name = "source",
     .type = OCT_FIELD_PATH,
     .offset = offsetof(pair, settings.source),
     .initial = "",
     .doc = "OpenCL C file that defines `void octant_pair(octant_sum *sum, octant_body i, "
            "octant_body j, octant_gap gap)`, which adds to `sum` what body j does to body i"},
    {.name = "code",
     .type = OCT_FIELD_CODE,
     .offset = offsetof(pair, settings.code),
     .initial = "",
     .doc = "the same as a text, in place of a file"},
    {.name = "parameters",
     .type = OCT_FIELD_PARAMETERS,
     .offset = offsetof(pair, settings.parameters),
     .initial = "{}",
     .doc = "what the function takes as one more argument, `constant octant_parameters "
            "*parameters`, as with custom forces"},
    {.name = "range",
     .type = OCT_FIELD_TEXT,
     .offset = offsetof(pair, settings.range),
     .initial = "",
     .doc = "how far apart the two may be: a length, or the name of a column with each body's own, "
            "`radius` or one of the scene's; without it all pairs count"},
    {.name = "reach",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(pair, settings.reach),
     .initial = "larger",
     .choices = reaches,
     .doc = "where ranges differ: a pair counts within the larger of the two, for both bodies, or "
            "for each body within its own"},
    {.name = "self",
     .type = OCT_FIELD_BOOL,
     .offset = offsetof(pair, settings.self),
     .initial = "false",
     .doc = "whether a body also meets itself, at distance 0"},
    {.name = "images",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(pair, settings.images),
     .initial = "nearest",
     .choices = images_met,
     .doc = "in a box that repeats itself and without a range: each body is met once, in its "
            "nearest image, or in every image that gravity would act from; with a range it is met "
            "in every image that is in range"},
    {.name = "writes",
     .type = OCT_FIELD_TEXTS,
     .offset = offsetof(pair, settings.writes),
     .initial = "[acceleration, potential]",
     .doc = "what is summed up, the members of `octant_sum`: `acceleration`, `potential` (energy "
            "of the pair per mass of body i), and columns of the scene"},
    {.name = "rates",
     .type = OCT_FIELD_TEXTS,
     .offset = offsetof(pair, settings.rates),
     .initial = "[]",
     .doc = "columns of the scene that change in time as velocities do: for `u` the function sums "
            "up `sum->u_rate`"},
    {.name = "energy",
     .type = OCT_FIELD_TEXT,
     .offset = offsetof(pair, settings.energy),
     .initial = "",
     .doc = "a column of energy per mass, such as the heat of a gas, that counts as energy of the "
            "bodies"},
    {0},
};

static size_t pass_of(const void *state, const oct_setup *setup)
{
    size_t pass = 0;
    while (setup->forces[pass].state != state)
        pass++;
    return pass;
}

static oct_status pair_check(const void *state, const oct_setup *setup)
{
    oct_pair_shape shape;
    return oct_pair_read(&shape, setup, pass_of(state, setup));
}

/* A column of the pass's own: it goes where bodies go, and is there when a run is resumed. */
static oct_status add_own(oct_buffer **out, oct_domain *domain, char name[NAME], bool vector,
                          unsigned flags)
{
    const oct_column_spec spec = {.name = name,
                                  .width = vector ? 3 : 1,
                                  .lanes = vector ? 4 : 1,
                                  .flags = OCT_COLUMN_STATE | flags};
    return oct_domain_add_array(out, domain, &spec);
}

static oct_status find_written(pair *self, oct_domain *domain, uint32_t k)
{
    oct_held_column *column = oct_domain_column(domain, self->shape.written[k].name);
    if (!self->shape.written[k].rate) {
        column->spec.flags |= WRITTEN;
        self->written[k] = column->buffer;
        return OCT_STATUS_OK;
    }
    bool vector = self->shape.written[k].vector;
    char *rate = self->names[k][0], *low = self->names[k][1];
    snprintf(rate, NAME, "rate%zu.%s", self->pass, self->shape.written[k].name);
    snprintf(low, NAME, "low%zu.%s", self->pass, self->shape.written[k].name);
    self->changed[k] = column->buffer;
    OCT_TRY(add_own(&self->written[k], domain, rate, vector, WRITTEN));
    return domain->precision == OCT_PRECISION_SINGLE
               ? add_own(&self->low[k], domain, low, vector, 0)
               : OCT_STATUS_OK;
}

static oct_status find_columns(pair *self, oct_domain *domain)
{
    const oct_pair_shape *shape = &self->shape;
    const char *energy = self->settings.energy;
    for (uint32_t i = 0; i < shape->n_written; i++)
        OCT_TRY(find_written(self, domain, i));
    for (uint32_t i = 0; i < shape->n_read; i++) {
        self->read[i] = oct_domain_column(domain, shape->read[i].name)->buffer;
        if (shape->range && strcmp(shape->read[i].name, shape->range) == 0)
            self->ranges = self->read[i];
    }
    self->energy = energy[0] ? oct_domain_column(domain, energy)->buffer : NULL;
    snprintf(self->potential_name, NAME, "potential%zu", self->pass);
    return shape->potential
               ? add_own(&self->potential, domain, self->potential_name, false, WRITTEN)
               : OCT_STATUS_OK;
}

static oct_status make_faults(pair *self, oct_domain *domain)
{
    const uint32_t none = UINT32_MAX;
    OCT_TRY(oct_buffer_create(&self->faults, domain->device, "pair.faults", sizeof none, 1));
    return oct_buffer_write(self->faults, &none, 0, 1);
}

static oct_status build_sums(pair *self, oct_domain *domain)
{
    const oct_pair_settings *settings = &self->settings;
    char *types = NULL, options[128];
    bool larger = settings->reach == OCT_PAIR_LARGER && self->shape.range;
    bool lattice = domain->around.n == 27 && !oct_domain_boundary(domain)->moving;
    OCT_TRY(oct_pair_types(&types, &self->shape));
    const oct_user_code code = {.path = settings->source,
                                .code = &settings->code,
                                .parameters = &settings->parameters,
                                .types = types,
                                .what = "pair force",
                                .name = "octant_pair",
                                .type = "void",
                                .arguments = "octant_sum *sum, octant_body i, octant_body j, "
                                             "octant_gap gap"};
    snprintf(options, sizeof options, "-D TARGETS=%u%s%s%s%s%s", self->targets,
             settings->self ? " -D SELF" : "",
             settings->images == OCT_PAIR_ACTING ? " -D EVERY_IMAGE" : "",
             larger ? " -D LARGER" : "", self->shape.by_radius ? " -D RANGE_IS_RADIUS" : "",
             lattice ? " -D LATTICE" : "");
    oct_status status =
        oct_user_build(&self->sums_program, &self->numbers, domain, &code,
                       self->ranged ? "force_pair_range.cl" : "force_pair_all.cl", options);
    free(types);
    return status;
}

typedef struct bindings {
    size_t n;
    oct_binding list[16 + 2 * OCT_USER_COLUMNS];
    char names[2 * OCT_USER_COLUMNS][NAME];
} bindings;

static void bind(bindings *b, const oct_binding *more, size_t n)
{
    memcpy(b->list + b->n, more, n * sizeof *more);
    b->n += n;
}
#define ADD(b, ...)                                                                                \
    bind(b, (const oct_binding[]){__VA_ARGS__},                                                    \
         sizeof((const oct_binding[]){__VA_ARGS__}) / sizeof(oct_binding))

static void bind_columns(bindings *b, const pair *self)
{
    const oct_pair_shape *shape = &self->shape;
    for (uint32_t i = 0; i < shape->n_read; i++) {
        snprintf(b->names[i], NAME, "in_%s", shape->read[i].name);
        ADD(b, OCT_BIND_IN(b->names[i], &self->read[i]));
    }
    for (uint32_t i = 0; i < shape->n_written; i++) {
        char *name = b->names[shape->n_read + i];
        snprintf(name, NAME, "out_%s%s", shape->written[i].name,
                 shape->written[i].rate ? "_rate" : "");
        ADD(b, OCT_BIND_OUT(name, &self->written[i]));
    }
}

static oct_status make_sum(pair *self, oct_domain *domain)
{
    bindings b = {0};
    ADD(&b, OCT_BIND_DOMAIN(domain), OCT_BIND_OUT("potential", &self->potential),
        OCT_BIND_REAL("range", &self->shape.fixed_range), OCT_BIND_IN("numbers", &self->numbers));
    if (self->settings.images == OCT_PAIR_ACTING && !self->ranged)
        ADD(&b, OCT_BIND_IN("image_shift", &domain->acting.shift),
            OCT_BIND_IN("image_velocity", &domain->acting.velocity),
            OCT_BIND_UINT("images", &domain->acting.n));
    if (self->ranged)
        ADD(&b, OCT_BIND_OFFERS(oct_tree_offers, self->tree),
            OCT_BIND_UINT("capacity", &self->tree->capacity), OCT_BIND_OUT("faults", &self->faults),
            OCT_BIND_IN("reach_of", &self->reach_of),
            OCT_BIND_REAL("largest", &self->shape.largest_range));
    bind_columns(&b, self);
    return oct_kernel_make(&self->sum, self->sums_program,
                           self->ranged ? "force_pair_range" : "force_pair_all", b.list, b.n);
}

/* What the kernels that advance a column take. */
#define ADVANCED(self)                                                                             \
    OCT_BIND_OUT("column", &(self)->column), OCT_BIND_OUT("low", &(self)->column_low),             \
        OCT_BIND_IN("rate", &(self)->rate), OCT_BIND_REAL("dt", &(self)->dt)

static oct_status make_kernels(pair *self, oct_domain *domain)
{
    OCT_TRY(oct_domain_build(&self->program, domain, "force_pair.cl", NULL));
    OCT_TRY(OCT_KERNEL(&self->advance, self->program, "force_pair_advance", OCT_BIND_DOMAIN(domain),
                       ADVANCED(self)));
    OCT_TRY(OCT_KERNEL(&self->advance3, self->program, "force_pair_advance3",
                       OCT_BIND_DOMAIN(domain), ADVANCED(self)));
    if (self->ranges)
        OCT_TRY(OCT_KERNEL(&self->find_reach, self->program, "force_pair_reach",
                           OCT_BIND_OFFERS(oct_tree_offers, self->tree),
                           OCT_BIND_UINT("capacity", &self->tree->capacity),
                           OCT_BIND_OUT("reach_of", &self->reach_of),
                           OCT_BIND_IN("ranges", &self->ranges),
                           OCT_BIND_UINT("level", &self->level)));
    return make_sum(self, domain);
}

static oct_status pair_init(void *state, oct_domain *domain)
{
    pair *self = state;
    const oct_tree_options tree = {.theta = 1, .leaf = LEAF, .cells = true};
    while (domain->forces[self->pass].state != state)
        self->pass++;
    OCT_TRY(oct_pair_read(&self->shape, domain->setup, self->pass));
    self->ranged = self->settings.range[0] != '\0';
    self->targets = oct_device_is_cpu(oct_device_describe(domain->device)) ? TARGETS_CPU : 1;
    OCT_TRY(build_sums(self, domain));
    OCT_TRY(find_columns(self, domain));
    OCT_TRY(make_faults(self, domain));
    if (self->ranged)
        OCT_TRY(oct_tree_share(&self->tree, domain, &tree));
    return make_kernels(self, domain);
}

/* The largest range in each cell, so that a body with a large one is found by all that are near it
 * while the others stay cheap. Cells are joined level by level. */
static oct_status find_reach(pair *self, oct_domain *domain)
{
    uint32_t capacity = self->tree->capacity;
    const oct_buffer_plan plan = {&self->reach_of, "pair.reach", oct_real_size(domain->precision),
                                  capacity};
    if (!self->ranges || self->settings.reach == OCT_PAIR_OWN)
        return OCT_STATUS_OK;
    if (!self->reach_of || self->reach_of->count < capacity)
        OCT_TRY(oct_buffers_replace(domain->device, &plan, 1));
    for (self->level = OCT_TREE_LEVELS + 1; self->level-- > 0;)
        OCT_TRY(oct_kernel_launch(self->find_reach, capacity, 0));
    return OCT_STATUS_OK;
}

static oct_status pair_accumulate(void *state, oct_domain *domain)
{
    pair *self = state;
    size_t items = (domain->n + self->targets - 1) / self->targets;
    if (self->ranged) {
        OCT_TRY(oct_sim_runs_ahead(domain->sim) ? oct_tree_enqueue(self->tree, domain)
                                                : oct_tree_update(self->tree, domain));
        OCT_TRY(find_reach(self, domain));
    }
    return oct_kernel_launch(self->sum, items, self->targets > 1 ? 1 : 0);
}

static oct_status pair_kick(void *state, oct_domain *domain, double dt)
{
    pair *self = state;
    self->dt = dt;
    for (uint32_t i = 0; i < self->shape.n_written; i++) {
        self->column = self->changed[i];
        self->column_low = self->low[i];
        self->rate = self->written[i];
        if (self->column)
            OCT_TRY(oct_kernel_launch(
                self->shape.written[i].vector ? self->advance3 : self->advance, domain->n, 0));
    }
    return OCT_STATUS_OK;
}

static oct_status pair_waited(void *state, oct_domain *domain)
{
    pair *self = state;
    uint32_t fault = UINT32_MAX;
    uint64_t id;
    if (self->ranged && self->tree->capacity)
        OCT_TRY(oct_tree_waited(self->tree, domain));
    if (self->shape.range)
        OCT_TRY(oct_buffer_read(&fault, self->faults, 0, 1));
    if (fault == UINT32_MAX)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_read(&id, domain->id, fault, 1));
    return isinf(self->shape.largest_range)
               ? OCT_FAIL(OCT_STATUS_NUMBER,
                          "particle %llu has a range, in column '%s', that is no length; expected "
                          "0 or more",
                          (unsigned long long)id, self->shape.range)
               : OCT_FAIL(OCT_STATUS_NUMBER,
                          "particle %llu has a range, in column '%s', that the box has no images "
                          "for; expected a length of %g at most",
                          (unsigned long long)id, self->shape.range, self->shape.largest_range);
}

/* Each pair is there twice, once for either body. */
static oct_status pair_energy(double *out, void *state, oct_domain *domain)
{
    pair *self = state;
    double pairs = 0, held = 0;
    if (self->shape.potential)
        OCT_TRY(oct_domain_sum(&pairs, domain, self->potential));
    if (self->energy)
        OCT_TRY(oct_domain_sum(&held, domain, self->energy));
    *out = pairs / 2 + held;
    return OCT_STATUS_OK;
}

/* Onlookers have what it writes once more; single precision keeps what it rounds off. */
static void pair_memory(oct_needs *needs, const void *state)
{
    const oct_pair_settings *settings = state;
    uint64_t real = oct_real_size(needs->precision), low = needs->precision == OCT_PRECISION_SINGLE;
    oct_pair_shape shape;
    needs->ids = true;
    oct_needs_add(needs, sizeof(uint32_t), 1);
    if (oct_pair_read(&shape, needs->setup, pass_of(state, needs->setup)) != OCT_STATUS_OK)
        return;
    for (uint64_t i = 0; shape.potential && i < 2; i++)
        oct_needs_add(needs, real, needs->n);
    for (uint32_t k = 0; k < shape.n_written; k++)
        for (uint64_t i = 0; i < (shape.written[k].rate ? 2 + low : 1); i++)
            oct_needs_add(needs, shape.written[k].vector ? 4 * real : real, needs->n);
    if (settings->range[0])
        oct_tree_memory(needs);
}

static void pair_free(void *state)
{
    pair *self = state;
    oct_kernel *const kernels[] = {self->find_reach, self->advance, self->advance3, self->sum};
    oct_buffer *const buffers[] = {self->reach_of, self->numbers, self->faults};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        oct_kernel_free(kernels[i]);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
    oct_program_free(self->program);
    oct_program_free(self->sums_program);
    oct_tree_free(self->tree);
}

const oct_force oct_force_pair = {
    .version = OCT_MODULE_VERSION,
    .name = "pair",
    .doc = "A force between pairs of your own: an OpenCL C function of two bodies, summed over all "
           "pairs or over those within a range.",
    .state_size = sizeof(pair),
    .fields = fields,
    .check = pair_check,
    .init = pair_init,
    .accumulate = pair_accumulate,
    .kick = pair_kick,
    .waited = pair_waited,
    .energy = pair_energy,
    .memory = pair_memory,
    .free = pair_free,
};
