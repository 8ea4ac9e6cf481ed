/* Partial sums of what a closed system conserves: count, mass, m x, m v, m x cross v, kinetic
 * energy and half of mass times potential, one row of COLUMNS a work-item. Reads position,
 * velocity, acceleration, type. Any work-group size. */
#include "precision.clh"

#define COLUMNS 13

kernel void diag_conserved_sum(global sum *partials, global const real4 *position,
                               global const real4 *velocity, global const real4 *acceleration,
                               global const uchar *type, uint n)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    sum total[COLUMNS];
    for (uint k = 0; k < COLUMNS; k++)
        total[k] = sum_zero();
    for (uint i = item; i < n; i += items) {
        if (type[i] == OCT_TYPE_REMOVED)
            continue;
        real4 x = position[i], v = velocity[i];
        real m = x.w;
        real3 l = cross(x.xyz, v.xyz);
        real value[COLUMNS] = {1,       m,       m * x.x, m * x.y,
                               m * x.z, m * v.x, m * v.y, m * v.z,
                               m * l.x, m * l.y, m * l.z, m * dot(v.xyz, v.xyz) / 2,
                               m * acceleration[i].w / 2};
        for (uint k = 0; k < COLUMNS; k++)
            total[k] = sum_add(total[k], value[k]);
    }
    for (uint k = 0; k < COLUMNS; k++)
        partials[item * COLUMNS + k] = total[k];
}
