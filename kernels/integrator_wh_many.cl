/* Drifts and kicks of integrator_wh.cl for CPUs and systems of many bodies, of which few pull:
 * eight bodies a work-item, in vector lanes. Work-groups of one work-item. */
#include "integrator_wh.cl"
#include "kepler_quick_lanes.clh"

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
integrator_wh_drift_many(global real4 *jacobi, global real4 *jacobi_velocity,
                         global const real4 *position, global const real4 *velocity,
                         global const uchar *type, global const uint *system_of,
                         global const uint *system_first, SOURCES, real G, real dt, uint n,
                         volatile global const uint *counters)
{
    if (is_halted(counters))
        return;
    uint first = (uint)get_group_id(0) * LANES, count = min((uint)LANES, n - first);
    real3 x[LANES], v[LANES];
    real own[LANES], mass[LANES];
    uint kind[LANES];
    kepler_orbit o;
    number mu;
    private real *rows = (private real *)&o, *mus = (private real *)&mu;
    for (uint k = 0; k < LANES; k++) {
        own[k] = mass[k] = 0;
        uint body = first + min(k, count - 1);
        kind[k] = to_jacobi(&x[k], &v[k], &own[k], &mass[k], body, position, velocity, type,
                            system_of, system_first, sources, n_sources, n);
        /* Whoever is on no orbit lends its lane to a circle, which is never slow. */
        bool orbit = kind[k] == IN_ORBIT;
        real3 place = orbit ? x[k] : (real3)(1, 0, 0), speed = orbit ? v[k] : (real3)(0, 0, 0);
        mus[k] = orbit ? G * (mass[k] + own[k]) : 1e-30;
        rows[k] = place.x;
        rows[LANES + k] = place.y;
        rows[2 * LANES + k] = place.z;
        rows[3 * LANES + k] = speed.x;
        rows[4 * LANES + k] = speed.y;
        rows[5 * LANES + k] = speed.z;
    }
    flags bad = kepler_quick(&o, mu, dt);
    const private long *slow = (const private long *)&bad;
    for (uint k = 0; k < count; k++) {
        uint i = first + k;
        if (kind[k] == GONE) {
            jacobi[i] = jacobi_velocity[i] = (real4)(0, 0, 0, 0);
        } else if (kind[k] == IN_ORBIT) {
            if (slow[k]) {
                kepler_drift(&x[k], &v[k], mus[k], dt);
            } else {
                x[k] = (real3)(rows[k], rows[LANES + k], rows[2 * LANES + k]);
                v[k] = (real3)(rows[3 * LANES + k], rows[4 * LANES + k], rows[5 * LANES + k]);
            }
            jacobi[i] = (real4)(x[k], own[k] > 0 ? own[k] / (mass[k] + own[k]) : 0);
            jacobi_velocity[i] = (real4)(v[k], mus[k]);
        } else {
            jacobi[i] = (real4)(x[k] + (position[i].xyz + dt * v[k]), 0);
            jacobi_velocity[i] = kind[k] == IS_STAR ? (real4)(v[k], 0) : (real4)(0, 0, 0, 0);
        }
    }
}

/* Adds mass times d / |d|^3, nothing at no distance. */
static inline void add_pull(number sum[3], number mass, number x, number y, number z)
{
    number r2 = x * x + y * y + z * z;
    number u = r2 > (number)(0) ? mass / (r2 * sqrt(r2)) : (number)(0);
    sum[0] += u * x;
    sum[1] += u * y;
    sum[2] += u * z;
}

/* near_pull of eight bodies of one system that come after its first planet. */
static inline void near_pulls(number sum[3], uint first, uint star, uint inner, uint end,
                              global const real4 *position, global const real4 *jacobi,
                              global const real4 *jacobi_velocity, SOURCES, real G, uint n)
{
    number x, y, z, jx, jy, jz, mu;
    private real *px = (private real *)&x, *py = (private real *)&y, *pz = (private real *)&z;
    private real *qx = (private real *)&jx, *qy = (private real *)&jy, *qz = (private real *)&jz;
    for (uint k = 0; k < LANES; k++) {
        px[k] = position[first + k].x;
        py[k] = position[first + k].y;
        pz[k] = position[first + k].z;
        qx[k] = jacobi[first + k].x;
        qy[k] = jacobi[first + k].y;
        qz[k] = jacobi[first + k].z;
        ((private real *)&mu)[k] = jacobi_velocity[first + k].w;
    }
    sum[0] = sum[1] = sum[2] = (number)(0);
    flags bodies = (flags)((long)first) + (flags)(0, 1, 2, 3, 4, 5, 6, 7);
    EACH_SOURCE(k, star, end) {
        real4 from = position[k], orbit = jacobi[k];
        add_pull(sum, (number)(G * from.w), from.x - x, from.y - y, from.z - z);
        if (k >= first && k > inner) {
            number share = (number)(-orbit.w * jacobi_velocity[k].w);
            share = (flags)((long)k) >= bodies ? share : (number)(0);
            add_pull(sum, share, (number)(orbit.x), (number)(orbit.y), (number)(orbit.z));
        }
    }
    add_pull(sum, mu, jx, jy, jz);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
integrator_wh_kick_many(global real4 *velocity, global const real4 *position,
                        global const real4 *acceleration, global const real4 *jacobi,
                        global const real4 *jacobi_velocity, global const uchar *type,
                        global const uint *system_of, global const uint *system_first, SOURCES,
                        real G, real dt, uint n, volatile global uint *counters, uint step_offset)
{
    if (is_halted(counters))
        return;
    uint first = (uint)get_group_id(0) * LANES, count = min((uint)LANES, n - first);
    uint end = system_first[system_of[first] + 1];
    uint star = star_of(type, system_first[system_of[first]], end), inner = star + 1;
    while (inner < end && !ROUND_STAR(inner))
        inner++;
    bool together = count == LANES && first > inner && first + LANES <= end;
    number sum[3];
    if (together)
        near_pulls(sum, first, star, inner, end, position, jacobi, jacobi_velocity, sources,
                   n_sources, G, n);
    const private real *rows = (const private real *)sum;
    for (uint k = 0; k < count; k++) {
        uint i = first + k;
        if (!ROUND_STAR(i))
            continue;
        real3 near = together ? (real3)(rows[k], rows[LANES + k], rows[2 * LANES + k])
                              : near_pull(i, position, jacobi, jacobi_velocity, type, system_of,
                                          system_first, sources, n_sources, G, n);
        kick_by(near, i, velocity, acceleration, dt, counters, step_offset);
    }
}
