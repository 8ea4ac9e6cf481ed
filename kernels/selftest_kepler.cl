/* Moves bodies on Kepler orbits: position.w is the time, velocity.w is mu. Any work-group size. */
#include "precision.clh"
#include "kepler.clh"

kernel void selftest_kepler_drift(global real4 *position, global real4 *velocity, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    real3 x = position[i].xyz, v = velocity[i].xyz;
    kepler_drift(&x, &v, velocity[i].w, position[i].w);
    position[i].xyz = x;
    velocity[i].xyz = v;
}
