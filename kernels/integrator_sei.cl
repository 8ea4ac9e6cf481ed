/* Drift of the symplectic epicycle integrator (Rein & Tremaine 2011, section 2.2): the exact motion
 * in the sheet without other forces. About the guiding centre
 *   x_g = 4 x + 2 v_y / Omega,  y_g = y - 2 v_x / Omega
 * (x - x_g, v_x / Omega) turns by Omega dt and y_g moves by -(3/2) Omega x_g dt; so does
 * (z, v_z / Omega_z) by Omega_z dt.
 *
 * A turn is three shears. A shear keeps areas whatever its factor was rounded to, so that rounding
 * makes no orbit grow or shrink steadily. For this each factor must be the same number wherever it
 * stands (omega, and shear = tan(Omega dt / 2) / Omega), and in single precision the products need
 * more digits than a float: the mean error of a rounded product with a constant is not quite zero.
 * Removed particles stay. Then the wrap at the faces of the sheet (boundary_shear.cl), unless
 * size_x is 0; accelerations are taken away where `cleared` is not null. Reads type; reads and
 * writes position and velocity (and their low parts). Any work-group size. */
#include "precision.clh"
#include "pair.clh"

typedef struct {
    pair x, v;
} change;

/* What a turn adds to a displacement d and its speed v; pull is -omega d. */
static inline change turn(pair pull, pair v, real omega, real shear, real sine)
{
    change d;
    pair first = pair_scale(shear, v);
    d.v = pair_scale(sine, pair_fma(-omega, first, pull));
    d.x = pair_fma(shear, d.v, pair_scale(2, first));
    return d;
}

kernel void integrator_sei_drift(global real4 *position, global real *position_low,
                                 global real4 *velocity, global real *velocity_low,
                                 global const uchar *type, global real4 *cleared, real omega,
                                 real shear, real sine, real omega_z, real shear_z, real sine_z,
                                 real size_x, real size_y, real size_z, real offset, real speed,
                                 real dt, uint n, volatile global uint *counters,
                                 uint step_offset)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || is_halted(counters))
        return;
    /* All is asked for before anything is written, which may be in the same place. */
    uchar kind = type[i];
    real4 place = position[i], moves = velocity[i];
    if (cleared)
        cleared[i] = (real4)(0);
    if (kind == OCT_TYPE_REMOVED)
        return;
    pair3 x = pair3_load(place, position_low, i), v = pair3_load(moves, velocity_low, i);
    /* -Omega (x - x_g) = 2 v_y + 3 Omega x, a small difference of large numbers. */
    pair pull = pair_fma(omega, x.x, pair_scale(2, pair_fma(omega, x.x, v.y)));
    change radial = turn(pull, v.x, omega, shear, sine);
    change vertical = turn(pair_scale(-omega_z, x.z), v.z, omega_z, shear_z, sine_z);
    real along = 2 * pair_value(radial.v) / omega -
                 (real)1.5 * dt * fma(omega, place.x, pair_value(pull));
    x.x = pair_add(x.x, radial.x);
    x.y = pair_add(x.y, pair_of(along, 0));
    x.z = pair_add(x.z, vertical.x);
    v.x = pair_add(v.x, radial.v);
    v.y = pair_add(v.y, pair_scale(-2 * omega, radial.x));
    v.z = pair_add(v.z, vertical.v);
    place = pair3_store(x, place.w, position_low, i);
    moves = pair3_store(v, moves.w, velocity_low, i);
    if (!is_number(place) || !is_number(moves))
        report_bad(counters, step_offset, i);
    position[i] = place;
    velocity[i] = moves;
    if (size_x > 0)
        wrap_particle(place, position, position_low, velocity, velocity_low, size_x, size_y, size_z,
                      offset, speed, i);
}
