/* The buffers of runs of bodies. */
#include "force/force_tree_runs.h"

#include "tree/tree.h"

#include <math.h>
#include <stdio.h>

const oct_offer oct_tree_run_offers[] = {OCT_OFFER(oct_tree_runs, "run_centre", centre),
                                         OCT_OFFER(oct_tree_runs, "run_sums", sums),
                                         OCT_OFFER(oct_tree_runs, "n_begin", n_begin),
                                         OCT_OFFER(oct_tree_runs, "parted", parted),
                                         OCT_OFFER(oct_tree_runs, "parted_work", parted_work),
                                         OCT_OFFER(oct_tree_runs, "torn", torn),
                                         OCT_OFFER(oct_tree_runs, "n_torn", n_torn),
                                         OCT_OFFER(oct_tree_runs, "torn_after", torn_after),
                                         OCT_OFFER(oct_tree_runs, "far_reach", far_reach),
                                         {0}};

/* Bytes of a run in each of the buffers. */
enum { BUFFERS = 3 };
static void bytes_each(size_t out[BUFFERS], oct_precision precision)
{
    out[0] = 4 * oct_real_size(precision);
    out[1] = OCT_TREE_RUN_TERMS * oct_force_size(precision);
    out[2] = sizeof(uint32_t);
}

bool oct_tree_runs_sliced(const oct_setup *setup)
{
    const oct_integrator *integrator = (const oct_integrator *)setup->integrator.module;
    return integrator->within && integrator->within(setup->integrator.state, 1);
}

uint32_t oct_tree_run_size(const oct_setup *setup, uint64_t n)
{
    enum { FEW = 1 << 19 };
    bool images = oct_setup_boundary(setup)->image != NULL;
    return n < FEW && !images ? OCT_TREE_SHORT_RUN : OCT_TREE_RUN;
}

uint32_t oct_tree_run_count(const oct_setup *setup, uint64_t n)
{
    uint32_t size = oct_tree_run_size(setup, n);
    return (uint32_t)((n + size - 1) / size);
}

void oct_tree_runs_options(char *out, size_t size, const oct_domain *domain)
{
    int length = snprintf(out, size, " -D RUN=%u -D RUN_ROOM=%u -D RUN_TERMS=%d",
                          (unsigned)oct_tree_run_size(domain->setup, domain->n),
                          (unsigned)oct_tree_run_room(domain->n), OCT_TREE_RUN_TERMS);
    if (oct_tree_runs_sliced(domain->setup))
        snprintf(out + length, size - (size_t)length, " -D SLICES=%d", OCT_TREE_SLICES);
}

oct_status oct_tree_runs_create(oct_tree_runs *out, oct_domain *domain, double theta)
{
    static const char *const names[] = {"tree.run_centre", "tree.run_sums", "tree.n_begin"};
    oct_buffer **const buffers[] = {&out->centre, &out->sums, &out->n_begin};
    size_t bytes[BUFFERS];
    /* (R/d)^4 of an expansion's error against (l/d)^3 of a cell's: an eighth of theta^3. With 3 %
     * of it errors are the same and a walk takes 5 % longer. */
    out->far_reach = 1.7 * pow(theta, -0.75);
    bytes_each(bytes, domain->precision);
    for (size_t i = 0; i < BUFFERS; i++)
        OCT_TRY(oct_buffer_create(buffers[i], domain->device, names[i], bytes[i],
                                  oct_tree_run_count(domain->setup, domain->n)));
    if (!oct_tree_runs_sliced(domain->setup))
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_create(&out->parted, domain->device, "tree.parted",
                              4 * oct_real_size(domain->precision),
                              (size_t)OCT_TREE_SLICES * OCT_TREE_GROUP));
    return oct_buffer_create(&out->parted_work, domain->device, "tree.parted_work",
                             2 * sizeof(uint32_t), OCT_TREE_SLICES);
}

oct_status oct_tree_runs_tear(oct_tree_runs *runs, oct_domain *domain, uint32_t after)
{
    runs->torn_after = after;
    OCT_TRY(
        oct_buffer_create(&runs->torn, domain->device, "tree.torn", sizeof(uint32_t), domain->n));
    return oct_buffer_create(&runs->n_torn, domain->device, "tree.n_torn", sizeof(uint32_t), 1);
}

void oct_tree_runs_clear(oct_tree_runs *runs)
{
    oct_buffer_free(runs->torn);
    oct_buffer_free(runs->n_torn);
    oct_buffer_free(runs->centre);
    oct_buffer_free(runs->sums);
    oct_buffer_free(runs->n_begin);
    oct_buffer_free(runs->parted);
    oct_buffer_free(runs->parted_work);
}

void oct_tree_runs_memory(oct_needs *needs)
{
    size_t bytes[BUFFERS];
    bytes_each(bytes, needs->precision);
    for (size_t i = 0; i < BUFFERS; i++)
        oct_needs_add(needs, bytes[i], oct_tree_run_count(needs->setup, needs->n));
    if (!oct_tree_runs_sliced(needs->setup))
        return;
    oct_needs_add(needs, 4 * oct_real_size(needs->precision), OCT_TREE_SLICES * OCT_TREE_GROUP);
    oct_needs_add(needs, 2 * sizeof(uint32_t), OCT_TREE_SLICES);
}
