/* All pairs of particles that collide, each once, images of the box included.
 *   collision_search_tree    each particle walks the tree; a cell is passed by when its box is
 *                            farther away than the particle's radius and the cell's largest
 *   collision_search_direct  each particle looks at all others: the oracle, and quick for few
 * A pair belongs to the particle that comes first in the state's order. Reads the state and the
 * tree; lists pairs. Any work-group size. */
#include "collision.clh"
#include "tree.clh"
#include "tree_reach.clh"
#include "tree_walk.clh"

typedef struct {
    real4 x, v; /* in the frame of the image that is searched */
    uint self, image;
} searcher;

static inline void look_at(const searcher *s, real4 x, uint other, real4 image_velocity,
                           global const real4 *velocity, global const uchar *type,
                           uint overlapping, PAIR_LIST)
{
    if (other <= s->self || type[other] == OCT_TYPE_REMOVED)
        return;
    real4 v = moved_by(velocity[other], image_velocity);
    if (pair_collides(s->x, s->v, x, v, overlapping))
        list_pair(s->self, other, s->image, PAIR_LIST_PASSED);
}

static inline void look_at_leaf(const searcher *s, uint first, uint count, real4 image_velocity,
                                global const real4 *sorted, global const uint *order,
                                global const real4 *velocity, global const uchar *type,
                                uint overlapping, PAIR_LIST)
{
    for (uint j = first; j < first + count; j++)
        look_at(s, sorted[j], order[j], image_velocity, velocity, type, overlapping,
                PAIR_LIST_PASSED);
}

#define WALK_CELL(cell, link)                                                                      \
    out_of_reach(s.x, s.v.w, mass[cell], box[2 * cell], box[2 * cell + 1],                         \
                 quad[2 * cell + 1].w, scale)
#define WALK_PARTICLES(first, count)                                                               \
    look_at_leaf(&s, first, count, image_velocity[image], sorted, order, velocity, type,           \
                 overlapping, PAIR_LIST_PASSED)

kernel void collision_search_tree(PAIR_LIST, global const real4 *sorted,
                                  global const real4 *velocity, global const uint *order,
                                  global const uchar *type, global const uint4 *links,
                                  global const real4 *mass, global const force4 *quad,
                                  global const force4 *box, global const uint *total,
                                  global const real4 *image_shift,
                                  global const real4 *image_velocity, uint images,
                                  uint overlapping, real scale, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    searcher s;
    s.self = order[i];
    s.v = velocity[s.self];
    if (type[s.self] == OCT_TYPE_REMOVED)
        return;
    for (uint image = 0; image < images; image++) {
        /* An image that is moved by a shift sees the particle moved the other way. */
        s.x = moved_by(sorted[i], -image_shift[image]);
        s.image = image;
        WALK(links, total[0])
    }
}

kernel void collision_search_direct(PAIR_LIST, global const real4 *position,
                                    global const real4 *velocity, global const uchar *type,
                                    global const real4 *image_shift,
                                    global const real4 *image_velocity, uint images,
                                    uint overlapping, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || type[i] == OCT_TYPE_REMOVED)
        return;
    searcher s;
    s.self = i;
    s.v = velocity[i];
    for (uint image = 0; image < images; image++) {
        s.x = moved_by(position[i], -image_shift[image]);
        s.image = image;
        for (uint j = i + 1; j < n; j++)
            look_at(&s, position[j], j, image_velocity[image], velocity, type, overlapping,
                    PAIR_LIST_PASSED);
    }
}
