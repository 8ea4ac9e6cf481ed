/* How far bodies overlap that touch right now: 1 - d / (r_a + r_b) of a pair, images of the box
 * included.
 *   diag_overlap_walk  each particle walks the tree for the pairs in which it comes first in the
 *                      state's order; writes their number, the sum and the largest of overlaps
 *   diag_overlap_sum   partial sums of the first two, and the largest of all as the bits of a
 *                      float: bits of positive floats are in the order of the floats
 * Reads the state and the tree, which is none where the device has halted. Any work-group size. */
#include "precision.clh"
#include "partials.clh"
#include "tree.clh"
#include "tree_reach.clh"
#include "tree_walk.clh"

typedef struct {
    real4 point;
    real radius;
    uint self;
    force count, total, largest;
} overlaps;

static inline void overlap_leaf(overlaps *s, global const real4 *sorted,
                                global const real4 *velocity, global const uint *order,
                                global const uchar *type, uint first, uint count)
{
    for (uint j = first; j < first + count; j++) {
        uint other = order[j];
        if (other <= s->self || type[other] == OCT_TYPE_REMOVED)
            continue;
        real reach = s->radius + velocity[other].w;
        real4 d = sorted[j] - s->point;
        real d2 = d.x * d.x + d.y * d.y + d.z * d.z;
        if (d2 >= reach * reach)
            continue;
        force overlap = (force)(1 - sqrt(d2) / reach);
        s->count += 1;
        s->total += overlap;
        s->largest = fmax(s->largest, overlap);
    }
}

#define WALK_CELL(cell, link)                                                                      \
    out_of_reach(s.point, s.radius, mass[cell], box[2 * cell], box[2 * cell + 1],                  \
                 quad[2 * cell + 1].w, scale)
#define WALK_PARTICLES(first, count) overlap_leaf(&s, sorted, velocity, order, type, first, count)

kernel void diag_overlap_walk(global force4 *found, global const real4 *sorted,
                              global const real4 *velocity, global const uint *order,
                              global const uchar *type, global const uint4 *links,
                              global const real4 *mass, global const force4 *quad,
                              global const force4 *box, global const uint *total,
                              global const real4 *image_shift, uint images,
                              volatile global const uint *counters, real scale, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || is_halted(counters))
        return;
    overlaps s;
    s.self = order[i];
    s.radius = velocity[s.self].w;
    s.count = s.total = s.largest = 0;
    for (uint image = 0; type[s.self] != OCT_TYPE_REMOVED && image < images; image++) {
        /* An image that is moved by a shift sees the particle moved the other way. */
        s.point = sorted[i] - image_shift[image];
        WALK(links, total[0])
    }
    found[i] = (force4)(s.count, s.total, s.largest, 0);
}

kernel void diag_overlap_sum(global sum *partials, uint first_sum, uint sum_rows,
                             volatile global uint *counts, uint largest, global const force4 *found,
                             uint n)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    sum count = sum_zero(), total = sum_zero();
    float most = 0;
    for (uint i = item; i < n; i += items) {
        force4 f = found[i];
        count = sum_add(count, (real)f.x);
        total = sum_add(total, (real)f.y);
        most = fmax(most, (float)f.z);
    }
    PARTIAL(0, item) = count;
    PARTIAL(1, item) = total;
    if (most > 0)
        atomic_max(&counts[largest], as_uint(most));
}

#undef WALK_CELL
#undef WALK_PARTICLES
