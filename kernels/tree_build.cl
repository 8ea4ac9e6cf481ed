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
 *   tree_build_scanned  the same with the scan in one launch, by work-groups of GROUP, one a block
 *                      of `chunk` particles; for devices that show what one writes to all others
 *   tree_build_cells   reads keys and the scan; writes links, levels, clears arrival counts; halts
 *                      the device where cells have no room, or keys are not in order
 * Any work-group size, but for that. */
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

/* Writes the particle's place in the order and the level of its leaf; the cells that it starts. */
#ifdef SOFTENINGS
#define GIVEN_SOFTENINGS sorted_soft, softenings, softening2, scale,
#else
#define GIVEN_SOFTENINGS
#endif
static inline uint make_leaf(LEAF_SOFTENINGS uint i, global uchar *leaf_level,
                             global real4 *sorted, global const ulong *keys,
                             global const uint *order, global const real4 *position,
                             global const uint *unsettled, uint n, int levels, uint leaf)
{
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
    if (unsettled[0])
        return i == 0 ? UNSORTED : 0;
    return (uint)max(level - before, 0);
}

kernel void tree_build_leaves(LEAF_SOFTENINGS global uint *places, global uchar *leaf_level,
                              global real4 *sorted, global const ulong *keys,
                              global const uint *order, global const real4 *position,
                              global const uint *unsettled, uint n, int levels, uint leaf)
{
    uint i = (uint)get_global_id(0);
    if (i < n)
        places[i] = make_leaf(GIVEN_SOFTENINGS i, leaf_level, sorted, keys, order, position,
                              unsettled, n, levels, leaf);
}

#ifdef SCANNED
#include "array_group.clh"

/* The sum that this block has, to be seen by all, and those of the blocks before it, which have
 * been there since they were begun before: nobody waits for one who cannot go on. `sums` has the
 * turn beside each, so that none of another launch is taken for one of this. */
static inline uint sum_before(volatile global ulong *sums, uint block, uint sum, uint turn,
                              local uint *scratch)
{
    uint mine = 0;
    if (get_local_id(0) == 0)
        sums[block] = (ulong)turn << 32 | sum;
    for (uint b = (uint)get_local_id(0); b < block; b += GROUP) {
        ulong word;
        do
            word = sums[b];
        while ((uint)(word >> 32) != turn);
        mine += (uint)word;
    }
    return group_sum(mine, scratch);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
tree_build_scanned(LEAF_SOFTENINGS global uint *places, global uchar *leaf_level,
                   global real4 *sorted, global uint *total, volatile global ulong *sums,
                   volatile global uint *begun, global const ulong *keys,
                   global const uint *order, global const real4 *position,
                   global const uint *unsettled, uint n, int levels, uint leaf, uint chunk,
                   uint turn)
{
    local uint scratch[GROUP_SCRATCH], taken;
    uint item = (uint)get_local_id(0), last = (uint)get_num_groups(0) - 1, all = 0, count = 0;
    if (item == 0) {
        taken = atomic_inc(begun);
        if (taken == last)
            *begun = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint block = taken, first = block * chunk, end = n - first < chunk ? n : first + chunk;
    for (uint start = first; start < end; start += GROUP)
        if (start + item < end) {
            count = make_leaf(GIVEN_SOFTENINGS start + item, leaf_level, sorted, keys, order,
                              position, unsettled, n, levels, leaf);
            all += count;
            if (chunk > GROUP)
                places[start + item] = count;
        }
    all = group_sum(all, scratch);
    uint before = sum_before(sums, block, all, turn, scratch);
    for (uint start = first; start < end; start += GROUP) {
        bool is = start + item < end;
        if (chunk > GROUP)
            count = is ? places[start + item] : 0;
        uint place = before + group_scan(count, &all, scratch);
        if (is)
            places[start + item] = place;
        before += all;
    }
    if (item == 0 && block == last)
        *total = before;
}
#endif

/* Searches wait for one read after the other: three are asked for at once, a quarter of what is
 * left apart. */
#define QUARTER(low, high) max(((high) - (low)) / 4, 1u)
#define LONGER(step)       ((step) < 1u << 28 ? 4 * (step) : (step))
#define IN_CELL(key)       (cell_of(key, level, levels) == cell)

/* One past the last particle that is in the cell of this level with particle `low`; it is sought
 * from `step` to the right of that on. */
static inline uint cell_end(global const ulong *keys, uint low, uint step, int level, int levels,
                            uint n)
{
    ulong cell = cell_of(keys[low], level, levels);
    while (n - low > step && IN_CELL(keys[low + step])) {
        low += step;
        step = LONGER(step);
    }
    uint high = n - low > step ? low + step : n;
    while (high - low > 1) {
        uint part = QUARTER(low, high), a = low + part, b = a + part, c = b + part;
        ulong at_a = keys[a], at_b = keys[min(b, high - 1)], at_c = keys[min(c, high - 1)];
        bool in_a = IN_CELL(at_a), in_b = b < high && IN_CELL(at_b);
        bool in_c = c < high && IN_CELL(at_c);
        high = in_c ? high : in_b ? min(c, high) : in_a ? min(b, high) : a;
        low = in_c ? c : in_b ? b : in_a ? a : low;
    }
    return high;
}

/* The first particle left of i that shares its cell of this level. */
static inline uint cell_begin(global const ulong *keys, uint i, int level, int levels)
{
    ulong cell = cell_of(keys[i], level, levels);
    uint step = 1, high = i;
    while (high >= step && IN_CELL(keys[high - step])) {
        high -= step;
        step = LONGER(step);
    }
    /* All that is left of `low` is outside; `high` is in the cell. */
    uint low = high >= step ? high - step + 1 : 0;
    while (high > low) {
        uint part = QUARTER(low, high), a = high - part;
        uint b = a - low > part ? a - part : low, c = b - low > part ? b - part : low;
        ulong at_a = keys[a], at_b = keys[b], at_c = keys[c];
        bool in_a = IN_CELL(at_a), in_b = IN_CELL(at_b), in_c = IN_CELL(at_c);
        low = in_c ? low : in_b ? c + 1 : in_a ? b + 1 : a + 1;
        high = in_c ? c : in_b ? b : in_a ? a : high;
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
    /* A cell ends no sooner than those in it. */
    uint end = i + 1;
    for (int level = deepest; level >= first; level--) {
        uint cell = places[i] + (uint)(level - first);
        end = cell_end(keys, end - 1, end - i, level, levels, n);
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
