/* How far planets are from where the two-body problem has them.
 *   diag_kepler_error_start  keeps the orbit of each body about its star: position and velocity
 *                            relative to it, and mu = G (m_star + m); mu = 0 for what has no star
 *   diag_kepler_error_sum    partial sums of the number of planets and of their distances from
 *                            the Kepler orbit after `time`, and the largest distance as the bits
 *                            of a float: bits of positive floats are in the order of the floats
 * Reads the state and the systems. In double whatever the precision. Any work-group size. */
#include "precision.clh"
#include "partials.clh"

/* Orbits in double also where the state is not. */
#define real  double
#define real2 double2
#define real3 double3
#include "kepler.clh"
#undef real
#undef real2
#undef real3

/* A position or velocity, less what single precision has rounded off it. */
static inline double3 whole(global const real4 *high, global const real *low, uint i)
{
    double3 x = (double3)(high[i].x, high[i].y, high[i].z);
#if OCT_PRECISION == 1
    x -= convert_double3(vload3(i, low));
#endif
    return x;
}

/* Of a distance in a box with periods; 0: there are no images. */
static inline double3 nearest_image(double3 x, double3 period)
{
    return x - (period > 0 ? period * rint(x / period) : (double3)(0));
}

kernel void diag_kepler_error_start(global double4 *orbits, global const real4 *position,
                                    global const real *position_low, global const real4 *velocity,
                                    global const real *velocity_low, global const uchar *type,
                                    global const uint *system_of, global const uint *system_first,
                                    double G, double period_x, double period_y, double period_z,
                                    uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    uint star = system_first[system_of[i]];
    /* A star that is held does not answer to the planet's pull. */
    double mass = (double)position[star].w;
    if (!(type[star] & OCT_TYPE_HELD))
        mass += (double)position[i].w;
    double3 period = (double3)(period_x, period_y, period_z);
    double3 x = whole(position, position_low, i) - whole(position, position_low, star);
    x = nearest_image(x, period);
    double3 v = whole(velocity, velocity_low, i) - whole(velocity, velocity_low, star);
    orbits[2 * (size_t)i] = (double4)(x, i == star ? 0 : G * mass);
    orbits[2 * (size_t)i + 1] = (double4)(v, 0);
}

kernel void diag_kepler_error_sum(global sum *partials, uint first_sum, uint sum_rows,
                                  volatile global uint *counts, uint largest,
                                  global const double4 *orbits, global const real4 *position,
                                  global const real *position_low, global const uchar *type,
                                  global const uint *system_of, global const uint *system_first,
                                  double time, double period_x, double period_y, double period_z,
                                  uint n)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0), planets = 0;
    double total = 0, most = 0;
    double3 period = (double3)(period_x, period_y, period_z);
    for (uint i = item; i < n; i += items) {
        uint star = system_first[system_of[i]];
        double mu = orbits[2 * (size_t)i].w;
        if (mu == 0 || type[i] == OCT_TYPE_REMOVED || type[star] == OCT_TYPE_REMOVED)
            continue;
        double3 x = orbits[2 * (size_t)i].xyz, v = orbits[2 * (size_t)i + 1].xyz;
        kepler_drift(&x, &v, mu, time);
        x += whole(position, position_low, star) - whole(position, position_low, i);
        double distance = length(nearest_image(x, period));
        planets++;
        total += distance;
        most = fmax(most, distance);
    }
    PARTIAL(0, item) = planets;
    PARTIAL(1, item) = total;
    if (most > 0)
        atomic_max(&counts[largest], as_uint((float)most));
}
