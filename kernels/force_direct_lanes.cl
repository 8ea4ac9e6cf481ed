/* Pair sums for CPUs: a work-item sums over all sources for LANES particles at a time, one vector
 * lane each: of the listed ones of set.clh. Reads position and the prepared sources of sources.clh;
 * writes partial sums in the order of the list. Work-groups of one work-item, which costs PoCL no
 * barriers. */
#include "force_direct_lanes.clh"
#include "set.clh"

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
force_direct_lanes(global real4 *partials, global const real4 *position, global const force4 *high,
                   global const force4 *low, global const uint *listed,
                   global const uint *n_listed, global const uint *sources,
                   global const uint *n_sources, global const real4 *acting_shift,
                   uint acting_images, real softening2, real scale, uint n,
                   uint parts SOFTENING_ARGUMENTS)
{
    uint part = (uint)get_group_id(0) % parts, k0 = (uint)get_group_id(0) / parts * LANES;
    uint count = count_listed(listed, n_listed, n);
    if (k0 >= count)
        return;
    /* Lanes past the end repeat the last body; what they sum up is not stored. */
    lane_index bodies[LANES];
    for (uint k = 0; k < LANES; k++)
        bodies[k] = (lane_index)listed_at(listed, min(k0 + k, count - 1));
    uint2 range = part_range(part, parts, count_sources(sources, n_sources, n));
    real4 sums[LANES];
    sum_sources(sums, bodies, position, high, low, sources, range, acting_shift, acting_images,
                softening2, scale SOFTENING_VALUES);
    for (uint k = 0; k < LANES && k0 + k < count; k++)
        partials[(size_t)part * n + k0 + k] = sums[k];
}
