/* What bodies have cost in the last steps, in interactions, for those who share them out: a mean
 * that forgets, in whole numbers, so that it has the same bits everywhere. Reads what each group
 * has summed over in this walk; a work-item a place in the tree's order. Any work-group size. */
#include "set.clh"

/* A cell takes about as long as two particles. */
#define OF_CELL 2

/* memory: walks after which two thirds are forgotten. */
kernel void tree_cost(global uint *cost, global const uint *work, global const uint *order,
                      global const uchar *active, uint n, uint memory)
{
    uint place = (uint)get_global_id(0);
    if (place >= n)
        return;
    uint i = order[place], group = place / GROUP, now = cost[i];
    uint more = is_active(active, i) ? OF_CELL * work[2 * group] + work[2 * group + 1] : 0;
    cost[i] = now - now / memory + more;
}
