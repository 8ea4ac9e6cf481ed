/* All pairs of particles that collide, each once, images of the box included.
 *   collision_search_tree    each particle walks the tree; a cell is passed by when its box is
 *                            farther away than the particle's radius and the cell's largest
 *   collision_search_tree_set  the same for the bodies of a set
 *   collision_search_direct  each particle looks at all others: the oracle, and quick for few
 *   collision_search_tree_guests, collision_search_direct_guests
 *                            those in the rows from `first_guest` on, which are not in the tree or
 *                            among the first n, look at these
 * The test of a pair is that of the particle that comes first in the state's order, to the last
 * bit, whoever does it. In a tree that is the one that comes first in the tree's order, so that
 * cells which end before it are passed by; where only one of the two is in the set (set.clh), that
 * one. Reads the state and the tree; lists pairs. Any work-group size. */
#include "collision.clh"
#include "tree.clh"
#include "tree_reach.clh"
#include "tree_walk.clh"

/* More than the sum of two coordinates is rounded by, relative to them. */
#if OCT_PRECISION == 1
#define ROUNDING 1e-6f
#else
#define ROUNDING 2e-15
#endif

typedef struct {
    real4 x, v; /* in the frame of the image that is searched */
    real reach; /* its radius, and what coordinates that another one moves may be rounded by */
    uint place, self, image;
    global const uchar *active;
#ifdef SHARED
    bool guest; /* it is not among those that it looks at */
    real4 at;   /* where it is, if so */
#endif
} searcher;

#ifdef SHARED
#define IS_GUEST(s)     (s)->guest
#define PLACE_OF(s, points) ((s)->guest ? (s)->at : (points)[(s)->place])
#else
#define IS_GUEST(s)     false
#define PLACE_OF(s, points) (points)[(s)->place]
#endif

static inline real sum_of(real4 x)
{
    return x.x + x.y + x.z;
}

/* The particle at place j of the points. Work-items in step take one way whoever comes first. */
static inline void look_at(const searcher *s, global const real4 *points, uint j, uint other,
                           global const real4 *velocity, global const uchar *type,
                           global const real4 *image_shift, global const real4 *image_velocity,
                           uint overlapping, PAIR_LIST)
{
    bool is_own = IS_GUEST(s) || s->place < j ||
                  (s->active && s->place != j && !s->active[other]);
    if (!is_own || type[other] == OCT_TYPE_REMOVED)
        return;
    bool turned = !COMES_FIRST(s->self, other);
    uint image = turned ? opposite(s->image) : s->image;
    real4 other_v = velocity[other], self_x = PLACE_OF(s, points);
    real4 x = moved_by(turned ? points[j] : self_x, -image_shift[image]);
    real4 v = moved_by(turned ? s->v : other_v, image_velocity[image]);
    if (pair_collides(x, turned ? other_v : s->v, turned ? self_x : points[j], v, overlapping))
        list_pair(turned ? other : s->self, turned ? s->self : other, image, PAIR_LIST_PASSED);
}

/* `largest`: the largest radius in the leaf. Velocities lie anywhere in memory, and most particles
 * are too far away for any of them to touch. */
static inline void look_at_leaf(const searcher *s, uint first, uint count, real largest,
                                global const real4 *sorted, global const uint *order,
                                global const real4 *velocity, global const uchar *type,
                                global const real4 *image_shift,
                                global const real4 *image_velocity, uint overlapping, PAIR_LIST)
{
    real near = s->reach + largest;
    uint from = s->active || IS_GUEST(s) ? first : max(first, s->place + 1);
    for (uint j = from; j < first + count; j++) {
        real3 d = sorted[j].xyz - s->x.xyz;
        if (dot3(d, d) < near * near)
            look_at(s, sorted, j, order[j], velocity, type, image_shift, image_velocity,
                    overlapping, PAIR_LIST_PASSED);
    }
}

#define WALK_CELL(cell, link)                                                                      \
    ((!active && !IS_GUEST(&s) && (link).y + CELL_COUNT(link) <= s.place + 1) ||                   \
     out_of_reach(s.x, s.reach, mass[cell], box[2 * cell], box[2 * cell + 1],                      \
                  quad[2 * cell + 1].w, scale))
#define WALK_PARTICLES(first, count)                                                               \
    look_at_leaf(&s, first, count, box[2 * walk_index].w * largest_of, sorted, order, velocity,    \
                 type, image_shift, image_velocity, overlapping, PAIR_LIST_PASSED)

#define SEARCH_ARGUMENTS                                                                           \
    PAIR_LIST, global const real4 *sorted, global const real4 *velocity,                           \
        global const uint *order, global const uchar *type, global const uint4 *links,             \
        global const real4 *mass, global const force4 *quad, global const force4 *box,             \
        global const uint *total, global const real4 *image_shift,                                 \
        global const real4 *image_velocity, uint images, uint overlapping, real scale, uint n,     \
        volatile global const uint *counters
#define SEARCH_PASSED                                                                              \
    PAIR_LIST_PASSED, sorted, velocity, order, type, links, mass, quad, box, total, image_shift,   \
        image_velocity, images, overlapping, scale, n, counters

static inline void search_from(searcher s, global const uchar *active, SEARCH_ARGUMENTS)
{
    /* From units of the scale, and no smaller than before it was rounded to `force`. */
    real largest_of = (1 + (real)MARGIN) / scale;
    s.active = active;
    s.v = velocity[s.self];
    if (type[s.self] == OCT_TYPE_REMOVED)
        return;
    for (uint image = 0; image < images; image++) {
        /* An image that is moved by a shift sees the particle moved the other way. */
        s.x = moved_by(PLACE_OF(&s, sorted), -image_shift[image]);
        s.reach = s.v.w + ROUNDING * (sum_of(fabs(s.x)) + sum_of(fabs(image_shift[image])));
        s.image = image;
        WALK(links, total[0])
    }
}

static inline void search_at(uint i, global const uchar *active, SEARCH_ARGUMENTS)
{
    searcher s = {.place = i, .self = order[i]};
    search_from(s, active, SEARCH_PASSED);
}

kernel void collision_search_tree(SEARCH_ARGUMENTS)
{
    if (get_global_id(0) < n && !is_halted(counters))
        search_at((uint)get_global_id(0), 0, SEARCH_PASSED);
}

/* By itself: what a set needs would take registers from those who have none. */
kernel void collision_search_tree_set(SEARCH_ARGUMENTS, global const uint *active_places,
                                      global const uint *n_places, global const uchar *active)
{
    if (get_global_id(0) < count_listed(active_places, n_places, n) && !is_halted(counters))
        search_at(listed_at(active_places, (uint)get_global_id(0)), active, SEARCH_PASSED);
}

#ifdef SHARED
kernel void collision_search_tree_guests(SEARCH_ARGUMENTS, global const real4 *position,
                                         uint first_guest, uint end_guest)
{
    uint i = first_guest + (uint)get_global_id(0);
    if (i >= end_guest || is_halted(counters))
        return;
    searcher s = {.place = i, .self = i, .at = position[i], .guest = true};
    search_from(s, 0, SEARCH_PASSED);
}
#endif

kernel void collision_search_direct(PAIR_LIST, global const real4 *position,
                                    global const real4 *velocity, global const uchar *type,
                                    global const uint *listed, global const uint *n_listed,
                                    global const uchar *active, global const real4 *image_shift,
                                    global const real4 *image_velocity, uint images,
                                    uint overlapping, uint n,
                                    volatile global const uint *counters)
{
    if (get_global_id(0) >= count_listed(listed, n_listed, n) || is_halted(counters))
        return;
    uint i = listed_at(listed, (uint)get_global_id(0));
    if (type[i] == OCT_TYPE_REMOVED)
        return;
    searcher s = {.place = i, .self = i, .v = velocity[i], .active = active};
    for (uint image = 0; image < images; image++) {
        s.image = image;
        for (uint j = active ? 0 : i + 1; j < n; j++)
            look_at(&s, position, j, j, velocity, type, image_shift, image_velocity, overlapping,
                    PAIR_LIST_PASSED);
    }
}

#ifdef SHARED
kernel void collision_search_direct_guests(PAIR_LIST, global const real4 *position,
                                           global const real4 *velocity, global const uchar *type,
                                           global const real4 *image_shift,
                                           global const real4 *image_velocity, uint images,
                                           uint overlapping, uint first_guest, uint end_guest,
                                           volatile global const uint *counters)
{
    uint i = first_guest + (uint)get_global_id(0);
    if (i >= end_guest || is_halted(counters) || type[i] == OCT_TYPE_REMOVED)
        return;
    searcher s = {.place = i, .self = i, .v = velocity[i], .at = position[i], .guest = true};
    for (uint image = 0; image < images; image++) {
        s.image = image;
        for (uint j = 0; j < first_guest; j++)
            look_at(&s, position, j, j, velocity, type, image_shift, image_velocity, overlapping,
                    PAIR_LIST_PASSED);
    }
}
#endif
