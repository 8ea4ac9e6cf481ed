/* Friends of friends: bodies nearer to each other than `link` are in one group, and so are their
 * friends. Groups are trees of bodies in the tree's order: parent[i] <= i is a body of the same
 * group, and one that is its own parent is its group's first. A pair is joined by hooking the later
 * of the two firsts below the other with one compare-and-exchange, tried again from what was found
 * there instead: nobody waits for anybody. Parents only ever become smaller, so that a value that
 * is no longer up to date is still one of the same group. Which joins come first changes nothing:
 * at the end the first of a group is its least body.
 *   tree_groups_start   everybody alone
 *   tree_groups_join    each body walks the tree and joins its friends that come before it. A cell
 *                       whose diagonal is shorter than the link ends as one group, since each body
 *                       in it joins its first one: once that is in the walker's group it is passed
 *   tree_groups_least   the least of each group in the state's order
 *   tree_groups_end     for each body that one
 * Reads the tree; every image of the box is searched. Any work-group size. */
#include "precision.clh"
#include "tree.clh"
#include "tree_reach.clh"
#include "tree_walk.clh"

/* Two bodies are friends wherever their distance is computed. */
#pragma OPENCL FP_CONTRACT OFF

static inline bool is_there(global const uint *order, global const uchar *type, uint i)
{
    return type[order[i]] != OCT_TYPE_REMOVED;
}

static inline bool are_friends(real4 a, real4 b, real link)
{
    real x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z <= link * link;
}

/* The first of a group; on the way each body is hung up one step higher. */
static inline uint first_of(volatile global uint *parent, uint i)
{
    uint above = parent[i];
    while (above != i) {
        uint next = parent[above];
        if (next != above)
            atomic_min(parent + i, next);
        i = above;
        above = next;
    }
    return i;
}

static inline void join(volatile global uint *parent, uint a, uint b)
{
    a = first_of(parent, a);
    b = first_of(parent, b);
    while (a != b) {
        uint low = min(a, b), high = max(a, b);
        uint found = atomic_cmpxchg(parent + high, high, low);
        if (found == high)
            return;
        a = first_of(parent, found);
        b = low;
    }
}

kernel void tree_groups_start(global uint *parent, global uint *least, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    parent[i] = i;
    least[i] = NO_CELL;
}

typedef struct {
    real4 point; /* in the frame of the image that is searched */
    uint self;
    real link;
    force reach2; /* in units of the scale */
} seeker;

static inline void seek_leaf(const seeker *s, volatile global uint *parent,
                             global const real4 *sorted, global const uint *order,
                             global const uchar *type, uint first, uint count)
{
    for (uint j = first; j < first + count; j++)
        /* Each pair is looked at once: images on the other side are for the earlier of the two. */
        if (j < s->self && are_friends(sorted[j], s->point, s->link) && is_there(order, type, j))
            join(parent, s->self, j);
}

/* Whether all bodies of a cell are friends of each other, whatever rounding did to its box. */
static inline bool is_narrow(force4 low, force4 high, force extent, force reach2)
{
    force4 side = high - low + 2 * MARGIN * extent;
    return (side.x * side.x + side.y * side.y + side.z * side.z) * ((force)1 + MARGIN) < reach2;
}

/* Whether a cell need not be looked into: it is too far, all of it comes later, or it is in the
 * same group. */
static inline bool is_settled(const seeker *s, volatile global uint *parent,
                              global const uint *order, global const uchar *type, uint4 links,
                              real4 mass, force4 low, force4 high, force extent, real scale)
{
    if (links.y > s->self || box_distance2(s->point, mass, low, high, extent, scale) >
                                 s->reach2 * ((force)1 + MARGIN))
        return true;
    if (!is_narrow(low, high, extent, s->reach2) || !is_there(order, type, links.y))
        return false;
    return first_of(parent, links.y) == first_of(parent, s->self);
}

#define WALK_CELL(cell, links)                                                                     \
    is_settled(&s, parent, order, type, links, mass[cell], box[2 * cell], box[2 * cell + 1],       \
               quad[2 * cell + 1].w, scale)
#define WALK_PARTICLES(first, count) seek_leaf(&s, parent, sorted, order, type, first, count)

kernel void tree_groups_join(volatile global uint *parent, global const real4 *sorted,
                             global const uint *order, global const uchar *type,
                             global const uint4 *links, global const real4 *mass,
                             global const force4 *quad, global const force4 *box,
                             global const uint *total, global const real4 *image_shift, uint images,
                             real link, real scale, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || !is_there(order, type, i))
        return;
    seeker s;
    s.self = i;
    s.link = link;
    s.reach2 = (force)(link * scale) * (force)(link * scale);
    for (uint k = 0; k < images; k++) {
        s.point = sorted[i] - image_shift[k];
        WALK(links, total[0])
    }
}

kernel void tree_groups_least(volatile global uint *least, volatile global uint *parent,
                              global const uint *order, global const uchar *type, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i < n && is_there(order, type, i))
        atomic_min(least + first_of(parent, i), order[i]);
}

kernel void tree_groups_end(global uint *label, global const uint *least,
                            volatile global uint *parent, global const uint *order, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i < n)
        label[order[i]] = least[first_of(parent, i)];
}
