/* Tree gravity for GPUs: a work-group of 32 work-items walks the tree for 64 particles, two a
 * work-item. The work-items test one cell each; accepted cells and particles of opened leaves are
 * listed in local memory in an order that does not depend on timing, and summed over 32 at a time.
 * An entry of the stack stands for a cell and the siblings behind it. Reads the tree; adds to
 * acceleration and potential. Work-groups of 32. */
#include "force_tree.clh"
#include "wide.clh"

#define LANES 32
#define STACK 768
/* Deeper entries push at most a child and a sibling each: room for one of each on every level. */
#define RESERVE 64
#define WIDE_EVERY 8

/* With images of the box, up to BATCH of them are walked at once: each has a root on the stack, and
 * an entry carries its image in the highest bits. A tree at a time would leave work-items idle at
 * every root and at the end of every list. */
#ifdef IMAGES
#define BATCH            16
#define INDEX_BITS       28
#define INDEX(entry)     ((entry) & ((1u << INDEX_BITS) - 1))
#define ENTRY(entry, to) (((entry) & ~((1u << INDEX_BITS) - 1)) | (to))
#define ROOT(image)      ((image) << INDEX_BITS)
#define CENTRE(entry)    r->centres[(entry) >> INDEX_BITS]
#else
#define BATCH            1
#define INDEX(entry)     (entry)
#define ENTRY(entry, to) (to)
#define ROOT(image)      0
#define CENTRE(entry)    centre
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

static inline void interact_particle(force4 *total, force x, force y, force z, force mass,
                                     force softening2)
{
    force r2 = fma(z, z, fma(y, y, fma(x, x, softening2)));
#ifdef SOFTENED
    force inverse = RSQRT(r2);
#else
    force inverse = r2 > 0 ? RSQRT(r2) : 0;
#endif
    force phi = mass * inverse, s = phi * (inverse * inverse);
    total->x = fma(s, x, total->x);
    total->y = fma(s, y, total->y);
    total->z = fma(s, z, total->z);
    total->w -= phi;
}

/* M d / r^3 + (5/2) (d Q d - eps^2 tr S) d / r^7 - Q d / r^5, with d from the target to the cell
 * and r^2 = d^2 + eps^2. */
static inline void interact_cell(force4 *total, force4 target, force4 source, force4 a, force4 b,
                                 force softening2)
{
    force x = source.x - target.x, y = source.y - target.y, z = source.z - target.z;
    force r2 = fma(z, z, fma(y, y, fma(x, x, softening2)));
    force inverse = RSQRT(r2), inverse2 = inverse * inverse;
    force phi = source.w * inverse;
#ifdef QUADRUPOLE
    /* Divided by r^2 at once: 1 / r^5 would overflow a float where 1 / r^3 does not. */
    force qx = inverse2 * fma(a.z, z, fma(a.y, y, a.x * x));
    force qy = inverse2 * fma(b.x, z, fma(a.w, y, a.y * x));
    force qz = inverse2 * fma(b.y, z, fma(b.x, y, a.z * x));
    force inverse3 = inverse2 * inverse;
    force t = fma(z, qz, fma(y, qy, fma(x, qx, -b.z * inverse2))) * inverse3;
    force s = inverse2 * fma((force)2.5, t, phi);
    total->x = fma(-inverse3, qx, fma(s, x, total->x));
    total->y = fma(-inverse3, qy, fma(s, y, total->y));
    total->z = fma(-inverse3, qz, fma(s, z, total->z));
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
#ifdef SPLIT
    force4 low[2];
#endif
    force margin2; /* closer than the root of this to a box, a source is near */
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

/* Local memory of a group. */
typedef struct {
    uint stack[STACK], cells[2 * LANES], particles[17 * LANES], votes[LANES];
    force4 tile[LANES], tile_a[LANES], tile_b[LANES];
#ifdef IMAGES
    real4 centres[BATCH]; /* of the group, as the images see it */
#endif
} room;

/* Sums over 32 particles; x is the one this work-item brings along, unless it has none. */
static inline void sum_particles(targets *t, local room *r, real4 x, real4 centre, bool none,
                                 const force4 *low, const force4 *high, force softening2,
                                 real scale, real mass_scale)
{
    uint lane = (uint)get_local_id(0);
    force4 source = particle_source(x, centre, scale, mass_scale);
    source.w = none ? 0 : source.w;
    bool near = false;
#ifdef SPLIT
    near = boxes_distance2(source, source, low, high) < t->margin2;
    near = ballot(near, r->votes) != 0;
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    r->tile[lane] = source;
#ifdef SPLIT
    r->tile_a[lane] = relative_low(x, centre, scale, source);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (near) {
#ifdef SPLIT
#pragma unroll 4
        for (uint k = 0; k < LANES; k++) {
            force4 s = r->tile[k], rest = r->tile_a[k];
            for (uint i = 0; i < 2; i++) {
                force4 d = (s - t->position[i]) + (rest - t->low[i]);
                interact_particle(&t->part[i], d.x, d.y, d.z, s.w, softening2);
            }
        }
#endif
    } else {
#pragma unroll 8
        for (uint k = 0; k < LANES; k++) {
            force4 s = r->tile[k];
            for (uint i = 0; i < 2; i++) {
                force4 d = s - t->position[i];
                interact_particle(&t->part[i], d.x, d.y, d.z, s.w, softening2);
            }
        }
    }
    if (++t->pending == WIDE_EVERY)
        settle(t);
}

/* Sums over `count` cells, up to 32, likewise. */
static inline void sum_cells(targets *t, local room *r, force4 source, force4 a, force4 b,
                             uint count, force softening2)
{
    uint lane = (uint)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    r->tile[lane] = source;
    r->tile_a[lane] = a;
    r->tile_b[lane] = cell_moments(a, b, softening2);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
    for (uint k = 0; k < count; k++) {
        force4 s = r->tile[k], qa = r->tile_a[k], qb = r->tile_b[k];
        interact_cell(&t->part[0], t->position[0], s, qa, qb, softening2);
        interact_cell(&t->part[1], t->position[1], s, qa, qb, softening2);
    }
    if (++t->pending == WIDE_EVERY)
        settle(t);
}

static inline void find_box(force4 *low, force4 *high, local const force4 *points)
{
    *low = *high = points[0];
    for (uint j = 1; j < GROUP / BOXES; j++) {
        *low = fmin(*low, points[j]);
        *high = fmax(*high, points[j]);
    }
}

/* Walks the trees of `images` images at once, whose shifts begin at `shifts`. Returns the number of
 * cells and of particles that were summed over. */
static inline uint2 walk_images(targets *t, local room *r, real4 centre, global const real4 *shifts,
                                uint images, const force4 *low, const force4 *high, force least,
                                force softening2, real scale, real mass_scale,
                                global const real4 *sorted, global const uint4 *links,
                                global const real4 *mass, global const force4 *quad,
                                global const force4 *box)
{
    uint lane = (uint)get_local_id(0), below = (1u << lane) - 1;
    uint top = images, n_cells = 0, n_particles = 0;
    uint2 done = (uint2)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < images)
        r->stack[lane] = ROOT(lane);
#ifdef IMAGES
    /* An image of the box that is moved by a shift sees the group moved the other way. */
    if (lane < images)
        r->centres[lane] = centre - shifts[lane];
#endif
    while (top > 0) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint take = top + LANES + RESERVE > STACK ? 1 : min(top, (uint)LANES);
        uint entry = lane < take ? r->stack[top - take + lane] : 0, index = INDEX(entry);
        top -= take;
        bool accept = false, child = false, sibling = false, leaf = false;
        uint4 link = (uint4)(0);
        if (lane < take) {
            link = links[index];
            real4 m = mass[index];
            bool few = CELL_IS_LEAF(link) && CELL_COUNT(link) <= FEW;
            force4 at = relative(m, CENTRE(entry), scale);
            accept = !few && accepted(at, (force)m.w, quad[2 * index + 1], CELL_LOW(index),
                                      CELL_HIGH(index), low, high, least);
            leaf = !accept && CELL_IS_LEAF(link);
            child = !accept && !leaf;
            /* The last child of a cell ends where the cell ends. */
            sibling = link.w != NO_CELL && link.x != links[link.w].x;
        }
        uint child_mask = ballot(child, r->votes), sibling_mask = ballot(sibling, r->votes);
        if (child)
            r->stack[top + (uint)popcount(sibling_mask) + (uint)popcount(child_mask & below)] =
                ENTRY(entry, index + 1);
        if (sibling)
            r->stack[top + (uint)popcount(sibling_mask & below)] = ENTRY(entry, link.x);
        top += (uint)popcount(child_mask) + (uint)popcount(sibling_mask);

        uint accept_mask = ballot(accept, r->votes);
        if (accept)
            r->cells[n_cells + (uint)popcount(accept_mask & below)] = entry;
        n_cells += (uint)popcount(accept_mask);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n_cells >= LANES) {
            n_cells -= LANES;
            uint taken = r->cells[n_cells + lane], cell = INDEX(taken);
            sum_cells(t, r, cell_source(mass[cell], CENTRE(taken), scale), quad[2 * cell],
                      quad[2 * cell + 1], LANES, softening2);
            done.x += LANES;
        }

        if (ballot(leaf, r->votes) == 0)
            continue;
        /* Leaves of up to 16 particles are listed particle by particle: a prefix sum of their
         * counts, bit by bit. Larger ones, which only the deepest level has, come one by one. */
        uint count = CELL_COUNT(link);
        bool large = leaf && count > 16;
        uint listed = leaf && !large ? count : 0, place = n_particles, added = 0;
        for (uint bit = 0; bit < 5; bit++) {
            uint mask = ballot((listed >> bit & 1) != 0, r->votes);
            place += (uint)popcount(mask & below) << bit;
            added += (uint)popcount(mask) << bit;
        }
        for (uint j = 0; j < listed; j++)
            r->particles[place + j] = ENTRY(entry, link.y + j);
        n_particles += added;
        barrier(CLK_LOCAL_MEM_FENCE);
        while (n_particles >= LANES) {
            n_particles -= LANES;
            uint taken = r->particles[n_particles + lane];
            sum_particles(t, r, sorted[INDEX(taken)], CENTRE(taken), false, low, high, softening2,
                          scale, mass_scale);
            done.y += LANES;
        }
        for (uint mask = ballot(large, r->votes); mask != 0;) {
            uint owner = 31u - (uint)clz(mask);
            mask &= ~(1u << owner);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lane == owner) {
                r->votes[0] = ENTRY(entry, link.y);
                r->votes[1] = count;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            uint first = r->votes[0], size = r->votes[1];
            for (uint j = 0; j < size; j += LANES) {
                real4 x = sorted[INDEX(first) + min(j + lane, size - 1)];
                sum_particles(t, r, x, CENTRE(first), j + lane >= size, low, high, softening2,
                              scale, mass_scale);
            }
            done.y += size;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n_cells > 0) {
        uint taken = r->cells[min(lane, n_cells - 1)], cell = INDEX(taken);
        sum_cells(t, r, cell_source(mass[cell], CENTRE(taken), scale), quad[2 * cell],
                  quad[2 * cell + 1], n_cells, softening2);
    }
    if (n_particles > 0) {
        uint taken = r->particles[min(lane, n_particles - 1)];
        sum_particles(t, r, sorted[INDEX(taken)], CENTRE(taken), lane >= n_particles, low, high,
                      softening2, scale, mass_scale);
    }
    return done + (uint2)(n_cells, n_particles);
}

/* The group's particles relative to a centre, and boxes around runs of them. */
static inline void place_group(targets *t, force4 *low, force4 *high, local room *r, real4 centre,
                               global const real4 *sorted, uint base, uint n, real scale)
{
    uint lane = (uint)get_local_id(0);
    for (uint k = 0; k < 2; k++) {
        real4 x = sorted[min(base + k * LANES + lane, n - 1)];
        t->position[k] = relative(x, centre, scale);
#ifdef SPLIT
        t->low[k] = relative_low(x, centre, scale, t->position[k]);
#endif
        t->part[k] = (force4)(0);
        t->total[k] = wide_zero();
        barrier(CLK_LOCAL_MEM_FENCE);
        r->tile[lane] = t->position[k];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint run = 0; run < BOXES / 2; run++)
            find_box(&low[k * (BOXES / 2) + run], &high[k * (BOXES / 2) + run],
                     r->tile + run * (GROUP / BOXES));
    }
    t->pending = 0;
#ifdef SPLIT
    force4 out = (force4)(0);
    for (uint run = 0; run < BOXES; run++)
        out = fmax(out, fmax(fabs(low[run]), fabs(high[run])));
    force margin = NEAR * fmax(out.x, fmax(out.y, out.z));
    t->margin2 = margin * margin;
#endif
}

/* The smallest of a number that each particle of the group has. */
static inline force least_of_group(local room *r, force mine)
{
    force least = INFINITY;
    barrier(CLK_LOCAL_MEM_FENCE);
    r->tile[get_local_id(0)].x = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; j < LANES; j++)
        least = fmin(least, r->tile[j].x);
    return least;
}

kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void force_tree_tiles(TREE_ARGUMENTS)
{
    local room r;
    if (total_cells[0] > capacity ||
        get_group_id(0) >= count_listed(groups, n_groups, (uint)get_num_groups(0)))
        return;
    uint lane = (uint)get_local_id(0), number = listed_at(groups, (uint)get_group_id(0));
    uint base = number * GROUP;
    force e2 = (force)softening2, least = INFINITY;
    force4 low[BOXES], high[BOXES];
    targets t;
    place_group(&t, low, high, &r, sorted[base], sorted, base, n, scale);
#if CRITERION == CRITERION_RELATIVE
    for (uint k = 0; k < 2; k++) {
        real last = before[order[min(base + k * LANES + lane, n - 1)]];
        least = fmin(least,
                     least_of_group(&r, least_before(last, alpha, least_acceleration)));
    }
#endif
    bool apart = is_apart(low, high);
    uint walks = apart ? min(n - base, (uint)GROUP) : 1, walked = 0;
    uint2 done = (uint2)(0);
    for (uint walk = 0; walk < walks; walk++) {
        if (apart && !is_active(active, order[base + walk]))
            continue;
        walked++;
        real4 centre = sorted[base + walk];
        if (apart) {
            place_group(&t, low, high, &r, centre, sorted, base, n, scale);
            for (uint run = 0; run < BOXES; run++)
                low[run] = high[run] = (force4)(0);
            t.margin2 = 0;
        }
        for (uint image = 0; image < acting_images; image += BATCH)
            done += walk_images(&t, &r, centre, acting_shift + image,
                                min(acting_images - image, (uint)BATCH), low, high, least, e2,
                                scale, mass_scale, sorted, links, mass, quad, box);
        settle(&t);
        for (uint k = 0; k < 2; k++) {
            uint i = base + k * LANES + lane;
            if (i >= n || (apart && i != base + walk) || !is_active(active, order[i]))
                continue;
#ifdef SOFTENED
            real own = sorted[i].w * mass_scale * (real)RSQRT(e2);
#else
            real own = 0;
#endif
            ADD_FORCE(i, convert_real4(WIDE_VALUE(t.total[k])), own);
        }
    }
    if (lane == 0) {
        work[2 * number] = done.x / walked;
        work[2 * number + 1] = done.y / walked;
    }
}
