/* Frames for the viewer.
 *   view_frame_ranges  how far bodies, radii and colours reach: for each work-item, of the bodies
 *                      that it sees, a row of numbers that the host puts together
 *   view_frame_cut     every stride-th body: 16 bits a coordinate in the shown box and for the
 *                      radius, 8 bits for the colour
 * Both only read the state. Any work-group size. */
#include "precision.clh"

/* As in view/frame.h. */
#define COLOUR_TYPE      1
#define COLOUR_SPEED     2
#define COLOUR_MASS      3
#define COLOUR_RADIUS    4
#define COLOUR_POTENTIAL 5
#define COLOUR_ID        6
#define COLOUR_DENSITY   7
#define SCALE_LOG        2

/* A row: the number of bodies, their lowest and highest coordinates, sums of coordinates and of
 * their squares, the largest radius; the number of colour values, lowest, highest, sum, squares. */
#define ROW 19

/* The colour of a body, as a number; the logarithm of what is drawn on a logarithmic scale. */
static inline real colour_value(real4 x, real4 v, real potential, real density, uint colour,
                                uint scale, real shear)
{
    real value = 0;
    if (colour == COLOUR_SPEED) {
        v.y += shear * x.x;
        value = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    } else if (colour == COLOUR_MASS) {
        value = x.w;
    } else if (colour == COLOUR_RADIUS) {
        value = v.w;
    } else if (colour == COLOUR_POTENTIAL) {
        value = potential;
    } else if (colour == COLOUR_DENSITY) {
        value = density;
    }
    /* log(0) is -INFINITY: below any range. */
    return scale == SCALE_LOG ? log(value) : value;
}

kernel void view_frame_ranges(global real *rows, global const real4 *position,
                              global const real4 *velocity, global const real4 *acceleration,
                              global const uchar *type, global const float *density, uint n,
                              uint colour, uint scale, real shear)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    real4 low = (real4)(INFINITY), high = (real4)(-INFINITY), sum = 0, squares = 0;
    real4 pivot = position[0];
    real count = 0, values = 0, least = INFINITY, most = -INFINITY, total = 0, total2 = 0;
    for (uint i = item; i < n; i += items) {
        if (type[i] == OCT_TYPE_REMOVED)
            continue;
        real4 v = velocity[i], x = position[i], d = x - pivot;
        real value = colour_value(x, v, acceleration[i].w, density ? (real)density[i] : 0, colour,
                                  scale, shear);
        d.w = v.w;
        low = fmin(low, d);
        high = fmax(high, d);
        sum += d;
        squares += d * d;
        count += 1;
        if (isfinite(value)) {
            values += 1;
            least = fmin(least, value);
            most = fmax(most, value);
            total += value;
            total2 += value * value;
        }
    }
    global real *row = rows + ROW * item;
    row[0] = count;
    vstore3(low.xyz, 0, row + 1);
    vstore3(high.xyz, 0, row + 4);
    vstore3(sum.xyz, 0, row + 7);
    vstore3(squares.xyz, 0, row + 10);
    row[13] = high.w;
    row[14] = values;
    row[15] = least;
    row[16] = most;
    row[17] = total;
    row[18] = total2;
}

/* The id's bits mixed, so that neighbours differ (the multiplier is 2^64 / golden ratio). */
static inline uchar colour_of_id(ulong id)
{
    return (uchar)((id * 0x9E3779B97F4A7C15UL) >> 56);
}

/* Bodies may be outside of a periodic box, next to their stars. */
static inline real folded(real x, real period)
{
    return fabs(x) > period / 2 && period > 0 ? x - period * rint(x / period) : x;
}

kernel void view_frame_cut(global uchar *out, global const real4 *position,
                           global const real4 *velocity, global const real4 *acceleration,
                           global const ulong *id, global const uchar *type,
                           global const float *density, uint count, uint stride, real low_x,
                           real low_y, real low_z, real step_x, real step_y, real step_z,
                           real radius_unit, uint colour, uint scale, real colour_low,
                           real colour_step, real shear, real period_x, real period_y,
                           real period_z)
{
    uint k = (uint)get_global_id(0);
    if (k >= count)
        return;
    global ushort *bodies = (global ushort *)out;
    uint i = k * stride;
    real4 x = position[i], v = velocity[i];
    x.x = folded(x.x, period_x);
    x.y = folded(x.y, period_y);
    x.z = folded(x.z, period_z);
    real3 at = (x.xyz - (real3)(low_x, low_y, low_z)) / (real3)(step_x, step_y, step_z);
    /* What is no number is not inside either. */
    bool inside = all(at >= (real3)(-0.5f)) && all(at <= (real3)(65534.5f));
    if (!inside || type[i] == OCT_TYPE_REMOVED) {
        vstore4((ushort4)(65535, 0, 0, 0), k, bodies);
        out[8 * (size_t)count + k] = 0;
        return;
    }
    at = clamp(at + (real3)(0.5f), (real3)(0), (real3)(65534));
    /* A body with a radius shows one, however small it is beside the largest. */
    real radius = v.w > 0 && radius_unit > 0 ? clamp(v.w / radius_unit + (real)0.5f, (real)1,
                                                     (real)65535)
                                             : 0;
    vstore4((ushort4)((ushort)at.x, (ushort)at.y, (ushort)at.z, (ushort)radius), k, bodies);
    uchar byte;
    if (colour == COLOUR_TYPE) {
        byte = type[i] & ~OCT_TYPE_HELD;
    } else if (colour == COLOUR_ID) {
        byte = colour_of_id(id[i]);
    } else {
        real value = colour_value(x, v, acceleration[i].w, density ? (real)density[i] : 0, colour,
                                  scale, shear);
        real level = (value - colour_low) / colour_step + (real)0.5f;
        byte = (uchar)(level >= 0 ? fmin(level, (real)255) : 0);
    }
    out[8 * (size_t)count + k] = byte;
}
