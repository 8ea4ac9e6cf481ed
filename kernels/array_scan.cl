/* Exclusive scan, out[i] = in[0] + ... + in[i - 1] modulo 2^32, in two launches:
 *   array_scan_sum    the sum of each block of `chunk` elements, where there is more than one
 *   array_scan_write  each block adds up the sums before it, then scans its own elements
 * `out` may be `in`: a work-item writes only what it alone has read. Four elements a work-item at
 * a time; work-groups of GROUP, one a block. */
#include "array_group.clh"

#define SCAN_TILE (4 * GROUP)

static inline uint4 scan_load(global const uint *in, uint i, uint last)
{
    if (last - i >= 4)
        return *(global const uint4 *)(in + i);
    return (uint4)(in[i], i + 1 < last ? in[i + 1] : 0, i + 2 < last ? in[i + 2] : 0, 0);
}

static inline void scan_store(global uint *out, uint i, uint last, uint4 value)
{
    if (last - i >= 4) {
        *(global uint4 *)(out + i) = value;
        return;
    }
    out[i] = value.x;
    if (i + 1 < last)
        out[i + 1] = value.y;
    if (i + 2 < last)
        out[i + 2] = value.z;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
array_scan_sum(global uint *sums, global const uint *in, uint n, uint chunk)
{
    local uint scratch[GROUP_SCRATCH];
    uint item = (uint)get_local_id(0);
    uint2 range = block_range(chunk, n);
    uint4 mine = (uint4)(0);
    for (uint i = range.x + 4 * item; i < range.y; i += SCAN_TILE)
        mine += scan_load(in, i, range.y);
    uint total = group_sum(mine.x + mine.y + mine.z + mine.w, scratch);
    if (item == 0)
        sums[get_group_id(0)] = total;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
array_scan_write(global uint *out, global uint *total, global const uint *in,
                global const uint *sums, uint n, uint chunk)
{
    local uint scratch[GROUP_SCRATCH];
    uint item = (uint)get_local_id(0), block = (uint)get_group_id(0);
    uint2 range = block_range(chunk, n);
    uint before = group_sum_of(sums, block, scratch);
    for (uint start = range.x; start < range.y; start += SCAN_TILE) {
        uint i = start + 4 * item, all;
        uint4 v = i < range.y ? scan_load(in, i, range.y) : (uint4)(0);
        uint place = before + group_scan(v.x + v.y + v.z + v.w, &all, scratch);
        uint4 scan = place + (uint4)(0, v.x, v.x + v.y, v.x + v.y + v.z);
        if (i < range.y)
            scan_store(out, i, range.y, scan);
        before += all;
    }
    if (item == 0 && block == get_num_groups(0) - 1)
        *total = before;
}
