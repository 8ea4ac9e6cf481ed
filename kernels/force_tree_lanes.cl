/* Tree gravity for CPUs: a work-item walks the tree for a group of 64 particles, which fill
 * BLOCKS vectors. Sources are listed and summed over when a list is full. Reads the tree; adds to
 * acceleration and potential. Work-groups of one work-item. */
#include "force_tree.clh"
#include "lanes.clh"
#include "tree_walk.clh"

#define BLOCKS (GROUP / LANES)
#define LIST   128

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
 * and r^2 = d^2 + eps^2. */
static void sum_cells(targets *t, const force4 *list, const force4 *list_a, const force4 *list_b,
                      uint n, force softening2)
{
    for (uint k = 0; k < BLOCKS; k++) {
        lanes4 total = {(lanes)(0), (lanes)(0), (lanes)(0), (lanes)(0)};
        for (uint j = 0; j < n; j++) {
            force4 a = list_a[j], b = list_b[j];
            lanes x = list[j].x - t->x[k], y = list[j].y - t->y[k], z = list[j].z - t->z[k];
            lanes inverse = lanes_rsqrt(x * x + (y * y + (z * z + softening2)));
            lanes inverse2 = inverse * inverse, phi = list[j].w * inverse;
#ifdef QUADRUPOLE
            /* Divided by r^2 at once: 1 / r^5 would overflow a float where 1 / r^3 does not. */
            lanes qx = inverse2 * (a.x * x + (a.y * y + a.z * z));
            lanes qy = inverse2 * (a.y * x + (a.w * y + b.x * z));
            lanes qz = inverse2 * (a.z * x + (b.x * y + b.y * z));
            lanes inverse3 = inverse2 * inverse;
            lanes q = (x * qx + (y * qy + (z * qz - b.z * inverse2))) * inverse3;
            lanes s = inverse2 * ((force)2.5 * q + phi);
            total.x += s * x - inverse3 * qx;
            total.y += s * y - inverse3 * qy;
            total.z += s * z - inverse3 * qz;
            total.phi -= (force)0.5 * q + phi;
#else
            lanes s = phi * inverse2;
            total.x += s * x;
            total.y += s * y;
            total.z += s * z;
            total.phi -= phi;
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
    force4 low[BOXES], high[BOXES];
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

static inline bool take_cell(walker *w, uint index, uint4 link, real4 m, global const force4 *quad,
                             force4 cell_low, force4 cell_high, real scale)
{
    force4 source = cell_source(m, w->centre, scale), b = quad[2 * index + 1];
    if ((CELL_IS_LEAF(link) && CELL_COUNT(link) <= FEW) ||
        !accepted(source, source.w, b, cell_low, cell_high, w->low, w->high, w->least))
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

#define WALK_CELL(index, link)                                                                     \
    take_cell(&w, index, link, mass[index], quad, CELL_LOW(index), CELL_HIGH(index), scale)
#define WALK_PARTICLES(first, count) take_particles(&w, sorted, first, count, scale, mass_scale)

/* The group's particles relative to a centre, and boxes around runs of them. */
static void place_group(walker *w, real4 centre, global const real4 *sorted, uint base, uint size,
                        real scale)
{
    force px[GROUP], py[GROUP], pz[GROUP];
    for (uint k = 0; k < GROUP; k++) {
        force4 x = relative(sorted[base + min(k, size - 1)], centre, scale);
        uint run = k / (GROUP / BOXES);
        w->low[run] = k % (GROUP / BOXES) ? fmin(w->low[run], x) : x;
        w->high[run] = k % (GROUP / BOXES) ? fmax(w->high[run], x) : x;
        px[k] = x.x;
        py[k] = x.y;
        pz[k] = x.z;
    }
    for (uint k = 0; k < BLOCKS; k++) {
        w->t.x[k] = load_lanes(k, px);
        w->t.y[k] = load_lanes(k, py);
        w->t.z[k] = load_lanes(k, pz);
        w->t.wx[k] = w->t.wy[k] = w->t.wz[k] = w->t.wphi[k] = wide_zero();
    }
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
    place_group(&w, sorted[base], sorted, base, size, scale);
    bool apart = is_apart(w.low, w.high);
    uint walks = apart ? size : 1;
    for (uint walk = 0; walk < walks; walk++) {
        real4 centre = sorted[base + walk];
        if (apart) {
            place_group(&w, centre, sorted, base, size, scale);
            for (uint run = 0; run < BOXES; run++)
                w.low[run] = w.high[run] = (force4)(0);
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
