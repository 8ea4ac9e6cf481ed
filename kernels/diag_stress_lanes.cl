/* The sums of diag_stress.clh for CPUs, by the walk of force_tree_lanes.cl: a work-item walks the
 * tree for a group of 64 particles, which fill BLOCKS vectors. Cells and particles are listed, and
 * summed over when a list is full. Reads the tree; writes in the state's order. Work-groups of one
 * work-item. */
#include "diag_stress.clh"
#include "lanes_runs.clh"

#define STRESS_LIST 128
/* Leaves of so few particles are not worth their moments. */
#define STRESS_FEW 3

/* Cells relative to the group's centre; .w: mass. */
typedef struct {
    force4 at[STRESS_LIST];
    moments own[STRESS_LIST];
    uint n;
} cell_list;

typedef struct {
    lanes x[BLOCKS], y[BLOCKS], z[BLOCKS], total[BLOCKS];
    runs boxes;
    real4 centre;          /* as the image sees it */
    cell_list whole, cut;  /* for all within R, and for those that R cuts for some */
    force4 particles[STRESS_LIST];
    uint n_particles;
    force within, softening2;
} stress;

static inline offsets offsets_from(const stress *s, uint block, force4 source)
{
    return offsets_of(source.x - s->x[block], source.y - s->y[block], source.z - s->z[block]);
}

static void settle_particles(stress *s)
{
    for (uint k = 0; k < BLOCKS; k++)
        for (uint j = 0; j < s->n_particles; j++) {
            offsets d = offsets_from(s, k, s->particles[j]);
            s->total[k] += pair_stress(&d, s->particles[j].w, s->within, s->softening2);
        }
    s->n_particles = 0;
}

static void settle_whole(stress *s)
{
    const cell_list *c = &s->whole;
    for (uint k = 0; k < BLOCKS; k++)
        for (uint j = 0; j < c->n; j++) {
            offsets d = offsets_from(s, k, c->at[j]);
            s->total[k] += cell_stress(&d, c->at[j].w, &c->own[j], s->softening2);
        }
    s->whole.n = 0;
}

static void settle_cut(stress *s)
{
    const cell_list *c = &s->cut;
    for (uint k = 0; k < BLOCKS; k++)
        for (uint j = 0; j < c->n; j++) {
            offsets d = offsets_from(s, k, c->at[j]);
            s->total[k] += part_stress(&d, c->at[j].w, &c->own[j], s->softening2, s->within);
        }
    s->cut.n = 0;
}

static inline lanes farther2(lanes low, lanes high, force x)
{
    lanes far = max(x - low, high - x);
    return far * far;
}

static inline force4 relative_to(const stress *s, real4 x, force mass, real scale)
{
    return (force4)((force)((x.x - s->centre.x) * scale), (force)((x.y - s->centre.y) * scale),
                    (force)((x.z - s->centre.z) * scale), mass);
}

/* Boxes are as far as their nearest point, and reach as far as their farthest. */
static inline bool take_cell(stress *s, uint4 link, real4 m, force4 a, force4 b, real scale)
{
    force4 x = relative_to(s, m, (force)m.w, scale);
    const runs *r = &s->boxes;
    force extent = b.w, out = s->within + extent, in = fmax(s->within - extent, (force)0);
    lanes near2 = runs_distance2(r, x, x);
    if (lanes_mask(near2 > (lanes)(out * out)) == ALL_LANES)
        return true;
    if (CELL_IS_LEAF(link) && CELL_COUNT(link) <= STRESS_FEW)
        return false;
    lanes far2 = farther2(r->low_x, r->high_x, x.x) + farther2(r->low_y, r->high_y, x.y) +
                 farther2(r->low_z, r->high_z, x.z);
    lanes_index whole = far2 < (lanes)(in * in), apart = near2 > (lanes)(out * out);
    lanes limit = CHOOSE(whole | apart, (lanes)(FAR * FAR), (lanes)(CUT * CUT));
    if (lanes_mask((lanes)(extent * extent) < limit * near2) != ALL_LANES)
        return false;
    bool all_whole = lanes_mask(whole) == ALL_LANES;
    cell_list *list = all_whole ? &s->whole : &s->cut;
    list->at[list->n] = x;
    list->own[list->n] = moments_of(a, b);
    if (++list->n == STRESS_LIST) {
        if (all_whole)
            settle_whole(s);
        else
            settle_cut(s);
    }
    return true;
}

static inline void take_particles(stress *s, global const real4 *sorted, uint first, uint count,
                                  real scale, real mass_scale)
{
    for (uint j = first; j < first + count; j++) {
        s->particles[s->n_particles] =
            relative_to(s, sorted[j], (force)(sorted[j].w * mass_scale), scale);
        if (++s->n_particles == STRESS_LIST)
            settle_particles(s);
    }
}

static inline void place_group(stress *s, global const real4 *sorted, uint base, uint size,
                               real scale)
{
    force x[GROUP], y[GROUP], z[GROUP];
    s->centre = sorted[base];
    for (uint k = 0; k < GROUP; k++) {
        force4 at = relative_to(s, sorted[base + min(k, size - 1)], 0, scale);
        x[k] = at.x;
        y[k] = at.y;
        z[k] = at.z;
    }
    s->boxes = find_runs(x, y, z);
    for (uint k = 0; k < BLOCKS; k++) {
        s->x[k] = load_lanes(k, x);
        s->y[k] = load_lanes(k, y);
        s->z[k] = load_lanes(k, z);
        s->total[k] = (lanes)(0);
    }
}

#define WALK_CELL(cell, link)                                                                      \
    take_cell(&s, link, mass[cell], quad[2 * cell], quad[2 * cell + 1], scale)
#define WALK_PARTICLES(first, count) take_particles(&s, sorted, first, count, scale, mass_scale)

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
diag_stress_walk(global real *values, global const real4 *sorted, global const uint *order,
                 global const uint4 *links, global const real4 *mass, global const force4 *quad,
                 global const uint *total, global const real4 *image_shift, uint images,
                 volatile global const uint *counters, real within, real softening, real scale,
                 real mass_scale, uint n)
{
    uint base = (uint)get_global_id(0) * GROUP;
    if (base >= n || is_halted(counters))
        return;
    uint size = min(n - base, (uint)GROUP);
    stress s;
    force sums[GROUP];
    s.within = (force)within;
    s.softening2 = (force)(softening * softening);
    s.whole.n = s.cut.n = s.n_particles = 0;
    place_group(&s, sorted, base, size, scale);
    for (uint image = 0; image < images; image++) {
        s.centre = sorted[base] - image_shift[image];
        WALK(links, total[0])
    }
    settle_whole(&s);
    settle_cut(&s);
    settle_particles(&s);
    for (uint k = 0; k < BLOCKS; k++)
        store_lanes(s.total[k], k, sums);
    for (uint k = 0; k < size; k++)
        values[order[base + k]] = sums[k];
}

#undef WALK_CELL
#undef WALK_PARTICLES
