/* What is done to use a set of bodies; see set.clh.
 *   set_clear  no acceleration and potential of those that are active; reads active
 * Any work-group size. */
#include "precision.clh"

kernel void set_clear(global real4 *acceleration, global const uchar *active, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || active[i] == 0)
        return;
    acceleration[i] = (real4)(0);
}
