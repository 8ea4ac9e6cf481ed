/* Neighbours by the tree: the k nearest of every body, densities from them, and touching pairs. */
#include "tree/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NEIGHBOURS = 64, LEAF = 16 };

static const uint32_t nobody = UINT32_MAX;

/* A tree of the bodies as they are now, with the kernels that search it. */
typedef struct search {
    oct_tree *tree;
    oct_program *program;
    oct_kernel *kernel;
    oct_buffer *index, *distance, *counts, *places, *n_pairs, *pairs;
} search;

static const oct_offer offers[] = {
    OCT_OFFER(search, "index", index),   OCT_OFFER(search, "distance", distance),
    OCT_OFFER(search, "counts", counts), OCT_OFFER(search, "places", places),
    OCT_OFFER(search, "pairs", pairs),   {0}};

static void search_clear(search *s)
{
    oct_buffer *const buffers[] = {s->index,  s->distance, s->counts,
                                   s->places, s->n_pairs,  s->pairs};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
    oct_kernel_free(s->kernel);
    oct_program_free(s->program);
    oct_tree_free(s->tree);
}

static oct_status search_start(search *s, oct_domain *domain, const char *kernel, unsigned k)
{
    const oct_tree_options options = {.theta = 1, .leaf = LEAF, .cells = true};
    char defines[32];
    snprintf(defines, sizeof defines, "-D K=%u", k);
    OCT_TRY(oct_tree_share(&s->tree, domain, &options));
    OCT_TRY(oct_tree_update(s->tree, domain));
    OCT_TRY(oct_domain_build(&s->program, domain, "tree_neighbours.cl", defines));
    return OCT_KERNEL(&s->kernel, s->program, kernel, OCT_BIND_DOMAIN(domain),
                      OCT_BIND_TREE(domain), OCT_BIND_OFFERS(offers, s));
}

static oct_status find_nearest(search *s, oct_domain *domain, unsigned k)
{
    OCT_TRY(search_start(s, domain, "tree_neighbours_nearest", k));
    OCT_TRY(oct_buffer_create(&s->index, domain->device, "neighbours", 4, (size_t)k * domain->n));
    OCT_TRY(oct_buffer_create(&s->distance, domain->device, "neighbour distances",
                              oct_real_size(domain->precision), (size_t)k * domain->n));
    return oct_kernel_launch(s->kernel, domain->n, 0);
}

/* Copies what the kernel found for the bodies that are there; index and distance may be NULL. */
static oct_status read_nearest(uint32_t *index, double *distance, search *s, oct_domain *domain,
                               unsigned k)
{
    oct_status status;
    uint32_t *places = NULL, *found = NULL;
    char *raw = NULL;
    size_t real = oct_real_size(domain->precision), rows = (size_t)k * domain->n;
    OCT_TRY_DONE(oct_tree_places(&places, domain));
    OCT_TRY_DONE(oct_alloc(&found, rows, sizeof *found, "neighbours"));
    OCT_TRY_DONE(oct_alloc(&raw, rows, real, "distances"));
    OCT_TRY_DONE(oct_buffer_read(found, s->index, 0, rows));
    OCT_TRY_DONE(oct_buffer_read(raw, s->distance, 0, rows));
    for (uint32_t i = 0; i < domain->n; i++)
        for (unsigned j = 0; j < k && places[i] != nobody; j++) {
            size_t from = (size_t)i * k + j, to = (size_t)places[i] * k + j;
            float narrow;
            double wide;
            memcpy(&narrow, raw + from * real, sizeof narrow);
            memcpy(&wide, raw + from * real, real < sizeof wide ? real : sizeof wide);
            if (index)
                index[to] = found[from] == nobody ? nobody : places[found[from]];
            if (distance)
                distance[to] = real == sizeof wide ? wide : (double)narrow;
        }
done:
    free(places);
    free(found);
    free(raw);
    return status;
}

static oct_status check_asked(const oct_sim *sim, unsigned k)
{
    OCT_TRY(oct_sim_usable(sim));
    OCT_TRY(oct_sim_check_alone(sim, "neighbours cannot be found"));
    OCT_CHECK(k >= 1 && k <= MOST_NEIGHBOURS, OCT_STATUS_INPUT,
              "%u neighbours were asked for: expected 1 to %d", k, MOST_NEIGHBOURS);
    return OCT_STATUS_OK;
}

oct_status oct_neighbours(uint32_t *index, double *distance, oct_sim *sim, unsigned k)
{
    search s = {0};
    OCT_TRY(check_asked(sim, k));
    OCT_TRY(oct_sim_wait(sim));
    oct_status status = find_nearest(&s, sim->domain, k);
    if (status == OCT_STATUS_OK)
        status = read_nearest(index, distance, &s, sim->domain, k);
    search_clear(&s);
    return oct_sim_done(sim, status);
}

oct_status oct_densities(double *out, oct_sim *sim, unsigned k)
{
    oct_status status;
    oct_bodies bodies = {0};
    uint32_t *index = NULL;
    double *distance = NULL;
    OCT_TRY(check_asked(sim, k));
    OCT_TRY_DONE(oct_sim_bodies(&bodies, sim));
    OCT_TRY_DONE(oct_alloc(&index, bodies.n * (size_t)k, sizeof *index, "neighbours"));
    OCT_TRY_DONE(oct_alloc(&distance, bodies.n * (size_t)k, sizeof *distance, "distances"));
    OCT_TRY_DONE(oct_neighbours(index, distance, sim, k));
    /* Mass of the k - 1 neighbours inside the k-th's distance, which makes the estimate unbiased
     * (Casertano and Hut 1985). */
    for (size_t i = 0; i < bodies.n; i++) {
        double mass = 0, radius = distance[i * k + k - 1];
        for (unsigned j = 0; j + 1 < k; j++)
            mass += index[i * k + j] == nobody ? 0 : bodies.mass[index[i * k + j]];
        out[i] = radius > 0 && isfinite(radius) ? mass / (4.18879020478639098 * pow(radius, 3)) : 0;
    }
done:
    oct_bodies_clear(&bodies);
    free(index);
    free(distance);
    return oct_sim_done(sim, status);
}

/* Counts, makes room for just as many, and lists. */
static oct_status find_touching(search *s, uint32_t *n, oct_domain *domain)
{
    OCT_TRY(search_start(s, domain, "tree_neighbours_touching", 1));
    OCT_TRY(oct_buffer_create(&s->counts, domain->device, "touching", 4, domain->n));
    OCT_TRY(oct_buffer_create(&s->places, domain->device, "touching places", 4, domain->n));
    OCT_TRY(oct_buffer_create(&s->n_pairs, domain->device, "number of pairs", 4, 1));
    OCT_TRY(oct_kernel_launch(s->kernel, domain->n, 0));
    OCT_TRY(oct_array_scan(s->tree->primitives, s->places, s->n_pairs, s->counts, domain->n));
    OCT_TRY(oct_buffer_read(n, s->n_pairs, 0, 1));
    OCT_TRY(oct_buffer_create(&s->pairs, domain->device, "touching pairs", 8, *n));
    return oct_kernel_launch(s->kernel, domain->n, 0);
}

oct_status oct_touching(uint32_t (**out)[2], size_t *n, oct_sim *sim)
{
    oct_status status;
    search s = {0};
    uint32_t count = 0, *places = NULL;
    *out = NULL;
    *n = 0;
    OCT_TRY(oct_sim_check_alone(sim, "neighbours cannot be found"));
    OCT_TRY(oct_sim_wait(sim));
    OCT_TRY_DONE(find_touching(&s, &count, sim->domain));
    OCT_TRY_DONE(oct_tree_places(&places, sim->domain));
    OCT_TRY_DONE(oct_alloc(out, count, sizeof **out, "pairs"));
    OCT_TRY_DONE(oct_buffer_read(*out, s.pairs, 0, count));
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            (*out)[i][k] = places[(*out)[i][k]];
    *n = count;
done:
    free(places);
    search_clear(&s);
    if (status != OCT_STATUS_OK) {
        free(*out);
        *out = NULL;
    }
    return oct_sim_done(sim, status);
}

void oct_touching_free(uint32_t (*pairs)[2])
{
    free(pairs);
}
