/* How a rank describes its particles to the others: boxes around runs of its groups.
 *   tree_parts_groups  the box of each group in two real4; low.w is `least` of force_tree.clh,
 *                      high.w is 0 where nobody in it is active. A work-item a group
 *   tree_parts_join    boxes of groups_each groups, a work-item a part
 * Any work-group size. */
#include "force_tree.clh"

kernel void tree_parts_groups(global real4 *group_boxes, global const real4 *sorted,
                              global const uint *order, global const uchar *active,
                              global const real *before, real alpha, real least_acceleration,
                              real scale, uint n)
{
    uint base = (uint)get_global_id(0) * GROUP;
    if (base >= n)
        return;
    uint size = min(n - base, (uint)GROUP);
    real4 origin = sorted[base], low = origin, high = origin;
    force4 lows[BOXES], highs[BOXES];
    force least = INFINITY, roots = 0;
    bool any = false;
    for (uint k = 0; k < GROUP; k++) {
        real4 x = sorted[base + min(k, size - 1)];
        force4 from = relative(x, origin, scale);
        uint run = k / (GROUP / BOXES);
        lows[run] = k % (GROUP / BOXES) ? fmin(lows[run], from) : from;
        highs[run] = k % (GROUP / BOXES) ? fmax(highs[run], from) : from;
        low = fmin(low, x);
        high = fmax(high, x);
    }
    for (uint i = base; i < base + size; i++) {
        any |= is_active(active, order[i]);
#if CRITERION == CRITERION_RELATIVE
        force has = least_before(before[order[i]], alpha, least_acceleration);
        least = fmin(least, has);
        roots += rsqrt(has);
#endif
    }
#if CRITERION == CRITERION_RELATIVE
    /* Where each walks for itself, each goes by its own. */
    least = is_apart(lows, highs) ? least : group_least(least, roots, size);
#endif
    low.w = least;
    high.w = any ? 1 : 0;
    group_boxes[2 * get_global_id(0)] = low;
    group_boxes[2 * get_global_id(0) + 1] = high;
}

kernel void tree_parts_join(global real4 *parts, global const real4 *group_boxes, uint groups_each,
                            uint n_groups)
{
    uint part = (uint)get_global_id(0), first = part * groups_each;
    if (first >= n_groups)
        return;
    real4 low = (real4)(INFINITY), high = (real4)(-INFINITY, -INFINITY, -INFINITY, 0);
    for (uint g = first; g < min(first + groups_each, n_groups); g++)
        if (group_boxes[2 * g + 1].w != 0) {
            low = fmin(low, group_boxes[2 * g]);
            high = fmax(high, group_boxes[2 * g + 1]);
        }
    parts[2 * part] = low;
    parts[2 * part + 1] = high;
}
