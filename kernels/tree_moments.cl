/* Moments of the cells, leaves first. Whoever completes a cell's particles goes on with the cell:
 * no pass a level, no waiting, and the children are always added in their order, so the result
 * does not depend on who comes last. What others have written is read past the caches (volatile),
 * and a fence makes sure that it is there: devices without one that reaches beyond a work-group
 * take a pass a level, with the same result.
 *   tree_moments_climb  all cells
 *   tree_moments_level  the cells of one level; those of the next have been done
 * Both read links, levels, sorted positions and radii (in velocity.w, in the state's order), and
 * write mass, quad and box, and row_of where there are rows; with SOFTENINGS they read sorted_soft
 * and write soft besides, with OCTUPOLE third. With KEPT the cells had the same particles before: a
 * leaf has its largest radius already, and radii, which lie anywhere in memory, are not read. Any
 * work-group size. */
#include "precision.clh"
#include "prefetch.clh"
#include "tree.clh"
#include "device_fence.clh"
#include "tree_rows.clh"
#ifdef SOFTENINGS
#include "tree_soft.clh"
#define SOFT_ARGUMENTS , global const force *sorted_soft, volatile global force2 *soft
#define GROWN(size)    grown(size, (force)c->mass.w, c->soft)
#else
#define SOFT_ARGUMENTS
#define GROWN(size) size
#endif

typedef struct {
    real4 mass;
    force4 a, b, low, high;
#ifdef OCTUPOLE
    force4 third[3];
#endif
#ifdef SOFTENINGS
    force2 soft;
#endif
} cell;

#ifdef OCTUPOLE
#define THIRD_ARGUMENTS , volatile global force4 *third
#define THIRD_READ      , volatile global const force4 *third
#define THIRD_GIVEN     , third

/* m s_i s_j s_k: xxx, xxy, xxz, xyy, xyz, xzz, yyy, yyz, yzz, zzz. */
static inline void add_third_moment(cell *c, force m, force4 s)
{
    c->third[0] += m * s.x * (force4)(s.x * s.x, s.x * s.y, s.x * s.z, s.y * s.y);
    c->third[1] += m * (force4)(s.x * s.y * s.z, s.x * s.z * s.z, s.y * s.y * s.y, s.y * s.y * s.z);
    c->third[2] += m * s.z * s.z * (force4)(s.y, s.z, 0, 0);
}

/* Those of a child at s, whose second moments are a and b. */
static inline void add_child_third(cell *c, force4 a, force4 b, force4 s,
                                   volatile global const force4 *third)
{
    const force third_of = (force)1 / 3;
    force xx = third_of * (a.x + b.y), yy = third_of * (a.w + b.y), xy = third_of * a.y;
    force xz = third_of * a.z, yz = third_of * b.x, zz = third_of * (b.y - a.x - a.w);
    c->third[0] += third[0] + (force4)(3 * s.x * xx, 2 * s.x * xy + s.y * xx,
                                       2 * s.x * xz + s.z * xx, s.x * yy + 2 * s.y * xy);
    c->third[1] += third[1] + (force4)(s.x * yz + s.y * xz + s.z * xy, s.x * zz + 2 * s.z * xz,
                                       3 * s.y * yy, 2 * s.y * yz + s.z * yy);
    c->third[2] += third[2] + (force4)(s.y * zz + 2 * s.z * yz, 3 * s.z * zz, 0, 0);
}
#else
#define THIRD_ARGUMENTS
#define THIRD_READ
#define THIRD_GIVEN
#endif

static inline void add_second_moment(cell *c, force m, force4 s)
{
    force s2 = s.x * s.x + s.y * s.y + s.z * s.z;
    c->a.x += m * (3 * s.x * s.x - s2);
    c->a.y += m * (3 * s.x * s.y);
    c->a.z += m * (3 * s.x * s.z);
    c->a.w += m * (3 * s.y * s.y - s2);
    c->b.x += m * (3 * s.y * s.z);
    c->b.y += m * s2;
#ifdef OCTUPOLE
    add_third_moment(c, m, s);
#endif
}

static inline force4 to_force4(real4 x)
{
#if OCT_PRECISION == 2
    return convert_float4(x);
#else
    return x;
#endif
}

/* Where it is accepted: the distance from the group's box to the centre of mass must exceed
 *   offset     l / theta + delta, l the longest side of the particles' box and delta the distance
 *              of its centre from the centre of mass (Bonsai, eq. 1)
 *   geometric  l / theta + s, l the side of the cubic cell and s the distance of its centre from
 *              the centre of mass (Nakasato, eq. 2)
 *   min-distance  l / theta, measured to the box instead of the centre of mass (Salmon, Warren)
 * The relative criterion is decided in the walk, and takes the offset one while it knows no
 * acceleration. */
static inline void set_reach(cell *c, force inverse_theta, real4 root_low, real side, real scale)
{
    force4 span = c->high - c->low, centre = (c->high + c->low) / 2;
    force4 corner = fmax(fabs(c->low), fabs(c->high));
    force size = fmax(span.x, fmax(span.y, span.z));
#if CRITERION == CRITERION_GEOMETRIC
    /* The cubic cell is the one that the centre of mass lies in. */
    real3 place = side > 0 ? (c->mass.xyz - root_low.xyz) / side : (real3)(0);
    real3 off = (place - floor(place) - (real)0.5) * side;
    c->b.z = GROWN((force)(side * scale)) * inverse_theta +
             (force)(sqrt(off.x * off.x + off.y * off.y + off.z * off.z) * scale);
#elif CRITERION == CRITERION_MIN_DISTANCE
    c->b.z = GROWN(size) * inverse_theta;
#else
    c->b.z = GROWN(size) * inverse_theta +
             sqrt(centre.x * centre.x + centre.y * centre.y + centre.z * centre.z);
#endif
    c->b.w = GROWN(sqrt(corner.x * corner.x + corner.y * corner.y + corner.z * corner.z));
}

/* A cell with its mass and where that is, from sums about `middle`, and nothing else yet. */
static inline cell start_cell(real4 middle, real4 sum, real mass)
{
    cell c;
    real inverse = sum.w > 0 ? 1 / sum.w : 0;
    c.mass = (real4)(middle.x + sum.x * inverse, middle.y + sum.y * inverse,
                     middle.z + sum.z * inverse, mass);
    c.a = c.b = (force4)(0);
#ifdef OCTUPOLE
    c.third[0] = c.third[1] = c.third[2] = (force4)(0);
#endif
    c.low = (force4)(INFINITY);
    c.high = (force4)(-INFINITY);
    return c;
}

static inline void add_particle(cell *c, real4 x, real scale, real mass_scale)
{
    force4 s = to_force4((x - c->mass) * scale);
    add_second_moment(c, (force)(x.w * mass_scale), s);
    c->low = fmin(c->low, s);
    c->high = fmax(c->high, s);
}

/* n_all: all particles. Radii lie anywhere in memory: it is asked for those of the next leaves. */
static inline cell leaf_moments(uint4 link, uint n_all, global const real4 *sorted,
                                global const real4 *velocity, global const uint *order, real scale,
                                real mass_scale)
{
    force radius = 0;
    real4 sum = (real4)(0), lost = (real4)(0), middle = sorted[link.y];
    uint n = CELL_COUNT(link);
    /* Kahan's sum: a leaf of the deepest level may hold any number of particles. */
    for (uint j = 0; j < n; j++) {
        real4 x = sorted[link.y + j];
#ifndef KEPT
        if (velocity)
            PREFETCH(velocity + order[min(link.y + j + 48, n_all - 1)]);
#endif
        KAHAN_ADD(real4, sum, lost, (real4)((x.xyz - middle.xyz) * x.w, x.w));
    }
    cell c = start_cell(middle, sum, sum.w * mass_scale);
    for (uint j = 0; j < n; j++) {
        add_particle(&c, sorted[link.y + j], scale, mass_scale);
#ifndef KEPT
        if (velocity)
            radius = fmax(radius, (force)(velocity[order[link.y + j]].w * scale));
#endif
    }
    c.low.w = radius;
    c.high.w = 0;
    return c;
}

/* Adds a child to its cell, and to the largest radius in it. */
static inline void add_child(cell *c, force *radius, real4 m, force4 a, force4 b, force4 low,
                             force4 high, real scale)
{
    force4 s = to_force4((m - c->mass) * scale);
    c->a += a;
    c->b.x += b.x;
    c->b.y += b.y;
    add_second_moment(c, (force)m.w, s);
    *radius = fmax(*radius, low.w);
    c->low = fmin(c->low, low + s);
    c->high = fmax(c->high, high + s);
}

/* What a child adds to the mass of a cell and to its place about `middle`. */
static inline real4 weighed(real4 m, real4 middle)
{
    return (real4)((m.x - middle.x) * m.w, (m.y - middle.y) * m.w, (m.z - middle.z) * m.w, m.w);
}

#if defined(CHILDREN_FIRST) || defined(KEPT)
/* Of n children of masses m; there are eight of either, some of them twice. */
static inline cell join_found(const real4 m[8], const uint child[8], uint n,
                              volatile global const force4 *quad,
                              volatile global const force4 *box, real scale THIRD_READ)
{
    enum { AT_ONCE = 4 };
    force radius = 0;
    real4 middle = m[0], sum = (real4)(0);
#pragma unroll
    for (uint k = 0; k < 8; k++)
        if (k < n)
            sum += weighed(m[k], middle);
    cell c = start_cell(middle, sum, sum.w);
#pragma unroll
    for (uint first = 0; first < 8; first += AT_ONCE) {
        force4 a[AT_ONCE], b[AT_ONCE], low[AT_ONCE], high[AT_ONCE];
#pragma unroll
        for (uint k = 0; k < AT_ONCE; k++) {
            uint at = 2 * child[first + k];
            a[k] = quad[at];
            b[k] = quad[at + 1];
            low[k] = box[at];
            high[k] = box[at + 1];
        }
#pragma unroll
        for (uint k = 0; k < AT_ONCE; k++)
            if (first + k < n) {
                add_child(&c, &radius, m[first + k], a[k], b[k], low[k], high[k], scale);
#ifdef OCTUPOLE
                add_child_third(&c, a[k], b[k], to_force4((m[first + k] - c.mass) * scale),
                                third + 3 * child[first + k]);
#endif
            }
    }
    c.low.w = radius;
    c.high.w = 0;
    return c;
}
#endif

#ifdef CHILDREN_FIRST
/* The children of a cell in their order, with the first behind the last; how many there are. Each
 * is found by the one before it: once they are known, nothing waits for one after the other. */
static inline uint find_children(uint child[8], uint index, uint4 link,
                                 volatile global const uint4 *links)
{
    uint n = 0, at = index + 1;
#pragma unroll
    for (uint k = 0; k < 8; k++) {
        bool is = at != link.x;
        child[k] = is ? at : index + 1;
        n += is ? 1 : 0;
        at = is ? links[at].x : at;
    }
    return n;
}

/* later: where it is noted how many siblings come after each child, unless it is null. */
static inline cell join_children(uint index, uint4 link, volatile global uint *later,
                                 volatile global const uint4 *links,
                                 volatile global const real4 *mass,
                                 volatile global const force4 *quad,
                                 volatile global const force4 *box, real scale THIRD_READ)
{
    uint child[8], n = find_children(child, index, link, links);
    real4 m[8];
#pragma unroll
    for (uint k = 0; k < 8; k++) {
        m[k] = mass[child[k]];
        if (later && k < n)
            later[child[k]] = n - 1 - k;
    }
    return join_found(m, child, n, quad, box, scale THIRD_GIVEN);
}
#else
static inline cell join_children(uint index, uint4 link, volatile global uint *later,
                                 volatile global const uint4 *links,
                                 volatile global const real4 *mass,
                                 volatile global const force4 *quad,
                                 volatile global const force4 *box, real scale THIRD_READ)
{
    force radius = 0;
    real4 sum = (real4)(0), middle = mass[index + 1];
    for (uint child = index + 1; child != link.x; child = links[child].x)
        sum += weighed(mass[child], middle);
    cell c = start_cell(middle, sum, sum.w);
    for (uint child = index + 1; child != link.x; child = links[child].x) {
        force4 a = quad[2 * child], b = quad[2 * child + 1];
        add_child(&c, &radius, mass[child], a, b, box[2 * child], box[2 * child + 1], scale);
#ifdef OCTUPOLE
        add_child_third(&c, a, b, to_force4((mass[child] - c.mass) * scale), third + 3 * child);
#endif
    }
    c.low.w = radius;
    c.high.w = 0;
    return c;
}
#endif

/* Counts of arrivals have been used up where cells are joined: with records, the numbers of later
 * siblings take their place. */
#if defined(RECORDS) && defined(CHILDREN_FIRST)
#define LATER(arrived) (arrived)
#else
#define LATER(arrived) ((volatile global uint *)0)
#endif

/* Completes a cell of this level with its reach, and writes it. */
static inline void write_cell(cell *c, uint index, uint level, volatile global real4 *mass,
                              volatile global force4 *quad, volatile global force4 *box,
                              global const real4 *bounds, force inverse_theta,
                              real scale THIRD_ARGUMENTS)
{
    real4 extent = bounds[1] - bounds[0];
    real side = fmax(extent.x, fmax(extent.y, extent.z));
    set_reach(c, inverse_theta, bounds[0], side / (real)(1u << level), scale);
#ifdef OCTUPOLE
    for (uint k = 0; k < 3; k++)
        third[3 * index + k] = c->third[k];
#endif
    mass[index] = c->mass;
    quad[2 * index] = c->a;
    quad[2 * index + 1] = c->b;
    box[2 * index] = c->low;
    box[2 * index + 1] = c->high;
}

/* Takes room for the row of a cell's children, where there are rows. */
static inline void take_row(uint index, uint4 link, volatile global const uint4 *links,
                            global uint *row_of, volatile global uint *row_end)
{
    uint n = 0;
    if (!row_of)
        return;
    for (uint child = index + 1; child != link.x; child = links[child].x)
        n++;
    row_of[index] = ROW_WORD(1 + atomic_add(row_end, n), n);
}

#define MOMENTS_ARGUMENTS                                                                          \
    volatile global real4 *mass, volatile global force4 *quad, volatile global force4 *box,        \
        volatile global uint *arrived, volatile global const uint4 *links,                         \
        global const uchar *level_of, global const real4 *sorted, global const real4 *velocity,    \
        global const uint *order, global const real4 *bounds, global const uint *total,            \
        global uint *row_of, volatile global uint *row_end,                                        \
        real scale, real mass_scale, real inverse_theta,                                           \
        uint capacity SOFT_ARGUMENTS THIRD_ARGUMENTS

kernel void tree_moments_level(MOMENTS_ARGUMENTS, uint level)
{
    uint index = (uint)get_global_id(0);
    if (total[0] > capacity || index >= total[0] || level_of[index] != level)
        return;
    uint4 link = links[index];
    uint n_all = CELL_COUNT(links[0]);
    cell c = CELL_IS_LEAF(link)
                 ? leaf_moments(link, n_all, sorted, velocity, order, scale, mass_scale)
                 : join_children(index, link, 0, links, mass, quad, box, scale THIRD_GIVEN);
#ifdef KEPT
    c.low.w = box[2 * index].w;
#endif
#ifdef SOFTENINGS
    c.soft = CELL_IS_LEAF(link) ? leaf_soft(link, sorted, sorted_soft, mass_scale)
                                : join_soft(index, link, links, mass, soft);
    soft[index] = c.soft;
#endif
    if (!CELL_IS_LEAF(link))
        take_row(index, link, links, row_of, row_end);
    write_cell(&c, index, level, mass, quad, box, bounds, (force)inverse_theta,
               scale THIRD_GIVEN);
}

kernel void tree_moments_climb(MOMENTS_ARGUMENTS)
{
    uint index = (uint)get_global_id(0);
    if (total[0] > capacity || index >= total[0])
        return;
    uint4 link = links[index];
    if (!CELL_IS_LEAF(link))
        return;
    cell c = leaf_moments(link, CELL_COUNT(links[0]), sorted, velocity, order, scale,
                          mass_scale);
#ifdef KEPT
    c.low.w = box[2 * index].w;
#endif
#ifdef SOFTENINGS
    c.soft = leaf_soft(link, sorted, sorted_soft, mass_scale);
#endif
    for (;;) {
#ifdef SOFTENINGS
        soft[index] = c.soft;
#endif
        write_cell(&c, index, level_of[index], mass, quad, box, bounds, (force)inverse_theta,
                   scale THIRD_GIVEN);
        uint parent = link.w, count = CELL_COUNT(link);
        if (parent == NO_CELL) {
            if (LATER(arrived))
                arrived[index] = 0;
            return;
        }
        DEVICE_FENCE();
        uint before = atomic_add(&arrived[parent], count);
        link = links[parent];
        if (before + count != CELL_COUNT(link))
            return;
        DEVICE_FENCE();
        index = parent;
        c = join_children(index, link, LATER(arrived), links, mass, quad, box,
                          scale THIRD_GIVEN);
#ifdef SOFTENINGS
        c.soft = join_soft(index, link, links, mass, soft);
#endif
        take_row(index, link, links, row_of, row_end);
    }
}
