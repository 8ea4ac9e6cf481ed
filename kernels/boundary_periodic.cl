/* Wrap: brings every particle back into [-L/2, L/2). Reads and writes position. Any work-group
 * size. */
#include "precision.clh"

static inline real wrap(real x, real size)
{
    if (size <= 0)
        return x;
    real y = x - size * floor(x / size + (real)0.5);
    return y < size / 2 ? y : y - size;
}

kernel void boundary_periodic_wrap(global real4 *position, real size_x, real size_y, real size_z,
                                   uint n, volatile global const uint *counters)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || is_halted(counters))
        return;
    real4 x = position[i];
    x.x = wrap(x.x, size_x);
    x.y = wrap(x.y, size_y);
    x.z = wrap(x.z, size_z);
    position[i] = x;
}
