/* Tree gravity for CPUs: a work-item walks the tree for a group of 64 particles, which fill
 * BLOCKS vectors. Sources are listed and summed over when a list is full. Reads the tree; adds to
 * acceleration and potential. Work-groups of one work-item. */
#include "force_tree.clh"
#include "lanes.clh"
#include "lanes_runs.clh"
#include "prefetch.clh"
#include "tree_walk.clh"

#define LIST 128

typedef struct {
    lanes x[BLOCKS], y[BLOCKS], z[BLOCKS];
#ifdef SPLIT
    lanes x_low[BLOCKS], y_low[BLOCKS], z_low[BLOCKS];
#endif
    wide wx[BLOCKS], wy[BLOCKS], wz[BLOCKS], wphi[BLOCKS];
} targets;

static inline lanes guarded_rsqrt(lanes r2)
{
#ifdef SOFTENED
    return lanes_rsqrt(r2);
#else
    return select((lanes)(0), lanes_rsqrt(r2), r2 > (lanes)(0));
#endif
}

static inline lanes square(lanes x, lanes y, lanes z, force softening2)
{
    return x * x + (y * y + (z * z + softening2));
}

static inline void add_particle(lanes4 *total, lanes x, lanes y, lanes z, lanes r2, force mass)
{
    lanes inverse = guarded_rsqrt(r2);
    lanes phi = mass * inverse, s = phi * (inverse * inverse);
    total->x += s * x;
    total->y += s * y;
    total->z += s * z;
    total->phi -= phi;
}

static inline void settle_block(targets *t, uint k, const lanes4 *total)
{
    wide_add(&t->wx[k], total->x);
    wide_add(&t->wy[k], total->y);
    wide_add(&t->wz[k], total->z);
    wide_add(&t->wphi[k], total->phi);
}

static void sum_particles(targets *t, const force4 *list, uint n, force softening2)
{
    for (uint k = 0; k < BLOCKS; k++) {
        lanes4 total = {(lanes)(0), (lanes)(0), (lanes)(0), (lanes)(0)};
        for (uint j = 0; j < n; j++) {
            lanes x = list[j].x - t->x[k], y = list[j].y - t->y[k], z = list[j].z - t->z[k];
            add_particle(&total, x, y, z, square(x, y, z, softening2), list[j].w);
        }
        settle_block(t, k, &total);
    }
}

#ifdef SPLIT
static void sum_near(targets *t, const force4 *list, const force4 *low, uint n, force softening2,
                     force close2)
{
    for (uint k = 0; k < BLOCKS; k++) {
        lanes4 total = {(lanes)(0), (lanes)(0), (lanes)(0), (lanes)(0)};
        for (uint j = 0; j < n; j++) {
            lanes x = list[j].x - t->x[k], y = list[j].y - t->y[k], z = list[j].z - t->z[k];
            lanes r2 = square(x, y, z, softening2);
            if (lanes_mask(r2 < (lanes)(close2)) != 0) {
                x += low[j].x - t->x_low[k];
                y += low[j].y - t->y_low[k];
                z += low[j].z - t->z_low[k];
                r2 = square(x, y, z, softening2);
            }
            add_particle(&total, x, y, z, r2, list[j].w);
        }
        settle_block(t, k, &total);
    }
}
#endif

/* M d / r^3 + (5/2) (d Q d - eps^2 tr S) d / r^7 - Q d / r^5, with d from the target to the cell
 * and r^2 = d^2 + eps^2. Little waits for 1 / r, so that the next cell can start meanwhile. */
static void sum_cells(targets *t, const force4 *list, const force4 *list_a, const force4 *list_b,
                      uint n, force softening2)
{
    for (uint k = 0; k < BLOCKS; k++) {
        lanes4 total = {(lanes)(0), (lanes)(0), (lanes)(0), (lanes)(0)};
        for (uint j = 0; j < n; j++) {
            force4 a = list_a[j], b = list_b[j];
            lanes x = list[j].x - t->x[k], y = list[j].y - t->y[k], z = list[j].z - t->z[k];
            lanes inverse = lanes_rsqrt(x * x + (y * y + (z * z + softening2)));
            lanes inverse2 = inverse * inverse, inverse3 = inverse2 * inverse;
#ifdef QUADRUPOLE
            lanes qx = a.x * x + (a.y * y + a.z * z);
            lanes qy = a.y * x + (a.w * y + b.x * z);
            lanes qz = a.z * x + (b.x * y + b.y * z);
            /* Factors one by one: 1 / r^5 would overflow a float where 1 / r^3 does not. */
            lanes q = (x * qx + (y * qy + (z * qz - b.z))) * inverse2 * inverse2;
            lanes s = (force)2.5 * q + list[j].w;
            total.x += inverse3 * (s * x - inverse2 * qx);
            total.y += inverse3 * (s * y - inverse2 * qy);
            total.z += inverse3 * (s * z - inverse2 * qz);
            total.phi -= inverse * ((force)0.5 * q + list[j].w);
#else
            lanes s = list[j].w * inverse3;
            total.x += s * x;
            total.y += s * y;
            total.z += s * z;
            total.phi -= list[j].w * inverse;
#endif
        }
        settle_block(t, k, &total);
    }
}

/* A group on its way through the tree. */
typedef struct {
    targets t;
    real4 centre;
    runs boxes;
    force4 particles[LIST], cells[LIST], cells_a[LIST], cells_b[LIST];
    uint n_particles, n_cells, done_particles, done_cells;
    force softening2, least;
#ifdef SPLIT
    force4 near[LIST], near_low[LIST];
    uint n_near;
    force margin; /* closer than this to a box, a source is near */
#endif
} walker;

static void settle_cells(walker *w)
{
    sum_cells(&w->t, w->cells, w->cells_a, w->cells_b, w->n_cells, w->softening2);
    w->done_cells += w->n_cells;
    w->n_cells = 0;
}

static void settle_particles(walker *w)
{
    sum_particles(&w->t, w->particles, w->n_particles, w->softening2);
    w->done_particles += w->n_particles;
    w->n_particles = 0;
}

/* Squared distances of the boxes from a cell: a box a lane. */
static inline lanes cell_distance2(const walker *w, force4 x, force4 cell_low, force4 cell_high)
{
    force4 from = x, to = x;
#if CRITERION == CRITERION_MIN_DISTANCE
    from += cell_low;
    to += cell_high;
#endif
    return runs_distance2(&w->boxes, from, to);
}

/* Whether a cell is accepted by every box. */
static inline bool is_far_enough(const walker *w, force4 x, force4 b, force4 cell_low,
                                 force4 cell_high)
{
    lanes d2 = cell_distance2(w, x, cell_low, cell_high);
    return lanes_mask(FAR_ENOUGH(d2, x.w, b, w->least)) == ALL_LANES;
}

static inline bool take_cell(walker *w, uint index, uint4 link, real4 m, global const force4 *quad,
                             force4 cell_low, force4 cell_high, real scale)
{
    force4 source = cell_source(m, w->centre, scale), b = quad[2 * index + 1];
    if ((CELL_IS_LEAF(link) && CELL_COUNT(link) <= FEW) ||
        !is_far_enough(w, source, b, cell_low, cell_high))
        return false;
    w->cells[w->n_cells] = source;
    w->cells_a[w->n_cells] = quad[2 * index];
    w->cells_b[w->n_cells] = cell_moments(w->cells_a[w->n_cells], b, w->softening2);
    if (++w->n_cells == LIST)
        settle_cells(w);
    return true;
}

#ifdef SPLIT
static void settle_near(walker *w)
{
    sum_near(&w->t, w->near, w->near_low, w->n_near, w->softening2,
             w->margin * w->margin + w->softening2);
    w->done_particles += w->n_near;
    w->n_near = 0;
}

/* A leaf whose particles are near, if any of them is. */
static inline bool take_near(walker *w, global const real4 *sorted, uint first, uint count,
                             real4 m, force4 b, force4 cell_low, force4 cell_high, real scale,
                             real mass_scale)
{
    force4 x = cell_source(m, w->centre, scale);
#if CRITERION == CRITERION_MIN_DISTANCE
    force reach = w->margin;
#else
    force reach = w->margin + b.w;
#endif
    lanes d2 = cell_distance2(w, x, cell_low, cell_high);
    if (lanes_mask(d2 < (lanes)(reach * reach)) == 0)
        return false;
    for (uint j = first; j < first + count; j++) {
        force4 source = particle_source(sorted[j], w->centre, scale, mass_scale);
        w->near[w->n_near] = source;
        w->near_low[w->n_near] = relative_low(sorted[j], w->centre, scale, source);
        if (++w->n_near == LIST)
            settle_near(w);
    }
    return true;
}
#endif

static inline void take_particles(walker *w, global const real4 *sorted, uint first, uint count,
                                  real scale, real mass_scale)
{
    for (uint j = first; j < first + count; j++) {
        w->particles[w->n_particles] = particle_source(sorted[j], w->centre, scale, mass_scale);
        if (++w->n_particles == LIST)
            settle_particles(w);
    }
}

/* What is behind the cell may be next. */
static inline void ask_for(uint index, global const uint4 *links, global const real4 *mass,
                           global const force4 *quad)
{
    PREFETCH(links + index);
    PREFETCH(mass + index);
    PREFETCH(quad + 2 * index);
}

#define WALK_CELL(index, link)                                                                     \
    (ask_for(link.x, links, mass, quad),                                                           \
     take_cell(&w, index, link, mass[index], quad, CELL_LOW(index), CELL_HIGH(index), scale))
#ifdef SPLIT
#define WALK_PARTICLES(first, count)                                                               \
    if (!take_near(&w, sorted, first, count, mass[walk_index], quad[2 * walk_index + 1],           \
                   CELL_LOW(walk_index), CELL_HIGH(walk_index), scale, mass_scale))                \
    take_particles(&w, sorted, first, count, scale, mass_scale)
#else
#define WALK_PARTICLES(first, count) take_particles(&w, sorted, first, count, scale, mass_scale)
#endif

/* The group's particles relative to a centre, and boxes around runs of them. Returns whether they
 * are too far apart. */
static bool place_group(walker *w, real4 centre, global const real4 *sorted, uint base, uint size,
                        real scale)
{
    force px[GROUP], py[GROUP], pz[GROUP];
    force4 low[BOXES], high[BOXES];
#ifdef SPLIT
    force lx[GROUP], ly[GROUP], lz[GROUP];
    force extent = 0;
#endif
    for (uint k = 0; k < GROUP; k++) {
        real4 place = sorted[base + min(k, size - 1)];
        force4 x = relative(place, centre, scale);
#ifdef SPLIT
        force4 rest = relative_low(place, centre, scale, x);
        lx[k] = rest.x;
        ly[k] = rest.y;
        lz[k] = rest.z;
        extent = max(extent, max(fabs(x.x), max(fabs(x.y), fabs(x.z))));
#endif
        uint run = k / (GROUP / BOXES);
        low[run] = k % (GROUP / BOXES) ? fmin(low[run], x) : x;
        high[run] = k % (GROUP / BOXES) ? fmax(high[run], x) : x;
        px[k] = x.x;
        py[k] = x.y;
        pz[k] = x.z;
    }
    w->boxes = find_runs(px, py, pz);
    for (uint k = 0; k < BLOCKS; k++) {
        w->t.x[k] = load_lanes(k, px);
        w->t.y[k] = load_lanes(k, py);
        w->t.z[k] = load_lanes(k, pz);
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
    return is_apart(low, high);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void force_tree_lanes(TREE_ARGUMENTS)
{
    if (total_cells[0] > capacity ||
        get_group_id(0) >= count_listed(groups, n_groups, (uint)get_num_groups(0)))
        return;
    uint number = listed_at(groups, (uint)get_group_id(0)), base = number * GROUP;
    uint size = min(n - base, (uint)GROUP);
    walker w;
    w.softening2 = (force)softening2;
    w.least = INFINITY;
    w.n_particles = w.n_cells = w.done_particles = w.done_cells = 0;
#ifdef SPLIT
    w.n_near = 0;
#endif
#if CRITERION == CRITERION_RELATIVE
    force most = 0;
    for (uint i = base; i < base + size; i++) {
        force has = least_before(before[order[i]], alpha, least_acceleration);
        w.least = fmin(w.least, has);
        most = fmax(most, has);
    }
    w.least = group_least(w.least, most);
#endif
    bool apart = place_group(&w, sorted[base], sorted, base, size, scale);
    uint walks = apart ? size : 1, walked = 0;
    for (uint walk = 0; walk < walks; walk++) {
        if (apart && !is_active(active, order[base + walk]))
            continue;
        walked++;
        real4 centre = sorted[base + walk];
        if (apart) {
            const force own[GROUP] = {0};
            place_group(&w, centre, sorted, base, size, scale);
            w.boxes = find_runs(own, own, own);
#ifdef SPLIT
            w.margin = 0;
#endif
        }
        /* An image of the box that is moved by a shift sees the group moved the other way. */
        for (uint image = 0; image < acting_images; image++) {
            w.centre = centre - acting_shift[image];
            WALK(links, total_cells[0])
        }
        settle_cells(&w);
        settle_particles(&w);
#ifdef SPLIT
        settle_near(&w);
#endif
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
#ifdef SOFTENED
            real own = sorted[base + k].w * mass_scale * rsqrt((real)w.softening2);
#else
            real own = 0;
#endif
            ADD_FORCE(base + k, ((real4)(ax[k], ay[k], az[k], phi[k])), own);
        }
    }
    work[2 * number] = w.done_cells / walked;
    work[2 * number + 1] = w.done_particles / walked;
}
