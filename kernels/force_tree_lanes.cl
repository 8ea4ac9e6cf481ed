/* Tree gravity for CPUs: a work-item walks the tree for a group of 64 particles, which fill
 * BLOCKS vectors. In depth-first order no stack is needed: a cell that is accepted or a leaf leads
 * to the next one, any other to its first child. Sources are listed and summed over when a list is
 * full. Reads the tree; adds to acceleration and potential. Work-groups of one work-item. */
#include "force_tree.clh"
#include "lanes.clh"

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

/* M d / r^3 + (5/2) (d Q d) d / r^7 - Q d / r^5, with d from the target to the cell. */
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
            lanes qx = a.x * x + (a.y * y + a.z * z);
            lanes qy = a.y * x + (a.w * y + b.x * z);
            lanes qz = a.z * x + (b.x * y + b.y * z);
            lanes inverse5 = inverse2 * inverse2 * inverse;
            lanes q = (x * qx + (y * qy + z * qz)) * inverse5;
            lanes s = inverse2 * ((force)2.5 * q + phi);
            total.x += s * x - inverse5 * qx;
            total.y += s * y - inverse5 * qy;
            total.z += s * z - inverse5 * qz;
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

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
force_tree_lanes(global real4 *acceleration, global const real4 *sorted, global const uint *order,
                 global const uint4 *links, global const real4 *mass, global const force4 *quad,
                 global const uint *total_cells, real softening2, real scale, real mass_scale,
                 real to_acceleration, real to_potential, uint n, uint capacity,
                 global uint *work)
{
    uint base = (uint)get_group_id(0) * GROUP, size = min(n - base, (uint)GROUP);
    uint end = total_cells[0];
    if (end > capacity)
        return;
    force e2 = (force)softening2;
    force px[GROUP], py[GROUP], pz[GROUP];
    force4 low[BOXES], high[BOXES];
    real4 centre = sorted[base];
    for (uint k = 0; k < GROUP; k++) {
        force4 x = relative(sorted[base + min(k, size - 1)], centre, scale);
        uint box = k / (GROUP / BOXES);
        low[box] = k % (GROUP / BOXES) ? fmin(low[box], x) : x;
        high[box] = k % (GROUP / BOXES) ? fmax(high[box], x) : x;
        px[k] = x.x;
        py[k] = x.y;
        pz[k] = x.z;
    }
    targets t;
    for (uint k = 0; k < BLOCKS; k++) {
        t.x[k] = load_lanes(k, px);
        t.y[k] = load_lanes(k, py);
        t.z[k] = load_lanes(k, pz);
        t.wx[k] = t.wy[k] = t.wz[k] = t.wphi[k] = wide_zero();
    }

    force4 particles[LIST], cells[LIST], cells_a[LIST], cells_b[LIST];
    uint n_particles = 0, n_cells = 0, done_particles = 0, done_cells = 0;
    for (uint index = 0; index < end;) {
        uint4 link = links[index];
        force4 d = cell_source(mass[index], centre, scale), b = quad[2 * index + 1];
        uint count = CELL_COUNT(link);
        bool leaf = CELL_IS_LEAF(link);
        if (boxes_distance2(d, low, high) > b.z * b.z && !(leaf && count <= FEW)) {
            cells[n_cells] = d;
            cells_a[n_cells] = quad[2 * index];
            cells_b[n_cells] = b;
            if (++n_cells == LIST) {
                sum_cells(&t, cells, cells_a, cells_b, n_cells, e2);
                done_cells += n_cells;
                n_cells = 0;
            }
            index = link.x;
        } else if (leaf) {
            for (uint j = 0; j < count; j++) {
                particles[n_particles] =
                    particle_source(sorted[link.y + j], centre, scale, mass_scale);
                if (++n_particles == LIST) {
                    sum_particles(&t, particles, n_particles, e2);
                    done_particles += n_particles;
                    n_particles = 0;
                }
            }
            index = link.x;
        } else
            index++;
    }
    sum_cells(&t, cells, cells_a, cells_b, n_cells, e2);
    sum_particles(&t, particles, n_particles, e2);
    if (work) {
        work[2 * get_group_id(0)] = done_cells + n_cells;
        work[2 * get_group_id(0) + 1] = done_particles + n_particles;
    }

    real ax[GROUP], ay[GROUP], az[GROUP], phi[GROUP];
    for (uint k = 0; k < BLOCKS; k++) {
        store_wide(WIDE_LANES(t.wx[k]), k, ax);
        store_wide(WIDE_LANES(t.wy[k]), k, ay);
        store_wide(WIDE_LANES(t.wz[k]), k, az);
        store_wide(WIDE_LANES(t.wphi[k]), k, phi);
    }
    for (uint k = 0; k < size; k++) {
#ifdef SOFTENED
        /* A particle's potential in itself was among the particles of its own leaf. */
        phi[k] += sorted[base + k].w * mass_scale * rsqrt((real)e2);
#endif
        acceleration[order[base + k]] += (real4)(ax[k] * to_acceleration, ay[k] * to_acceleration,
                                                 az[k] * to_acceleration, phi[k] * to_potential);
    }
}
