/* The octree from sorted keys, in depth-first order, without a pass a level.
 *
 * A cell of level L is a run of particles whose keys agree in the first 3 L bits. The leaf of a
 * particle is the largest cell with at most LEAF particles, or the deepest one; its level follows
 * from the LEAF nearest neighbours in the sorted order. A particle that differs from the one
 * before it at level c starts the cells of levels c + 1 up to its leaf's, so a scan of these
 * numbers gives every cell its place: cells come in depth-first order, a cell's first child right
 * behind it, and `next` points past its last descendant.
 *
 *   tree_build_leaves  reads keys, order, position; writes sorted positions, cells a particle
 *                      starts, which are scanned where they are, and leaf levels
 *   tree_build_cells   reads keys and the scan; writes links, levels, clears arrival counts; halts
 *                      the device where cells have no room, or keys are not in order
 * Any work-group size. */
#include "precision.clh"
#include "prefetch.clh"
#include "tree.clh"
#include "tree_key.clh"

/* The cell of this level that a key names, without the marks of removed particles. */
static inline ulong cell_of(ulong key, int level, int levels)
{
    return (key & ~0ul >> (64 - 3 * levels)) >> (3 * (levels - level));
}

/* The deepest level at which two keys name the same cell. */
static inline int common_level(ulong a, ulong b, int levels)
{
    ulong differ = cell_of(a ^ b, levels, levels);
    return differ == 0 ? levels : ((int)clz(differ) - (64 - 3 * levels)) / 3;
}

/* Where the tree has a particle: a removed one is with the last that is not in the last cell, so
 * that it widens no box. Only if all are removed is there none. */
static inline real4 place_of(uint i, global const ulong *keys, global const uint *order,
                             global const real4 *position, int levels)
{
    real4 x = position[order[i]];
    if (!KEY_IS_REMOVED(keys[i]))
        return x;
    uint low = 0, high = i;
    while (low < high) {
        uint middle = low + (high - low) / 2;
        if (cell_of(keys[middle], levels, levels) == cell_of(~0ul, levels, levels))
            high = middle;
        else
            low = middle + 1;
    }
    return low > 0 ? (real4)(position[order[low - 1]].xyz, x.w) : x;
}

#ifdef SOFTENINGS
#include "softenings.clh"
#define LEAF_SOFTENINGS                                                                            \
    global force *sorted_soft, global const real *softenings, real softening2, real scale,
#else
#define LEAF_SOFTENINGS
#endif

kernel void tree_build_leaves(LEAF_SOFTENINGS global uint *places, global uchar *leaf_level,
                              global real4 *sorted, global const ulong *keys,
                              global const uint *order, global const real4 *position,
                              global const uint *unsettled, uint n, int levels, uint leaf)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    /* Positions lie anywhere in memory: it is asked for those of the next work-items. */
    PREFETCH(position + order[min(i + 24, n - 1)]);
    sorted[i] = place_of(i, keys, order, position, levels);
#ifdef SOFTENINGS
    sorted_soft[i] = half_square(softenings, order[i], softening2, scale);
#endif
    /* Of all runs of leaf + 1 particles with this one among them, the one whose ends agree in most
     * levels: the smallest cell that is too large for a leaf, one level above the leaf. */
    ulong nearest = ~0ul;
    for (uint end = max(i, leaf); end < min(i + leaf + 1, n); end++)
        nearest = min(nearest, cell_of(keys[end] ^ keys[end - leaf], levels, levels));
    int level = n > leaf ? min(common_level(nearest, 0, levels) + 1, levels) : 0;
    int before = i > 0 ? common_level(keys[i], keys[i - 1], levels) : -1;
    leaf_level[i] = (uchar)level;
    places[i] = (uint)max(level - before, 0);
    if (unsettled[0])
        places[i] = i == 0 ? UNSORTED : 0;
}

/* One past the last particle right of i that shares its cell of this level. */
static inline uint cell_end(global const ulong *keys, uint i, int level, int levels, uint n)
{
    ulong cell = cell_of(keys[i], level, levels);
    uint step = 1, low = i;
    while (low + step < n && cell_of(keys[low + step], level, levels) == cell) {
        low += step;
        step *= 2;
    }
    uint high = min(low + step, n);
    while (high - low > 1) {
        uint middle = low + (high - low) / 2;
        if (cell_of(keys[middle], level, levels) == cell)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The first particle left of i that shares its cell of this level. */
static inline uint cell_begin(global const ulong *keys, uint i, int level, int levels)
{
    ulong cell = cell_of(keys[i], level, levels);
    uint step = 1, high = i;
    while (high >= step && cell_of(keys[high - step], level, levels) == cell) {
        high -= step;
        step *= 2;
    }
    uint low = high >= step ? high - step : 0;
    if (cell_of(keys[low], level, levels) == cell)
        return low;
    while (high - low > 1) {
        uint middle = low + (high - low) / 2;
        if (cell_of(keys[middle], level, levels) == cell)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* The cells that particle i starts: up to the place of the next one's. */
static inline uint count_started(global const uint *places, uint i, uint n, uint total)
{
    return (i + 1 < n ? places[i + 1] : total) - places[i];
}

kernel void tree_build_cells(global uint4 *links, global uchar *level_of, global uint *arrived,
                             global uint *peak, global uint *row_end,
                             volatile global uint *counters,
                             global const uint *places, global const uchar *leaf_level,
                             global const ulong *keys,
                             global const uint *total, uint n, int levels, uint capacity,
                             uint operation)
{
    uint i = (uint)get_global_id(0);
    if (i == 0) {
        if (total[0] == UNSORTED)
            peak[1] = 1;
        else
            peak[0] = max(peak[0], total[0]);
        row_end[0] = 0;
        if (total[0] > capacity && !is_halted(counters))
            counters[COUNTER_HALT] = operation;
    }
    if (i >= n || total[0] > capacity)
        return;
    int deepest = leaf_level[i], first = deepest - (int)count_started(places, i, n, total[0]) + 1;
    for (int level = first; level <= deepest; level++) {
        uint cell = places[i] + (uint)(level - first);
        uint end = cell_end(keys, i, level, levels, n);
        uint parent = cell - 1;
        if (level == 0)
            parent = NO_CELL;
        else if (level == first) {
            uint begin = cell_begin(keys, i, level - 1, levels);
            parent = places[begin] + count_started(places, begin, n, total[0]) - 1 -
                     (uint)(leaf_level[begin] - (level - 1));
        }
        links[cell] = (uint4)(end < n ? places[end] : total[0], i,
                              (end - i) | (level == deepest ? LEAF_BIT : 0), parent);
        level_of[cell] = (uchar)level;
        arrived[cell] = 0;
    }
}
