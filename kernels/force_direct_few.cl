/* Pair sums for GPUs where the targets are a set of few bodies, which with all sources to each
 * would keep few work-items busy. T work-items have T targets and one tile of sources, the next T
 * the next tile. Reads position and the prepared sources of sources.clh.
 *   force_direct_few   writes the sum over each tile to the place of partial sums, by target,
 *                      image and tile, where there is room: all tiles go at once then. Else a
 *                      work-group goes through the tiles of a part, adds their sums up in their
 *                      order, and writes partial sums as force_direct_tiles.cl does. Does nothing
 *                      for more than `most`.
 *   force_direct_join  adds the sums over tiles up in their order, or partial sums, for sets of
 *                      any size; adds them to acceleration and potential
 * Work-groups of TILE; any number of them. */
#ifndef TILE
#define TILE 256
#endif
#include "force_direct_tiles.clh"
#include "force_direct_fold.clh"

/* What kernels of sets have in common: targets, sources, and where their sums go. */
typedef struct {
    uint targets, sources, tiles;
    bool kept; /* the sum over each tile */
} shape;

static inline shape shape_of(uint targets, uint sources, uint images, uint n, uint parts)
{
    shape s = {targets, sources, (sources + TILE - 1) / TILE, false};
    ulong room = (ulong)n * parts * (sizeof(real4) / sizeof(force4));
    s.kept = (ulong)targets * s.tiles * images <= room;
    return s;
}

/* The place of a body among the sources from j0 to j1, or one that none of them has. */
static inline uint find_self(uint body, global const uint *sources, uint n_sources, uint j0,
                             uint j1)
{
    if (source_at(sources, j0) > body || source_at(sources, j1 - 1) < body)
        return UINT_MAX;
    uint j = source_from(body, sources, n_sources);
    return source_at(sources, j) == body ? j : UINT_MAX;
}

/* The pull of the sources from j0 to j1, which are a tile; `softening2` is that of all pairs, or
 * what the target brings to it. */
static inline force4 sum_tile(point target, uint self, force softening2, uint j0, uint j1,
                              global const force4 *high, global const force4 *low,
                              global const force *soft)
{
    force4 sum = (force4)(0);
#pragma unroll 8
    for (uint j = j0; j < j1; j++) {
#ifdef SPLIT
        force4 source_low = low[j];
#else
        force4 source_low = (force4)(0);
#endif
#ifdef SOFTENINGS
        force pair2 = soft[j] + softening2;
#else
        force pair2 = softening2;
#endif
        interact(&sum, target, high[j], source_low, pair2, j == self);
    }
    return sum;
}

#ifdef SOFTENINGS
#define TILE_OF(target, self, j0, j1) sum_tile(target, self, own2, j0, j1, high, low, soft)
#else
#define TILE_OF(target, self, j0, j1) sum_tile(target, self, own2, j0, j1, high, low, 0)
#endif

kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void
force_direct_few(global real4 *partials, global const real4 *position, global const force4 *high,
                 global const force4 *low, global const uint *listed, global const uint *n_listed,
                 global const uint *sources, global const uint *n_sources,
                 global const real4 *acting_shift, uint acting_images, real softening2, real scale,
                 uint n, uint parts, uint most SOFTENING_ARGUMENTS)
{
    local force4 held[TILE];
    global force4 *sums = (global force4 *)partials;
    uint count = count_listed(listed, n_listed, n);
    if (count == 0 || !is_few(listed, count, most))
        return;
    shape s = shape_of(count, count_sources(sources, n_sources, n), acting_images, n, parts);
    uint lane = (uint)get_local_id(0), groups = (uint)get_num_groups(0);
    /* Work-items in step read one source where there are targets for it. */
    uint abreast = 1;
    if (s.kept)
        while (abreast < TILE && abreast < (abreast < 32 ? count : count / 4))
            abreast *= 2;
    else
        for (abreast = TILE; abreast > 4 && count / abreast * parts < groups / 2;)
            abreast /= 2;
    uint row = lane / abreast, rows = TILE / abreast, column = lane % abreast;
    uint blocks = (count + abreast - 1) / abreast;
    uint batches = s.kept ? (s.tiles + rows - 1) / rows * acting_images : parts;
    for (uint unit = (uint)get_group_id(0); unit < blocks * batches; unit += groups) {
        uint k = unit / batches * abreast + column, batch = unit % batches;
        uint body = listed_at(listed, min(k, count - 1));
#ifdef SOFTENINGS
        force own2 = half_square(softenings, body, softening2, scale);
#else
        force own2 = (force)softening2;
#endif
        if (s.kept) {
            uint image = batch % acting_images, tile = batch / acting_images * rows + row;
            if (k < count && tile < s.tiles) {
                point target = split(position[body], position[0], acting_shift[image], scale);
                uint j0 = tile * TILE, j1 = min(j0 + TILE, s.sources);
                uint self =
                    image == 0 ? find_self(body, sources, s.sources, j0, j1) : UINT_MAX;
                sums[((size_t)k * acting_images + image) * s.tiles + tile] =
                    TILE_OF(target, self, j0, j1);
            }
            continue;
        }
        uint2 range = part_range(batch, parts, s.sources);
        wide total = wide_zero();
        for (uint image = 0; image < acting_images; image++) {
            point target = split(position[body], position[0], acting_shift[image], scale);
            for (uint first = range.x; first < range.y; first += rows * TILE) {
                force4 sum = (force4)(0);
                uint j0 = first + row * TILE, j1 = min(j0 + TILE, range.y);
                if (j0 < j1) {
                    uint self =
                        image == 0 ? find_self(body, sources, s.sources, j0, j1) : UINT_MAX;
                    sum = TILE_OF(target, self, j0, j1);
                }
                barrier(CLK_LOCAL_MEM_FENCE);
                held[lane] = sum;
                barrier(CLK_LOCAL_MEM_FENCE);
                for (uint r = 0; row == 0 && r < rows && first + r * TILE < range.y; r++)
                    wide_add(&total, held[r * abreast + column]);
            }
        }
        if (row == 0 && k < count)
            partials[(size_t)batch * n + k] = convert_real4(WIDE_VALUE(total));
    }
}

/* Adds the tiles of a part to a sum: the first work-item does, while all read the next ones. */
static inline void add_tiles(wide *total, local force4 *held, global const force4 *row, uint first,
                             uint last)
{
    uint lane = (uint)get_local_id(0);
    force4 next = first + lane < last ? row[first + lane] : (force4)(0);
    for (; first < last; first += TILE) {
        barrier(CLK_LOCAL_MEM_FENCE);
        held[lane] = next;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (first + TILE + lane < last)
            next = row[first + TILE + lane];
        for (uint t = 0; lane == 0 && t < min(last - first, (uint)TILE); t++)
            wide_add(total, held[t]);
    }
}

kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void
force_direct_join(global real4 *acceleration, global const real4 *partials,
                  global const uint *listed, global const uint *n_listed,
                  global const uint *sources, global const uint *n_sources, uint acting_images,
                  real to_acceleration, real to_potential, uint n, uint parts, uint most)
{
    local force4 held[TILE];
    global const force4 *sums = (global const force4 *)partials;
    uint count = count_listed(listed, n_listed, n);
    shape s = shape_of(count, count_sources(sources, n_sources, n), acting_images, n, parts);
    if (!is_few(listed, count, most) || !s.kept) {
        for (uint k = (uint)get_global_id(0); k < count; k += (uint)get_global_size(0))
            fold(acceleration, partials, listed_at(listed, k), k, to_acceleration, to_potential, n,
                 parts);
        return;
    }
    for (uint k = (uint)get_group_id(0); k < count; k += (uint)get_num_groups(0)) {
        real4 total = (real4)(0);
        for (uint part = 0; part < parts; part++) {
            uint2 range = part_range(part, parts, s.sources);
            uint tiles = (range.y - range.x + TILE - 1) / TILE, first = range.x / TILE;
            wide sum = wide_zero();
            for (uint image = 0; image < acting_images; image++)
                add_tiles(&sum, held, sums + ((size_t)k * acting_images + image) * s.tiles, first,
                          first + tiles);
            real4 value = convert_real4(WIDE_VALUE(sum));
            total = part == 0 ? value : total + value;
        }
        if (get_local_id(0) == 0)
            add_pull(acceleration, total, listed_at(listed, k), to_acceleration, to_potential);
    }
}
