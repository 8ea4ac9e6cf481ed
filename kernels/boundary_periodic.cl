/* Brings particles back into [-L/2, L/2). All kernels read and write position. Any work-group size.
 *   boundary_periodic_wrap    every particle by itself
 *   boundary_periodic_lead    of every system the star, the first body that is there
 *   boundary_periodic_follow  then the others, to the image that is nearest to their star; those
 *                             that are farther from it than `margin` by themselves */
#include "precision.clh"
#include "systems.clh"

static inline real wrap(real x, real size)
{
    if (size <= 0)
        return x;
    real y = x - size * floor(x / size + (real)0.5);
    return y < size / 2 ? y : y - size;
}

static inline real4 wrap4(real4 x, real size_x, real size_y, real size_z)
{
    return (real4)(wrap(x.x, size_x), wrap(x.y, size_y), wrap(x.z, size_z), x.w);
}

kernel void boundary_periodic_wrap(global real4 *position, real size_x, real size_y, real size_z,
                                   uint n, volatile global const uint *counters)
{
    uint i = (uint)get_global_id(0);
    if (i < n && !is_halted(counters))
        position[i] = wrap4(position[i], size_x, size_y, size_z);
}

kernel void boundary_periodic_lead(global real4 *position, global const uchar *type,
                                   global const uint *system_first, real size_x, real size_y,
                                   real size_z, uint systems, volatile global const uint *counters)
{
    uint s = (uint)get_global_id(0);
    if (s >= systems || is_halted(counters))
        return;
    uint star = star_of(type, system_first[s], system_first[s + 1]);
    position[star] = wrap4(position[star], size_x, size_y, size_z);
}

kernel void boundary_periodic_follow(global real4 *position, global const uchar *type,
                                     global const uint *system_of, global const uint *system_first,
                                     real size_x, real size_y, real size_z, real margin, uint n,
                                     volatile global const uint *counters)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || is_halted(counters))
        return;
    uint star = star_of(type, system_first[system_of[i]], system_first[system_of[i] + 1]);
    if (i == star)
        return;
    real4 x = position[i], from = position[star];
    real4 size = (real4)(size_x, size_y, size_z, 1), y = x - size * rint((x - from) / size);
    real4 off = fabs(y - from);
    bool near = fmax(off.x, fmax(off.y, off.z)) <= margin && type[i] != OCT_TYPE_REMOVED;
    x = near ? (real4)(y.xyz, x.w) : wrap4(x, size_x, size_y, size_z);
    position[i] = x;
}
