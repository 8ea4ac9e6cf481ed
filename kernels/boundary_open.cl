/* Removal: a particle farther than the radius from the origin stops where it is, loses its mass
 * and takes no further part. Reads and writes position, velocity, type; writes the step of the
 * removal. Any work-group size. */
#include "precision.clh"

kernel void boundary_open_remove(global real4 *position, global real4 *velocity,
                                 global uchar *type, global ulong *removed, real radius, uint n,
                                 volatile global uint *counters, ulong step)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || type[i] == OCT_TYPE_REMOVED || is_halted(counters))
        return;
    real4 x = position[i];
    if (x.x * x.x + x.y * x.y + x.z * x.z <= radius * radius)
        return;
    type[i] = OCT_TYPE_REMOVED;
    position[i].w = 0;
    velocity[i] = (real4)(0, 0, 0, 0);
    removed[i] = step;
    atomic_inc(&counters[COUNTER_REMOVED]);
}
