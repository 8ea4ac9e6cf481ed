/* Many steps of few bodies in one launch, for GPUs: as force_direct_leap_lanes.cl, a body a
 * work-item of one work-group of GROUP, with the sources of force_direct_tiles.cl in local memory.
 * There are at most GROUP bodies, and no images. */
#include "force_direct_tiles.clh"
#include "force_direct_leap.clh"

#ifdef SOFTENINGS
#define LEAP_SOFTENINGS global const real *softenings,
#else
#define LEAP_SOFTENINGS
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
force_direct_leap_tiles(LEAP_SOFTENINGS global real4 *position, global real *position_low,
                        global real4 *velocity, global real *velocity_low,
                        global real4 *acceleration, global const uchar *type,
                        global const uint *sources, global const uint *n_sources, real softening2,
                        real scale, real mass_scale, real to_acceleration, real to_potential,
                        real dt, uint steps, uint n, volatile global uint *counters,
                        uint step_offset)
{
    local real4 origin;
    local force4 tile[GROUP];
#ifdef SPLIT
    local force4 tile_low[GROUP];
#endif
#ifdef SOFTENINGS
    local force tile_soft[GROUP];
#endif
    uint lane = (uint)get_local_id(0), i = min(lane, n - 1);
    bool here = lane < n;
    uint count = count_sources(sources, n_sources, n), own = source_from(i, sources, count);
    bool pulls = here && own < count && source_at(sources, own) == i;
    uchar kind = here ? type[i] : OCT_TYPE_REMOVED;
    real4 x = position[i], v = velocity[i], a = acceleration[i];
#ifdef SOFTENINGS
    force soft = half_square(softenings, i, softening2, scale);
    if (pulls)
        tile_soft[own] = soft;
#else
    force e2 = (force)softening2;
#endif
    for (uint s = 0; s < steps; s++) {
        uint step = step_offset + s;
        begin_leap(&x, position_low, &v, velocity_low, a, kind, dt, i, counters, step);
        if (lane == 0)
            origin = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        point p = split(x, origin, (real4)(0), scale);
        if (pulls) {
            tile[own] = p.high;
            tile[own].w = (force)(x.w * mass_scale);
#ifdef SPLIT
            tile_low[own] = p.low;
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        wide total = wide_zero();
        for (uint k0 = 0; k0 < count; k0 += TILE) {
            force4 sum_tile = (force4)(0);
            for (uint k = k0; k < min(k0 + TILE, count); k++) {
#ifdef SPLIT
                force4 source_low = tile_low[k];
#else
                force4 source_low = (force4)(0);
#endif
#ifdef SOFTENINGS
                force e2 = tile_soft[k] + soft;
#endif
                interact(&sum_tile, p, tile[k], source_low, e2, pulls && k == own);
            }
            wide_add(&total, sum_tile);
        }
        a = pull_of(convert_real4(WIDE_VALUE(total)), to_acceleration, to_potential);
        end_leap(&v, velocity_low, a, kind, dt, i, counters, step);
    }
    if (here) {
        position[i] = x;
        velocity[i] = v;
        acceleration[i] = a;
    }
}
