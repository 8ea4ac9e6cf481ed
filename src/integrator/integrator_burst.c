/* Decides where steps go in bursts, how long these are, and which systems share a work-group. */
#include "integrator/integrator_burst.h"

#include <stdlib.h>

#include "core/join.h"

const char *const oct_burst_ways[] = {"auto", "tiles", "lanes", "whole", NULL};

oct_burst_way oct_burst_choose(int chosen, const oct_device_info *info)
{
    if (chosen != OCT_BURST_AUTO)
        return (oct_burst_way)chosen;
    return oct_device_is_cpu(info) ? OCT_BURST_LANES : OCT_BURST_TILES;
}

bool oct_integrator_is_undisturbed(const oct_domain *domain)
{
    const oct_setup *setup = domain->setup;
    const oct_boundary *boundary = oct_domain_boundary(domain);
    return setup->n_forces == 0 && setup->added.n == 0 && !oct_domain_collision(domain)->collide &&
           !boundary->image && !boundary->pull && !domain->removes && !domain->set;
}

static oct_status may_burst(bool *out, oct_domain *domain, uint32_t largest)
{
    const oct_force *gravity = oct_domain_gravity(domain);
    *out = gravity->alone && gravity->alone(domain->gravity.state, domain) &&
           domain->system_table.largest <= largest && oct_integrator_is_undisturbed(domain);
    if (!*out)
        return OCT_STATUS_OK;
    OCT_TRY(oct_sources_list(domain));
    *out = !domain->sources.held;
    return OCT_STATUS_OK;
}

oct_status oct_integrator_bursts(bool *out, oct_domain *domain, uint32_t largest)
{
    uint32_t barred;
    OCT_TRY(may_burst(out, domain, largest));
    barred = !*out;
    OCT_TRY(oct_join_most(&barred, 1, domain));
    *out = barred == 0;
    return OCT_STATUS_OK;
}

uint32_t oct_integrator_burst_steps(const oct_domain *domain, uint64_t most)
{
    enum { MOST_STEPS = 4096, SHARED_STEPS = 64 };
    /* Steps of bodies that a CPU and a GPU take in some milliseconds. */
    bool cpu = oct_device_is_cpu(oct_device_describe(domain->device));
    uint64_t work = UINT64_C(1) << (cpu ? 17 : 25), steps = work / domain->n;
    /* Ranks wait for each other after the same steps. */
    if (oct_owners_several(domain->sim))
        steps = SHARED_STEPS;
    steps = steps < MOST_STEPS ? steps : MOST_STEPS;
    steps = steps < most ? steps : most;
    return steps > 1 ? (uint32_t)steps : 1;
}

oct_status oct_integrator_burst_packs(oct_buffer **out, oct_domain *domain, uint32_t bodies)
{
    const oct_system_table *systems = &domain->system_table;
    uint32_t(*packs)[2], n = 0;
    OCT_TRY(oct_alloc(&packs, systems->n, sizeof *packs, "packs"));
    for (uint32_t s = 0; s < systems->n; s++) {
        if (n == 0 || systems->starts[s + 1] - systems->starts[packs[n - 1][0]] > bodies)
            packs[n++][0] = s;
        packs[n - 1][1] = s + 1;
    }
    oct_status status = oct_buffer_create(out, domain->device, "wh.packs", sizeof *packs, n);
    if (status == OCT_STATUS_OK)
        status = oct_buffer_write(*out, packs, 0, n);
    free(packs);
    return status;
}
