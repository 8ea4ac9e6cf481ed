/* The box around particles.
 *   array_box_part  of each block of `chunk` particles, around those that are not removed
 *   array_box_join  around the boxes of all blocks
 *   array_box_whole both, by the block that ends last; for devices that show what one writes to all
 * A box is two real4, the lowest corner and the highest, w 0; around nothing it is inside out:
 * +INFINITY and -INFINITY. Work-groups of GROUP, one a block. */
#include "precision.clh"
#include "array_group.clh"
#include "device_fence.clh"

#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((b) > (a) ? (b) : (a))

/* Halves the work-items that hold a part until one does. */
#define GROUP_REDUCE(part, item, OP)                                                               \
    for (uint left = GROUP / 2; left > 0; left /= 2) {                                             \
        GROUP_BARRIER();                                                                           \
        if (item < left)                                                                           \
            part[item] = OP(part[item], part[item + left]);                                        \
    }

/* Writes the box around those of the work-items. */
static inline void write_box(volatile global real4 *boxes, size_t number, real4 low, real4 high,
                             local real4 *part)
{
    uint item = (uint)get_local_id(0);
    size_t box = 2 * number;
    part[item] = low;
    GROUP_REDUCE(part, item, MIN)
    if (item == 0)
        boxes[box] = (real4)(part[0].xyz, 0);
    GROUP_BARRIER();
    part[item] = high;
    GROUP_REDUCE(part, item, MAX)
    if (item == 0)
        boxes[box + 1] = (real4)(part[0].xyz, 0);
}

static inline void find_part(volatile global real4 *boxes, global const real4 *position,
                             global const uchar *type, uint n, uint chunk, local real4 *part)
{
    uint2 range = block_range(chunk, n);
    real4 low = (real4)(INFINITY), high = (real4)(-INFINITY);
    for (uint i = range.x + (uint)get_local_id(0); i < range.y; i += GROUP) {
        real4 x = position[i];
        if (type[i] == OCT_TYPE_REMOVED)
            continue;
        low = MIN(low, x);
        high = MAX(high, x);
    }
    write_box(boxes, get_group_id(0), low, high, part);
}

static inline void join_parts(global real4 *out, volatile global const real4 *boxes, uint n,
                              local real4 *part)
{
    real4 low = (real4)(INFINITY), high = (real4)(-INFINITY);
    for (uint i = (uint)get_local_id(0); i < n; i += GROUP) {
        real4 a = boxes[2 * i], b = boxes[2 * i + 1];
        low = MIN(low, a);
        high = MAX(high, b);
    }
    write_box(out, 0, low, high, part);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
array_box_part(global real4 *boxes, global const real4 *position, global const uchar *type, uint n,
               uint chunk)
{
    local real4 part[GROUP];
    find_part(boxes, position, type, n, chunk, part);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
array_box_join(global real4 *out, global const real4 *boxes, uint n)
{
    local real4 part[GROUP];
    join_parts(out, boxes, n, part);
}

/* `done` is 0 before and after. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
array_box_whole(global real4 *out, volatile global real4 *boxes, volatile global uint *done,
                global const real4 *position, global const uchar *type, uint n, uint chunk)
{
    local real4 part[GROUP];
    local uint ended;
    uint last = (uint)get_num_groups(0) - 1;
    find_part(boxes, position, type, n, chunk, part);
    if (get_local_id(0) == 0) {
        DEVICE_FENCE();
        ended = atomic_inc(done);
        DEVICE_FENCE();
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (ended != last)
        return;
    if (get_local_id(0) == 0)
        *done = 0;
    join_parts(out, boxes, last + 1, part);
}
