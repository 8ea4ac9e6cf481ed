/* Wrap of the shearing sheet: a particle that left the box comes back as its image in it, with the
 * velocity of that image; beyond x = Lx/2 that is
 *   x -= Lx,  y += offset,  v_y += (3/2) Omega Lx,
 * then y, and z where the box repeats vertically, are brought back into [-L/2, L/2). Reads and
 * writes position and velocity (and their low parts). Any work-group size. */
#include "precision.clh"
#include "pair.clh"

/* How many boxes x is away; size 0: the box is open in this direction. */
static inline real boxes_away(real x, real size)
{
    return size > 0 ? floor(x / size + (real)0.5) : 0;
}

/* Nearly all are well inside, and for them nothing need be divided. */
static inline bool is_inside(real x, real size)
{
    return !(size > 0) || fabs(x) < (real)0.49 * size;
}

/* What rounding has left on the edge belongs inside. */
static inline real inside(real x, real size)
{
    return size > 0 ? clamp(x, -size / 2, nextafter(size / 2, (real)0)) : x;
}

/* Puts particle i, which is at this place, back where it has left the box. */
static inline void wrap_particle(real4 place, global real4 *position, global real *position_low,
                                 global real4 *velocity, global real *velocity_low, real size_x,
                                 real size_y, real size_z, real offset, real speed, uint i)
{
    if (is_inside(place.x, size_x) && is_inside(place.y, size_y) && is_inside(place.z, size_z))
        return;
    real out = boxes_away(place.x, size_x);
    real along = boxes_away(place.y + out * offset, size_y), up = boxes_away(place.z, size_z);
    if (out == 0 && along == 0 && up == 0)
        return;
    pair3 x = pair3_load(place, position_low, i);
    x.x = pair_add(x.x, pair_of(-out * size_x, 0));
    x.y = pair_add(x.y, pair_of(out * offset, 0));
    x.y = pair_add(x.y, pair_of(-along * size_y, 0));
    x.z = pair_add(x.z, pair_of(-up * size_z, 0));
    place = pair3_store(x, place.w, position_low, i);
    position[i] = (real4)(inside(place.x, size_x), inside(place.y, size_y),
                          inside(place.z, size_z), place.w);
    if (out != 0) {
        real4 v = velocity[i];
        pair3 faster = pair3_load(v, velocity_low, i);
        faster.y = pair_add(faster.y, pair_of(out * speed, 0));
        velocity[i] = pair3_store(faster, v.w, velocity_low, i);
    }
}

kernel void boundary_shear_wrap(global real4 *position, global real *position_low,
                                global real4 *velocity, global real *velocity_low, real size_x,
                                real size_y, real size_z, real offset, real speed, uint n,
                                volatile global const uint *counters)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || is_halted(counters))
        return;
    wrap_particle(position[i], position, position_low, velocity, velocity_low, size_x, size_y,
                  size_z, offset, speed, i);
}
