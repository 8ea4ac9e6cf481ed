/* The search of collision_search.cl for CPUs: a work-item walks the tree for a group of 64
 * particles. Particles of leaves that the group may touch are compared with LANES of them at a
 * time, in `force` numbers relative to the group's first particle and with a margin for their
 * rounding; only those that pass are tested exactly. Reads the state and the tree; lists pairs.
 * Work-groups of one work-item. */
#include "collision.clh"
#include "tree.clh"
#include "tree_walk.clh"
#include "lanes.clh"

#define GROUP  64
#define BLOCKS (GROUP / LANES)
/* More than the rounding of a coordinate, relative to the largest one in the group or a cell. */
#define MARGIN ((force)1e-6)

typedef struct {
    lanes x[BLOCKS], y[BLOCKS], z[BLOCKS], reach[BLOCKS]; /* reach: radius and margin */
    force4 low, high;                                     /* box around all of them */
    force largest, margin;
    real4 centre; /* where the image that is searched sees it */
    uint base, size, image;
} group;

static inline force4 relative(real4 x, real4 centre, real scale)
{
    return (force4)((force)((x.x - centre.x) * scale), (force)((x.y - centre.y) * scale),
                    (force)((x.z - centre.z) * scale), 0);
}

static inline void gather(group *g, global const real4 *sorted, global const real4 *velocity,
                          global const uint *order, real scale)
{
    force x[GROUP], y[GROUP], z[GROUP], reach[GROUP];
    real4 centre = sorted[g->base];
    g->low = g->high = (force4)(0);
    g->largest = 0;
    for (uint k = 0; k < GROUP; k++) {
        uint i = g->base + min(k, g->size - 1);
        force4 at = relative(sorted[i], centre, scale);
        g->low = fmin(g->low, at);
        g->high = fmax(g->high, at);
        x[k] = at.x;
        y[k] = at.y;
        z[k] = at.z;
        /* Lanes past the end touch nothing. */
        reach[k] = k < g->size ? (force)(velocity[order[i]].w * scale) : -INFINITY;
        g->largest = fmax(g->largest, reach[k]);
    }
    force4 out = fmax(-g->low, g->high);
    g->margin = MARGIN * (fmax(out.x, fmax(out.y, out.z)) + g->largest);
    for (uint k = 0; k < BLOCKS; k++) {
        g->x[k] = load_lanes(k, x);
        g->y[k] = load_lanes(k, y);
        g->z[k] = load_lanes(k, z);
        g->reach[k] = load_lanes(k, reach) + g->margin;
    }
}

/* How far apart two boxes are, squared. */
static inline force gap2(const group *g, force4 low, force4 high)
{
    force4 d = fmax(fmax(low - g->high, g->low - high), (force4)(0));
    return d.x * d.x + d.y * d.y + d.z * d.z;
}

static inline bool far_away(const group *g, real4 m, force4 low, force4 high, force extent,
                            real scale)
{
    force4 at = relative(m, g->centre, scale);
    force reach = g->largest + low.w * ((force)1 + MARGIN) + 2 * g->margin + MARGIN * extent;
    low.w = 0;
    return gap2(g, at + low, at + high) > reach * reach;
}

/* The particles of the group in block k that j may touch, tested exactly. */
static void compare_exactly(const group *g, uint k, lanes_index hits, uint other, real4 x, real4 v,
                            real4 image_shift, global const real4 *sorted,
                            global const real4 *velocity, global const uint *order,
                            uint overlapping, PAIR_LIST)
{
    force hit[LANES];
    store_lanes(select((lanes)(0), (lanes)(1), hits), 0, hit);
    for (uint lane = 0; lane < LANES; lane++) {
        uint i = g->base + k * LANES + lane;
        if (hit[lane] == 0 || order[i] >= other)
            continue;
        uint self = order[i];
        if (pair_collides(moved_by(sorted[i], -image_shift), velocity[self], x, v, overlapping))
            list_pair(self, other, g->image, PAIR_LIST_PASSED);
    }
}

static void compare_leaf(const group *g, uint first, uint count, real4 image_shift,
                         real4 image_velocity, global const real4 *sorted,
                         global const real4 *velocity, global const uint *order,
                         global const uchar *type, force leaf_largest, real scale,
                         uint overlapping, PAIR_LIST)
{
    force most = g->largest + leaf_largest * ((force)1 + MARGIN) + 2 * g->margin;
    for (uint j = first; j < first + count; j++) {
        uint other = order[j];
        force4 at = relative(sorted[j], g->centre, scale);
        force gap = gap2(g, at, at);
        /* Most are out of reach before anything else of them is looked at. */
        if (gap > most * most || type[other] == OCT_TYPE_REMOVED)
            continue;
        real4 v = velocity[other];
        force radius = (force)(v.w * scale), reach = radius + g->largest + 2 * g->margin;
        if (gap > reach * reach)
            continue;
        for (uint k = 0; k < BLOCKS; k++) {
            lanes x = g->x[k] - at.x, y = g->y[k] - at.y, z = g->z[k] - at.z;
            lanes touch = g->reach[k] + (radius + g->margin);
            lanes_index hits = x * x + (y * y + z * z) < touch * touch && touch > (lanes)(0);
            if (any(hits))
                compare_exactly(g, k, hits, other, sorted[j], moved_by(v, image_velocity),
                                image_shift, sorted, velocity, order, overlapping,
                                PAIR_LIST_PASSED);
        }
    }
}

#define WALK_CELL(cell, link)                                                                      \
    far_away(&g, mass[cell], box[2 * cell], box[2 * cell + 1], quad[2 * cell + 1].w, scale)
#define WALK_PARTICLES(first, count)                                                               \
    compare_leaf(&g, first, count, image_shift[image], image_velocity[image], sorted, velocity,    \
                 order, type, box[2 * walk_index].w, scale, overlapping, PAIR_LIST_PASSED)

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
collision_search_lanes(PAIR_LIST, global const real4 *sorted, global const real4 *velocity,
                       global const uint *order, global const uchar *type,
                       global const uint4 *links, global const real4 *mass,
                       global const force4 *quad, global const force4 *box,
                       global const uint *total, global const real4 *image_shift,
                       global const real4 *image_velocity, uint images, uint overlapping,
                       real scale, uint n)
{
    group g;
    g.base = (uint)get_group_id(0) * GROUP;
    g.size = min(n - g.base, (uint)GROUP);
    gather(&g, sorted, velocity, order, scale);
    for (uint image = 0; image < images; image++) {
        /* An image that is moved by a shift sees the group moved the other way. */
        g.centre = moved_by(sorted[g.base], -image_shift[image]);
        g.image = image;
        WALK(links, total[0])
    }
}
