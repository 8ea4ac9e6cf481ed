/* The search of collision_search.cl for CPUs: a work-item walks the tree for a group of 64
 * particles, in blocks of LANES that are neighbours. Each looks only at particles behind it in the
 * sorted order, so that cells which end before the group are passed by; those of a set (set.clh)
 * look at all, and leave pairs of two of them to the first. What may touch a block is compared with
 * all of it at once, whether it touches and approaches, in `force` numbers relative to the group's
 * first particle and with a margin for their rounding; only those that pass are tested exactly.
 *   collision_search_lanes         groups of the tree's particles
 *   collision_search_lanes_guests  groups of particles that are not in the tree, in the rows from
 *                                  `first_guest` on
 * Reads the state and the tree; lists pairs. Work-groups of one work-item. */
#include "collision.clh"
#include "tree.clh"
#include "tree_walk.clh"
#include "lanes.clh"
#include "lanes_runs.clh"

/* More than the rounding of a coordinate, relative to the largest one in the group or a cell. */
#define MARGIN ((force)1e-6)
/* Runs in a block. */
#define BLOCK_RUNS (LANES / BLOCKS)
/* Pairs that are listed at once. */
#define LIST 64
/* Particles whose velocities are asked for ahead. */
#define AHEAD 4

typedef struct {
    lanes x[BLOCKS], y[BLOCKS], z[BLOCKS], radius[BLOCKS];
    lanes vx[BLOCKS], vy[BLOCKS], vz[BLOCKS];
    runs boxes;
    lanes largest;         /* radius in each run */
    force margin, fastest; /* fastest: the largest component of a velocity */
    real4 centre, drift;   /* place and velocity of its first particle, as the image sees them */
    uint base, size, image;
    global const uchar *active;
    /* Where its particles are, and their rows by places; NULL: places are rows. */
    global const real4 *points;
    global const uint *rows;
    bool all; /* looks at all, not only at those behind it */
    uint4 found[LIST]; /* pairs to list */
    uint n_found;
} group;

static inline force4 relative(real4 x, real4 centre, real scale)
{
    return (force4)((force)((x.x - centre.x) * scale), (force)((x.y - centre.y) * scale),
                    (force)((x.z - centre.z) * scale), 0);
}

static inline uint row_of(const group *g, uint i)
{
    return g->rows ? g->rows[i] : i;
}

static inline void gather(group *g, global const real4 *velocity, real scale)
{
    force x[GROUP], y[GROUP], z[GROUP], radius[GROUP], most = 0;
    force vx[GROUP], vy[GROUP], vz[GROUP];
    g->fastest = 0;
    /* Velocities lie anywhere in memory: all are asked for before one is waited for. */
    for (uint k = 0; k < g->size; k++)
        PREFETCH(velocity + row_of(g, g->base + k));
    for (uint k = 0; k < GROUP; k++) {
        uint i = g->base + min(k, g->size - 1);
        force4 at = relative(g->points[i], g->points[g->base], scale), out = fabs(at);
        real4 v = velocity[row_of(g, i)];
        force4 u = relative(v, velocity[row_of(g, g->base)], scale), fast = fabs(u);
        x[k] = at.x;
        y[k] = at.y;
        z[k] = at.z;
        vx[k] = u.x;
        vy[k] = u.y;
        vz[k] = u.z;
        radius[k] = (force)(v.w * scale);
        g->fastest = max(g->fastest, max(fast.x, max(fast.y, fast.z)));
        most = max(most, max(out.x, max(out.y, out.z)) + radius[k]);
    }
    g->margin = 2 * MARGIN * most;
    g->boxes = find_runs(x, y, z);
    lanes smallest;
    find_ends(&smallest, &g->largest, radius);
    /* Lanes past the end touch nothing. */
    for (uint k = g->size; k < GROUP; k++)
        radius[k] = -INFINITY;
    for (uint k = 0; k < BLOCKS; k++) {
        g->x[k] = load_lanes(k, x);
        g->y[k] = load_lanes(k, y);
        g->z[k] = load_lanes(k, z);
        g->radius[k] = load_lanes(k, radius);
        g->vx[k] = load_lanes(k, vx);
        g->vy[k] = load_lanes(k, vy);
        g->vz[k] = load_lanes(k, vz);
    }
}

/* The runs that something of this radius between two corners may touch, a bit each. */
static inline uint runs_near(const group *g, force4 low, force4 high, force radius, force margin)
{
    lanes reach = g->largest + (radius + margin);
    return lanes_mask(runs_distance2(&g->boxes, low, high) <= reach * reach);
}

static inline bool passes_by(const group *g, uint4 link, real4 m, force4 low, force4 high,
                             force extent, real scale)
{
    /* All of its particles come before the group's, and look at the group themselves. */
    if (!g->all && link.y + CELL_COUNT(link) <= g->base + 1)
        return true;
    force4 at = relative(m, g->centre, scale);
    force margin = g->margin + MARGIN * (extent + low.w);
    return runs_near(g, at + low, at + high, low.w, margin) == 0;
}

static void list_found(group *g, PAIR_LIST)
{
    uint k = atomic_add(&status[STATUS_PAIRS], g->n_found);
    for (uint f = 0; f < g->n_found; f++)
        put_pair(k + f, g->found[f], PAIR_LIST_PASSED);
    g->n_found = 0;
}

/* Whether the pair of particle i of the group and j is the group's to list. */
static inline bool lists_pair(const group *g, uint i, uint j, global const uint *order,
                              global const uchar *type)
{
    if (!g->rows)
        return type[i] != OCT_TYPE_REMOVED;
    if (!g->active)
        return i < j;
    return i != j && g->active[order[i]] && type[order[i]] != OCT_TYPE_REMOVED &&
           (i < j || !g->active[order[j]]);
}

/* Particle i of the group, in the image that is searched, and j, which may touch: the test is that
 * of the one that comes first in the state's order, to the last bit. */
static void compare_exactly(group *g, uint i, uint j, global const real4 *image_shift,
                            global const real4 *image_velocity, global const real4 *sorted,
                            global const real4 *velocity, global const uint *order,
                            uint overlapping, PAIR_LIST)
{
    uint own = row_of(g, i), other = order[j];
    bool turned = COMES_FIRST(other, own);
    uint a = turned ? other : own, b = turned ? own : other;
    uint image = turned ? opposite(g->image) : g->image;
    real4 x = moved_by(turned ? sorted[j] : g->points[i], -image_shift[image]), v = velocity[a];
    real4 other_v = moved_by(velocity[b], image_velocity[image]);
    if (!pair_collides(x, v, turned ? g->points[i] : sorted[j], other_v, overlapping))
        return;
    g->found[g->n_found] = (uint4)(a, b, image, 0);
    if (++g->n_found == LIST)
        list_found(g, PAIR_LIST_PASSED);
}

static void compare_leaf(group *g, uint first, uint count, force leaf_largest,
                         global const real4 *image_shift, global const real4 *image_velocity,
                         global const real4 *sorted, global const real4 *velocity,
                         global const uint *order, global const uchar *type, real scale,
                         uint overlapping, PAIR_LIST)
{
    force margin = g->margin + MARGIN * leaf_largest;
    for (uint j = g->all ? first : max(first, g->base + 1); j < first + count; j++) {
        force4 at = relative(sorted[j], g->centre, scale);
        uint near = runs_near(g, at, at, leaf_largest, margin);
        PREFETCH(velocity + order[min(j + AHEAD, first + count - 1)]);
        /* Most are out of reach before anything else of them is looked at. */
        if (near == 0 || type[order[j]] == OCT_TYPE_REMOVED)
            continue;
        real4 v = velocity[order[j]];
        force4 u = relative(v, g->drift, scale), fast = fabs(u);
        force radius = (force)(v.w * scale) + margin;
        /* d u is less than three times the distance times the speeds, in each of its terms. */
        force slow = 20 * MARGIN * (g->fastest + max(fast.x, max(fast.y, fast.z)));
        uint end = g->all ? g->base + g->size : j;
        for (uint k = 0; k < BLOCKS && g->base + k * LANES < end; k++) {
            if ((near >> k * BLOCK_RUNS & ((1u << BLOCK_RUNS) - 1)) == 0)
                continue;
            lanes x = g->x[k] - at.x, y = g->y[k] - at.y, z = g->z[k] - at.z;
            lanes touch = g->radius[k] + radius;
            lanes_index hits = x * x + (y * y + z * z) < touch * touch && touch > (lanes)(0);
            lanes approach =
                x * (g->vx[k] - u.x) + (y * (g->vy[k] - u.y) + z * (g->vz[k] - u.z));
            if (!overlapping)
                hits = hits && approach < slow * touch;
            uint i = g->base + k * LANES;
            for (uint mask = lanes_mask(hits); mask != 0 && i < end; mask >>= 1, i++)
                if ((mask & 1) && lists_pair(g, i, j, order, type))
                    compare_exactly(g, i, j, image_shift, image_velocity, sorted, velocity, order,
                                    overlapping, PAIR_LIST_PASSED);
        }
    }
}

#define WALK_CELL(cell, link)                                                                      \
    passes_by(g, link, mass[cell], box[2 * cell], box[2 * cell + 1], quad[2 * cell + 1].w, scale)
#define WALK_PARTICLES(first, count)                                                               \
    compare_leaf(g, first, count, box[2 * walk_index].w, image_shift, image_velocity, sorted,     \
                 velocity, order, type, scale, overlapping, PAIR_LIST_PASSED)

#define SEARCH_ARGUMENTS                                                                           \
    PAIR_LIST, global const real4 *sorted, global const real4 *velocity,                           \
        global const uint *order, global const uchar *type, global const uint4 *links,             \
        global const real4 *mass, global const force4 *quad, global const force4 *box,             \
        global const uint *total, global const real4 *image_shift,                                 \
        global const real4 *image_velocity, uint images, uint overlapping, real scale
#define SEARCH_PASSED                                                                              \
    PAIR_LIST_PASSED, sorted, velocity, order, type, links, mass, quad, box, total, image_shift,   \
        image_velocity, images, overlapping, scale

static inline void search_for(group *g, SEARCH_ARGUMENTS)
{
    g->n_found = 0;
    gather(g, velocity, scale);
    for (uint image = 0; image < images; image++) {
        /* An image that is moved by a shift sees the group moved the other way. */
        g->centre = moved_by(g->points[g->base], -image_shift[image]);
        g->drift = moved_by(velocity[row_of(g, g->base)], -image_velocity[image]);
        g->image = image;
        WALK(links, total[0])
    }
    list_found(g, PAIR_LIST_PASSED);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
collision_search_lanes(SEARCH_ARGUMENTS, uint n, global const uint *groups,
                       global const uint *n_groups, global const uchar *active,
                       volatile global const uint *counters)
{
    group g;
    if (get_group_id(0) >= count_listed(groups, n_groups, (uint)get_num_groups(0)) ||
        is_halted(counters))
        return;
    g.base = listed_at(groups, (uint)get_group_id(0)) * GROUP;
    g.size = min(n - g.base, (uint)GROUP);
    g.points = sorted;
    g.rows = order;
    g.active = active;
    g.all = active != 0;
    search_for(&g, SEARCH_PASSED);
}

#ifdef SHARED
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
collision_search_lanes_guests(SEARCH_ARGUMENTS, global const real4 *position, uint first_guest,
                              uint end_guest, volatile global const uint *counters)
{
    group g;
    g.base = first_guest + (uint)get_group_id(0) * GROUP;
    if (g.base >= end_guest || is_halted(counters))
        return;
    g.size = min(end_guest - g.base, (uint)GROUP);
    g.points = position;
    g.rows = 0;
    g.active = 0;
    g.all = true;
    search_for(&g, SEARCH_PASSED);
}
#endif
