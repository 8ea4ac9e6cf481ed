/* Which bodies may touch those of other ranks.
 *   lend_boxes   boxes around EACH bodies that follow each other in the tree's order: the lowest
 *                corner and the largest radius, the highest corner and 0. A box around nothing is
 *                inside out. A work-item a box
 *   lend_points  the same around one body, for those that are listed by their places
 *   lend_list    for each box of another rank, in each image, the bodies that may touch what is in
 *                it: rank, place in the tree's order and row, each body once for a rank. The walk
 *                stays near the box. A work-item a box and image
 * Removed bodies are left out. Reads the state and the tree. Any work-group size. */
#include "precision.clh"
#include "tree.clh"
#include "tree_walk.clh"

/* More than rounding moves a body by that is looked at from another image, in parts of where it
 * is; and more than boxes of cells are rounded by, in parts of their extent. */
#define SLACK  ((real)1e-6)
#define MARGIN ((real)1e-6)

static inline void box_around(global real4 *box, uint first, uint end, global const real4 *sorted,
                              global const real4 *velocity, global const uint *order,
                              global const uchar *type)
{
    real4 low = (real4)(INFINITY, INFINITY, INFINITY, 0), high = -low;
    real radius = 0;
    for (uint i = first; i < end; i++) {
        if (type[order[i]] == OCT_TYPE_REMOVED)
            continue;
        low = fmin(low, sorted[i]);
        high = fmax(high, sorted[i]);
        radius = fmax(radius, velocity[order[i]].w);
    }
    box[0] = (real4)(low.xyz, radius);
    box[1] = (real4)(high.xyz, 0);
}

kernel void lend_boxes(global real4 *boxes, global const real4 *sorted,
                       global const real4 *velocity, global const uint *order,
                       global const uchar *type, uint n, uint each)
{
    uint box = (uint)get_global_id(0), first = box * each;
    if (first < n)
        box_around(boxes + 2 * (size_t)box, first, min(first + each, n), sorted, velocity, order,
                   type);
}

kernel void lend_points(global real4 *points, global const uint *places, uint n_points,
                        global const real4 *sorted, global const real4 *velocity,
                        global const uint *order, global const uchar *type)
{
    uint point = (uint)get_global_id(0);
    if (point < n_points)
        box_around(points + 2 * (size_t)point, places[point], places[point] + 1, sorted, velocity,
                   order, type);
}

/* A box of another rank in the frame of an image. */
typedef struct {
    real4 low, high; /* w: the largest radius; 0 */
    real far;        /* how far the image is moved */
} seeker;

static inline real larger_side(real4 x)
{
    return fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z)));
}

/* Whether something in a box with this largest radius may touch what is in the seeker's. */
static inline bool may_touch(const seeker *s, real4 low, real4 high, real radius)
{
    real4 gap = fmax(fmax(s->low - high, low - s->high), (real4)(0));
    real far = fmax(larger_side(low), larger_side(high)) + s->far;
    real reach = (radius + s->low.w) * (1 + SLACK) + SLACK * far;
    return gap.x * gap.x + gap.y * gap.y + gap.z * gap.z <= reach * reach;
}

static inline bool passes_by(const seeker *s, real4 m, force4 low, force4 high, real extent,
                             real inverse)
{
    real margin = MARGIN * extent * inverse, radius = (real)low.w * inverse * (1 + MARGIN);
    real4 from = m + (real4)(low.x, low.y, low.z, 0) * inverse - margin;
    real4 to = m + (real4)(high.x, high.y, high.z, 0) * inverse + margin;
    return !may_touch(s, from, to, radius);
}

static inline void list_leaf(const seeker *s, uint first, uint count, uint rank, uint bit,
                             global const real4 *sorted, global const real4 *velocity,
                             global const uint *order, global const uchar *type,
                             volatile global uint *marks, global uint4 *lent, uint room)
{
    for (uint i = first; i < first + count; i++) {
        uint row = order[i];
        real4 x = sorted[i];
        if (!may_touch(s, x, x, velocity[row].w) || type[row] == OCT_TYPE_REMOVED ||
            (atomic_or(&marks[row], bit) & bit) != 0)
            continue;
        uint k = atomic_inc((volatile global uint *)lent);
        if (k < room)
            lent[1 + k] = (uint4)(rank, i, row, 0);
    }
}

#define WALK_CELL(cell, link)                                                                      \
    passes_by(&s, mass[cell], box[2 * cell], box[2 * cell + 1], quad[2 * cell + 1].w, inverse)
#define WALK_PARTICLES(first, count)                                                               \
    list_leaf(&s, first, count, rank, 1u << rank % 32, sorted, velocity, order, type, marks,       \
              lent, room)

/* lent[0].x is how many there are. told: boxes, two elements each, with the rank in high.w. A bit
 * of `marks` for each of 32 ranks: whether the body is listed for it. */
kernel void lend_list(global uint4 *lent, uint room, volatile global uint *marks,
                      global const real4 *told, uint n_told,
                      global const real4 *sorted, global const real4 *velocity,
                      global const uint *order, global const uchar *type,
                      global const uint4 *links, global const real4 *mass,
                      global const force4 *quad, global const force4 *box,
                      global const uint *total, global const real4 *image_shift, uint images,
                      real scale)
{
    uint of = (uint)get_global_id(0) / images;
    if (of >= n_told)
        return;
    real4 shift = image_shift[get_global_id(0) % images], low = told[2 * of];
    uint rank = (uint)told[2 * of + 1].w;
    real inverse = 1 / scale;
    seeker s = {(real4)(low.xyz + shift.xyz, low.w), told[2 * of + 1] + shift, larger_side(shift)};
    WALK(links, total[0])
}
