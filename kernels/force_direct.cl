/* What surrounds the pair sums of force_direct_tiles.cl and force_direct_lanes.cl.
 *   force_direct_prepare  reads position; writes the sources as `force` numbers relative to the
 *                         first particle, in units of 1 / scale, mass in w, in their order in
 *                         sources.clh
 *                         with SOFTENINGS reads softenings too, and writes what the sources bring
 *   force_direct_fold     reads the partial sums; adds them to acceleration and potential of the
 *                         listed bodies of set.clh, which sums are for
 * Any work-group size. */
#define TILE 1
#include "force_direct.clh"
#include "force_direct_fold.clh"
#include "force_direct_source.clh"
#include "set.clh"

kernel void force_direct_prepare(PREPARE_SOFTENINGS global force4 *high, global force4 *low,
                                 global const real4 *position, global const uint *sources,
                                 global const uint *n_sources, real scale, real mass_scale, uint n)
{
    uint k = (uint)get_global_id(0);
    if (k < count_sources(sources, n_sources, n))
        prepare_source(PREPARED_SOFTENINGS high, low, position, sources, k, scale, mass_scale);
}

kernel void force_direct_fold(global real4 *acceleration, global const real4 *partials,
                              global const uint *listed, global const uint *n_listed,
                              real to_acceleration, real to_potential, uint n, uint parts)
{
    uint k = (uint)get_global_id(0);
    if (k >= count_listed(listed, n_listed, n))
        return;
    fold(acceleration, partials, listed_at(listed, k), k, to_acceleration, to_potential, n, parts);
}
