/* Wisdom-Holman steps of many solar systems (Wisdom & Holman 1991), a work-item a body.
 *
 * Jacobi coordinates: x'_i of planet i is its place as seen from the centre of mass of the star and
 * the planets before it, M_i the mass of all these and its own. Then
 *   x_i = R - sum_{k >= i} (m_k / M_k) x'_k + x'_i,
 * the star without its own x'; R is the centre of mass of the system.
 *   integrator_wh_drift  to Jacobi coordinates, each planet by dt on the Kepler orbit of G M_i
 *   integrator_wh_back   to the places and velocities of the bodies
 *   integrator_wh_kick   v += dt times the far pull, plus that of the system's own bodies, less
 *                        what the Kepler orbits have done already
 * jacobi holds x' and m_k / M_k, jacobi_velocity v' and G M_k; the slot of the star R and its
 * velocity. All four are linear in x, so no step needs the whole system in one work-item.
 *
 * A held star does not answer to its planets: it counts as infinitely heavy. Held planets and those
 * that were removed are in no sum; the former move on straight, and pull. Sums go over the bodies
 * of sources.clh: those without mass would add nothing. */
#include "precision.clh"
#include "kepler.clh"
#include "sources.clh"
#include "systems.clh"

/* Whether a body other than the star is one of the chain. */
#define ROUND_STAR(i) (!(type[i] & OCT_TYPE_HELD))

#define SOURCES global const uint *sources, global const uint *n_sources

/* For all sources k with first <= k < end. */
#define EACH_SOURCE(k, first, end)                                                                 \
    for (uint at = source_from(first, sources, count_sources(sources, n_sources, n)),              \
              count = count_sources(sources, n_sources, n), k;                                     \
         at < count && (k = source_at(sources, at)) < (end); at++)

/* What kind of body one is, for a drift. */
#define GONE     0
#define IS_STAR  1
#define IN_ORBIT 2
#define STRAIGHT 3

/* A body's Jacobi coordinates, its own part of the sum of masses and that of those before it.
 * Whoever is on no orbit flies straight on from x beyond its place: the star with the centre of
 * mass. Returns its kind. */
static inline uint to_jacobi(real3 *x, real3 *v, real *own, real *mass, uint i,
                             global const real4 *position, global const real4 *velocity,
                             global const uchar *type, global const uint *system_of,
                             global const uint *system_first, SOURCES, uint n)
{
    if (type[i] == OCT_TYPE_REMOVED)
        return GONE;
    uint begin = system_first[system_of[i]], last = system_first[system_of[i] + 1];
    uint star = star_of(type, begin, last);
    bool fixed = type[star] & OCT_TYPE_HELD;
    real3 x_star = position[star].xyz, v_star = velocity[star].xyz;
    /* The mass before planet i and its centre, from the star; of all for the star itself. */
    uint end = i == star ? last : i;
    *mass = position[star].w;
    *x = *v = (real3)(0, 0, 0);
    EACH_SOURCE(k, star + 1, fixed ? star : end) {
        real4 other = position[k];
        if (ROUND_STAR(k)) {
            *mass += other.w;
            *x += other.w * (other.xyz - x_star);
            *v += other.w * (velocity[k].xyz - v_star);
        }
    }
    real inverse = *mass > 0 ? 1 / *mass : 0;
    *x *= inverse;
    *v *= inverse;
    if (i == star) {
        *v += v_star;
        return IS_STAR;
    }
    if (!ROUND_STAR(i)) {
        *x = (real3)(0, 0, 0);
        *v = velocity[i].xyz;
        return STRAIGHT;
    }
    *own = fixed ? 0 : position[i].w;
    *x = position[i].xyz - x_star - *x;
    *v = velocity[i].xyz - v_star - *v;
    return IN_ORBIT;
}

kernel void integrator_wh_drift(global real4 *jacobi, global real4 *jacobi_velocity,
                                global const real4 *position, global const real4 *velocity,
                                global const uchar *type, global const uint *system_of,
                                global const uint *system_first, SOURCES, real G, real dt, uint n,
                                volatile global const uint *counters)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || is_halted(counters))
        return;
    real3 x, v;
    real own = 0, mass = 0;
    uint kind = to_jacobi(&x, &v, &own, &mass, i, position, velocity, type, system_of,
                          system_first, sources, n_sources, n);
    if (kind == GONE) {
        jacobi[i] = jacobi_velocity[i] = (real4)(0, 0, 0, 0);
    } else if (kind == IN_ORBIT) {
        real mu = G * (mass + own);
        kepler_drift(&x, &v, mu, dt);
        jacobi[i] = (real4)(x, own > 0 ? own / (mass + own) : 0);
        jacobi_velocity[i] = (real4)(v, mu);
    } else {
        jacobi[i] = (real4)(x + (position[i].xyz + dt * v), 0);
        jacobi_velocity[i] = kind == IS_STAR ? (real4)(v, 0) : (real4)(0, 0, 0, 0);
    }
}

kernel void integrator_wh_back(global real4 *position, global real4 *velocity,
                               global const real4 *jacobi, global const real4 *jacobi_velocity,
                               global const uchar *type, global const uint *system_of,
                               global const uint *system_first, SOURCES, uint n,
                               volatile global uint *counters, uint step_offset)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || type[i] == OCT_TYPE_REMOVED || is_halted(counters))
        return;
    uint end = system_first[system_of[i] + 1];
    uint star = star_of(type, system_first[system_of[i]], end);
    real4 place = position[i], speed = velocity[i];
    real3 x = jacobi[i].xyz, v = jacobi_velocity[i].xyz;
    if (i != star && !ROUND_STAR(i)) {
        v = speed.xyz;
    } else {
        EACH_SOURCE(k, max(i, star + 1), end) {
            x -= jacobi[k].w * jacobi[k].xyz;
            v -= jacobi[k].w * jacobi_velocity[k].xyz;
        }
        if (i != star) {
            x += jacobi[star].xyz;
            v += jacobi_velocity[star].xyz;
        }
    }
    place.xyz = x;
    speed.xyz = v;
    if (!is_number(place) || !is_number(speed))
        report_bad(counters, step_offset, i);
    position[i] = place;
    velocity[i] = speed;
}

/* mass times d / |d|^3, nothing at no distance. */
static inline real3 pull(real mass, real3 d)
{
    real r2 = dot(d, d);
    return r2 > 0 ? mass / (r2 * sqrt(r2)) * d : (real3)(0, 0, 0);
}

/* What the system's own bodies do to one, less what the Kepler orbits have done already. */
static inline real3 near_pull(uint i, global const real4 *position, global const real4 *jacobi,
                              global const real4 *jacobi_velocity, global const uchar *type,
                              global const uint *system_of, global const uint *system_first,
                              SOURCES, real G, uint n)
{
    uint end = system_first[system_of[i] + 1];
    uint star = star_of(type, system_first[system_of[i]], end);
    /* The Kepler orbit of the first planet is all that it and the star do to each other: that they
     * are left out makes two bodies exact. */
    uint inner = star + 1;
    while (inner < end && !ROUND_STAR(inner))
        inner++;
    real3 own = position[i].xyz, near = (real3)(0, 0, 0);
    EACH_SOURCE(k, star, end) {
        if (max(i, k) != inner || min(i, k) != star)
            near += pull(G * position[k].w, position[k].xyz - own);
        /* The Kepler pull on x'_k is -G M_k x'_k / r'_k^3; x_i has its share of it, as above. */
        if (k >= i && k > inner)
            near -= pull(jacobi[k].w * jacobi_velocity[k].w, jacobi[k].xyz);
    }
    if (i > inner)
        near += pull(jacobi_velocity[i].w, jacobi[i].xyz);
    return near;
}

static inline void kick_by(real3 near, uint i, global real4 *velocity,
                           global const real4 *acceleration, real dt,
                           volatile global uint *counters, uint step_offset)
{
    real4 v = velocity[i];
    v.xyz += dt * (near + acceleration[i].xyz);
    if (!is_number(v))
        report_bad(counters, step_offset, i);
    velocity[i] = v;
}

kernel void integrator_wh_kick(global real4 *velocity, global const real4 *position,
                               global const real4 *acceleration, global const real4 *jacobi,
                               global const real4 *jacobi_velocity, global const uchar *type,
                               global const uint *system_of, global const uint *system_first,
                               SOURCES, real G, real dt, uint n, volatile global uint *counters,
                               uint step_offset)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || !ROUND_STAR(i) || is_halted(counters))
        return;
    real3 near = near_pull(i, position, jacobi, jacobi_velocity, type, system_of, system_first,
                           sources, n_sources, G, n);
    kick_by(near, i, velocity, acceleration, dt, counters, step_offset);
}
