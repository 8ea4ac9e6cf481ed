/* Marks the bodies that pull, for core/sources.c: reads position and type; writes marks, a byte a
 * body, 0 for those without mass. Any work-group size. */
#include "precision.clh"

kernel void sources_mark(global uchar *marks, global const real4 *position,
                         global const uchar *type, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i < n)
        marks[i] = type[i] == OCT_TYPE_REMOVED || position[i].w != 0;
}
