/* Partial sums over a sheet, a row each work-item: count, mass; u - a, its squares, both
 * again times mass; m u_x u_y; z - a_z and its square; r^2; (r^2 - z^2)+; r. Here u is the velocity
 * without the shear, (v_x, v_y + 1.5 omega x, v_z), and a is a velocity near its mean (with a
 * height near the mean of z in w), about which squares do not cancel. Reads position, velocity,
 * type. Any work-group size. */
#include "precision.clh"
#include "partials.clh"

#define SHEET_COLUMNS 20

static inline void sheet_sum(global sum *partials, uint first_sum, uint sum_rows,
                             global const real4 *position, global const real4 *velocity,
                             global const uchar *type, real shear, real3 a, real height, uint n,
                             uint item, uint items)
{
    sum total[SHEET_COLUMNS];
    for (uint k = 0; k < SHEET_COLUMNS; k++)
        total[k] = sum_zero();
    for (uint i = item; i < n; i += items) {
        if (type[i] == OCT_TYPE_REMOVED)
            continue;
        real4 x = position[i], v = velocity[i];
        real3 u = (real3)(v.x, v.y + shear * x.x, v.z), d = u - a;
        real m = x.w, r2 = v.w * v.w, z = x.z - height;
        real value[SHEET_COLUMNS] = {1,
                               m,
                               d.x,
                               d.y,
                               d.z,
                               d.x * d.x,
                               d.y * d.y,
                               d.z * d.z,
                               m * d.x,
                               m * d.y,
                               m * d.z,
                               m * d.x * d.x,
                               m * d.y * d.y,
                               m * d.z * d.z,
                               m * u.x * u.y,
                               z,
                               z * z,
                               r2,
                               fmax(r2 - x.z * x.z, (real)0),
                               v.w};
        for (uint k = 0; k < SHEET_COLUMNS; k++)
            total[k] = sum_add(total[k], value[k]);
    }
    for (uint k = 0; k < SHEET_COLUMNS; k++)
        PARTIAL(k, item) = total[k];
}

kernel void diag_sheet_sum(global sum *partials, uint first_sum, uint sum_rows,
                           global const real4 *position, global const real4 *velocity,
                           global const uchar *type, real shear, real ax, real ay, real az,
                           real height, uint n)
{
    sheet_sum(partials, first_sum, sum_rows, position, velocity, type, shear, (real3)(ax, ay, az),
              height, n, (uint)get_global_id(0), (uint)get_global_size(0));
}

static inline real mean_of(global const sum *sums, uint k)
{
    return (real)(SUM_VALUE(sums[k]) / SUM_VALUE(sums[0]));
}

/* sums: what the other kernel has found about 0, folded, from the count on. */
kernel void diag_sheet_sum_about(global sum *partials, uint first_sum, uint sum_rows,
                                 global const real4 *position, global const real4 *velocity,
                                 global const uchar *type, real shear, global const sum *sums,
                                 uint from, uint n)
{
    global const sum *found = sums + from;
    real3 mean = (real3)(mean_of(found, 2), mean_of(found, 3), mean_of(found, 4));
    sheet_sum(partials, first_sum, sum_rows, position, velocity, type, shear, mean, mean_of(found,
              15), n, (uint)get_global_id(0), (uint)get_global_size(0));
}
