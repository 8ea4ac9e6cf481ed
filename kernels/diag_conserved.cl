/* Partial sums of what a closed system conserves: count, mass, m x, m v, angular momentum, kinetic
 * energy of the motion and of the spins, and half of mass times potential, one row of COLUMNS a
 * work-item. Spins count as the frame sees them, which turns by omega about z, as velocities do:
 * spin - omega. Reads position, velocity, acceleration, spin (may be NULL) and type. Any work-group
 * size. */
#include "precision.clh"
#include "partials.clh"

#define COLUMNS 14

kernel void diag_conserved_sum(global sum *partials, uint first_sum, uint sum_rows,
                               global const real4 *position, global const real4 *velocity,
                               global const real4 *acceleration, global const real4 *spin,
                               global const uchar *type, real omega, uint n)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    sum total[COLUMNS];
    for (uint k = 0; k < COLUMNS; k++)
        total[k] = sum_zero();
    for (uint i = item; i < n; i += items) {
        if (type[i] == OCT_TYPE_REMOVED)
            continue;
        real4 x = position[i], v = velocity[i];
        real m = x.w, moment = spin ? (real)0.4 * m * v.w * v.w : 0;
        real3 w = spin ? (real3)(spin[i].x, spin[i].y, spin[i].z - omega) : (real3)(0);
        real3 l = cross(x.xyz, v.xyz) * m + w * moment;
        real value[COLUMNS] = {1,
                               m,
                               m * x.x,
                               m * x.y,
                               m * x.z,
                               m * v.x,
                               m * v.y,
                               m * v.z,
                               l.x,
                               l.y,
                               l.z,
                               m * dot(v.xyz, v.xyz) / 2,
                               moment * dot(w, w) / 2,
                               m * acceleration[i].w / 2};
        for (uint k = 0; k < COLUMNS; k++)
            total[k] = sum_add(total[k], value[k]);
    }
    for (uint k = 0; k < COLUMNS; k++)
        PARTIAL(k, item) = total[k];
}
