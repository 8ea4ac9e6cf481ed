/* The sums of diag_stress.clh for GPUs: a work-item walks the tree for one particle. Neighbours on
 * the curve open the same cells. Reads the tree; writes in the state's order. Any work-group
 * size. */
#include "diag_stress.clh"

typedef struct {
    real4 at; /* as the image sees it */
    force within, softening2, total;
} stress;

static inline offsets offsets_to(const stress *s, real4 point, real scale)
{
    return offsets_of((force)((point.x - s->at.x) * scale), (force)((point.y - s->at.y) * scale),
                      (force)((point.z - s->at.z) * scale));
}

static inline void add_leaf(stress *s, global const real4 *sorted, uint first, uint count,
                            real scale, real mass_scale)
{
    for (uint j = first; j < first + count; j++) {
        offsets d = offsets_to(s, sorted[j], scale);
        s->total += pair_stress(&d, (force)(sorted[j].w * mass_scale), s->within, s->softening2);
    }
}

static inline bool add_cell(stress *s, real4 m, force4 a, force4 b, real scale)
{
    offsets d = offsets_to(s, m, scale);
    force distance = sqrt(d.r2), extent = b.w;
    if (distance > s->within + extent)
        return true;
    force limit = fabs(distance - s->within) > extent ? FAR : CUT;
    if (extent >= limit * distance)
        return false;
    moments own = moments_of(a, b);
    s->total += part_stress(&d, (force)m.w, &own, s->softening2, s->within);
    return true;
}

#define WALK_CELL(cell, link)                                                                      \
    add_cell(&s, mass[cell], quad[2 * cell], quad[2 * cell + 1], scale)
#define WALK_PARTICLES(first, count) add_leaf(&s, sorted, first, count, scale, mass_scale)

kernel void diag_stress_walk(global real *values, global const real4 *sorted,
                             global const uint *order, global const uint4 *links,
                             global const real4 *mass, global const force4 *quad,
                             global const uint *total, global const real4 *image_shift,
                             uint images, volatile global const uint *counters, real within,
                             real softening, real scale, real mass_scale,
                             uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || is_halted(counters))
        return;
    stress s;
    s.within = (force)within;
    s.softening2 = (force)(softening * softening);
    s.total = 0;
    for (uint image = 0; image < images; image++) {
        s.at = sorted[i] - image_shift[image];
        WALK(links, total[0])
    }
    values[order[i]] = s.total;
}

#undef WALK_CELL
#undef WALK_PARTICLES
