/* Partial sums over spins: count, w, the squares of its components, and the kinetic energy
 * m r^2 w^2 / 5, one row of COLUMNS a work-item. Reads position, velocity, spin and type. Any
 * work-group size. */
#include "precision.clh"
#include "partials.clh"

#define COLUMNS 8

kernel void diag_spin_sum(global sum *partials, uint first_sum, uint sum_rows,
                          global const real4 *position, global const real4 *velocity,
                          global const real4 *spin, global const uchar *type, uint n)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    sum total[COLUMNS];
    for (uint k = 0; k < COLUMNS; k++)
        total[k] = sum_zero();
    for (uint i = item; i < n; i += items) {
        if (type[i] == OCT_TYPE_REMOVED)
            continue;
        real3 w = spin[i].xyz;
        real m = position[i].w, r = velocity[i].w;
        real value[COLUMNS] = {1,         w.x,       w.y,       w.z,
                               w.x * w.x, w.y * w.y, w.z * w.z, m * r * r * dot(w, w) / 5};
        for (uint k = 0; k < COLUMNS; k++)
            total[k] = sum_add(total[k], value[k]);
    }
    for (uint k = 0; k < COLUMNS; k++)
        PARTIAL(k, item) = total[k];
}
