/* A user's acceleration. The file named in the scene defines
 *   real4 octant_force(real3 position, real3 velocity, real mass, ulong id, real time)
 * and returns the acceleration in x, y, z and the potential (energy per mass, 0 where there is
 * none) in w. real is float in single precision and double otherwise. Where the scene gives
 * parameters, they are the last argument: constant octant_parameters *parameters. A function that
 * takes octant_columns columns before that has what the body has in columns of the scene's.
 * Reads the state; adds to acceleration, writes the potential; for the listed bodies of set.clh.
 * Any work-group size.
 * The user's file comes after what is ours: its names and macros cannot change anything here. */
#include "precision.clh"
#include "set.clh"
#include "user_parameters.clh"
#include "user_types.clh"

#ifndef TAKES_COLUMNS
#define COLUMN_ARGUMENTS
#define TAKES_COLUMNS
#define WITH_COLUMNS
#define LOAD_COLUMNS(i)
#endif

static real4 user_force(real3 position, real3 velocity, real mass, ulong id, real time,
                        constant real *numbers TAKES_COLUMNS);

kernel void force_custom_add(global real4 *acceleration, global real *potential,
                             global const real4 *position, global const real4 *velocity,
                             global const ulong *id, global const uchar *type,
                             global const uint *listed, global const uint *n_listed, real time,
                             uint n, constant real *numbers COLUMN_ARGUMENTS)
{
    if (get_global_id(0) >= count_listed(listed, n_listed, n))
        return;
    uint i = listed_at(listed, (uint)get_global_id(0));
    real4 f = (real4)(0, 0, 0, 0);
    if (type[i] != OCT_TYPE_REMOVED)
        f = user_force(position[i].xyz, velocity[i].xyz, position[i].w, id[i], time, numbers
                       LOAD_COLUMNS(i));
    acceleration[i].xyz += f.xyz;
    potential[i] = f.w;
}

/* The .xyzw refuses results that would be spread over a real4. No comment follows the user's file:
 * it would end one that is open there. */
#include "user.clh"

static real4 user_force(real3 position, real3 velocity, real mass, ulong id, real time,
                        constant real *numbers TAKES_COLUMNS)
{
    return octant_force(position, velocity, mass, id, time WITH_COLUMNS WITH_PARAMETERS(numbers))
        .xyzw;
}
