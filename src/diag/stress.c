/* The viscosity of a sheet's own gravity. */
#include <math.h>

#include "core/join.h"
#include "diag/diag_patch.h"
#include "tree/tree.h"

typedef struct stress {
    oct_program *program;
    oct_kernel *walk;
    oct_buffer *values;
    double within, softening; /* in units of forces */
    uint32_t sum, mass;       /* places of sums */
} stress;

enum { LEAF = 16 };

static const oct_column columns[] = {
    {"viscosity_gravity", 1, 2, 0, -1,
     .doc = "viscosity by gravity between bodies nearer than half of the box's shorter side"},
    {0},
};

static oct_status stress_init(void *state, oct_domain *domain)
{
    stress *self = state;
    OCT_CHECK(!domain->softening, OCT_STATUS_INPUT,
              "viscosity_gravity is not measured of bodies with softenings of their own: expected "
              "one for all");
    OCT_TRY(oct_domain_build(&self->program, domain, "diag_patch.cl", NULL));
    OCT_TRY(OCT_KERNEL(&self->walk, self->program, "diag_stress_walk", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_TREE(domain), OCT_BIND_OUT("values", &self->values),
                       OCT_BIND_REAL("within", &self->within),
                       OCT_BIND_REAL("softening", &self->softening)));
    return oct_buffer_create(&self->values, domain->device, "stress",
                             oct_real_size(domain->precision), domain->n);
}

static void stress_memory(oct_needs *needs, const void *self)
{
    (void)self;
    oct_tree_memory(needs);
    oct_needs_add(needs, oct_real_size(needs->precision), needs->n);
}

static oct_status stress_walk(stress *self, oct_domain *domain, oct_tree *tree, double within)
{
    double softening = 0, scale = domain->sim->per_length;
    const oct_choice *gravity = &domain->setup->gravity;
    (void)oct_field_real(&softening, gravity->state, gravity->module->fields, "softening");
    OCT_TRY(oct_tree_update(tree, domain));
    self->within = within * scale;
    self->softening = softening * scale;
    /* On a CPU a work-item walks for a group. */
    bool lanes = oct_device_is_cpu(oct_device_describe(domain->device));
    return lanes ? oct_kernel_launch(self->walk, oct_tree_groups(domain->n), 1)
                 : oct_kernel_launch(self->walk, domain->n, 0);
}

static oct_status stress_launch(void *state, oct_domain *domain)
{
    stress *self = state;
    oct_patch patch = oct_patch_of(domain);
    oct_tree *tree;
    const oct_tree_options options = {.theta = 1, .leaf = LEAF, .cells = true};
    OCT_TRY(oct_tree_share(&tree, domain, &options));
    oct_status status = stress_walk(self, domain, tree, fmin(patch.size[0], patch.size[1]) / 2);
    oct_tree_free(tree);
    OCT_TRY(status);
    OCT_TRY(oct_readback_sum_mass(&self->sum, domain, self->values));
    return oct_readback_sum_mass(&self->mass, domain, NULL);
}

/* Of a domain: the sum, in which each pair is twice, and the mass. */
static oct_status sums_of(double *out, void *state, oct_domain *domain, const void *about)
{
    const stress *self = state;
    (void)about;
    OCT_TRY(oct_readback_sums(&out[0], domain, self->sum, 1));
    return oct_readback_sums(&out[1], domain, self->mass, 1);
}

static oct_status stress_measure(double *out, void *state, oct_domain *domain)
{
    const oct_sim *sim = domain->sim;
    double sums[2], unit = domain->setup->units.G * sim->mass_scale / sim->length_scale;
    OCT_TRY(oct_join_parts(sums, state, domain, &(oct_join){.part = sums_of, .n = 2}));
    *out = -2 / (3 * oct_patch_of(domain).omega) * unit * sums[0] / 2 / sums[1];
    return OCT_STATUS_OK;
}

static void stress_free(void *state)
{
    stress *self = state;
    oct_buffer_free(self->values);
    oct_kernel_free(self->walk);
    oct_program_free(self->program);
}

const oct_diag oct_diag_stress = {
    .version = OCT_MODULE_VERSION,
    .name = "stress",
    .doc = "Viscosity of a rotating sheet by its own gravity.",
    .state_size = sizeof(stress),
    .columns = columns,
    .applies = oct_patch_attracts,
    .init = stress_init,
    .launch = stress_launch,
    .measure = stress_measure,
    .looks = oct_looks_nowhere,
    .memory = stress_memory,
    .free = stress_free,
    .gathered = true,
    .ahead = true,
};
