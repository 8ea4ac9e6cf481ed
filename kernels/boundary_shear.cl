/* Wrap of the shearing sheet: a particle that left the box comes back as its image in it, with the
 * velocity of that image; beyond x = Lx/2 that is
 *   x -= Lx,  y += offset,  v_y += (3/2) Omega Lx,
 * then y, and z where the box repeats vertically, are brought back into [-L/2, L/2). Reads and
 * writes position and velocity (and their low parts). Any work-group size. */
#include "precision.clh"
#include "compensated.clh"

/* How many boxes x is away; size 0: the box is open in this direction. */
static inline real boxes_away(real x, real size)
{
    return size > 0 ? floor(x / size + (real)0.5) : 0;
}

/* What rounding has left on the edge belongs inside. */
static inline real inside(real x, real size)
{
    return size > 0 ? clamp(x, -size / 2, nextafter(size / 2, (real)0)) : x;
}

kernel void boundary_shear_wrap(global real4 *position, global real *position_low,
                                global real4 *velocity, global real *velocity_low, real size_x,
                                real size_y, real size_z, real offset, real speed, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    real4 x = position[i];
    real out = boxes_away(x.x, size_x);
    if (out != 0) {
        real4 jump = (real4)(-out * size_x, out * offset, 0, 0);
        x = add_compensated(x, jump, position_low, i);
        velocity[i] =
            add_compensated(velocity[i], (real4)(0, out * speed, 0, 0), velocity_low, i);
    }
    real along = boxes_away(x.y, size_y), up = boxes_away(x.z, size_z);
    if (along != 0 || up != 0)
        x = add_compensated(x, (real4)(0, -along * size_y, -up * size_z, 0), position_low, i);
    else if (out == 0)
        return;
    x.x = inside(x.x, size_x);
    x.y = inside(x.y, size_y);
    x.z = inside(x.z, size_z);
    position[i] = x;
}
