/* Pairs of bodies for CPUs: inside systems, and of opened systems, for the targets of a pack in
 * vector lanes. Adds to acceleration and potential. Work-groups of one work-item. */
#include "precision.clh"
#include "lanes.clh"

typedef lanes number;
#define ROOT(x) lanes_rsqrt(x)
#include "force_systems_near.clh"

#if OCT_PRECISION == 2
typedef double16 places;
#define TO_LANES(x) convert_float16(x)
#else
typedef lanes places;
#define TO_LANES(x) (x)
#endif
#if OCT_PRECISION == 3
typedef long lane_int;
#define load_places vload8
#else
typedef int lane_int;
#define load_places vload16
#endif

typedef struct {
    places x, y, z;
    wide total_x, total_y, total_z, total_phi;
    lanes_index system;
} near_targets;

/* Lanes past the end repeat the last target; what they sum up is not stored. */
static inline near_targets load_pack(uint2 pack, global const real4 *position,
                                     global const uint *system_of, real scale)
{
    near_targets t;
    real x[LANES], y[LANES], z[LANES];
    lane_int system[LANES];
    for (uint k = 0; k < LANES; k++) {
        uint i = min(pack.x + k, pack.y - 1);
        real4 place = position[i] * scale;
        x[k] = place.x;
        y[k] = place.y;
        z[k] = place.z;
        system[k] = (lane_int)system_of[i];
    }
    t.x = load_places(0, x);
    t.y = load_places(0, y);
    t.z = load_places(0, z);
    t.total_x = t.total_y = t.total_z = t.total_phi = wide_zero();
    t.system = load_lanes(0, system);
    return t;
}

static inline void add_place(pull *total, const near_targets *t, real4 x, lanes m,
                             force softening2)
{
    add_body(total, TO_LANES(x.x - t->x), TO_LANES(x.y - t->y), TO_LANES(x.z - t->z), m,
             softening2);
}

static inline void add_wide(near_targets *t, const pull *p)
{
    wide_add(&t->total_x, p->x);
    wide_add(&t->total_y, p->y);
    wide_add(&t->total_z, p->z);
    wide_add(&t->total_phi, p->phi);
}

static inline void store_pack(const near_targets *t, uint2 pack, global real4 *acceleration,
                              real4 units)
{
    real x[LANES], y[LANES], z[LANES], phi[LANES];
    store_wide(WIDE_LANES(t->total_x), 0, x);
    store_wide(WIDE_LANES(t->total_y), 0, y);
    store_wide(WIDE_LANES(t->total_z), 0, z);
    store_wide(WIDE_LANES(t->total_phi), 0, phi);
    for (uint k = 0; k < pack.y - pack.x; k++)
        acceleration[pack.x + k] += (real4)(x[k], y[k], z[k], phi[k]) * units;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void force_systems_near_lanes(NEAR_ARGUMENTS)
{
    uint2 pack = packs[get_group_id(0)];
    near_targets t = load_pack(pack, position, system_of, scale);
    lanes_index self = LANE_NUMBERS + (lanes_index)((int)pack.x);
    for (uint s = system_of[pack.x]; s <= system_of[pack.y - 1]; s++) {
        lanes_index same = t.system == (lanes_index)((int)s);
        uint2 range = SOURCES_OF(s, s);
        for (uint k0 = range.x; k0 < range.y; k0 += TILE) {
            pull p = {(lanes)(0), (lanes)(0), (lanes)(0), (lanes)(0)};
            for (uint k = k0; k < min(k0 + TILE, range.y); k++) {
                uint j = source_at(sources, k);
                real4 x = scaled(position[j], scale, mass_scale);
                lanes_index acts = same & (self != (lanes_index)((int)j));
                add_place(&p, &t, x, acts ? (lanes)((force)x.w) : (lanes)(0), (force)softening2);
            }
            add_wide(&t, &p);
        }
    }
    store_pack(&t, pack, acceleration, UNITS);
}

/* The pack is of one system. */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
force_systems_opened_lanes(OPENED_ARGUMENTS)
{
    uint2 pack = packs[get_group_id(0)], count = (uint2)(0);
    uint system = system_of[pack.x], all = parts * words;
    near_targets t = load_pack(pack, position, system_of, scale);
    EACH_IMAGE {
        pulled seen = SEEN(system);
        for (uint w = 0; w < all; w++) {
            for (uint bits = opened[(size_t)system * all + w]; bits; bits &= bits - 1) {
                uint2 block = block_of(w, 31 - clz(bits & -bits), words, parts, systems);
                for (uint s = block.x; s < block.y; s++) {
                    if ((s == system && image == 0) || !is_opened(&seen, s, high, low))
                        continue;
                    pull p = {(lanes)(0), (lanes)(0), (lanes)(0), (lanes)(0)};
                    uint2 range = SOURCES_OF(s, s);
                    for (uint k = range.x; k < range.y; k++) {
                        uint j = source_at(sources, k);
                        real4 x = IN_IMAGE(scaled(position[j], scale, mass_scale));
                        add_place(&p, &t, x, (lanes)((force)x.w), (force)softening2);
                    }
                    add_wide(&t, &p);
                    count += (uint2)(1, range.y - range.x);
                }
            }
        }
    }
    store_pack(&t, pack, acceleration, UNITS);
    if (pack.x == system_first[system])
        vstore2(count, system, work);
}
