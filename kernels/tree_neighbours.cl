/* Neighbours of particles, each walking the tree for itself.
 *   tree_neighbours_nearest   the K nearest of every particle, nearest first
 *   tree_neighbours_touching  the particles that touch it, each pair once: counted, or listed at
 *                             the places that a scan of the counts gave
 * Every image of the box is searched. Cells are passed by when their box is too far away; the
 * largest radius in a cell tells for touching, so that one large body among small ones stays cheap.
 * Reads the tree; indices that are written are those of the state. Any work-group size. */
#include "precision.clh"
#include "tree.clh"
#include "tree_reach.clh"
#include "tree_walk.clh"

/* A pair that touches does so wherever its distance is computed. */
#pragma OPENCL FP_CONTRACT OFF

#ifndef K
#define K 8
#endif

static inline real distance2(real4 a, real4 b)
{
    real x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

/* An image that is moved by a shift sees the particle moved the other way. */
static inline real4 seen_from(real4 x, real4 shift)
{
    return x - shift;
}

typedef struct {
    real4 point; /* in the frame of the image that is searched */
    uint self, found, image;
    real bound; /* squares of distances */
    real distance[K];
    uint index[K];
} nearest;

static inline bool nearer(real d2, uint j, const nearest *s, uint k)
{
    return d2 < s->distance[k] || (d2 == s->distance[k] && j < s->index[k]);
}

/* Where j is in the list, through an image searched before; past the end where it is not. */
static inline uint place_of(uint j, const nearest *s)
{
    uint k = s->image == 0 ? s->found : 0;
    while (k < s->found && s->index[k] != j)
        k++;
    return k;
}

/* Keeps the list sorted by distance, then by place, so that it does not depend on the walk. Each
 * particle is in it once, with its nearest image. */
static inline void consider(nearest *s, real d2, uint j)
{
    uint k = min(place_of(j, s), (uint)(K - 1));
    if (k < s->found && !nearer(d2, j, s, k))
        return;
    s->found = max(s->found, k + 1);
    for (; k > 0 && nearer(d2, j, s, k - 1); k--) {
        s->distance[k] = s->distance[k - 1];
        s->index[k] = s->index[k - 1];
    }
    s->distance[k] = d2;
    s->index[k] = j;
    if (s->found == K)
        s->bound = fmin(s->bound, s->distance[K - 1]);
}

static inline void consider_leaf(nearest *s, global const real4 *sorted, global const uint *order,
                                 global const uchar *type, uint first, uint count)
{
    for (uint j = first; j < first + count; j++) {
        real d2 = distance2(sorted[j], s->point);
        if (j != s->self && d2 <= s->bound && type[order[j]] != OCT_TYPE_REMOVED)
            consider(s, d2, j);
    }
}

#define WALK_CELL(cell, link)                                                                      \
    (box_distance2(s.point, mass[cell], box[2 * cell], box[2 * cell + 1], quad[2 * cell + 1].w,    \
                   scale) > (force)(s.bound * scale * scale) * ((force)1 + MARGIN))
#define WALK_PARTICLES(first, count) consider_leaf(&s, sorted, order, type, first, count)

kernel void tree_neighbours_nearest(global uint *index, global real *distance,
                                    global const real4 *sorted, global const uint *order,
                                    global const uchar *type, global const uint4 *links,
                                    global const real4 *mass, global const force4 *quad,
                                    global const force4 *box, global const uint *total,
                                    global const real4 *image_shift, uint images, real scale,
                                    uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    nearest s;
    s.point = sorted[i];
    s.self = i;
    s.found = s.image = 0;
    s.bound = INFINITY;
    /* Neighbours along the curve bound the distance before the walk begins. */
    consider_leaf(&s, sorted, order, type, i - min(i, (uint)K), min(i, (uint)K));
    consider_leaf(&s, sorted, order, type, i + 1, min(n - 1 - i, (uint)K));
    s.found = 0;
    for (; s.image < images; s.image++) {
        s.point = seen_from(sorted[i], image_shift[s.image]);
        WALK(links, total[0])
    }
    for (uint k = 0; k < K; k++) {
        bool there = k < s.found;
        index[(size_t)order[i] * K + k] = there ? order[s.index[k]] : NO_CELL;
        distance[(size_t)order[i] * K + k] = there ? sqrt(s.distance[k]) : INFINITY;
    }
}

#undef WALK_CELL
#undef WALK_PARTICLES

typedef struct {
    real4 origin, point; /* itself, and in the frame of the image that is searched */
    real radius;
    uint self, found, place, image;
    global const real4 *image_shift;
} touching;

/* Whether it touches a particle in an image that was searched before. */
static inline bool touched_before(const touching *s, real4 other, real reach)
{
    for (uint k = 0; k < s->image; k++)
        if (distance2(other, seen_from(s->origin, s->image_shift[k])) < reach * reach)
            return true;
    return false;
}

/* Each pair belongs to the one of the two that comes first in the state's order. */
static inline void touch_leaf(touching *s, global uint2 *pairs, global const real4 *sorted,
                              global const real4 *velocity, global const uint *order,
                              global const uchar *type, uint first, uint count)
{
    for (uint j = first; j < first + count; j++) {
        uint other = order[j];
        real reach = s->radius + velocity[other].w;
        if (other <= s->self || type[other] == OCT_TYPE_REMOVED ||
            distance2(sorted[j], s->point) >= reach * reach ||
            touched_before(s, sorted[j], reach))
            continue;
        if (pairs)
            pairs[s->place + s->found] = (uint2)(s->self, other);
        s->found++;
    }
}

#define WALK_CELL(cell, link)                                                                      \
    out_of_reach(s.point, s.radius, mass[cell], box[2 * cell], box[2 * cell + 1],                  \
                 quad[2 * cell + 1].w, scale)
#define WALK_PARTICLES(first, count)                                                               \
    touch_leaf(&s, pairs, sorted, velocity, order, type, first, count)

/* Without pairs it counts; with them it writes them from places[] on. */
kernel void tree_neighbours_touching(global uint *counts, global uint2 *pairs,
                                     global const uint *places, global const real4 *sorted,
                                     global const real4 *velocity, global const uint *order,
                                     global const uchar *type, global const uint4 *links,
                                     global const real4 *mass, global const force4 *quad,
                                     global const force4 *box, global const uint *total,
                                     global const real4 *image_shift, uint images, real scale,
                                     uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    touching s;
    s.self = order[i];
    s.origin = sorted[i];
    s.radius = velocity[s.self].w;
    s.found = s.image = 0;
    s.image_shift = image_shift;
    s.place = pairs ? places[i] : 0;
    bool there = type[s.self] != OCT_TYPE_REMOVED && s.radius >= 0;
    for (; there && s.image < images; s.image++) {
        s.point = seen_from(s.origin, image_shift[s.image]);
        WALK(links, total[0])
    }
    if (!pairs)
        counts[i] = s.found;
}
