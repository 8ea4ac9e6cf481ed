/* Trees that are kept while bodies move: when they are renewed, and when they are built anew. */
#include "tree/keep.h"
#include "tree/room.h"

#include <stdio.h>
#include <stdlib.h>

/* What a build costs beyond a renewal, in interactions of each body: on an H200 0.53 of 2.77 ms a
 * step at 2^20 bodies, where a walk sums over 900 in 2.0 ms, and as much on CPUs. */
enum { BUILD_COST = 256, TALLY_LANES = 256 };

/* Work-items of a group that climbs, as in kernels/tree_keep_climb.cl. */
enum { KEEPERS = 64 };

/* The words of `kept`: interactions in excess, and whether there is a tree. */
enum { EXCESS, BUILT, WORDS };

struct oct_tree_keeper {
    oct_program *program; /* kernels/tree_keep.cl */
    oct_kernel *tally;
    oct_kernel *seats, *climb; /* one launch for all; NULL: there are no records, or no climbing */
    oct_kernel *places;        /* and then moments, where there is none */
    oct_tree_moments moments;
    /* Of the state: where bodies were when it was built, interactions of groups in their first walk
     * since, and the words. A resumed run builds the same cells from these. */
    oct_buffer *built, *base, *kept;
    oct_buffer *work; /* of the last walk */
    oct_buffer *due;  /* where it is said that a build would have been cheaper, at this place */
    uint32_t due_at;
    uint64_t price; /* of a build, in interactions of groups */
    bool there;     /* the tree has the cells of `built` */
    bool forgotten; /* and need not have them again */
};

static const oct_column_spec built_column = {
    .name = "tree.built", .type = OCT_COLUMN_REAL, .width = 4, .flags = OCT_COLUMN_STATE};
static const oct_column_spec base_column = {
    .name = "tree.base", .type = OCT_COLUMN_UINT, .width = 1, .flags = OCT_COLUMN_STATE};

static const oct_offer offers[] = {OCT_OFFER(oct_tree_keeper, "kept", kept),
                                   OCT_OFFER(oct_tree_keeper, "base", base),
                                   OCT_OFFER(oct_tree_keeper, "work", work),
                                   OCT_OFFER(oct_tree_keeper, "due", due),
                                   OCT_OFFER(oct_tree_keeper, "due_at", due_at),
                                   OCT_OFFER(oct_tree_keeper, "price", price),
                                   {0}};

bool oct_tree_can_keep(const oct_domain *domain)
{
    const oct_comm *comm = domain->sim->comm;
    /* Cubic cells stay where they were, and so do bodies that are removed. What it has cost to keep
     * a tree is known to one rank alone, and lost when the run is resumed. */
    return domain->tree && domain->tree->options.criterion != OCT_CRITERION_GEOMETRIC &&
           !domain->removes && !(comm && oct_comm_size(comm) > 1);
}

void oct_tree_keep_memory(oct_needs *needs)
{
    oct_needs_add(needs, 4 * oct_real_size(needs->precision), needs->n);
    oct_needs_add(needs, sizeof(uint32_t), needs->n);
    oct_needs_add(needs, sizeof(int64_t), WORDS);
}

static oct_status keeper_start(oct_tree_keeper *keeper, oct_tree *tree, oct_domain *domain)
{
    char options[96];
    snprintf(options, sizeof options, "-D GROUP=%d -D KEPT -D CRITERION=%d%s%s", OCT_TREE_GROUP,
             (int)tree->options.criterion, tree->options.softened ? " -D SOFTENINGS" : "",
             tree->options.thirds ? " -D OCTUPOLE" : "");
    OCT_TRY(oct_domain_add_array(&keeper->built, domain, &built_column));
    OCT_TRY(oct_domain_add_array(&keeper->base, domain, &base_column));
    OCT_TRY(oct_buffer_create(&keeper->kept, domain->device, "tree.kept", sizeof(int64_t), WORDS));
    OCT_TRY(oct_buffer_fill(keeper->kept, 0));
    OCT_TRY(oct_domain_add_state(domain, keeper->kept));
    OCT_TRY(oct_domain_build(&keeper->program, domain, "tree_keep.cl", options));
#define ALL OCT_BIND_DOMAIN(domain), OCT_BIND_OFFERS(oct_tree_offers, tree)
    OCT_TRY(OCT_KERNEL(&keeper->tally, keeper->program, "tree_keep_tally", ALL,
                       OCT_BIND_OFFERS(offers, keeper)));
    OCT_TRY(oct_tree_moments_create(&keeper->moments, tree, keeper->program));
    if (!tree->options.records || !keeper->moments.climb)
        return OCT_KERNEL(&keeper->places, keeper->program, "tree_keep_places", ALL,
                          OCT_BIND_OUT("arrived", &tree->arrived));
    OCT_TRY(OCT_KERNEL(&keeper->seats, keeper->program, "tree_keep_seats", ALL,
                       OCT_BIND_UINT("capacity", &tree->capacity)));
    return OCT_KERNEL(&keeper->climb, keeper->program, "tree_keep_climb", ALL,
                      OCT_BIND_UINT("capacity", &tree->capacity),
                      OCT_BIND_REAL("inverse_theta", &tree->inverse_theta));
#undef ALL
}

oct_status oct_tree_keep(oct_domain *domain, oct_buffer *due, uint32_t place)
{
    oct_tree *tree = domain->tree;
    OCT_TRY(oct_tree_let_keep(tree));
    OCT_TRY(oct_alloc(&tree->keeper, 1, sizeof *tree->keeper, "a tree's keeper"));
    tree->keeper->due = due;
    tree->keeper->due_at = place;
    tree->keeper->price = (uint64_t)BUILD_COST * oct_tree_groups(domain->n);
    return keeper_start(tree->keeper, tree, domain);
}

void oct_tree_keeper_free(oct_tree_keeper *keeper)
{
    if (!keeper)
        return;
    oct_kernel *const kernels[] = {keeper->tally, keeper->seats, keeper->climb, keeper->places};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        oct_kernel_free(kernels[i]);
    oct_tree_moments_free(&keeper->moments);
    oct_program_free(keeper->program);
    oct_buffer_free(keeper->kept);
    free(keeper);
}

void oct_tree_forget(oct_tree *tree)
{
    if (!tree || !tree->keeper)
        return;
    tree->keeper->there = false;
    tree->keeper->forgotten = true;
    tree->built = (oct_made){0};
}

void oct_tree_keeper_lost(oct_tree_keeper *keeper)
{
    if (keeper)
        keeper->there = false;
}

/* Whether the state tells of a tree that was kept. */
static oct_status is_restorable(bool *out, const oct_tree_keeper *keeper)
{
    int64_t words[WORDS];
    *out = false;
    if (keeper->forgotten)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_read(words, keeper->kept, 0, WORDS));
    *out = words[BUILT] != 0;
    return OCT_STATUS_OK;
}

static oct_status find_seats(const oct_tree *tree)
{
    const oct_tree_keeper *keeper = tree->keeper;
    return keeper->seats ? oct_kernel_launch(keeper->seats, tree->capacity, 0) : OCT_STATUS_OK;
}

/* The cells that the tree had when it was built, from where bodies were then. */
static oct_status restore(oct_tree *tree, oct_domain *domain)
{
    oct_tree_keeper *keeper = tree->keeper;
    oct_buffer_exchange(domain->position, keeper->built);
    oct_status status = oct_tree_build(tree, domain, true);
    oct_buffer_exchange(domain->position, keeper->built);
    OCT_TRY(status);
    keeper->there = true;
    return find_seats(tree);
}

static oct_status renew(oct_tree *tree, const oct_domain *domain)
{
    oct_tree_keeper *keeper = tree->keeper;
    if (keeper->climb)
        return oct_kernel_launch(keeper->climb, tree->capacity, KEEPERS);
    uint32_t items = domain->n > tree->capacity ? domain->n : tree->capacity;
    OCT_TRY(oct_kernel_launch(keeper->places, items, 0));
    return oct_tree_find_moments(tree, &keeper->moments);
}

oct_status oct_tree_renew(bool *done, oct_tree *tree, oct_domain *domain)
{
    oct_tree_keeper *keeper = tree->keeper;
    bool others = !oct_edition_same(tree->placed, domain->placed);
    *done = false;
    if (others || domain->sim->removed != domain->sim->closed)
        return OCT_STATUS_OK;
    if (!keeper->there) {
        OCT_TRY(is_restorable(done, keeper));
        if (!*done)
            return OCT_STATUS_OK;
        OCT_TRY(restore(tree, domain));
    }
    *done = true;
    return renew(tree, domain);
}

oct_status oct_tree_keeper_built(oct_tree *tree, oct_domain *domain)
{
    oct_tree_keeper *keeper = tree->keeper;
    const int64_t words[WORDS] = {[BUILT] = 1};
    OCT_TRY(oct_buffer_post(keeper->kept, words, 0, WORDS));
    OCT_TRY(oct_buffer_fill(keeper->base, 0));
    OCT_TRY(oct_buffer_copy(keeper->built, domain->position));
    OCT_TRY(find_seats(tree));
    keeper->there = true;
    keeper->forgotten = false;
    return OCT_STATUS_OK;
}

oct_status oct_tree_review(oct_tree *tree)
{
    int64_t excess;
    if (!tree || !tree->keeper)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_read(&excess, tree->keeper->kept, EXCESS, 1));
    if (excess >= (int64_t)tree->keeper->price)
        oct_tree_forget(tree);
    return OCT_STATUS_OK;
}

oct_status oct_tree_tally(oct_tree *tree, oct_buffer *work)
{
    if (!tree->keeper)
        return OCT_STATUS_OK;
    tree->keeper->work = work;
    return oct_kernel_launch(tree->keeper->tally, TALLY_LANES, TALLY_LANES);
}
