/* Tree gravity for GPUs: a work-group of 32 work-items walks the tree for 64 particles, two a
 * work-item. The work-items test one cell each; accepted cells and particles of opened leaves are
 * listed in local memory in an order that does not depend on timing, and summed over 32 at a time.
 * Cells that are far from the whole group are listed too, and expanded about its middle at the end,
 * a cell a work-item. Groups begin with what force_tree_runs.cl has found for their run. With
 * SLICES several work-groups walk for one where few groups walk (force_tree_slices.clh). Reads the
 * tree and its records; adds to acceleration and potential. Work-groups of 32. */
#ifdef FINE
#define APART 1000
#endif
#include "force_tree.clh"
#include "wide.clh"
#include "force_tree_warp.clh"
#include "force_tree_tiles_sums.clh"
#include "force_tree_tiles_place.clh"
#include "force_tree_torn.clh"
#include "force_tree_runs.cl"
#include "force_tree_slices.clh"

/* Where a walk begins: with a list or, where there is none, at the roots of some images. */
typedef struct {
    global const uint *list;
    uint n_list;
    global const real4 *shifts;
    uint images;
} beginning;

/* The tree that is walked, and the units of forces in it. */
typedef struct {
    global const real4 *sorted, *place, *mass; /* its particles, with OTHERS not those that walk */
    global const uint4 *test;
    global const force4 *quad, *box;
    force softening2;
    real scale, mass_scale;
#ifdef SOFTENINGS
    global const force *sorted_soft;
    global const force2 *soft;
#endif
#ifdef OCTUPOLE
    global const force4 *third;
#endif
} octree;

#if defined(SOFTENINGS) && defined(OTHERS)
#define TILES_SOFTENINGS                                                                           \
    , global const force *sorted_soft, global const force *source_soft, global const force2 *soft
#define SOFTENINGS_GIVEN , source_soft, soft
#elif defined(SOFTENINGS)
#define TILES_SOFTENINGS , global const force *sorted_soft, global const force2 *soft
#define SOFTENINGS_GIVEN , sorted_soft, soft
#endif
#ifdef SOFTENINGS
#define OF_BODY(i)       , o->sorted_soft[i]
#define OF_CELL(i)       , o->soft[i].x
#define OF_WALKER        , w->spread
#define EXPANDED_WITH    w->softening2
#define EXPANDED_SOFT    , o->soft
#else
#define TILES_SOFTENINGS
#define SOFTENINGS_GIVEN
#define OF_BODY(i)
#define OF_CELL(i)
#define OF_WALKER
#define EXPANDED_WITH o->softening2
#define EXPANDED_SOFT
#endif
#ifdef OCTUPOLE
#define OF_THIRD , o->third
#else
#define OF_THIRD
#endif
#if defined(OCTUPOLE) && defined(SOFTENINGS)
#define OF_MIDDLE(cell) w->softening2 + o->soft[cell].x
#else
#define OF_MIDDLE(cell) o->softening2
#endif

/* What becomes of a cell. */
#define NOTHING  0
#define FAR      1 /* it goes into the group's expansion */
#define ACCEPTED 2
#define OPENED   3
#define LEAF     4 /* its particles are summed over */

/* `at`: its centre of mass. */
static inline uint test_cell(const walker *w, local const room *r, force4 at, force mass,
                             uint4 record, global const force4 *quad, global const force4 *box)
{
    force4 low = at, high = at, d = at - w->middle;
    force4 b = (force4)(0, 0, as_float(record.x), as_float(record.x));
#if CRITERION == CRITERION_RELATIVE
    if (!(w->least > 0))
        b.z = quad[2 * record.w + 1].z;
#elif CRITERION == CRITERION_MIN_DISTANCE
    low += box[2 * record.w];
    high += box[2 * record.w + 1];
#endif
    bool leaf = (record.z & LEAF_BIT) != 0, few = leaf && (record.z & ~LEAF_BIT) <= FEW;
    if (FAR_ENOUGH(NEAREST(w, r, low, high), mass, b, w->least)) {
        if (w->n_far + LANES <= FAR_ROOM &&
            is_far(d.x * d.x + d.y * d.y + d.z * d.z, mass, b, few, w->radius, w->far,
                   w->least OF_WALKER))
            return FAR;
        if (!few)
            return ACCEPTED;
    }
    return leaf ? LEAF : OPENED;
}

/* Walks from a beginning. Returns the number of cells and of particles that were summed over; far
 * cells are in their list. */
static inline uint2 walk_tree(targets *t, local room *r, walker *w, const octree *o, real4 centre,
                              beginning from)
{
    uint lane = (uint)get_local_id(0), below = (1u << lane) - 1;
    uint top = from.list ? 0 : from.images, next = 0, n_cells = 0, n_particles = 0;
    uint2 done = (uint2)(0);
    SYNC();
    if (lane < top)
        r->stack[lane] = ROOT(lane);
#ifdef IMAGES
    /* An image of the box that is moved by a shift sees the group moved the other way. */
    if (lane < from.images)
        r->centres[lane] = centre - from.shifts[lane];
#endif
    while ((top > 0 || next < from.n_list) && WALKS_ON(w, done)) {
        SYNC();
#ifdef FINE
        w->fine = w->fine || OF_SLICES(done.y) >= FINE_AFTER;
#endif
        bool crowded = top > STACK_MOST;
        uint take = crowded ? 1 : min(top, (uint)LANES);
        uint fresh = crowded ? 0 : min(LANES - take, from.n_list - next), entry = 0;
        uint what = NOTHING;
        uint4 record = (uint4)(0);
        top -= take;
        if (lane < take)
            entry = r->stack[top + lane];
        else if (lane < take + fresh)
            entry = LISTED(from, next + lane - take);
        next += fresh;
        if (lane < take + fresh) {
            real4 m = o->place[INDEX(entry)];
            record = o->test[INDEX(entry)];
            what = test_cell(w, r, relative(m, CENTRE(entry), o->scale), (force)m.w, record,
                             o->quad, o->box);
        }
        uint far_mask = ballot(what == FAR, r->votes);
        if (what == FAR)
            r->far[w->n_far + (uint)popcount(far_mask & below)] = ENTRY(entry, record.w);
        w->n_far += (uint)popcount(far_mask);
        uint accept_mask = ballot(what == ACCEPTED, r->votes);
        if (what == ACCEPTED)
            r->cells[n_cells + (uint)popcount(accept_mask & below)] = ENTRY(entry, record.w);
        n_cells += (uint)popcount(accept_mask);

        /* Children go on the stack and particles into a list, up to 16 of a leaf at a time, which
         * only the deepest level exceeds: both by one prefix sum of their numbers. */
        uint count = record.z & ~LEAF_BIT;
        uint children = what == OPENED ? count : 0, rest = what == LEAF ? count : 0;
        bool more, last;
        do {
            uint listed = min(rest, 16u);
            uint2 sums = scan(children | listed << 16, r->votes);
            for (uint j = 0; j < children; j++)
                r->stack[top + (sums.x & 0xffff) + j] = ENTRY(entry, record.y + j);
            for (uint j = 0; j < listed; j++)
                r->particles[n_particles + (sums.x >> 16) + j] =
                    ENTRY(entry, record.y + count - rest + j);
            top += sums.y & 0xffff;
            n_particles += sums.y >> 16;
            children = 0;
            rest -= listed;
            more = ballot(rest > 0, r->votes) != 0;
            last = !more && top == 0 && next == from.n_list;
            SYNC();
            while (n_particles >= LANES || (last && n_particles > 0)) {
                uint ready = min(n_particles, (uint)LANES);
                n_particles -= ready;
                uint taken = r->particles[n_particles + min(lane, ready - 1)];
                if (IS_ALONE(w))
                    add_particle(t, o->sorted[INDEX(taken)], CENTRE(taken), lane >= ready,
                                 o->softening2, o->scale, o->mass_scale OF_BODY(INDEX(taken)));
                else
                    sum_particles(t, r, o->sorted[INDEX(taken)], CENTRE(taken), lane >= ready,
                              o->softening2, o->scale, o->mass_scale OF_BODY(INDEX(taken)));
                done.y += ready;
            }
        } while (more);
        while (n_cells >= LANES || (last && n_cells > 0)) {
            uint ready = min(n_cells, (uint)LANES);
            n_cells -= ready;
            uint taken = r->cells[n_cells + min(lane, ready - 1)], cell = INDEX(taken);
            force4 source = cell_source(o->mass[cell], CENTRE(taken), o->scale);
            if (IS_ALONE(w))
                add_cell(t, source, o->quad[2 * cell], o->quad[2 * cell + 1], lane >= ready,
                         o->softening2 OF_CELL(cell));
            else
                sum_cells(t, r, source, o->quad[2 * cell], o->quad[2 * cell + 1], ready,
                          o->softening2 OF_CELL(cell));
#ifdef OCTUPOLE
            force field[4];
            force4 d = source - w->middle;
            bool within = !(d.x * d.x + d.y * d.y + d.z * d.z > w->within2);
            field_of_third(field, d, o->third, cell, lane >= ready || within, OF_MIDDLE(cell));
            w->third += (force4)(field[0], field[1], field[2], field[3]);
#endif
            done.x += ready;
        }
    }
    return done;
}

/* What an expansion about a middle adds to a particle at r. */
static inline force4 expanded(const force *sum, force4 at, force size)
{
    force out[4], inverse = 1 / size;
    expansion_evaluate(out, sum, at.x * inverse, at.y * inverse, at.z * inverse);
    return (force4)(-out[0] * inverse, -out[1] * inverse, -out[2] * inverse, out[3]);
}

/* Expands the far cells of the group about its middle. */
static inline void expand_far(targets *t, local room *r, const walker *w, const octree *o,
                              real4 centre)
{
    uint lane = (uint)get_local_id(0);
    force sum[EXPANSION_ALL];
#pragma unroll
    for (uint k = 0; k < EXPANSION_ALL; k++)
        sum[k] = 0;
    for (uint first = 0; first < w->n_far; first += LANES) {
        bool none = first + lane >= w->n_far;
        uint taken = none ? 0 : r->far[first + lane];
        expand_cell(sum, none ? NO_CELL : INDEX(taken), CENTRE(taken), w->middle, w->radius,
                    EXPANDED_WITH, o->scale, o->mass, o->quad EXPANDED_SOFT OF_THIRD);
    }
    expansion_join(sum, r->sums);
#pragma unroll
    for (uint k = 0; k < 2; k++)
        wide_add(&t->total[k], expanded(sum, t->position[k] - w->middle, w->radius));
}

/* Adds what the run of the group has expanded. */
static inline void expand_run(targets *t, const uint *at, global const real4 *sorted,
                              real4 run_centre, global const force *run_sums, real scale)
{
    force sum[EXPANSION_ALL];
    if (!(run_centre.w > 0))
        return;
#pragma unroll
    for (uint k = 0; k < EXPANSION_TERMS; k++)
        sum[k] = run_sums[k];
    expansion_complete(sum);
#pragma unroll
    for (uint k = 0; k < 2; k++) {
        real4 x = sorted[at[k]];
        wide_add(&t->total[k], expanded(sum, relative(x, run_centre, scale), (force)run_centre.w));
    }
}

/* All forces on particles that have been placed, in their wide sums. */
static inline uint2 sum_forces(targets *t, local room *r, walker *w, const octree *o,
                               global const real4 *sorted, const uint *at, real4 centre,
                               real4 run_centre,
                               global const force *run_sums, global const uint *begin,
                               uint n_begin, global const real4 *acting_shift,
                               uint acting_images)
{
    bool begun = n_begin != NO_CELL;
    bool first = IS_FIRST_SLICE, helps = IS_ALONE(w) ? get_local_id(0) > 0 : false;
    uint2 done = (uint2)(0);
    if (begun && first && !helps)
        expand_run(t, at, sorted, run_centre, run_sums, o->scale);
    if (!begun && !first)
        acting_images = 0;
    for (uint image = 0; image < acting_images && WALKS_ON(w, done); image += BATCH) {
        beginning from = {begun ? begin : 0, begun ? SLICE_OF(n_begin) : 0, acting_shift + image,
                          min(acting_images - image, (uint)BATCH)};
        done += walk_tree(t, r, w, o, centre, from);
    }
    settle(t);
    if (w->n_far > 0)
        expand_far(t, r, w, o, centre);
#ifdef OCTUPOLE
    force4 third = sum_of_fields(r->tile, w->third);
#pragma unroll
    for (uint k = 0; k < 2; k++) {
        force4 at = t->position[k] - w->middle, field = third;
        field.w -= third.x * at.x + third.y * at.y + third.z * at.z;
        wide_add(&t->total[k], field);
    }
#endif
    return done;
}

/* Third moments act on the middle, whether or not anything is far. */
#ifdef OCTUPOLE
#define FIND_THIRD_MIDDLE()                                                                        \
    do {                                                                                           \
        find_middle(&w, &t, r);                                                                    \
        w.within2 = w.radius * w.radius;                                                           \
        w.radius = 0;                                                                              \
        w.third = (force4)(0);                                                                     \
    } while (0)
#else
#define FIND_THIRD_MIDDLE()
#endif

#define SUM_FORCES(centre)                                                                         \
    sum_forces(&t, r, &w, &o, sorted, at, centre, run_centre[run], run_sums + run * RUN_TERMS,     \
               begin + run * RUN_ROOM, n_begin[run], acting_shift, acting_images)
#ifdef SOFTENINGS
#define OWN_POTENTIAL(i) own_potential(sorted[i].w * mass_scale, sorted_soft[i])
#elif defined(SOFTENED)
#define OWN_POTENTIAL(i) (sorted[i].w * mass_scale * (real)RSQRT(e2))
#else
#define OWN_POTENTIAL(i) 0
#endif
#define SUM(k)        convert_real4(WIDE_VALUE(t.total[k]))
#define ADD_SUM(k, i) ADD_FORCE(i, SUM(k), OWN_POTENTIAL(i))
#ifdef SLICES
#include "force_tree_join.cl"
#endif
#ifdef TORN
#include "force_tree_torn.cl"
#endif

kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void
force_tree_tiles(TREE_ARGUMENTS, global const real4 *place, global const uint4 *test,
                 global const real4 *run_centre, global const force *run_sums,
                 global const uint *begin, global const uint *n_begin,
                 real far_reach TORN_LIST TILES_SOFTENINGS SLICE_BUFFERS OTHERS_ARGUMENTS
                     EXPANDED_THIRD)
{
    local room shared, *r = &shared;
    uint lane = (uint)get_local_id(0), which = (uint)get_group_id(0);
#ifdef SLICES
    if (lane == 0)
        r->slices = slices_of(groups, n_groups, n);
    SYNC();
    which /= r->slices;
#endif
    if (total_cells[0] > capacity || is_halted(counters) ||
        which >= count_listed(groups, n_groups, (uint)get_num_groups(0)))
        return;
    uint number = listed_at(groups, which), base = number * GROUP, run = base / RUN;
    force e2 = (force)softening2;
    const octree o = {SOURCE, place, mass,  test,
                      quad,   box,   e2,    scale,
                      mass_scale SOFTENINGS_GIVEN GIVEN_THIRD};
    walker w = {.far = (force)far_reach, .least = INFINITY};
    targets t;
    uint2 done = (uint2)(0);
#ifdef TORN
    w.most = MAY_TEAR ? torn_after : NEVER_TORN;
#endif
#ifdef FINE
    part_of_group part = {.first = base, .end = min(n, base + GROUP)};
    for (; part.first < part.end; part.first += part.size) {
        uint at[2];
        part.size = place_part(&t, r, at, part, sorted, scale);
        uint part_end = min(part.end, part.first + part.size);
        bool alone = MAY_TEAR && part.size == 1;
        if (alone)
            TEAR(part.first, part_end);
        if (alone || ballot(is_active(active, order[at[0]]) || is_active(active, order[at[1]]),
                            r->votes) == 0)
            continue;
#ifdef SOFTENINGS
        place_softenings(&w, &t, r, at, sorted_soft);
#endif
#ifdef OTHERS
        w.least = least_of_groups(group_boxes, number, number + 1);
#elif CRITERION == CRITERION_RELATIVE
        w.least = find_least(r, at, is_first_of(part, 0), is_first_of(part, 1), before, order,
                             alpha, least_acceleration, min(part.size, part.end - part.first));
#endif
        w.n_far = 0;
        w.radius = 0;
        w.fine = false;
        FIND_THIRD_MIDDLE();
        if (n_begin[run] != NO_CELL)
            find_middle(&w, &t, r);
        uint2 now = SUM_FORCES(sorted[part.first]);
        bool whole = WALKS_ON(&w, now);
        if (whole)
            done += now * (part_end - part.first);
        else
            TEAR(part.first, part_end);
#pragma unroll
        for (uint k = 0; k < 2; k++)
            if (whole && is_first_of(part, k) && is_active(active, order[at[k]]))
                GIVE_SUM(k, at[k]);
    }
    uint walked = part.end - base;
#else
    const uint at[2] = {min(base + lane, n - 1), min(base + LANES + lane, n - 1)};
    bool apart = place_group(&t, r, sorted[base], at, sorted, scale);
#ifdef SOFTENINGS
    place_softenings(&w, &t, r, at, sorted_soft);
#endif
#ifdef OTHERS
    w.least = least_of_groups(group_boxes, number, number + 1);
#elif CRITERION == CRITERION_RELATIVE
    w.least = find_least(r, at, base + lane < n, base + LANES + lane < n, before, order, alpha,
                         least_acceleration, min(n - base, (uint)GROUP));
#endif
    uint walks = apart ? min(n - base, (uint)GROUP) : 1, walked = 0;
    if (apart && MAY_TEAR) {
        TEAR(base, base + walks);
        walks = 0;
        walked = 1;
    }
    for (uint walk = 0; walk < walks; walk++) {
        if (apart && !is_active(active, order[base + walk]))
            continue;
        walked++;
        real4 centre = sorted[base + walk];
        w.n_far = 0;
        w.radius = 0;
        FIND_THIRD_MIDDLE();
        if (apart) {
            place_group(&t, r, centre, at, sorted, scale);
            SYNC();
            w.middle = (force4)(0);
#ifdef OCTUPOLE
            w.within2 = 0;
#endif
            if (lane < BOXES)
                r->low[lane] = r->high[lane] = (force4)(0);
            t.margin2 = 0;
        } else if (n_begin[run] != NO_CELL)
            find_middle(&w, &t, r);
        done += SUM_FORCES(centre);
        bool whole = WALKS_ON(&w, done);
        if (!whole) {
            TEAR(base, min(n, base + GROUP));
            done = (uint2)(0);
        }
#pragma unroll
        for (uint k = 0; k < 2; k++) {
            uint i = base + k * LANES + lane;
            if (!whole || i >= n || (apart && i != base + walk) || !is_active(active, order[i]))
                continue;
            GIVE_SUM(k, i);
        }
    }
#endif
    if (lane > 0)
        return;
    done /= walked;
#ifdef SLICES
    if (r->slices > 1) {
        parted_work[get_group_id(0)] = done;
        return;
    }
#endif
    ADD_WORK(number, done.x, done.y);
}
