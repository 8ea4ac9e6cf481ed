/* Stream compaction: the indices of the marks that are not `skip`, in order, and how many there
 * are, in two launches:
 *   array_compact_count  the number in each block of `chunk` marks, where there are several
 *   array_compact_write  each block adds up the numbers before it, then writes its own indices
 * Four marks a work-item at a time; work-groups of GROUP, one a block. */
#include "array_group.clh"

#define COMPACT_TILE (4 * GROUP)

/* 1 for each of four marks that stays. */
static inline uint4 compact_load(global const uchar *marks, uint skip, uint i, uint last)
{
    if (last - i >= 4)
        return convert_uint4(*(global const uchar4 *)(marks + i)) != skip ? (uint4)(1)
                                                                          : (uint4)(0);
    return (uint4)(marks[i] != skip, i + 1 < last && marks[i + 1] != skip,
                   i + 2 < last && marks[i + 2] != skip, 0);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
array_compact_count(global uint *counts, global const uchar *marks, uint skip, uint n, uint chunk)
{
    local uint scratch[GROUP_SCRATCH];
    uint item = (uint)get_local_id(0);
    uint2 range = block_range(chunk, n);
    uint4 mine = (uint4)(0);
    for (uint i = range.x + 4 * item; i < range.y; i += COMPACT_TILE)
        mine += compact_load(marks, skip, i, range.y);
    uint total = group_sum(mine.x + mine.y + mine.z + mine.w, scratch);
    if (item == 0)
        counts[get_group_id(0)] = total;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
array_compact_write(global uint *indices, global uint *count, global const uchar *marks,
                    global const uint *counts, uint skip, uint n, uint chunk)
{
    local uint scratch[GROUP_SCRATCH];
    uint item = (uint)get_local_id(0), block = (uint)get_group_id(0);
    uint2 range = block_range(chunk, n);
    uint before = group_sum_of(counts, block, scratch);
    for (uint start = range.x; start < range.y; start += COMPACT_TILE) {
        uint i = start + 4 * item, all;
        uint4 stays = i < range.y ? compact_load(marks, skip, i, range.y) : (uint4)(0);
        uint place = before + group_scan(stays.x + stays.y + stays.z + stays.w, &all, scratch);
        if (stays.x)
            indices[place] = i;
        if (stays.y)
            indices[place + stays.x] = i + 1;
        if (stays.z)
            indices[place + stays.x + stays.y] = i + 2;
        if (stays.w)
            indices[place + stays.x + stays.y + stays.z] = i + 3;
        before += all;
    }
    if (item == 0 && block == get_num_groups(0) - 1)
        *count = before;
}
