/* A user's acceleration. The file named in the scene defines
 *   real4 octant_force(real3 position, real3 velocity, real mass, ulong id, real time)
 * and returns the acceleration in x, y, z and the potential (energy per mass, 0 where there is
 * none) in w. real is float in single precision and double otherwise.
 * Reads the state; adds to acceleration, writes the potential. Any work-group size. */
#include "precision.clh"
#include "user.clh"

kernel void force_custom_add(global real4 *acceleration, global real *potential,
                             global const real4 *position, global const real4 *velocity,
                             global const ulong *id, global const uchar *type, real time, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    real4 f = (real4)(0, 0, 0, 0);
    if (type[i] != OCT_TYPE_REMOVED)
        f = octant_force(position[i].xyz, velocity[i].xyz, position[i].w, id[i], time);
    acceleration[i].xyz += f.xyz;
    potential[i] = f.w;
}
