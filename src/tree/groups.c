/* Groups by the tree: friends of friends (Davis et al. 1985). */
#include "tree/tree.h"

#include <math.h>
#include <stdlib.h>

enum { LEAF = 16, KERNELS = 4 };

typedef struct finder {
    oct_tree *tree;
    oct_program *program;
    oct_kernel *kernels[KERNELS]; /* in the order in which they are launched */
    oct_buffer *parent, *least, *label;
    double link;
} finder;

static const char *const names[KERNELS] = {"tree_groups_start", "tree_groups_join",
                                           "tree_groups_least", "tree_groups_end"};

static const oct_offer offers[] = {OCT_OFFER(finder, "parent", parent),
                                   OCT_OFFER(finder, "least", least),
                                   OCT_OFFER(finder, "label", label),
                                   OCT_OFFER(finder, "link", link),
                                   {0}};

static void finder_clear(finder *f)
{
    oct_buffer_free(f->parent);
    oct_buffer_free(f->least);
    oct_buffer_free(f->label);
    for (size_t k = 0; k < KERNELS; k++)
        oct_kernel_free(f->kernels[k]);
    oct_program_free(f->program);
    oct_tree_free(f->tree);
}

static oct_status find_labels(finder *f, oct_domain *domain)
{
    const oct_tree_options options = {.theta = 1, .leaf = LEAF, .cells = true};
    OCT_TRY(oct_tree_share(&f->tree, domain, &options));
    OCT_TRY(oct_tree_update(f->tree, domain));
    OCT_TRY(oct_images_update(domain));
    OCT_TRY(oct_domain_build(&f->program, domain, "tree_groups.cl", NULL));
    OCT_TRY(oct_buffer_create(&f->parent, domain->device, "groups", 4, domain->n));
    OCT_TRY(oct_buffer_create(&f->least, domain->device, "firsts of groups", 4, domain->n));
    OCT_TRY(oct_buffer_create(&f->label, domain->device, "labels of groups", 4, domain->n));
    for (size_t k = 0; k < KERNELS; k++) {
        OCT_TRY(OCT_KERNEL(&f->kernels[k], f->program, names[k], OCT_BIND_DOMAIN(domain),
                           OCT_BIND_TREE(domain), OCT_BIND_OFFERS(offers, f)));
        OCT_TRY(oct_kernel_launch(f->kernels[k], domain->n, 0));
    }
    return OCT_STATUS_OK;
}

oct_status oct_tree_places(uint32_t **out, oct_domain *domain)
{
    uint8_t *types;
    uint32_t place = 0;
    OCT_TRY(oct_alloc(out, domain->n, sizeof **out, "places"));
    oct_status status = oct_alloc(&types, domain->n, 1, "types");
    if (status == OCT_STATUS_OK)
        status = oct_buffer_read(types, domain->type, 0, domain->n);
    for (uint32_t i = 0; status == OCT_STATUS_OK && i < domain->n; i++)
        (*out)[i] = types[i] == OCT_TYPE_REMOVED ? UINT32_MAX : place++;
    free(types);
    return status;
}

static oct_status read_labels(uint32_t *out, const finder *f, oct_domain *domain)
{
    oct_status status;
    uint32_t *labels = NULL, *places = NULL;
    OCT_TRY_DONE(oct_alloc(&labels, domain->n, sizeof *labels, "labels"));
    OCT_TRY_DONE(oct_tree_places(&places, domain));
    OCT_TRY_DONE(oct_buffer_read(labels, f->label, 0, domain->n));
    for (uint32_t i = 0; i < domain->n; i++)
        if (places[i] != UINT32_MAX)
            out[places[i]] = places[labels[i]];
done:
    free(labels);
    free(places);
    return status;
}

oct_status oct_friends(uint32_t *out, oct_sim *sim, double link)
{
    finder f = {.link = link};
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_sim_check_alone(sim, "groups cannot be found"));
    OCT_CHECK(isfinite(link) && link > 0, OCT_STATUS_INPUT,
              "a linking length of %g was asked for: expected a length above 0", link);
    OCT_TRY(oct_sim_wait(sim));
    oct_status status = find_labels(&f, sim->domain);
    if (status == OCT_STATUS_OK)
        status = read_labels(out, &f, sim->domain);
    finder_clear(&f);
    return oct_sim_done(sim, status);
}
