/* Tree gravity for CPUs. A work-item walks for a run of RUN groups of 64 particles: first for all
 * of them together, which leaves an expansion of what is far from the run, the cells that are far
 * enough from it to be accepted but not to be expanded, and the places in the tree where it came
 * too close to decide; then each group goes on from there. Children of a cell are tested eight at
 * a time, cells are expanded a lane each and summed over with a target a lane. Reads the tree and
 * its rows; adds to acceleration and potential. Work-groups of one work-item. */
#include "force_tree.clh"
#include "lanes.clh"
#include "force_tree_sums.clh"
#include "prefetch.clh"
#include "tree_rows.clh"

/* A term more than on GPUs: a cell costs little where sixteen are expanded at once. */
#define EXPANSION_ORDER  5
#define expansion_number lanes
#define EXPANSION_RSQRT  lanes_rsqrt
#include "expansion.clh"
#include "octupole.clh"

#include "force_tree_party.clh"

/* How far a cell's particles are from where its distance is measured to. */
#if CRITERION == CRITERION_MIN_DISTANCE
#define EXTENT_COUNTS (force)0
#else
#define EXTENT_COUNTS (force)1
#endif

/* Leaves that wait for their particles to come from memory. */
#define LEAVES 24

/* A group on its way through the tree. */
typedef struct {
    targets t;
    party p;
    cell_list cells;
    force4 particles[LIST];
    uint leaves[LEAVES]; /* with LEAF_BIT where particles are near */
    uint n_leaves, n_cells, n_particles, done_cells, done_particles;
#ifdef SOFTENINGS
    global const force *sorted_soft;
#ifdef OTHERS
    global const force *source_soft;
#endif
    force soft[LIST], near_soft[LIST]; /* what particles bring */
#endif
#ifdef SPLIT
    force4 near[LIST], near_low[LIST];
    uint n_near;
    force margin; /* closer than this to a box, a source is near */
#endif
} walker;

/* What a run leaves to its groups. */
typedef struct {
    party p;
    force field[EXPANSION_ALL];
    force cells[CELL_NUMBERS][NEARBY + LANES];
    uint n_cells;
    row open[PENDING];
    uint image[PENDING];
    uint n_open;
    bool full;
} run;

#ifdef OTHERS
#define SOURCE_SOFT source_soft
#else
#define SOURCE_SOFT sorted_soft
#endif
#ifdef SOFTENINGS
#define SOFT_PARTICLES , w->soft
#define SOFT_NEAR      , w->near_soft
#define CLOSE2         w->margin *w->margin
#else
#define SOFT_PARTICLES
#define SOFT_NEAR
#define CLOSE2 w->margin *w->margin + w->p.softening2
#endif

static void settle_cells(walker *w)
{
    sum_cells(&w->t, w->cells, w->n_cells, w->p.softening2);
    w->done_cells += w->n_cells;
    w->n_cells = 0;
}

static void settle_particles(walker *w)
{
    sum_particles(&w->t, w->particles, w->n_particles, w->p.softening2 SOFT_PARTICLES);
    w->done_particles += w->n_particles;
    w->n_particles = 0;
}

/* Cells of a list, moved by a shift, to where they belong. */
static void sort_cells(walker *w, const force *list, uint stride, uint n, force4 shift)
{
    if (w->n_cells + n > LIST)
        settle_cells(w);
    place_cells(&w->p, list, stride, n, shift, w->cells[0], LIST + LANES, &w->n_cells, true);
}

static inline void sort_accepted(walker *w)
{
    sort_cells(w, w->p.accepted[0], LIST + LANES, w->p.n_accepted, (force4)(0));
    w->p.n_accepted = 0;
}

static inline void sort_nearby(run *r)
{
    r->full |= r->n_cells + r->p.n_accepted > NEARBY;
    if (!r->full)
        place_cells(&r->p, r->p.accepted[0], LIST + LANES, r->p.n_accepted, (force4)(0),
                    r->cells[0], NEARBY + LANES, &r->n_cells, false);
    r->p.n_accepted = 0;
}

#ifdef SPLIT
static void settle_near(walker *w)
{
    sum_near(&w->t, w->near, w->near_low, w->n_near, w->p.softening2, CLOSE2 SOFT_NEAR);
    w->done_particles += w->n_near;
    w->n_near = 0;
}

static inline void take_near(walker *w, global const real4 *sorted, uint first, uint count,
                             real scale, real mass_scale)
{
    for (uint j = first; j < first + count; j++) {
        force4 source = particle_source(sorted[j], w->p.origin, scale, mass_scale);
        w->near[w->n_near] = source;
#ifdef SOFTENINGS
        w->near_soft[w->n_near] = w->SOURCE_SOFT[j];
#endif
        w->near_low[w->n_near] = relative_low(sorted[j], w->p.origin, scale, source);
        if (++w->n_near == LIST)
            settle_near(w);
    }
}
#endif

static inline void take_particles(walker *w, global const real4 *sorted, uint first, uint count,
                                  real scale, real mass_scale)
{
    for (uint j = first; j < first + count; j++) {
        w->particles[w->n_particles] = particle_source(sorted[j], w->p.origin, scale, mass_scale);
#ifdef SOFTENINGS
        w->soft[w->n_particles] = w->SOURCE_SOFT[j];
#endif
        if (++w->n_particles == LIST)
            settle_particles(w);
    }
}

/* What is behind a row's word will be looked at soon. */
static inline row ask_for(global const force *rows, row r)
{
    for (uint k = 0; k < r.n; k++)
        PREFETCH(rows + ROW_SLOT * ((size_t)r.slot + k));
    return r;
}

/* Takes the particles of the leaves that wait. */
static void open_leaves(walker *w, global const uint4 *links, global const real4 *sorted,
                        real scale, real mass_scale)
{
    uint4 link[LEAVES];
    for (uint i = 0; i < w->n_leaves; i++) {
        link[i] = links[w->leaves[i] & ~LEAF_BIT];
        for (uint j = 0; j < CELL_COUNT(link[i]); j += 64 / sizeof(real4))
            PREFETCH(sorted + link[i].y + j);
    }
    for (uint i = 0; i < w->n_leaves; i++) {
#ifdef SPLIT
        if ((w->leaves[i] & LEAF_BIT) != 0) {
            take_near(w, sorted, link[i].y, CELL_COUNT(link[i]), scale, mass_scale);
            continue;
        }
#endif
        take_particles(w, sorted, link[i].y, CELL_COUNT(link[i]), scale, mass_scale);
    }
    w->n_leaves = 0;
}

/* From some siblings down to the last cell that the group has to look at. */
static void walk_group(walker *w, global const force *rows, global const uint4 *links,
                       global const real4 *sorted, row from, real scale, real mass_scale)
{
    row stack[STACK];
    uint top = 0;
    stack[top++] = from;
    while (top > 0) {
        row r = stack[--top];
        global const uint *words = ROW_WORDS(rows, r.slot, r.n);
        siblings s = look_at(&w->p, rows, r, scale);
        if (w->p.n_accepted > LIST - 8)
            sort_accepted(w);
        if (w->n_leaves > LEAVES - 8)
            open_leaves(w, links, sorted, scale, mass_scale);
        uint near = 0;
#ifdef SPLIT
        force8 margin = w->margin + EXTENT_COUNTS * s.extent;
        near = row_mask(s.nearest < margin * margin);
#endif
        for (uint left = r.bits & ~s.accepted; left != 0; left &= left - 1) {
            uint k = 31 - clz(left & -left), word = words[k];
            if ((word & LEAF_BIT) == 0) {
                stack[top++] = ask_for(rows, row_at(word));
                continue;
            }
            PREFETCH(links + (word & ~LEAF_BIT));
            w->leaves[w->n_leaves++] = near >> k & 1 ? word : word & ~LEAF_BIT;
        }
    }
}

/* The same for a run: what is smaller than the run is left to its groups. */
static void walk_run(run *r, global const force *rows, uint image, real scale)
{
    row stack[STACK];
    uint top = 0;
    stack[top++] = row_at(0);
    while (top > 0 && !r->full) {
        row at = stack[--top];
        global const uint *words = ROW_WORDS(rows, at.slot, at.n);
        siblings s = look_at(&r->p, rows, at, scale);
        if (r->p.n_accepted > LIST - 8)
            sort_nearby(r);
        uint left = at.bits & ~s.accepted;
        at.bits = left & row_mask(s.extent < r->p.radius);
        for (left &= ~at.bits; left != 0; left &= left - 1) {
            uint k = 31 - clz(left & -left);
            if ((words[k] & LEAF_BIT) != 0)
                at.bits |= 1u << k;
            else
                stack[top++] = ask_for(rows, row_at(words[k]));
        }
        if (at.bits != 0) {
            r->image[r->n_open] = image;
            r->open[r->n_open] = at;
            r->full |= ++r->n_open == PENDING;
        }
    }
}

/* The group's particles relative to its first one, and boxes around runs of them. Returns whether
 * they are too far apart. */
static bool place_group(walker *w, real4 origin, global const real4 *sorted, uint base, uint size,
                        real scale)
{
    force px[GROUP], py[GROUP], pz[GROUP];
#ifdef SOFTENINGS
    force soft[GROUP];
#endif
    party *p = &w->p;
#ifdef SPLIT
    force lx[GROUP], ly[GROUP], lz[GROUP];
    force extent = 0;
#endif
    for (uint k = 0; k < GROUP; k++) {
        real4 place = sorted[base + min(k, size - 1)];
        force4 x = relative(place, origin, scale);
#ifdef SPLIT
        force4 rest = relative_low(place, origin, scale, x);
        lx[k] = rest.x;
        ly[k] = rest.y;
        lz[k] = rest.z;
        extent = max(extent, max(fabs(x.x), max(fabs(x.y), fabs(x.z))));
#endif
        uint box = k / (GROUP / BOXES);
        p->low[box] = k % (GROUP / BOXES) ? fmin(p->low[box], x) : x;
        p->high[box] = k % (GROUP / BOXES) ? fmax(p->high[box], x) : x;
        px[k] = x.x;
        py[k] = x.y;
        pz[k] = x.z;
#ifdef SOFTENINGS
        soft[k] = w->sorted_soft[base + min(k, size - 1)];
#endif
    }
    for (uint k = 0; k < BLOCKS; k++) {
        w->t.x[k] = load_lanes(k, px);
        w->t.y[k] = load_lanes(k, py);
        w->t.z[k] = load_lanes(k, pz);
#ifdef SOFTENINGS
        w->t.soft[k] = load_lanes(k, soft);
#endif
#ifdef SPLIT
        w->t.x_low[k] = load_lanes(k, lx);
        w->t.y_low[k] = load_lanes(k, ly);
        w->t.z_low[k] = load_lanes(k, lz);
#endif
        w->t.wx[k] = w->t.wy[k] = w->t.wz[k] = w->t.wphi[k] = wide_zero();
    }
#ifdef SPLIT
    w->margin = NEAR * extent;
#endif
#ifdef SOFTENINGS
    place_softenings(p, w->sorted_soft, base, size);
#endif
    p->boxes = BOXES;
    p->origin = origin;
    find_middle(p);
    force r2 = 0;
    for (uint k = 0; k < GROUP; k++) {
        force4 d = (force4)(px[k], py[k], pz[k], 0) - p->middle;
        r2 = fmax(r2, d.x * d.x + d.y * d.y + d.z * d.z);
    }
    set_radius(p, r2);
    return is_apart(p->low, p->high);
}

/* Adds a field about a place, relative to the group's first particle, to its sums. */
static void add_field(walker *w, const force *field, force4 middle, force radius)
{
    force inverse = 1 / radius;
    for (uint k = 0; k < BLOCKS; k++) {
        lanes f[4];
        expansion_evaluate(f, field, (w->t.x[k] - middle.x) * inverse,
                           (w->t.y[k] - middle.y) * inverse, (w->t.z[k] - middle.z) * inverse);
        const lanes4 total = {-f[0] * inverse, -f[1] * inverse, -f[2] * inverse, f[3]};
        settle_block(&w->t, k, &total);
    }
}

/* Everything that a run can do for its groups. */
static void begin_run(run *r, global const force *rows, global const real4 *acting_shift,
                      uint acting_images, real scale)
{
    real4 origin = r->p.origin;
    r->n_cells = r->n_open = 0;
    r->full = false;
    start_party(&r->p);
    /* An image of the box that is moved by a shift sees the run moved the other way. */
    for (uint image = 0; image < acting_images; image++) {
        r->p.origin = origin - acting_shift[image];
        walk_run(r, rows, image, scale);
    }
    sort_nearby(r);
    find_field(r->field, &r->p);
    r->p.origin = origin;
}

/* The sums of a group that is placed, from where its run is or from the root. */
static void sum_group(walker *w, run *r, bool from_run, global const force *rows,
                      global const uint4 *links, global const real4 *sorted,
                      global const real4 *acting_shift, uint acting_images, real scale,
                      real mass_scale)
{
    real4 origin = w->p.origin;
    force4 shift = relative(origin, r->p.origin, scale);
    uint starts = from_run ? r->n_open : acting_images, last = 0;
    start_party(&w->p);
    for (uint i = 0; from_run && i < r->n_cells; i += LIST)
        sort_cells(w, r->cells[0] + i, NEARBY + LANES, min(r->n_cells - i, (uint)LIST), shift);
    for (uint i = 0; i < starts; i++) {
        uint image = from_run ? r->image[i] : i;
        if (image != last)
            open_leaves(w, links, sorted, scale, mass_scale);
        last = image;
        w->p.origin = origin - acting_shift[image];
        if (from_run && i + 1 < starts)
            ask_for(rows, r->open[i + 1]);
        walk_group(w, rows, links, sorted, from_run ? r->open[i] : row_at(0), scale, mass_scale);
    }
    open_leaves(w, links, sorted, scale, mass_scale);
    sort_accepted(w);
    settle_cells(w);
    settle_particles(w);
#ifdef SPLIT
    settle_near(w);
#endif
    if (w->p.expands) {
        force field[EXPANSION_ALL];
        find_field(field, &w->p);
        add_field(w, field, w->p.middle, w->p.radius);
    }
    if (from_run && r->p.expands)
        add_field(w, r->field, r->p.middle - shift, r->p.radius);
}

#ifdef OTHERS
/* The field of a run where some of its particles are: force and potential, GROUP of each. */
static void find_far(force *out, const run *r, global const real4 *sorted, uint base, uint size,
                     real scale)
{
    force inverse = 1 / r->p.radius, px[GROUP], py[GROUP], pz[GROUP];
    for (uint k = 0; k < GROUP; k++) {
        force4 x = relative(sorted[base + min(k, size - 1)], r->p.origin, scale) - r->p.middle;
        px[k] = x.x * inverse;
        py[k] = x.y * inverse;
        pz[k] = x.z * inverse;
    }
    for (uint k = 0; k < BLOCKS; k++) {
        lanes f[4];
        expansion_evaluate(f, r->field, load_lanes(k, px), load_lanes(k, py), load_lanes(k, pz));
        for (uint i = 0; i < 3; i++)
            store_lanes(-f[i] * inverse, k, out + i * GROUP);
        store_lanes(f[3], k, out + 3 * GROUP);
    }
}
#endif

/* A particle whose neighbours in the group are too far away walks as if it were alone. */
static void place_alone(walker *w, real4 place, global const real4 *sorted, uint base, uint size,
                        real scale)
{
    place_group(w, place, sorted, base, size, scale);
    w->p.boxes = 1;
    w->p.low[0] = w->p.high[0] = w->p.middle = (force4)(0);
    set_radius(&w->p, 0);
#ifdef SPLIT
    w->margin = 0;
#endif
}

/* alpha times the least acceleration that some particles had, and the sum of its roots. */
static inline force least_of(force *roots, global const real *before, global const uint *order,
                             uint first, uint size, real alpha, real least_acceleration)
{
    force least = INFINITY;
    *roots = 0;
#if CRITERION == CRITERION_RELATIVE
    for (uint i = first; i < first + size; i++) {
        force has = least_before(before[order[i]], alpha, least_acceleration);
        least = fmin(least, has);
        *roots += rsqrt(has);
    }
#endif
    return least;
}

#if defined(SOFTENINGS) && defined(OTHERS)
#define LANES_SOFTENINGS , global const force *sorted_soft, global const force *source_soft
#elif defined(SOFTENINGS)
#define LANES_SOFTENINGS , global const force *sorted_soft
#else
#define LANES_SOFTENINGS
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
force_tree_lanes(TREE_ARGUMENTS, global const force *rows,
                 real far LANES_SOFTENINGS OTHERS_ARGUMENTS)
{
    uint listed = count_listed(groups, n_groups, (uint)get_num_groups(0));
    uint at = (uint)get_group_id(0);
    if (total_cells[0] > capacity || is_halted(counters) || at >= listed)
        return;
    /* The first of a run's groups that are listed walks for all of them. */
    uint of_run = listed_at(groups, at) / RUN, first = of_run * RUN * GROUP;
    if (at > 0 && listed_at(groups, at - 1) / RUN == of_run)
        return;
    run r;
    walker w;
    r.p.softening2 = w.p.softening2 = (force)softening2;
    r.p.far = w.p.far = (force)far;
    force roots;
#ifdef OTHERS
    r.p.least = least_of_groups(group_boxes, of_run * RUN,
                               min((n - 1) / GROUP + 1, (of_run + 1) * RUN));
#else
    r.p.least = least_of(&roots, before, order, first, min(n - first, (uint)(RUN * GROUP)), alpha,
                         least_acceleration);
#endif
    place_run(&r.p, sorted, first, min(n - first, (uint)(RUN * GROUP)), scale);
#ifdef SOFTENINGS
    place_softenings(&r.p, sorted_soft, first, min(n - first, (uint)(RUN * GROUP)));
    w.sorted_soft = sorted_soft;
#ifdef OTHERS
    w.source_soft = source_soft;
#endif
#endif
    begin_run(&r, rows, acting_shift, acting_images, scale);
#ifdef OTHERS
    /* Most of the bodies of others are far from most runs. */
    bool far_alone = !r.full && r.n_cells == 0 && r.n_open == 0;
    for (; far_alone && at < listed && listed_at(groups, at) / RUN == of_run; at++) {
        uint base = listed_at(groups, at) * GROUP, size = min(n - base, (uint)GROUP);
        force f[4 * GROUP];
        for (uint i = base; i < base + size; i++)
            PREFETCH(acceleration + order[i]);
        find_far(f, &r, sorted, base, size, scale);
        for (uint k = 0; k < size; k++)
            if (is_active(active, order[base + k]))
                ADD_FORCE(base + k,
                          ((real4)(f[k], f[GROUP + k], f[2 * GROUP + k], f[3 * GROUP + k])), 0);
    }
#endif
    for (; at < listed && listed_at(groups, at) / RUN == of_run; at++) {
        uint number = listed_at(groups, at), base = number * GROUP;
        uint size = min(n - base, (uint)GROUP);
        for (uint i = base; i < base + size; i++)
            PREFETCH(acceleration + order[i]);
#ifdef OTHERS
        w.p.least = least_of_groups(group_boxes, number, number + 1);
#else
        w.p.least = least_of(&roots, before, order, base, size, alpha, least_acceleration);
        w.p.least = group_least(w.p.least, roots, size);
#endif
        w.n_leaves = w.n_particles = w.n_cells = w.done_particles = w.done_cells = 0;
#ifdef SPLIT
        w.n_near = 0;
#endif
        bool apart = place_group(&w, sorted[base], sorted, base, size, scale);
        uint walks = apart ? size : 1, walked = 0;
        for (uint walk = 0; walk < walks; walk++) {
            if (apart && !is_active(active, order[base + walk]))
                continue;
            walked++;
            if (apart)
                place_alone(&w, sorted[base + walk], sorted, base, size, scale);
            sum_group(&w, &r, !apart && !r.full, rows, links, SOURCE, acting_shift, acting_images,
                      scale, mass_scale);
            real ax[GROUP], ay[GROUP], az[GROUP], phi[GROUP];
            for (uint k = 0; k < BLOCKS; k++) {
                store_wide(WIDE_LANES(w.t.wx[k]), k, ax);
                store_wide(WIDE_LANES(w.t.wy[k]), k, ay);
                store_wide(WIDE_LANES(w.t.wz[k]), k, az);
                store_wide(WIDE_LANES(w.t.wphi[k]), k, phi);
            }
            for (uint k = apart ? walk : 0; k < (apart ? walk + 1 : size); k++) {
                if (!is_active(active, order[base + k]))
                    continue;
#ifdef SOFTENINGS
                real own = own_potential(sorted[base + k].w * mass_scale, sorted_soft[base + k]);
#elif defined(SOFTENED)
                real own = sorted[base + k].w * mass_scale * rsqrt((real)w.p.softening2);
#else
                real own = 0;
#endif
                ADD_FORCE(base + k, ((real4)(ax[k], ay[k], az[k], phi[k])), own);
            }
        }
        ADD_WORK(number, w.done_cells / walked, w.done_particles / walked);
    }
}
