/* Pair sums for CPUs: a work-item sums over all sources for LANES particles at a time, one vector
 * lane each: of the listed ones of set.clh. Reads position and the prepared sources of sources.clh;
 * writes partial sums in the order of the list. Work-groups of one work-item, which costs PoCL no
 * barriers. */
#ifndef TILE
#define TILE 256
#endif
#include "force_direct.clh"
#include "lanes.clh"
#include "set.clh"
#include "sources.clh"

/* The softening of a pair, squared: of source j and the targets. */
#ifdef SOFTENINGS
#define SOFTENING_ARGUMENTS , global const force *soft, global const real *softenings
typedef lanes pair_softening;
#define OF_PAIR(j) (t.soft + soft[j])
#else
#define SOFTENING_ARGUMENTS
#define pair_softening force
#define OF_PAIR(j)     e2
#endif

typedef struct {
    lanes x, y, z;
#ifdef SOFTENINGS
    lanes soft;
#endif
#ifdef SPLIT
    lanes x_low, y_low, z_low;
#endif
} targets;

static inline targets load_targets(global const real4 *position, real4 shift, real scale,
                                   const lane_index *bodies)
{
    force x[LANES], y[LANES], z[LANES];
#ifdef SPLIT
    force x_low[LANES], y_low[LANES], z_low[LANES];
#endif
    for (uint k = 0; k < LANES; k++) {
        point p = split(position[bodies[k]], position[0], shift, scale);
        x[k] = p.high.x;
        y[k] = p.high.y;
        z[k] = p.high.z;
#ifdef SPLIT
        x_low[k] = p.low.x;
        y_low[k] = p.low.y;
        z_low[k] = p.low.z;
#endif
    }
    targets t;
    t.x = load_lanes(0, x);
    t.y = load_lanes(0, y);
    t.z = load_lanes(0, z);
#ifdef SPLIT
    t.x_low = load_lanes(0, x_low);
    t.y_low = load_lanes(0, y_low);
    t.z_low = load_lanes(0, z_low);
#endif
    return t;
}

/* One source on all lanes; `m` is its mass, which may differ by lane. */
static inline void interact(lanes4 *total, const targets *t, force4 source, force4 source_low,
                            lanes m, pair_softening softening2)
{
    lanes x = source.x - t->x, y = source.y - t->y, z = source.z - t->z;
#ifdef SPLIT
    x += source_low.x - t->x_low;
    y += source_low.y - t->y_low;
    z += source_low.z - t->z_low;
#endif
    lanes r2 = x * x + (y * y + (z * z + softening2));
#ifdef ALL_SOFTENED
    lanes inverse = lanes_rsqrt(r2);
#else
    lanes inverse = select((lanes)(0), lanes_rsqrt(r2), r2 > (lanes)(0));
#endif
    lanes phi = m * inverse;
    lanes s = phi * (inverse * inverse);
    total->x += s * x;
    total->y += s * y;
    total->z += s * z;
    total->phi -= phi;
}

#ifdef SPLIT
#define LOW(j) low[j]
#else
#define LOW(j) (force4)(0)
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
force_direct_lanes(global real4 *partials, global const real4 *position, global const force4 *high,
                   global const force4 *low, global const uint *listed,
                   global const uint *n_listed, global const uint *sources,
                   global const uint *n_sources, global const real4 *acting_shift,
                   uint acting_images, real softening2, real scale, uint n,
                   uint parts SOFTENING_ARGUMENTS)
{
    uint part = (uint)get_group_id(0) % parts, k0 = (uint)get_group_id(0) / parts * LANES;
    uint count = count_listed(listed, n_listed, n);
    if (k0 >= count)
        return;
    /* Lanes past the end repeat the last body; what they sum up is not stored. */
    lane_index bodies[LANES];
    for (uint k = 0; k < LANES; k++)
        bodies[k] = (lane_index)listed_at(listed, min(k0 + k, count - 1));
    uint i0 = (uint)bodies[0], last = (uint)bodies[LANES - 1];
    uint2 range = part_range(part, parts, count_sources(sources, n_sources, n));
#ifdef SOFTENINGS
    force halves[LANES];
    for (uint k = 0; k < LANES; k++)
        halves[k] = half_square(softenings, (uint)bodies[k], softening2, scale);
#else
    force e2 = (force)softening2;
#endif
    wide x = wide_zero(), y = wide_zero(), z = wide_zero(), phi = wide_zero();
    for (uint image = 0; image < acting_images; image++) {
        targets t = load_targets(position, acting_shift[image], scale, bodies);
#ifdef SOFTENINGS
        t.soft = load_lanes(0, halves);
#endif
        for (uint j0 = range.x; j0 < range.y; j0 += TILE) {
            lanes4 total = {(lanes)(0), (lanes)(0), (lanes)(0), (lanes)(0)};
            uint j1 = min(j0 + TILE, range.y);
            if (image == 0 && source_at(sources, j0) <= last &&
                source_at(sources, j1 - 1) >= i0) {
                /* A particle's potential in itself would be there with softening. */
                for (uint j = j0; j < j1; j++) {
                    lanes_index self =
                        (lanes_index)((int)source_at(sources, j)) == load_lanes(0, bodies);
                    lanes m = select((lanes)(high[j].w), (lanes)(0), self);
                    interact(&total, &t, high[j], LOW(j), m, OF_PAIR(j));
                }
            } else {
                for (uint j = j0; j < j1; j++)
                    interact(&total, &t, high[j], LOW(j), (lanes)(high[j].w), OF_PAIR(j));
            }
            wide_add(&x, total.x);
            wide_add(&y, total.y);
            wide_add(&z, total.z);
            wide_add(&phi, total.phi);
        }
    }
    real out_x[LANES], out_y[LANES], out_z[LANES], out_phi[LANES];
    store_wide(WIDE_LANES(x), 0, out_x);
    store_wide(WIDE_LANES(y), 0, out_y);
    store_wide(WIDE_LANES(z), 0, out_z);
    store_wide(WIDE_LANES(phi), 0, out_phi);
    for (uint k = 0; k < LANES && k0 + k < count; k++)
        partials[(size_t)part * n + k0 + k] =
            (real4)(out_x[k], out_y[k], out_z[k], out_phi[k]);
}
