/* Components of galaxies and clusters: the bodies of some types or names, about a centre.
 *   diag_components_ball    partial sums over the bodies within a radius: number, mass, m d, m v,
 *                           m d x v, m v^2; and the largest distance of all, as a float's bits.
 *                           A body that is asked for by its id has a mass of 1
 *   diag_components_radii   mass by distance: from the centre, from an axis through it, or from
 *                           the plane across that; 256 bins an octave
 *   diag_components_shells  number, mass and motion in shells, four an octave
 *   diag_components_bar     partial sums of the second harmonic about the axis
 * d and v are relative to the centre's. Lengths and masses are in units of `scale` and
 * `mass_scale`, so that no float overflows. What is summed by bins is a 64-bit integer in two
 * words, which integer atomics add to: it does not depend on their order. Bins go by the leading
 * bits of the distance as a float, so that no logarithm is rounded. Reads position, velocity, type,
 * id (NULL: nobody is asked for by it), and the column of names (NULL: there are none). Any
 * work-group size. */
#include "precision.clh"
#include "partials.clh"

#define BALL_COLUMNS 12
#define BAR_COLUMNS  6
#define SHELL_SUMS   6 /* the wide sums of a shell, behind them its number */

/* Whether body i is of these types, of the component of this number, and has this id; 0: any. */
static inline bool belongs(global const uchar *type, uint types, global const long *named,
                           ulong number, global const ulong *id, ulong wanted, uint i)
{
    return type[i] != OCT_TYPE_REMOVED && (types >> (type[i] & 15) & 1) &&
           (number == 0 || (ulong)named[i] == number) && (wanted == 0 || id[i] == wanted);
}

/* Adds to a sum of 64 bits, the lower word first; negative numbers are added as two's complements.
 */
static inline void add_wide(volatile global uint *sums, uint at, long value)
{
    uint low = (uint)(ulong)value, high = (uint)((ulong)value >> 32);
    uint before = atomic_add(&sums[2 * at], low);
    high += before + low < before ? 1 : 0;
    if (high != 0)
        atomic_add(&sums[2 * at + 1], high);
}

kernel void diag_components_ball(global sum *partials, uint first_sum, uint sum_rows,
                                 volatile global uint *largest, global const real4 *position,
                                 global const real4 *velocity, global const uchar *type, uint types,
                                 global const long *named, ulong number, global const ulong *id,
                                 ulong wanted, real centre_x, real centre_y, real centre_z,
                                 real velocity_x, real velocity_y, real velocity_z,
                                 real radius_square, real scale, real mass_scale, uint n)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    sum total[BALL_COLUMNS];
    float farthest = 0;
    for (uint k = 0; k < BALL_COLUMNS; k++)
        total[k] = sum_zero();
    for (uint i = item; i < n; i += items) {
        if (!belongs(type, types, named, number, id, wanted, i))
            continue;
        real3 d = (position[i].xyz - (real3)(centre_x, centre_y, centre_z)) * scale;
        real3 v = velocity[i].xyz - (real3)(velocity_x, velocity_y, velocity_z);
        real m = wanted == 0 ? position[i].w * mass_scale : 1, square = dot(d, d);
        farthest = fmax(farthest, (float)sqrt(square));
        if (!(square <= radius_square))
            continue;
        real3 l = cross(d, v) * m;
        real value[BALL_COLUMNS] = {1,       m,       m * d.x, m * d.y, m * d.z, m * v.x,
                                    m * v.y, m * v.z, l.x,     l.y,     l.z,     m * dot(v, v)};
        for (uint k = 0; k < BALL_COLUMNS; k++)
            total[k] = sum_add(total[k], value[k]);
    }
    for (uint k = 0; k < BALL_COLUMNS; k++)
        PARTIAL(k, item) = total[k];
    atomic_max(largest, as_uint(farthest)); /* floats above 0 are ordered as their bits are */
}

/* measure: 0 distance from the centre, 1 from the axis, 2 from the plane. top: the highest bin. */
kernel void diag_components_radii(volatile global uint *sums, global const real4 *position,
                                  global const uchar *type, uint types, global const long *named,
                                  ulong number, global const ulong *id, ulong wanted, uint measure,
                                  real centre_x, real centre_y, real centre_z, real axis_x,
                                  real axis_y, real axis_z, real units, uint top, uint bins,
                                  real scale, real mass_scale, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || !belongs(type, types, named, number, id, wanted, i))
        return;
    real3 d = (position[i].xyz - (real3)(centre_x, centre_y, centre_z)) * scale;
    real3 axis = (real3)(axis_x, axis_y, axis_z);
    real height = dot(d, axis);
    real3 across = d - axis * height;
    real square = measure == 0 ? dot(d, d) : measure == 1 ? dot(across, across) : height * height;
    uint bits = as_uint((float)sqrt(square)) >> 15;
    uint below = bits < top ? top - bits : 0;
    add_wide(sums, below < bins ? bins - 1 - below : 0,
             convert_long_rte(position[i].w * mass_scale * units));
}

/* The shell of a distance, four an octave: the edges of 256 that are nearest to 2^(k/4). */
static inline uint shell_of(float r)
{
    uint bits = as_uint(r), part = bits >> 15 & 255;
    return (bits >> 23) * 4 + (part >= 48 ? 1 : 0) + (part >= 106 ? 1 : 0) + (part >= 175 ? 1 : 0);
}

static inline uint within(uint shell, uint top, uint shells)
{
    uint below = shell < top ? top - shell : 0;
    return below < shells ? shells - 1 - below : 0;
}

/* A shell has wide sums of m, m v_r, m v_r^2, m v_t^2, m v_phi, and of m by the distance from the
 * axis; and its number of bodies. */
kernel void diag_components_shells(volatile global uint *sums, global const real4 *position,
                                   global const real4 *velocity, global const uchar *type,
                                   uint types, global const long *named, ulong number,
                                   global const ulong *id, ulong wanted, real centre_x,
                                   real centre_y, real centre_z, real velocity_x, real velocity_y,
                                   real velocity_z, real axis_x, real axis_y, real axis_z,
                                   real units, real units_v, real units_square, uint top,
                                   uint shells, real scale, real mass_scale, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || !belongs(type, types, named, number, id, wanted, i))
        return;
    real3 d = (position[i].xyz - (real3)(centre_x, centre_y, centre_z)) * scale;
    real3 v = velocity[i].xyz - (real3)(velocity_x, velocity_y, velocity_z);
    real3 axis = (real3)(axis_x, axis_y, axis_z);
    real m = position[i].w * mass_scale, r = sqrt(dot(d, d));
    real3 around = cross(axis, d);
    real across = sqrt(dot(around, around));
    real radial = r > 0 ? dot(d, v) / r : 0, turning = across > 0 ? dot(around, v) / across : 0;
    real tangential = fmax((real)0, dot(v, v) - radial * radial);
    uint at = within(shell_of((float)r), top, shells) * SHELL_SUMS;
    add_wide(sums, at, convert_long_rte(m * units));
    add_wide(sums, at + 1, convert_long_rte(m * radial * units_v));
    add_wide(sums, at + 2, convert_long_rte(m * radial * radial * units_square));
    add_wide(sums, at + 3, convert_long_rte(m * tangential * units_square));
    add_wide(sums, at + 4, convert_long_rte(m * turning * units_v));
    add_wide(sums, within(shell_of((float)across), top, shells) * SHELL_SUMS + 5,
             convert_long_rte(m * units));
    atomic_inc(&sums[2 * shells * SHELL_SUMS + at / SHELL_SUMS]);
}

/* Sums with the weight W = (1 - R^2/R_m^2)^2 within R_m of the axis, phi counted about it from the
 * direction `first`: m W, m W cos 2 phi, m W sin 2 phi, the derivatives in time of these two, as
 * the bodies move, and (m W)^2. */
kernel void diag_components_bar(global sum *partials, uint first_sum, uint sum_rows,
                                global const real4 *position, global const real4 *velocity,
                                global const uchar *type, uint types, global const long *named,
                                ulong number, global const ulong *id, ulong wanted, real centre_x,
                                real centre_y, real centre_z, real velocity_x, real velocity_y,
                                real velocity_z, real axis_x, real axis_y, real axis_z,
                                real first_x, real first_y, real first_z, real radius, real scale,
                                real mass_scale, uint n)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    real3 first = (real3)(first_x, first_y, first_z);
    real3 second = cross((real3)(axis_x, axis_y, axis_z), first);
    sum total[BAR_COLUMNS];
    for (uint k = 0; k < BAR_COLUMNS; k++)
        total[k] = sum_zero();
    for (uint i = item; i < n; i += items) {
        real3 d = (position[i].xyz - (real3)(centre_x, centre_y, centre_z)) * scale;
        real3 v = (velocity[i].xyz - (real3)(velocity_x, velocity_y, velocity_z)) * scale;
        real x = dot(d, first), y = dot(d, second), square = x * x + y * y;
        real inside = 1 - square / (radius * radius);
        if (!belongs(type, types, named, number, id, wanted, i) || !(square > 0) || !(inside > 0))
            continue;
        real vx = dot(v, first), vy = dot(v, second), m = position[i].w * mass_scale;
        real weight = m * inside * inside;
        real change = -4 * m * inside * (x * vx + y * vy) / (radius * radius);
        real turn = 2 * (x * vy - y * vx) / square; /* of 2 phi */
        real c = (x * x - y * y) / square, s = 2 * x * y / square;
        real value[BAR_COLUMNS] = {weight,
                                   weight * c,
                                   weight * s,
                                   change * c - weight * turn * s,
                                   change * s + weight * turn * c,
                                   weight * weight};
        for (uint k = 0; k < BAR_COLUMNS; k++)
            total[k] = sum_add(total[k], value[k]);
    }
    for (uint k = 0; k < BAR_COLUMNS; k++)
        PARTIAL(k, item) = total[k];
}
