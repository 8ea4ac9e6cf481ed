/* Pair sums for GPUs: a work-group stages TILE sources in local memory, and each work-item sums
 * over them for TARGETS particles, of the listed ones of set.clh. Reads position and the prepared
 * sources of sources.clh; writes partial sums in the order of the list, one for each part and
 * particle. Does nothing for a set of `most` bodies or fewer: see force_direct_few.cl.
 * Work-groups of TILE. */
#ifndef TILE
#define TILE 256
#endif
#ifndef TARGETS
#define TARGETS 4
#endif
#ifndef UNROLL
#define UNROLL 16
#endif
#include "force_direct_tiles.clh"

#ifdef SPLIT
#define TILE_LOW(k) tile_low[k]
#else
#define TILE_LOW(k) (force4)(0)
#endif

/* The softening of a pair, squared: of source k of the tile and target t. */
#ifdef SOFTENINGS
#define OF_PAIR(k, t)       (tile_soft[k] + halves[t])
#else
#define OF_PAIR(k, t) e2
#endif

/* The body that is target t of this work-item; past the end it is the last one. */
#define TARGET(t) listed_at(listed, min(base + (t) * TILE + lane, count - 1))

kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void
force_direct_tiles(global real4 *partials, global const real4 *position, global const force4 *high,
                   global const force4 *low, global const uint *listed,
                   global const uint *n_listed, global const uint *sources,
                   global const uint *n_sources, global const real4 *acting_shift,
                   uint acting_images, real softening2, real scale, uint n, uint parts,
                   uint most SOFTENING_ARGUMENTS)
{
    local force4 tile[TILE];
#ifdef SPLIT
    local force4 tile_low[TILE];
#endif
#ifdef SOFTENINGS
    local force tile_soft[TILE];
    force halves[TARGETS];
#endif
    uint lane = (uint)get_local_id(0);
    uint part = (uint)get_group_id(0) % parts;
    uint base = ((uint)get_group_id(0) / parts) * (TILE * TARGETS);
    uint count = count_listed(listed, n_listed, n);
    if (base >= count || is_few(listed, count, most))
        return;
    uint first = listed_at(listed, base);
    uint last = listed_at(listed, min(base + TILE * TARGETS, count) - 1);
    uint2 range = part_range(part, parts, count_sources(sources, n_sources, n));
#ifdef SOFTENINGS
    for (uint t = 0; t < TARGETS; t++)
        halves[t] = half_square(softenings, TARGET(t), softening2, scale);
#else
    force e2 = (force)softening2;
#endif

    wide total[TARGETS];
    for (uint t = 0; t < TARGETS; t++)
        total[t] = wide_zero();

    for (uint image = 0; image < acting_images; image++) {
        point target[TARGETS];
        for (uint t = 0; t < TARGETS; t++)
            target[t] = split(position[TARGET(t)], position[0], acting_shift[image], scale);
        for (uint j0 = range.x; j0 < range.y; j0 += TILE) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint j = j0 + lane;
            tile[lane] = j < range.y ? high[j] : (force4)(0);
#ifdef SPLIT
            tile_low[lane] = j < range.y ? low[j] : (force4)(0);
#endif
#ifdef SOFTENINGS
            tile_soft[lane] = j < range.y ? soft[j] : 0;
#endif
            barrier(CLK_LOCAL_MEM_FENCE);
            /* Sources past the end have no mass, so whole tiles are always safe to sum. */
            force4 sum_tile[TARGETS];
            for (uint t = 0; t < TARGETS; t++)
                sum_tile[t] = (force4)(0);
            uint j_last = min(j0 + TILE, range.y) - 1;
            bool own = image == 0 && source_at(sources, j0) <= last &&
                       source_at(sources, j_last) >= first;
            if (own) {
                uint self[TARGETS];
                for (uint t = 0; t < TARGETS; t++)
                    self[t] = TARGET(t);
                for (uint k = 0; k < TILE; k++) {
                    uint body = source_at(sources, min(j0 + k, j_last));
                    force4 source_low = TILE_LOW(k);
#pragma unroll
                    for (uint t = 0; t < TARGETS; t++)
                        interact(&sum_tile[t], target[t], tile[k], source_low, OF_PAIR(k, t),
                                 body == self[t]);
                }
            } else {
#pragma unroll UNROLL
                for (uint k = 0; k < TILE; k++) {
                    force4 source_low = TILE_LOW(k), source = tile[k];
#pragma unroll
                    for (uint t = 0; t < TARGETS; t++)
                        interact(&sum_tile[t], target[t], source, source_low, OF_PAIR(k, t),
                                 false);
                }
            }
            for (uint t = 0; t < TARGETS; t++)
                wide_add(&total[t], sum_tile[t]);
        }
    }
    for (uint t = 0; t < TARGETS; t++) {
        uint k = base + t * TILE + lane;
        if (k < count)
            partials[(size_t)part * n + k] = convert_real4(WIDE_VALUE(total[t]));
    }
}
