/* Gravity's part of the radial flow of momentum: for each particle the sum of m dx dy /
 * (r^2 + eps^2)^(3/2) over all others within a distance R, images of the box included, in units of
 * the scales. A work-item walks the tree for eight particles that are neighbours on the curve, in
 * vector lanes. A cell is taken with its second moments when it is far from all of them. One that
 * is cut by the sphere of radius R must be farther, and counts for the part that is inside. Reads
 * the tree; writes in the state's order. Any work-group size. */
#include "precision.clh"
#include "tree.clh"
#include "tree_walk.clh"

#if OCT_PRECISION == 3
typedef double8 force8;
#else
typedef float8 force8;
#endif

#define LANES 8

/* Largest extents of cells over their distance: whole ones, and those that are cut. */
#define FAR ((force)0.5)
#define CUT ((force)0.05)
/* Over how many extents the part of a cell that is inside falls from 1 to 0. */
#define RAMP ((force)1.4)
/* In place of the extent of a single particle. */
#define TINY ((force)1e-30)

typedef struct {
    force8 x, y, z, r2;
} offsets;

typedef struct {
    real4 origin;   /* near the lanes */
    force8 x, y, z; /* of the lanes from there */
    force within, softening2;
    force8 total;
} stress;

static inline offsets offsets_to(const stress *s, real4 point, real scale)
{
    offsets d;
    d.x = (force)((point.x - s->origin.x) * scale) - s->x;
    d.y = (force)((point.y - s->origin.y) * scale) - s->y;
    d.z = (force)((point.z - s->origin.z) * scale) - s->z;
    d.r2 = d.x * d.x + d.y * d.y + d.z * d.z;
    return d;
}

/* A particle is not near itself: nothing at distance 0 counts, and dx dy would be 0 anyway. */
static inline void add_leaf(stress *s, global const real4 *sorted, uint first, uint count,
                            real scale, real mass_scale)
{
    for (uint j = first; j < first + count; j++) {
        offsets d = offsets_to(s, sorted[j], scale);
        force8 inverse = rsqrt(d.r2 + s->softening2);
        force8 value = (force)(sorted[j].w * mass_scale) * d.x * d.y * inverse * inverse * inverse;
        s->total += select((force8)(0), value, d.r2 > 0 && d.r2 < s->within * s->within);
    }
}

/* The cell's second moments S_ab = sum m s_a s_b, times half of the second derivatives of
 * x y / (r^2 + eps^2)^(3/2), over (r^2 + eps^2)^(-3/2). */
static inline force8 second_order(force4 a, force4 b, const offsets *d, force8 inverse2)
{
    force trace = b.y;
    force xx = (a.x + trace) / 3, xy = a.y / 3, xz = a.z / 3, yy = (a.w + trace) / 3;
    force yz = b.x / 3, zz = trace - xx - yy;
    force8 sx = xx * d->x + xy * d->y + xz * d->z, sy = xy * d->x + yy * d->y + yz * d->z;
    force8 sz = xz * d->x + yz * d->y + zz * d->z;
    force8 along = sx * d->x + sy * d->y + sz * d->z;
    force8 whirl = (force)7.5 * along * inverse2 - (force)1.5 * trace;
    return xy + inverse2 * (d->x * d->y * whirl - 3 * (sx * d->y + sy * d->x));
}

static inline bool add_cell(stress *s, real4 m, force4 a, force4 b, real scale)
{
    offsets d = offsets_to(s, m, scale);
    force8 distance = sqrt(d.r2);
    force extent = b.w;
    if (all(distance > s->within + extent))
        return true;
    force8 limit = select((force8)(CUT), (force8)(FAR), fabs(distance - s->within) > extent);
    if (any(extent >= limit * distance))
        return false;
    force8 inverse = rsqrt(d.r2 + s->softening2), inverse2 = inverse * inverse;
    force8 value = (force)m.w * d.x * d.y + second_order(a, b, &d, inverse2);
    force8 depth = (s->within - distance) / (RAMP * fmax(extent, TINY)) + (force)0.5;
    s->total += clamp(depth, (force)0, (force)1) * value * inverse * inverse2;
    return true;
}

#define WALK_CELL(cell, link)                                                                      \
    add_cell(&s, mass[cell], quad[2 * cell], quad[2 * cell + 1], scale)
#define WALK_PARTICLES(first, count) add_leaf(&s, sorted, first, count, scale, mass_scale)

kernel void diag_stress_walk(global real *values, global const real4 *sorted,
                             global const uint *order, global const uint4 *links,
                             global const real4 *mass, global const force4 *quad,
                             global const uint *total, global const real4 *image_shift,
                             uint images, real within, real softening, real scale, real mass_scale,
                             uint n)
{
    uint first = (uint)get_global_id(0) * LANES;
    if (first >= n)
        return;
    stress s;
    force x[LANES], y[LANES], z[LANES], sums[LANES];
    for (uint k = 0; k < LANES; k++) {
        real4 from = sorted[min(first + k, n - 1)] - sorted[first];
        x[k] = (force)(from.x * scale);
        y[k] = (force)(from.y * scale);
        z[k] = (force)(from.z * scale);
    }
    s.x = vload8(0, x);
    s.y = vload8(0, y);
    s.z = vload8(0, z);
    s.within = (force)within;
    s.softening2 = (force)(softening * softening);
    s.total = (force8)(0);
    for (uint image = 0; image < images; image++) {
        s.origin = sorted[first] - image_shift[image];
        WALK(links, total[0])
    }
    vstore8(s.total, 0, sums);
    for (uint k = 0; k < LANES && first + k < n; k++)
        values[order[first + k]] = sums[k];
}

#undef WALK_CELL
#undef WALK_PARTICLES
