/* A tree whose bodies have moved on, kept (tree/keep.c): who is where in its order, and in which
 * cell, stays; places and, by tree_moments.cl with KEPT, moments and boxes are renewed, or all of
 * it by tree_keep_climb.cl.
 *   tree_keep_places  sorted positions, and clears what finding moments begins with; a work-item a
 *                     body or a cell; any work-group size
 *   tree_keep_tally   adds up by how much walks sum over more than they did in the first walk of
 *                     each group since the tree was built, and says in `due` when that is the price
 *                     of a build; one work-group of LANES
 * Reads position, order, links' number and the groups that were walked; `base` has a number for the
 * first body of each group, 1 more than its interactions, 0: it has not been walked. */
#include "precision.clh"
#include "tree_moments.cl"
#include "tree_keep_climb.cl"

#define LANES 256

kernel void tree_keep_places(global real4 *sorted, global uint *arrived, global uint *row_end,
                             global const uint *order, global const real4 *position,
                             global const uint *total, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i == 0)
        row_end[0] = 0;
    if (i < total[0])
        arrived[i] = 0;
    if (i < n)
        sorted[i] = position[order[i]];
}

kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void
tree_keep_tally(global long *kept, global uint *base, global const uint *work,
                global const uint *order, global const uint *groups, global const uint *n_groups,
                global uint *due, uint due_at, ulong price, uint n)
{
    local long sums[LANES];
    uint lane = (uint)get_local_id(0), count = groups ? n_groups[0] : (n + GROUP - 1) / GROUP;
    long sum = 0;
    for (uint k = lane; k < count; k += LANES) {
        uint group = groups ? groups[k] : k, first = order[group * GROUP];
        uint now = work[2 * group] + work[2 * group + 1] + 1;
        if (base[first] == 0)
            base[first] = now;
        sum += (long)now - (long)base[first];
    }
    sums[lane] = sum;
    for (uint left = LANES / 2; left > 0; left /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < left)
            sums[lane] += sums[lane + left];
    }
    if (lane == 0) {
        long excess = max(kept[0] + sums[0], 0l);
        kept[0] = excess;
        due[due_at] = excess >= (long)price;
    }
}
