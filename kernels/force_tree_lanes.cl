/* Tree gravity for CPUs: a work-item walks the tree for a group of 64 particles, which fill
 * BLOCKS vectors. Sources are listed and summed over when a list is full. Reads the tree; adds to
 * acceleration and potential. Work-groups of one work-item. */
#include "force_tree.clh"
#include "lanes.clh"
#include "lanes_runs.clh"
#include "soon.clh"
#include "tree_walk.clh"

#define LIST 128

typedef struct {
    lanes x[BLOCKS], y[BLOCKS], z[BLOCKS];
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

static void sum_particles(targets *t, const force4 *list, uint n, force softening2)
{
    for (uint k = 0; k < BLOCKS; k++) {
        lanes4 total = {(lanes)(0), (lanes)(0), (lanes)(0), (lanes)(0)};
        for (uint j = 0; j < n; j++) {
            lanes x = list[j].x - t->x[k], y = list[j].y - t->y[k], z = list[j].z - t->z[k];
            lanes inverse = guarded_rsqrt(x * x + (y * y + (z * z + softening2)));
            lanes phi = list[j].w * inverse, s = phi * (inverse * inverse);
            total.x += s * x;
            total.y += s * y;
            total.z += s * z;
            total.phi -= phi;
        }
        wide_add(&t->wx[k], total.x);
        wide_add(&t->wy[k], total.y);
        wide_add(&t->wz[k], total.z);
        wide_add(&t->wphi[k], total.phi);
    }
}

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
        wide_add(&t->wx[k], total.x);
        wide_add(&t->wy[k], total.y);
        wide_add(&t->wz[k], total.z);
        wide_add(&t->wphi[k], total.phi);
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

/* As accepted() does, with a box a lane. */
static inline bool is_far_enough(const walker *w, force4 x, force4 b, force4 cell_low,
                                 force4 cell_high)
{
    force4 from = x, to = x;
#if CRITERION == CRITERION_MIN_DISTANCE
    from += cell_low;
    to += cell_high;
#endif
    lanes d2 = runs_distance2(&w->boxes, from, to);
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
    SOON(links + index);
    SOON(mass + index);
    SOON(quad + 2 * index);
}

#define WALK_CELL(index, link)                                                                     \
    (ask_for(link.x, links, mass, quad),                                                           \
     take_cell(&w, index, link, mass[index], quad, CELL_LOW(index), CELL_HIGH(index), scale))
#define WALK_PARTICLES(first, count) take_particles(&w, sorted, first, count, scale, mass_scale)

/* The group's particles relative to a centre, and boxes around runs of them. Returns whether they
 * are too far apart. */
static bool place_group(walker *w, real4 centre, global const real4 *sorted, uint base, uint size,
                        real scale)
{
    force px[GROUP], py[GROUP], pz[GROUP];
    force4 low[BOXES], high[BOXES];
    for (uint k = 0; k < GROUP; k++) {
        force4 x = relative(sorted[base + min(k, size - 1)], centre, scale);
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
        w->t.wx[k] = w->t.wy[k] = w->t.wz[k] = w->t.wphi[k] = wide_zero();
    }
    return is_apart(low, high);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void force_tree_lanes(TREE_ARGUMENTS)
{
    uint base = (uint)get_group_id(0) * GROUP, size = min(n - base, (uint)GROUP);
    if (total_cells[0] > capacity)
        return;
    walker w;
    w.softening2 = (force)softening2;
    w.least = INFINITY;
    w.n_particles = w.n_cells = w.done_particles = w.done_cells = 0;
#if CRITERION == CRITERION_RELATIVE
    for (uint i = base; i < base + size; i++)
        w.least = fmin(w.least, least_before(before[order[i]], alpha, least_acceleration));
#endif
    bool apart = place_group(&w, sorted[base], sorted, base, size, scale);
    uint walks = apart ? size : 1;
    for (uint walk = 0; walk < walks; walk++) {
        real4 centre = sorted[base + walk];
        if (apart) {
            const force own[GROUP] = {0};
            place_group(&w, centre, sorted, base, size, scale);
            w.boxes = find_runs(own, own, own);
        }
        /* An image of the box that is moved by a shift sees the group moved the other way. */
        for (uint image = 0; image < images; image++) {
            w.centre = centre - shifts[image];
            WALK(links, total_cells[0])
        }
        settle_cells(&w);
        settle_particles(&w);
        real ax[GROUP], ay[GROUP], az[GROUP], phi[GROUP];
        for (uint k = 0; k < BLOCKS; k++) {
            store_wide(WIDE_LANES(w.t.wx[k]), k, ax);
            store_wide(WIDE_LANES(w.t.wy[k]), k, ay);
            store_wide(WIDE_LANES(w.t.wz[k]), k, az);
            store_wide(WIDE_LANES(w.t.wphi[k]), k, phi);
        }
        for (uint k = apart ? walk : 0; k < (apart ? walk + 1 : size); k++) {
#ifdef SOFTENED
            real own = sorted[base + k].w * mass_scale * rsqrt((real)w.softening2);
#else
            real own = 0;
#endif
            ADD_FORCE(base + k, ((real4)(ax[k], ay[k], az[k], phi[k])), own);
        }
    }
    work[2 * get_group_id(0)] = w.done_cells / walks;
    work[2 * get_group_id(0) + 1] = w.done_particles / walks;
}
