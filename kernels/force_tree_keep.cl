/* Accelerations of a step, which the relative criterion of the next one goes by, take the place of
 * those before, unless the device stands still: forces are found then too, and must leave nothing.
 * Any work-group size. */
#include "precision.clh"

kernel void force_tree_keep(global real *before, global const real *after,
                            volatile global const uint *counters, uint doubtful, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i < n && is_kept(counters, doubtful))
        before[i] = after[i];
}
