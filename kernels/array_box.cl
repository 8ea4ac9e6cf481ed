/* The box around particles.
 *   array_box_part  of each block of `chunk` particles, around those that are not removed
 *   array_box_join  around the boxes of all blocks
 * A box is two real4, the lowest corner and the highest, w 0; around nothing it is inside out:
 * +INFINITY and -INFINITY. Work-groups of GROUP, one a block. */
#include "precision.clh"
#include "array_group.clh"

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
static inline void write_box(global real4 *boxes, real4 low, real4 high, local real4 *part)
{
    uint item = (uint)get_local_id(0);
    size_t box = 2 * get_group_id(0);
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

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
array_box_part(global real4 *boxes, global const real4 *position, global const uchar *type, uint n,
               uint chunk)
{
    local real4 part[GROUP];
    uint2 range = block_range(chunk, n);
    real4 low = (real4)(INFINITY), high = (real4)(-INFINITY);
    for (uint i = range.x + (uint)get_local_id(0); i < range.y; i += GROUP) {
        real4 x = position[i];
        if (type[i] == OCT_TYPE_REMOVED)
            continue;
        low = MIN(low, x);
        high = MAX(high, x);
    }
    write_box(boxes, low, high, part);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
array_box_join(global real4 *out, global const real4 *boxes, uint n)
{
    local real4 part[GROUP];
    real4 low = (real4)(INFINITY), high = (real4)(-INFINITY);
    for (uint i = (uint)get_local_id(0); i < n; i += GROUP) {
        low = MIN(low, boxes[2 * i]);
        high = MAX(high, boxes[2 * i + 1]);
    }
    write_box(out, low, high, part);
}
