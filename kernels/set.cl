/* What is done to make a set of bodies and to use it; see set.clh.
 *   set_mark   active are the bodies on this rung or a higher one; reads rung, type; writes active
 *   set_clear  no acceleration and potential of those that are active; reads active
 * Any work-group size. */
#include "precision.clh"

kernel void set_mark(global uchar *active, global const uchar *rung, global const uchar *type,
                     uint lowest, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    active[i] = rung[i] >= lowest && type[i] != OCT_TYPE_REMOVED;
}

kernel void set_clear(global real4 *acceleration, global const uchar *active, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || active[i] == 0)
        return;
    acceleration[i] = (real4)(0);
}
