/* Stream compaction: the indices of the flags that are not zero, in order, and how many there
 * are, in two launches:
 *   tree_compact_count  the number of set flags in each block of `chunk`, where there are several
 *   tree_compact_write  each block adds up the numbers before it, then writes its own indices
 * A FLAG is uchar or uint. Four flags a work-item at a time; work-groups of GROUP, one a block. */
#include "tree_group.clh"

#ifndef FLAG
#define FLAG uchar
#endif
#define JOIN(a, b)  a##b
#define VECTOR4(t)  JOIN(t, 4)
#define FLAG4       VECTOR4(FLAG)
#define TILE        (4 * GROUP)

/* 1 for each of four flags that is set. */
static inline uint4 load(global const FLAG *flags, uint i, uint last)
{
    if (last - i >= 4)
        return convert_uint4(*(global const FLAG4 *)(flags + i)) != 0 ? (uint4)(1) : (uint4)(0);
    return (uint4)(flags[i] != 0, i + 1 < last && flags[i + 1] != 0,
                   i + 2 < last && flags[i + 2] != 0, 0);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
tree_compact_count(global uint *counts, global const FLAG *flags, uint n, uint chunk)
{
    local uint scratch[GROUP_SCRATCH];
    uint item = (uint)get_local_id(0);
    uint2 range = block_range(chunk, n);
    uint4 mine = (uint4)(0);
    for (uint i = range.x + 4 * item; i < range.y; i += TILE)
        mine += load(flags, i, range.y);
    uint total = group_sum(mine.x + mine.y + mine.z + mine.w, scratch);
    if (item == 0)
        counts[get_group_id(0)] = total;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
tree_compact_write(global uint *indices, global uint *count, global const FLAG *flags,
                   global const uint *counts, uint n, uint chunk)
{
    local uint scratch[GROUP_SCRATCH];
    uint item = (uint)get_local_id(0), block = (uint)get_group_id(0);
    uint2 range = block_range(chunk, n);
    uint before = group_sum_of(counts, block, scratch);
    for (uint start = range.x; start < range.y; start += TILE) {
        uint i = start + 4 * item, all;
        uint4 set = i < range.y ? load(flags, i, range.y) : (uint4)(0);
        uint place = before + group_scan(set.x + set.y + set.z + set.w, &all, scratch);
        if (set.x)
            indices[place] = i;
        if (set.y)
            indices[place + set.x] = i + 1;
        if (set.z)
            indices[place + set.x + set.y] = i + 2;
        if (set.w)
            indices[place + set.x + set.y + set.z] = i + 3;
        before += all;
    }
    if (item == 0 && block == get_num_groups(0) - 1)
        *count = before;
}
