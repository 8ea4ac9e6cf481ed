/* What surrounds the sums over systems of force_systems_far_*.cl.
 *   force_systems_centres   a system a work-item: reads position, type; writes centre (in units of
 *                           the scale), high and low (the centre as a source, with mass and reach)
 *                           and quad, second moments over mass
 *   force_systems_reach     the largest reach in each block of sources
 *   force_systems_fold      a system a work-item: adds the partial sums up to the pull on its
 *                           centre and the tides around it
 *   force_systems_evaluate  a body a work-item: adds them, where it is, to acceleration and
 *                           potential
 * Any work-group size. */
#include "force_systems.clh"

/* Vectors of four that the tides on a system take. */
#ifdef QUADRUPOLE
#define TIDE_ROWS 5
#else
#define TIDE_ROWS 2
#endif

/* Kahan's sums relative to the first body; removed bodies have no mass and no reach. */
kernel void force_systems_centres(global real4 *centre, global force4 *high, global force4 *low,
                                  global force4 *quad, global const real4 *position,
                                  global const uchar *type, global const uint *system_first,
                                  real per_opening, real softening2, real scale, real mass_scale,
                                  uint systems)
{
    uint s = (uint)get_global_id(0);
    if (s >= systems)
        return;
    uint begin = system_first[s], end = system_first[s + 1];
    real4 middle = position[begin] * scale, total = (real4)(0), lost = (real4)(0);
    for (uint i = begin; i < end; i++) {
        real4 x = position[i];
        real m = x.w * mass_scale;
        KAHAN_ADD(real4, total, lost, (real4)((x.xyz * scale - middle.xyz) * m, m));
    }
    real inverse = total.w > 0 ? 1 / total.w : 0;
    real4 c = (real4)(middle.xyz + total.xyz * inverse, total.w);
    force reach2 = 0, xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
    for (uint i = begin; i < end; i++) {
        force4 d = to_force4(position[i] * scale - c);
        force m = (force)(position[i].w * mass_scale * inverse);
        force d2 = d.x * d.x + d.y * d.y + d.z * d.z;
        reach2 = type[i] == OCT_TYPE_REMOVED ? reach2 : fmax(reach2, d2);
        xx += m * d.x * d.x;
        xy += m * d.x * d.y;
        xz += m * d.x * d.z;
        yy += m * d.y * d.y;
        yz += m * d.y * d.z;
        zz += m * d.z * d.z;
    }
    /* Without their trace, which acts through softening alone. */
    force third = (xx + yy + zz) / 3;
    quad[2 * s] = (force4)(xx - third, xy, xz, yy - third);
    quad[2 * s + 1] = (force4)(yz, zz - third, third * (force)softening2, 0);
    point p = split(c, position[0] * scale, (real4)(0), 1);
    p.high.w = (force)c.w;
    centre[s] = c;
    high[s] = p.high;
#ifdef SPLIT
    p.low.w = (force)per_opening * sqrt(reach2);
    low[s] = p.low;
#else
    low[s] = (force4)(0, 0, 0, (force)per_opening * sqrt(reach2));
#endif
}

kernel void force_systems_reach(global force *reach, global const force4 *low, uint systems)
{
    uint block = (uint)get_global_id(0);
    force most = 0;
    if (block * BLOCK >= systems)
        return;
    for (uint j = block * BLOCK; j < min((block + 1) * BLOCK, systems); j++)
        most = fmax(most, low[j].w);
    reach[block] = most;
}

/* T = sum M (3 u^5 R R - u^3) and, in its second half, C as force_systems_far.clh has it. */
kernel void force_systems_fold(global real4 *pull, global force4 *tide,
                               global const real4 *partials, global const force *tides,
                               real softening2, uint targets, uint parts)
{
    uint s = (uint)get_global_id(0);
    if (s >= targets)
        return;
    force e2 = (force)softening2, t[TIDES];
    real4 total = (real4)(0);
    for (uint k = 0; k < TIDES; k++)
        t[k] = 0;
    for (uint part = 0; part < parts; part++) {
        size_t at = (size_t)part * targets + s;
        total += partials[at];
        for (uint k = 0; k < TIDES; k++)
            t[k] += tides[at * TIDES + k];
    }
    pull[s] = total;
    global force4 *out = tide + TIDE_ROWS * s;
    force trace = t[TIDE_TRACE];
    force zz = trace - t[TIDE_XX] - t[TIDE_YY] - e2 * t[TIDE_SOFT];
    out[0] = 3 * (force4)(t[TIDE_XX], t[TIDE_XY], t[TIDE_XZ], t[TIDE_YY]) -
             (force4)(trace, 0, 0, trace);
    out[1] = (force4)(3 * t[TIDE_YZ], 3 * zz - trace, 0, 0);
#ifdef QUADRUPOLE
    force x = t[TIDE_X], y = t[TIDE_Y], z = t[TIDE_Z];
    force xzz = x - t[TIDE_XXX] - t[TIDE_XYY] - e2 * t[TIDE_SOFT_X];
    force yzz = y - t[TIDE_XXY] - t[TIDE_YYY] - e2 * t[TIDE_SOFT_Y];
    force zzz = z - t[TIDE_XXZ] - t[TIDE_YYZ] - e2 * t[TIDE_SOFT_Z];
    out[2] = 15 * (force4)(t[TIDE_XXX], t[TIDE_XXY], t[TIDE_XXZ], t[TIDE_XYY]) -
             3 * (force4)(3 * x, y, z, x);
    out[3] = 15 * (force4)(t[TIDE_XYZ], xzz, t[TIDE_YYY], t[TIDE_YYZ]) -
             3 * (force4)(0, x, 3 * y, z);
    out[4] = 15 * (force4)(yzz, zzz, 0, 0) - 3 * (force4)(y, 3 * z, 0, 0);
#endif
}

static inline force dot3(force4 a, force4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* a = A + T s + s C s / 2, phi = Phi - A s - s T s / 2 - s C s s / 6 at s from the centre. */
kernel void force_systems_evaluate(global real4 *acceleration, global const real4 *position,
                                   global const uchar *type, global const uint *system_of,
                                   global const real4 *centre, global const real4 *pull,
                                   global const force4 *tide, real scale, real to_acceleration,
                                   real to_potential, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || type[i] == OCT_TYPE_REMOVED)
        return;
    uint system = system_of[i];
    force4 s = to_force4(position[i] * scale - centre[system]);
    global const force4 *t = tide + TIDE_ROWS * system;
    force4 a = t[0], b = t[1];
    force4 d = (force4)(a.x * s.x + a.y * s.y + a.z * s.z, a.y * s.x + a.w * s.y + b.x * s.z,
                        a.z * s.x + b.x * s.y + b.y * s.z, 0);
    real4 p = pull[system];
    real phi = p.w - (p.x * s.x + p.y * s.y + p.z * s.z) - dot3(d, s) / 2;
#ifdef QUADRUPOLE
    /* xxx, xxy, xxz, xyy; xyz, xzz, yyy, yyz; yzz, zzz */
    force4 e = t[2], f = t[3], g = t[4];
    force xx = s.x * s.x, yy = s.y * s.y, zz = s.z * s.z;
    force xy = 2 * s.x * s.y, xz = 2 * s.x * s.z, yz = 2 * s.y * s.z;
    force4 c = (force4)(e.x * xx + e.y * xy + e.z * xz + e.w * yy + f.x * yz + f.y * zz,
                        e.y * xx + e.w * xy + f.x * xz + f.z * yy + f.w * yz + g.x * zz,
                        e.z * xx + f.x * xy + f.y * xz + f.w * yy + g.x * yz + g.y * zz, 0);
    d += c / 2;
    phi -= dot3(c, s) / 6;
#endif
    acceleration[i] += (real4)(p.x + d.x, p.y + d.y, p.z + d.z, phi) *
                       (real4)(to_acceleration, to_acceleration, to_acceleration, to_potential);
}
