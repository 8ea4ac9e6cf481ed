/* Pairs of bodies for GPUs: inside systems, and of opened systems. Adds to acceleration and
 * potential. Work-groups of PACK. */
#include "precision.clh"
#include "wide.clh"

#ifndef PACK
#define PACK 64
#endif

typedef force number;
#define ROOT(x) RSQRT(x)
#include "force_systems_near.clh"

static inline void add_place(pull *total, real4 from, real4 to, force softening2)
{
    real4 d = to - from;
    add_body(total, (force)d.x, (force)d.y, (force)d.z, (force)to.w, softening2);
}

/* A work-item a target; the bodies of all systems of the pack go through local memory. */
kernel __attribute__((reqd_work_group_size(PACK, 1, 1))) void
force_systems_near_tiles(NEAR_ARGUMENTS)
{
    local real4 tile[PACK];
    uint lane = (uint)get_local_id(0);
    uint2 pack = packs[get_group_id(0)];
    uint i = pack.x + lane, system = system_of[min(i, pack.y - 1)];
    uint2 own = SOURCES_OF(system, system);
    uint2 all = SOURCES_OF(system_of[pack.x], system_of[pack.y - 1]);
    uint self = source_from(i, sources, count_sources(sources, n_sources, n));
    real4 x = scaled(position[min(i, pack.y - 1)], scale, mass_scale);
    wide total = wide_zero();
    if (self < own.y && source_at(sources, self) != i)
        self = own.y;
    for (uint j0 = all.x; j0 < all.y; j0 += PACK) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint body = source_at(sources, min(j0 + lane, all.y - 1));
        tile[lane] = scaled(position[body], scale, mass_scale);
        barrier(CLK_LOCAL_MEM_FENCE);
        pull p = {0, 0, 0, 0};
        for (uint j = max(own.x, j0); j < min(own.y, j0 + PACK); j++)
            if (j != self)
                add_place(&p, x, tile[j - j0], (force)softening2);
        wide_add(&total, (force4)(p.x, p.y, p.z, p.phi));
    }
    if (i < pack.y)
        acceleration[i] += convert_real4(WIDE_VALUE(total)) * UNITS;
}

/* The pack is of one system. Its targets take `slots` work-items side by side, and the blocks of
 * the list are dealt out to the `stripes` rows of them, which are added up in their order. */
kernel __attribute__((reqd_work_group_size(PACK, 1, 1))) void
force_systems_opened_tiles(OPENED_ARGUMENTS)
{
    local real4 rows[PACK];
    local uint2 counts[PACK];
    local uint some;
    uint lane = (uint)get_local_id(0), slots = 1;
    uint2 pack = packs[get_group_id(0)];
    uint system = system_of[pack.x], all = parts * words;
    global const uint *list = opened + (size_t)system * all;
    if (lane == 0)
        some = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint w = lane; w < all; w += PACK)
        if (list[w])
            some = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    /* No way out here: PoCL does not get over a group that leaves before a barrier. */
    if (!some)
        all = 0;
    while (slots < pack.y - pack.x)
        slots *= 2;
    uint stripes = PACK / slots, stripe = lane / slots, slot = lane % slots, i = pack.x + slot;
    real4 x = scaled(position[min(i, pack.y - 1)], scale, mass_scale);
    uint2 count = (uint2)(0);
    wide total = wide_zero();
    EACH_IMAGE {
        pulled seen = SEEN(system);
        for (uint w = 0; w < all; w++) {
            for (uint bits = list[w]; bits; bits &= bits - 1) {
                uint bit = 31 - clz(bits & -bits);
                uint2 block = block_of(w, bit, words, parts, systems);
                if ((w * 32 + bit) % stripes != stripe)
                    continue;
                for (uint s = block.x; s < block.y; s++) {
                    if ((s == system && image == 0) || !is_opened(&seen, s, high, low))
                        continue;
                    pull p = {0, 0, 0, 0};
                    uint2 range = SOURCES_OF(s, s);
                    for (uint k = range.x; k < range.y; k++) {
                        real4 y = position[source_at(sources, k)];
                        add_place(&p, x, IN_IMAGE(scaled(y, scale, mass_scale)),
                                  (force)softening2);
                    }
                    wide_add(&total, (force4)(p.x, p.y, p.z, p.phi));
                    count += (uint2)(1, range.y - range.x);
                }
            }
        }
    }
    rows[lane] = convert_real4(WIDE_VALUE(total));
    counts[lane] = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (stripe > 0 || i >= pack.y)
        return;
    real4 sum = (real4)(0);
    count = (uint2)(0);
    for (uint row = 0; some && row < stripes; row++) {
        sum += rows[row * slots + slot];
        count += counts[row * slots + slot];
    }
    if (some)
        acceleration[i] += sum * UNITS;
    if (i == system_first[system])
        vstore2(count, system, work);
}
