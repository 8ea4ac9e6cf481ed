/* One kernel sums all pairs of few bodies; of many, the potential that forces found counts. */
#include "diag/diag_pairs.h"

#include <stdio.h>

/* Work-items that share a row: few rows leave a GPU to be filled by those that share them. */
static unsigned width_for(const oct_domain *domain)
{
    enum { LEAST = 32, MOST = 256, BODIES = 1 << 20 };
    unsigned width = LEAST;
    while (width < MOST && 2 * width * (uint64_t)domain->n <= BODIES)
        width *= 2;
    return oct_device_is_cpu(oct_device_describe(domain->device)) ? 1 : width;
}

/* So many that a sum takes about as long as a few steps of the tree: see docs/physics.md. */
static uint32_t most_bodies(const oct_device_info *info)
{
    return oct_device_is_cpu(info) ? 8192 : 65536;
}

static const oct_offer offers[] = {OCT_OFFER(oct_pairs, "softening", softening),
                                   OCT_OFFER(oct_pairs, "softening2", softening2),
                                   {0}};

oct_status oct_pairs_build(oct_pairs *pairs, oct_domain *domain, unsigned width)
{
    char options[48];
    pairs->width = width;
    pairs->softening2 = pairs->softening * pairs->softening;
    snprintf(options, sizeof options, "-D WIDTH=%u%s", width,
             domain->softening ? " -D SOFTENINGS" : "");
    OCT_TRY(oct_domain_build(&pairs->program, domain, "diag_pairs.cl", options));
    return OCT_KERNEL(&pairs->sum, pairs->program, "diag_pairs_sum", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_OUT("partials", &domain->readback.partials),
                      OCT_BIND_OFFERS(offers, pairs));
}

oct_status oct_pairs_init(oct_pairs *pairs, oct_domain *domain)
{
    const oct_setup *setup = domain->setup;
    const oct_boundary *boundary = oct_setup_boundary(setup);
    const oct_force *gravity = oct_setup_gravity(setup);
    /* What has a softening length is Newton's gravity, however it is summed. Gravity in parts is an
     * expansion that keeps an energy of its own. */
    bool newton =
        oct_field_real(&pairs->softening, setup->gravity.state, gravity->fields, "softening") &&
        !gravity->accumulate_near;
    if (!newton || boundary->image || domain->precision == OCT_PRECISION_SINGLE ||
        domain->n > most_bodies(oct_device_describe(domain->device)))
        return OCT_STATUS_OK;
    return oct_pairs_build(pairs, domain, width_for(domain));
}

oct_status oct_pairs_launch(uint32_t *place, const oct_pairs *pairs, oct_domain *domain)
{
    return oct_readback_sum(place, domain, pairs->sum, 1, pairs->width);
}

oct_status oct_pairs_energy(double *out, uint32_t place, oct_domain *domain)
{
    OCT_TRY(oct_readback_sums(out, domain, place, 1));
    *out *= domain->setup->units.G;
    return OCT_STATUS_OK;
}

void oct_pairs_clear(oct_pairs *pairs)
{
    oct_kernel_free(pairs->sum);
    oct_program_free(pairs->program);
}
