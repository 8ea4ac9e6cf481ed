/* How far touching bodies overlap: what a finite step leaves of hard spheres. */

#include "core/join.h"
#include "tree/tree.h"

typedef struct overlap {
    oct_program *program;
    oct_kernel *walk, *sum;
    oct_buffer *found;      /* by particle: pairs, their overlaps together and the largest */
    uint32_t sums, largest; /* their places */
} overlap;

/* Columns of the kernel. */
enum { COUNT, TOTAL, LARGEST, SUMS };
static const oct_join_rule rules[SUMS] = {[LARGEST] = OCT_JOIN_MOST};
enum { LEAF = 16 };

static const oct_column columns[] = {
    {"overlap_mean", 1, 0, 0, 0,
     .doc = "mean of 1 - d / (r_a + r_b) over all pairs that overlap; 0 where none does"},
    {"overlap_max", 1, 0, 0, 0, .doc = "the largest of these"},
    {0},
};

static bool overlap_applies(const oct_setup *setup)
{
    return oct_setup_collision(setup)->collide != NULL;
}

static size_t found_bytes(oct_precision precision)
{
    return 4 * (precision == OCT_PRECISION_DOUBLE ? sizeof(double) : sizeof(float));
}

static oct_status overlap_init(void *state, oct_domain *domain)
{
    overlap *self = state;
    OCT_TRY(oct_domain_build(&self->program, domain, "diag_patch.cl", NULL));
    OCT_TRY(OCT_KERNEL(&self->walk, self->program, "diag_overlap_walk", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_TREE(domain), OCT_BIND_OUT("found", &self->found)));
    OCT_TRY(OCT_KERNEL(&self->sum, self->program, "diag_overlap_sum", OCT_BIND_DOMAIN(domain),
                       OCT_BIND_OUT("partials", &domain->readback.partials),
                       OCT_BIND_OUT("counts", &domain->readback.counts),
                       OCT_BIND_UINT("largest", &self->largest),
                       OCT_BIND_IN("found", &self->found)));
    return oct_buffer_create(&self->found, domain->device, "overlaps",
                             found_bytes(domain->precision), domain->n);
}

static void overlap_memory(oct_needs *needs, const void *self)
{
    (void)self;
    oct_tree_memory(needs);
    oct_needs_add(needs, found_bytes(needs->precision), needs->n);
}

static oct_status overlap_walk(overlap *self, oct_domain *domain, oct_tree *tree)
{
    OCT_TRY(oct_tree_update(tree, domain));
    return oct_kernel_launch(self->walk, domain->n, 0);
}

static oct_status overlap_launch(void *state, oct_domain *domain)
{
    overlap *self = state;
    oct_tree *tree;
    const oct_tree_options options = {.theta = 1, .leaf = LEAF, .cells = true};
    OCT_TRY(oct_readback_take_count(&self->largest, domain));
    OCT_TRY(oct_tree_share(&tree, domain, &options));
    oct_status status = overlap_walk(self, domain, tree);
    oct_tree_free(tree);
    OCT_TRY(status);
    return oct_readback_sum(&self->sums, domain, self->sum, LARGEST, 0);
}

/* A domain's sums, and the largest of its bodies. */
static oct_status sums_of(double *out, void *state, oct_domain *domain, const void *about)
{
    const overlap *self = state;
    (void)about;
    OCT_TRY(oct_readback_sums(out, domain, self->sums, LARGEST));
    return oct_readback_largest(&out[LARGEST], domain, self->largest);
}

static oct_status overlap_measure(double *out, void *state, oct_domain *domain)
{
    double sums[SUMS];
    OCT_TRY(oct_join_parts(sums, state, domain,
                           &(oct_join){.part = sums_of, .n = SUMS, .rules = rules}));
    out[0] = sums[COUNT] > 0 ? sums[TOTAL] / sums[COUNT] : 0;
    out[1] = sums[LARGEST];
    return OCT_STATUS_OK;
}

static void overlap_free(void *state)
{
    overlap *self = state;
    oct_buffer_free(self->found);
    oct_kernel_free(self->walk);
    oct_kernel_free(self->sum);
    oct_program_free(self->program);
}

const oct_diag oct_diag_overlap = {
    .version = OCT_MODULE_VERSION,
    .name = "overlap",
    .doc = "Overlap of bodies that collide.",
    .state_size = sizeof(overlap),
    .columns = columns,
    .applies = overlap_applies,
    .init = overlap_init,
    .launch = overlap_launch,
    .measure = overlap_measure,
    .looks = oct_looks_nowhere,
    .memory = overlap_memory,
    .free = overlap_free,
    .gathered = true,
    .ahead = true,
};
