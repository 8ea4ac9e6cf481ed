/* Counts rays that pass a sheet. They cross the midplane of the box at the centres of a grid, all
 * in one direction, and each walks the tree in every image of the box that it may meet, until it
 * hits a sphere. Reads the tree, which is none where the device has halted; adds to a counter,
 * which does not depend on the order. Any work-group size. */
#include "precision.clh"
#include "tree.clh"
#include "tree_walk.clh"

/* Extents of cells are rounded to `force`: this is more than that rounding. */
#define MARGIN ((force)1e-6)

/* Square of the distance of a point from the ray, in units of the scale. */
static inline force off_ray(real4 x, real4 origin, force4 direction, real scale)
{
    force4 d = (force4)((force)((x.x - origin.x) * scale), (force)((x.y - origin.y) * scale),
                        (force)((x.z - origin.z) * scale), 0);
    force4 c = cross(d, direction);
    return c.x * c.x + c.y * c.y + c.z * c.z;
}

static inline bool misses_cell(real4 m, force extent, force radius, real4 origin, force4 direction,
                               real scale)
{
    force reach = (extent + radius) * ((force)1 + MARGIN);
    return off_ray(m, origin, direction, scale) > reach * reach;
}

static inline bool hits_leaf(real4 origin, force4 direction, global const real4 *sorted,
                             global const real4 *velocity, global const uint *order,
                             global const uchar *type, uint first, uint count, real scale)
{
    for (uint j = first; j < first + count; j++) {
        force radius = (force)(velocity[order[j]].w * scale);
        if (off_ray(sorted[j], origin, direction, scale) < radius * radius &&
            type[order[j]] != OCT_TYPE_REMOVED)
            return true;
    }
    return false;
}

#define WALK_CELL(cell, link)                                                                      \
    misses_cell(mass[cell], quad[2 * cell + 1].w, box[2 * cell].w, origin, direction, scale)
#define WALK_PARTICLES(first, count)                                                               \
    if (hits_leaf(origin, direction, sorted, velocity, order, type, first, count, scale))          \
        return true

static inline bool hits_box(real4 origin, force4 direction, global const real4 *sorted,
                            global const real4 *velocity, global const uint *order,
                            global const uchar *type, global const uint4 *links,
                            global const real4 *mass, global const force4 *quad,
                            global const force4 *box, uint cells, real scale)
{
    WALK(links, cells)
    return false;
}

/* The images of a box that reach into the interval from a to b, as numbers of boxes. */
static inline int first_image(real a, real size)
{
    return (int)ceil(a / size - (real)0.5);
}
static inline int last_image(real b, real size)
{
    return (int)floor(b / size + (real)0.5);
}

/* lag: how far the next box outward is shifted along y. */
kernel void diag_sight_count(volatile global uint *counts, uint passed, global const real4 *sorted,
                             global const real4 *velocity, global const uint *order,
                             global const uchar *type, global const uint4 *links,
                             global const real4 *mass, global const force4 *quad,
                             global const force4 *box, global const uint *total,
                             volatile global const uint *counters, real size_x, real size_y,
                             real lag, real direction_x, real direction_y,
                             real direction_z, real scale, uint rays)
{
    uint item = (uint)get_global_id(0);
    if (item >= rays * rays || is_halted(counters))
        return;
    real x = ((item / rays + (real)0.5) / rays - (real)0.5) * size_x;
    real y = ((item % rays + (real)0.5) / rays - (real)0.5) * size_y;
    force4 direction = (force4)((force)direction_x, (force)direction_y, (force)direction_z, 0);
    /* How far from the midplane there are bodies, and how far rays go sideways to there. */
    real radius = box[0].w / scale, centre = mass[0].z;
    real height = fmax(fabs(centre + box[0].z / scale), fabs(centre + box[1].z / scale)) + radius;
    real side_x = fabs(direction_x / direction_z) * height + radius;
    real side_y = fabs(direction_y / direction_z) * height + radius;
    bool hit = false;
    for (int i = first_image(x - side_x, size_x); !hit && i <= last_image(x + side_x, size_x);
         i++) {
        real there = y - i * lag;
        for (int j = first_image(there - side_y, size_y);
             !hit && j <= last_image(there + side_y, size_y); j++)
            hit = hits_box((real4)(x - i * size_x, there - j * size_y, 0, 0), direction, sorted,
                           velocity, order, type, links, mass, quad, box, total[0], scale);
    }
    if (!hit)
        atomic_inc(&counts[passed]);
}

#undef WALK_CELL
#undef WALK_PARTICLES
