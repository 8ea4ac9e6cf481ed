/* Tree gravity for GPUs: a work-group of 32 work-items walks the tree for 64 particles, two a
 * work-item. The work-items test one cell each; accepted cells and particles of opened leaves are
 * listed in local memory in an order that does not depend on timing, and summed over 32 at a time.
 * An entry of the stack stands for a cell and the siblings behind it. Reads the tree; adds to
 * acceleration and potential. Work-groups of 32. */
#include "force_tree.clh"

static inline void find_box(force4 *low, force4 *high, local const force4 *points)
{
    *low = *high = points[0];
    for (uint j = 1; j < GROUP / BOXES; j++) {
        *low = fmin(*low, points[j]);
        *high = fmax(*high, points[j]);
    }
}

#define LANES 32
#define STACK 768
/* Deeper entries push at most a child and a sibling each: room for one of each on every level. */
#define RESERVE 64
#define WIDE_EVERY 8

#if OCT_PRECISION == 1
typedef struct {
    float4 high, low;
} wide;
static inline void wide_add(wide *total, float4 value)
{
    float4 wanted = value - total->low;
    float4 next = total->high + wanted;
    total->low = (next - total->high) - wanted;
    total->high = next;
}
#define WIDE_VALUE(w) ((w).high)
#else
typedef double4 wide;
static inline void wide_add(wide *total, force4 value)
{
    *total += convert_double4(value);
}
#define WIDE_VALUE(w) (w)
#endif

#if OCT_PRECISION == 3
#define RSQRT(x) rsqrt(x)
#else
#define RSQRT(x) native_rsqrt(x)
#endif

/* Which work-items of the group say yes, as bits. */
#if defined(OCT_NVIDIA) && !defined(OCT_PORTABLE)
static inline uint ballot(bool yes, local uint *votes)
{
    uint mask;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                 : "=r"(mask)
                 : "r"((uint)yes));
    return mask;
}
#else
static inline uint ballot(bool yes, local uint *votes)
{
    uint lane = (uint)get_local_id(0), mask = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    votes[lane] = yes ? 1u << lane : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < LANES; k++)
        mask |= votes[k];
    return mask;
}
#endif

static inline void interact_particle(force4 *total, force4 target, force4 source, force softening2)
{
    force x = source.x - target.x, y = source.y - target.y, z = source.z - target.z;
    force r2 = fma(z, z, fma(y, y, fma(x, x, softening2)));
#ifdef SOFTENED
    force inverse = RSQRT(r2);
#else
    force inverse = r2 > 0 ? RSQRT(r2) : 0;
#endif
    force phi = source.w * inverse, s = phi * (inverse * inverse);
    total->x = fma(s, x, total->x);
    total->y = fma(s, y, total->y);
    total->z = fma(s, z, total->z);
    total->w -= phi;
}

/* M d / r^3 + (5/2) (d Q d) d / r^7 - Q d / r^5, with d from the target to the cell. */
static inline void interact_cell(force4 *total, force4 target, force4 source, force4 a, force4 b,
                                 force softening2)
{
    force x = source.x - target.x, y = source.y - target.y, z = source.z - target.z;
    force r2 = fma(z, z, fma(y, y, fma(x, x, softening2)));
    force inverse = RSQRT(r2), inverse2 = inverse * inverse;
    force phi = source.w * inverse;
#ifdef QUADRUPOLE
    force qx = fma(a.z, z, fma(a.y, y, a.x * x));
    force qy = fma(b.x, z, fma(a.w, y, a.y * x));
    force qz = fma(b.y, z, fma(b.x, y, a.z * x));
    force inverse5 = inverse2 * inverse2 * inverse;
    force t = fma(z, qz, fma(y, qy, x * qx)) * inverse5;
    force s = inverse2 * fma((force)2.5, t, phi);
    total->x = fma(-inverse5, qx, fma(s, x, total->x));
    total->y = fma(-inverse5, qy, fma(s, y, total->y));
    total->z = fma(-inverse5, qz, fma(s, z, total->z));
    total->w -= fma((force)0.5, t, phi);
#else
    force s = phi * inverse2;
    total->x = fma(s, x, total->x);
    total->y = fma(s, y, total->y);
    total->z = fma(s, z, total->z);
    total->w -= phi;
#endif
}

typedef struct {
    force4 position[2], part[2];
    wide total[2];
    uint pending; /* sums over 32 sources that are not in the wide sum yet */
} targets;

static inline void settle(targets *t)
{
    for (uint k = 0; k < 2; k++) {
        wide_add(&t->total[k], t->part[k]);
        t->part[k] = (force4)(0);
    }
    t->pending = 0;
}

/* Sums over up to 32 particles; `source` is the one this work-item brings along. */
static inline void sum_particles(targets *t, local force4 *tile, force4 source, force softening2)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[get_local_id(0)] = source;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 8
    for (uint k = 0; k < LANES; k++) {
        force4 s = tile[k];
        interact_particle(&t->part[0], t->position[0], s, softening2);
        interact_particle(&t->part[1], t->position[1], s, softening2);
    }
    if (++t->pending == WIDE_EVERY)
        settle(t);
}

static inline void sum_cells(targets *t, local force4 *tile, local force4 *tile_a,
                             local force4 *tile_b, force4 source, force4 a, force4 b, uint count,
                             force softening2)
{
    uint lane = (uint)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[lane] = source;
    tile_a[lane] = a;
    tile_b[lane] = b;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
    for (uint k = 0; k < count; k++) {
        force4 s = tile[k], qa = tile_a[k], qb = tile_b[k];
        interact_cell(&t->part[0], t->position[0], s, qa, qb, softening2);
        interact_cell(&t->part[1], t->position[1], s, qa, qb, softening2);
    }
    if (++t->pending == WIDE_EVERY)
        settle(t);
}

kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void
force_tree_tiles(global real4 *acceleration, global const real4 *sorted, global const uint *order,
                 global const uint4 *links, global const real4 *mass, global const force4 *quad,
                 global const uint *total_cells, real softening2, real scale, real mass_scale,
                 real to_acceleration, real to_potential, uint n, uint capacity,
                 global uint *work)
{
    local uint stack[STACK], cells[2 * LANES], particles[LANES * 17], votes[LANES];
    local force4 tile[LANES], tile_a[LANES], tile_b[LANES];
    if (total_cells[0] > capacity)
        return;
    uint lane = (uint)get_local_id(0), below = (1u << lane) - 1;
    uint base = (uint)get_group_id(0) * GROUP;
    force e2 = (force)softening2;

    /* Boxes around runs of the group's particles, relative to its first. */
    real4 centre = sorted[base];
    force4 low[BOXES], high[BOXES];
    for (uint k = 0; k < 2; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[lane] = relative(sorted[min(base + k * LANES + lane, n - 1)], centre, scale);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint box = 0; box < BOXES / 2; box++)
            find_box(&low[k * (BOXES / 2) + box], &high[k * (BOXES / 2) + box],
                     tile + box * (GROUP / BOXES));
    }

    targets t;
    for (uint k = 0; k < 2; k++) {
        t.position[k] = relative(sorted[min(base + k * LANES + lane, n - 1)], centre, scale);
        t.part[k] = (force4)(0);
#if OCT_PRECISION == 1
        t.total[k].high = t.total[k].low = (float4)(0);
#else
        t.total[k] = (double4)(0);
#endif
    }
    t.pending = 0;

    uint top = 1, n_cells = 0, n_particles = 0, done_cells = 0, done_particles = 0;
    if (lane == 0)
        stack[0] = 0;
    while (top > 0) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint take = min(top, (uint)LANES);
        if (top + LANES + RESERVE > STACK)
            take = 1;
        bool busy = lane < take;
        uint index = busy ? stack[top - take + lane] : 0;
        top -= take;
        bool accept = false, child = false, sibling = false, leaf = false;
        uint4 link = (uint4)(0);
        if (busy) {
            link = links[index];
            real4 m = mass[index];
            force reach = quad[2 * index + 1].z;
            force d2 = boxes_distance2(relative(m, centre, scale), low, high);
            uint count = CELL_COUNT(link);
            bool small = CELL_IS_LEAF(link) && count <= FEW;
            accept = d2 > reach * reach && !small;
            leaf = !accept && CELL_IS_LEAF(link);
            child = !accept && !leaf;
            /* The last child of a cell ends where the cell ends. */
            sibling = link.w != NO_CELL && link.x != links[link.w].x;
        }
        uint child_mask = ballot(child, votes), sibling_mask = ballot(sibling, votes);
        if (child)
            stack[top + (uint)popcount(sibling_mask) + (uint)popcount(child_mask & below)] =
                index + 1;
        if (sibling)
            stack[top + (uint)popcount(sibling_mask & below)] = link.x;
        top += (uint)popcount(child_mask) + (uint)popcount(sibling_mask);

        uint accept_mask = ballot(accept, votes);
        if (accept)
            cells[n_cells + (uint)popcount(accept_mask & below)] = index;
        n_cells += (uint)popcount(accept_mask);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n_cells >= LANES) {
            n_cells -= LANES;
            uint cell = cells[n_cells + lane];
            sum_cells(&t, tile, tile_a, tile_b, cell_source(mass[cell], centre, scale),
                      quad[2 * cell], quad[2 * cell + 1], LANES, e2);
            done_cells += LANES;
        }

        if (ballot(leaf, votes) == 0)
            continue;
        /* Leaves of up to 16 particles are listed particle by particle: a prefix sum of their
         * counts, bit by bit. Larger ones, which only the deepest level has, come one by one. */
        uint count = CELL_COUNT(link);
        bool large = leaf && count > 16;
        uint listed = leaf && !large ? count : 0, place = n_particles, added = 0;
        for (uint bit = 0; bit < 5; bit++) {
            uint mask = ballot((listed >> bit & 1) != 0, votes);
            place += (uint)popcount(mask & below) << bit;
            added += (uint)popcount(mask) << bit;
        }
        for (uint j = 0; j < listed; j++)
            particles[place + j] = link.y + j;
        n_particles += added;
        barrier(CLK_LOCAL_MEM_FENCE);
        while (n_particles >= LANES) {
            n_particles -= LANES;
            real4 x = sorted[particles[n_particles + lane]];
            sum_particles(&t, tile, particle_source(x, centre, scale, mass_scale), e2);
            done_particles += LANES;
        }
        uint large_mask = ballot(large, votes);
        while (large_mask != 0) {
            uint owner = 31u - (uint)clz(large_mask);
            large_mask &= ~(1u << owner);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lane == owner) {
                votes[0] = link.y;
                votes[1] = count;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            uint first = votes[0], size = votes[1];
            for (uint j = 0; j < size; j += LANES) {
                real4 x = sorted[min(first + j + lane, n - 1)];
                force4 source = particle_source(x, centre, scale, mass_scale);
                source.w = j + lane < size ? source.w : 0;
                sum_particles(&t, tile, source, e2);
            }
            done_particles += size;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n_cells > 0) {
        uint cell = cells[min(lane, n_cells - 1)];
        force4 source = cell_source(mass[cell], centre, scale);
        sum_cells(&t, tile, tile_a, tile_b, source, quad[2 * cell], quad[2 * cell + 1], n_cells,
                  e2);
    }
    if (n_particles > 0) {
        real4 x = sorted[particles[min(lane, n_particles - 1)]];
        force4 source = particle_source(x, centre, scale, mass_scale);
        source.w = lane < n_particles ? source.w : 0;
        sum_particles(&t, tile, source, e2);
    }
    settle(&t);
    if (work && lane == 0) {
        work[2 * get_group_id(0)] = done_cells + n_cells;
        work[2 * get_group_id(0) + 1] = done_particles + n_particles;
    }
    for (uint k = 0; k < 2; k++) {
        uint i = base + k * LANES + lane;
        if (i >= n)
            continue;
        real4 a = convert_real4(WIDE_VALUE(t.total[k]));
#ifdef SOFTENED
        /* A particle's potential in itself was among the particles of its own leaf. */
        a.w += sorted[i].w * mass_scale * (real)RSQRT(e2);
#endif
        acceleration[order[i]] +=
            a * (real4)(to_acceleration, to_acceleration, to_acceleration, to_potential);
    }
}
