/* The domain's set in the order of the tree: groups and places to walk for, listed on the device.
 */
#include "tree/tree.h"

#include <stdio.h>
#include <stdlib.h>

/* A list and what it was made of. */
typedef struct list {
    oct_kernel *mark;
    oct_buffer *marks, *items, *count;
    oct_made listed;
} list;

struct oct_tree_active {
    oct_program *program; /* kernels/tree_active.cl */
    list groups, places;
};

static void list_clear(list *l)
{
    oct_kernel_free(l->mark);
    oct_buffer_free(l->marks);
    oct_buffer_free(l->items);
    oct_buffer_free(l->count);
}

void oct_tree_active_free(oct_tree_active *active)
{
    if (!active)
        return;
    list_clear(&active->groups);
    list_clear(&active->places);
    oct_program_free(active->program);
    free(active);
}

static oct_status list_start(list *l, oct_program *program, oct_domain *domain, const char *kernel,
                             size_t n)
{
    const oct_buffer_plan plans[] = {{&l->marks, "tree.marks", 1, n},
                                     {&l->items, "tree.listed", sizeof(uint32_t), n},
                                     {&l->count, "tree.n_listed", sizeof(uint32_t), 1}};
    OCT_TRY(oct_buffers_replace(domain->device, plans, sizeof plans / sizeof plans[0]));
    return OCT_KERNEL(&l->mark, program, kernel, OCT_BIND_DOMAIN(domain), OCT_BIND_TREE(domain),
                      OCT_BIND_OUT("marks", &l->marks));
}

static oct_status active_start(oct_tree *tree, oct_domain *domain)
{
    char options[32];
    snprintf(options, sizeof options, "-D GROUP=%d", OCT_TREE_GROUP);
    if (!tree->active)
        OCT_TRY(oct_alloc(&tree->active, 1, sizeof *tree->active, "lists of the tree"));
    if (tree->active->program)
        return OCT_STATUS_OK;
    return oct_domain_build(&tree->active->program, domain, "tree_active.cl", options);
}

/* n: elements that the list may have. */
static oct_status list_set(list *l, oct_tree *tree, oct_domain *domain, const char *kernel,
                           uint32_t n)
{
    oct_made now = OCT_MADE(domain->active, tree->sorted);
    if (!l->mark)
        OCT_TRY(list_start(l, tree->active->program, domain, kernel, n));
    if (oct_made_fresh(&l->listed, &now))
        return OCT_STATUS_OK;
    OCT_TRY(oct_kernel_launch(l->mark, n, 0));
    OCT_TRY(oct_array_compact(tree->primitives, l->items, l->count, l->marks, 0, n));
    l->listed = now;
    return OCT_STATUS_OK;
}

void oct_tree_list_memory(oct_needs *needs, bool places)
{
    bool *there = places ? &needs->places : &needs->groups;
    uint64_t n = places ? needs->n : oct_tree_groups((uint32_t)needs->n);
    if (!needs->sets || *there)
        return;
    *there = true;
    oct_needs_add(needs, 1, n);
    oct_needs_add(needs, sizeof(uint32_t), n);
    oct_needs_add(needs, sizeof(uint32_t), 1);
}

oct_status oct_tree_list_groups(oct_tree *tree, oct_domain *domain)
{
    tree->groups = tree->n_groups = NULL;
    if (!domain->set)
        return OCT_STATUS_OK;
    OCT_TRY(active_start(tree, domain));
    list *l = &tree->active->groups;
    OCT_TRY(list_set(l, tree, domain, "tree_active_groups", oct_tree_groups(domain->n)));
    tree->groups = l->items;
    tree->n_groups = l->count;
    return OCT_STATUS_OK;
}

oct_status oct_tree_list_places(oct_tree *tree, oct_domain *domain)
{
    tree->active_places = tree->n_places = NULL;
    if (!domain->set)
        return OCT_STATUS_OK;
    OCT_TRY(active_start(tree, domain));
    list *l = &tree->active->places;
    OCT_TRY(list_set(l, tree, domain, "tree_active_places", domain->n));
    tree->active_places = l->items;
    tree->n_places = l->count;
    return OCT_STATUS_OK;
}
