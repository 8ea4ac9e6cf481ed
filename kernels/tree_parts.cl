/* How a rank describes its particles to the others: boxes around runs of them.
 *   tree_parts_groups  the BOXES boxes of each group, two real4 each, as it walks with them: low.w
 *                      is `least` of force_tree.clh, high.w is 0 where nobody in it is active. A
 *                      work-item a group, of any work-group size
 *   tree_parts_join    boxes of boxes_each of these, a work-group of JOINERS a part */
#include "force_tree.clh"

#define JOINERS 32

kernel void tree_parts_groups(global real4 *group_boxes, global const real4 *sorted,
                              global const uint *order, global const uchar *active,
                              global const real *before, real alpha, real least_acceleration,
                              real scale, uint n)
{
    uint group = (uint)get_global_id(0), base = group * GROUP;
    if (base >= n)
        return;
    uint size = min(n - base, (uint)GROUP);
    real4 origin = sorted[base];
    force4 lows[BOXES], highs[BOXES];
    force least = INFINITY, roots = 0;
    bool any = false;
    for (uint i = base; i < base + size; i++) {
        any |= is_active(active, order[i]);
#if CRITERION == CRITERION_RELATIVE
        force has = least_before(before[order[i]], alpha, least_acceleration);
        least = fmin(least, has);
        roots += rsqrt(has);
#endif
    }
    global real4 *to = group_boxes + 2 * BOXES * group;
    for (uint run = 0; run < BOXES; run++) {
        real4 low = (real4)(INFINITY), high = -low;
        for (uint k = 0; k < GROUP / BOXES; k++) {
            real4 x = sorted[base + min(run * (GROUP / BOXES) + k, size - 1)];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        lows[run] = relative(low, origin, scale);
        highs[run] = relative(high, origin, scale);
        to[2 * run] = low;
        to[2 * run + 1] = high;
    }
#if CRITERION == CRITERION_RELATIVE
    /* Where each walks for itself, each goes by its own. */
    least = is_apart(lows, highs) ? least : group_least(least, roots, size);
#endif
    for (uint run = 0; run < BOXES; run++) {
        to[2 * run].w = least;
        to[2 * run + 1].w = any ? 1 : 0;
    }
}

/* Boxes are joined in any order: least and greatest know none. */
kernel __attribute__((reqd_work_group_size(JOINERS, 1, 1))) void
tree_parts_join(global real4 *parts, global const real4 *group_boxes, uint boxes_each, uint n_boxes)
{
    local real lows[4 * JOINERS], highs[4 * JOINERS];
    uint part = (uint)get_group_id(0), first = part * boxes_each, lane = (uint)get_local_id(0);
    real4 low = (real4)(INFINITY), high = (real4)(-INFINITY, -INFINITY, -INFINITY, 0);
    for (uint b = first + lane; b < min(first + boxes_each, n_boxes); b += JOINERS)
        if (group_boxes[2 * b + 1].w != 0) {
            low = fmin(low, group_boxes[2 * b]);
            high = fmax(high, group_boxes[2 * b + 1]);
        }
    vstore4(low, lane, lows);
    vstore4(high, lane, highs);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane > 0)
        return;
    for (uint k = 1; k < JOINERS; k++) {
        low = fmin(low, vload4(k, lows));
        high = fmax(high, vload4(k, highs));
    }
    parts[2 * part] = low;
    parts[2 * part + 1] = high;
}
