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
#include "set.clh"
#include "sources.clh"

#ifdef SOFTENINGS
#define PREPARE_SOFTENINGS global force *soft, global const real *softenings, real softening2,
#else
#define PREPARE_SOFTENINGS
#endif

kernel void force_direct_prepare(PREPARE_SOFTENINGS global force4 *high, global force4 *low,
                                 global const real4 *position, global const uint *sources,
                                 global const uint *n_sources, real scale, real mass_scale, uint n)
{
    uint k = (uint)get_global_id(0);
    if (k >= count_sources(sources, n_sources, n))
        return;
    real4 x = position[source_at(sources, k)];
    point p = split(x, position[0], (real4)(0), scale);
    p.high.w = (force)(x.w * mass_scale);
    high[k] = p.high;
#ifdef SPLIT
    low[k] = p.low;
#endif
#ifdef SOFTENINGS
    soft[k] = half_square(softenings, source_at(sources, k), softening2, scale);
#endif
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
