/* A user's function summed over the pairs within a range, images included, each body walking the
 * tree for itself. With -D LARGER a pair counts where it is within the larger of the two ranges,
 * else where it is within the range of the body that is summed for. A body meets itself with
 * -D SELF alone.
 *   force_pair_range   TARGETS bodies a work-item; images one after the other, sources in the
 *                      tree's order: the order of a sum is always the same
 * Reads the state, columns and the tree; adds to acceleration, writes potential and other columns.
 * Any work-group size. */
#include "force_pair.clh"
#include "tree.clh"
#include "tree_reach.clh"
#include "tree_walk.clh"

#if OCT_PRECISION == 1
#define SLACK 1e-6f
#else
#define SLACK 2e-15
#endif

/* What the target looks like to the tree of an image. */
typedef struct {
    real4 point, shift, drift;
    real slack; /* more than moving the point has rounded off */
    bool own;   /* the box itself */
} pair_view;

static inline void meet_leaf(pair_target *t, const pair_state *s, const pair_view *view,
                             global const real4 *sorted, global const uint *order, uint first,
                             uint count)
{
    for (uint k = first; k < first + count; k++) {
        uint j = order[k];
#ifndef SELF
        if (view->own && j == t->index)
            continue;
#endif
        meet(t, s, sorted[k], j, view->shift, view->drift);
    }
}

/* The largest range in a cell; the tree itself knows the largest radius, rounded. */
#ifndef LARGER
#define REACH(cell) t.range
#elif defined(RANGE_IS_RADIUS)
#define REACH(cell) fmax(t.range, (real)(box[2 * cell].w * ((force)1 + MARGIN)) / scale)
#else
#define REACH(cell) fmax(t.range, reach_of[cell])
#endif

static inline bool beyond(real reach, const pair_view *view, real4 m, force4 low, force4 high,
                          force extent, real scale)
{
    force bound = (force)((reach + view->slack) * scale) * ((force)1 + MARGIN);
    return box_distance2(view->point, m, low, high, extent, scale) > bound * bound;
}

#define WALK_CELL(cell, link)                                                                      \
    beyond(REACH(cell), &view, mass[cell], box[2 * cell], box[2 * cell + 1],                       \
           quad[2 * cell + 1].w, scale)
#define WALK_PARTICLES(first, count) meet_leaf(&t, &s, &view, sorted, order, first, count)

kernel void force_pair_range(PAIR_ARGUMENTS, volatile global uint *faults, real largest,
                             global const real *reach_of, global const real4 *sorted,
                             global const uint *order, global const uint4 *links,
                             global const real4 *mass, global const force4 *quad,
                             global const force4 *box, global const uint *total, real scale,
                             uint capacity)
{
    uint first = (uint)get_global_id(0) * TARGETS;
    const pair_state s = PAIR_STATE;
    if (total[0] > capacity)
        return;
    for (uint k = first; k < n && k < first + TARGETS; k++) {
        pair_target t = start_target(&s, order[k]);
#ifdef RANGE_OF
        if (!(t.range >= 0 && t.range <= largest) && t.body.type != OCT_TYPE_REMOVED)
            atomic_min(faults, t.index);
#endif
        for (uint image = 0; image < images && t.body.type != OCT_TYPE_REMOVED; image++) {
            pair_view view;
            view.shift = image_shift[image];
            view.drift = image_velocity[image];
            view.point = sorted[k] - view.shift;
            real4 size = fabs(sorted[k]) + fabs(view.shift);
            view.slack = SLACK * (size.x + size.y + size.z);
            view.own = image == 0;
            WALK(links, total[0])
        }
        end_target(&t, &s, acceleration, potential);
    }
}

#include "force_pair_user.clh"
