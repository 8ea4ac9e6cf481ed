/* Many Wisdom-Holman steps in one launch, for GPUs and many systems of few bodies: the steps of
 * integrator_wh_lanes.cl, a system a work-item, so that none waits for another and each pair is
 * found once. Systems have a star and up to PLANETS planets; those of fewer follow the first one
 * without mass. Reads system_first; changes position and velocity; acceleration, that of other
 * systems, is 0. Work-groups of GROUP. */
#include "precision.clh"
#include "kepler.clh"
#include "kepler_quick_one.clh"

#ifndef PLANETS
#define PLANETS 4
#endif
#ifndef GROUP
#define GROUP 32
#endif

/* The mu of planets of a star alone: these are at rest, which is never slow. */
#define LONE 1e-30

/* For all planets, whose numbers are known to the compiler: they are in registers. */
#define EACH(i) _Pragma("unroll") for (uint i = 0; i < PLANETS; i++)

typedef struct {
    real m_star, per_all;   /* of the star, and 1 over that of all */
    real m[PLANETS];        /* of the planets */
    real share[PLANETS];    /* m_k / M_k */
    real before[PLANETS];   /* 1 / M_{k-1} */
    real mu[PLANETS];       /* G M_k */
} masses;

/* x' of d in its place; returns the sum of all m_k d_k. */
static inline real3 to_jacobi(real3 d[PLANETS], const masses *of)
{
    real3 sum = of->m[0] * d[0];
#pragma unroll
    for (uint i = 1; i < PLANETS; i++) {
        real3 own = d[i];
        d[i] = own - of->before[i] * sum;
        sum += of->m[i] * own;
    }
    return sum;
}

/* d of x' in its place; returns the sum of all (m_k / M_k) x'_k. */
static inline real3 from_jacobi(real3 x[PLANETS], const masses *of)
{
    real3 sum = of->share[0] * x[0];
#pragma unroll
    for (uint i = 1; i < PLANETS; i++) {
        real3 own = x[i];
        x[i] = own + sum;
        sum += of->share[i] * own;
    }
    return sum;
}

/* Orbits that kepler_quick has left, those whose bit is set. They go through arrays of their own,
 * so that the others stay in registers. */
static inline void drift_slowly(real3 x[PLANETS], real3 v[PLANETS], const masses *of, uint left,
                                real t)
{
    real places[PLANETS][3], speeds[PLANETS][3], mu[PLANETS];
    EACH(i) {
        vstore3(x[i], 0, places[i]);
        vstore3(v[i], 0, speeds[i]);
        mu[i] = of->mu[i];
    }
#pragma unroll 1
    for (uint k = 0; k < PLANETS; k++)
        if (left >> k & 1) {
            real3 place = vload3(0, places[k]), speed = vload3(0, speeds[k]);
            kepler_drift(&place, &speed, mu[k], t);
            vstore3(place, 0, places[k]);
            vstore3(speed, 0, speeds[k]);
        }
    EACH(i) {
        x[i] = vload3(0, places[i]);
        v[i] = vload3(0, speeds[i]);
    }
}

static inline void drift(real3 x[PLANETS], real3 v[PLANETS], const masses *of, real t)
{
    uint left = 0;
    EACH(i) {
        kepler_orbit o = {x[i].x, x[i].y, x[i].z, v[i].x, v[i].y, v[i].z};
        left |= kepler_quick(&o, of->mu[i], t) ? 1u << i : 0;
        x[i] = (real3)(o.x, o.y, o.z);
        v[i] = (real3)(o.u, o.v, o.w);
    }
    if (left)
        drift_slowly(x, v, of, left, t);
}

/* d / |d|^3, nothing at no distance, and where that or its square is no number. */
static inline real3 pull(real3 d)
{
    real r2 = dot(d, d), u = inverse_root(r2);
    uint high = (uint)(as_ulong(r2) >> 32);
    return (high - 0x00100000u < 0x7fe00000u ? u * u * u : 0) * d;
}

/* What is left of the forces; accelerations from the star's, without what the star and the first
 * planet do to each other, transform like places. */
static inline void kick(const real3 x[PLANETS], real3 v[PLANETS], const masses *of, real G,
                        real dt)
{
    real3 d[PLANETS], a[PLANETS], star = (real3)(0, 0, 0);
    EACH(i) d[i] = x[i];
    from_jacobi(d, of);
    a[0] = (real3)(0, 0, 0);
#pragma unroll
    for (uint i = 1; i < PLANETS; i++) {
        real3 to = pull(d[i]);
        star += of->m[i] * to;
        a[i] = -of->m_star * to;
    }
    EACH(i) {
#pragma unroll
        for (uint k = i + 1; k < PLANETS; k++) {
            real3 to = pull(d[k] - d[i]);
            a[i] += of->m[k] * to;
            a[k] -= of->m[i] * to;
        }
    }
    EACH(i) a[i] -= star;
    to_jacobi(a, of);
    real strength = G * dt;
    v[0] += strength * a[0];
#pragma unroll
    for (uint i = 1; i < PLANETS; i++)
        v[i] += strength * a[i] + (dt * of->mu[i]) * pull(x[i]);
}

static inline masses find_masses(uint begin, uint planets, global const real4 *position, real G)
{
    masses of;
    real sum = position[begin].w;
    of.m_star = sum;
    EACH(i) {
        real own = i < planets ? position[begin + 1 + i].w : 0;
        of.before[i] = sum > 0 ? 1 / sum : 0;
        sum += own;
        of.m[i] = own;
        of.share[i] = own > 0 ? own / sum : 0;
        of.mu[i] = i < planets ? G * sum : planets ? of.mu[0] : LONE;
    }
    of.per_all = sum > 0 ? 1 / sum : 0;
    return of;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
integrator_wh_whole(global real4 *position, global real4 *velocity, global real4 *acceleration,
                    global const uint *system_first, real G, real dt, uint steps, uint systems,
                    volatile global uint *counters, uint step_offset)
{
    uint system = (uint)get_global_id(0);
    if (system >= systems)
        return;
    uint begin = system_first[system], planets = system_first[system + 1] - begin - 1;
    masses of = find_masses(begin, planets, position, G);
    real3 x_star = position[begin].xyz, v_star = velocity[begin].xyz;
    real3 x[PLANETS], v[PLANETS]; /* from the star */
    EACH(i) {
        uint body = begin + (planets == 0 ? 0 : 1 + (i < planets ? i : 0));
        x[i] = planets ? position[body].xyz - x_star : (real3)(1, 0, 0);
        v[i] = velocity[body].xyz - v_star;
    }
    uint step = 0;
    bool good = true;
    while (step < steps && good) {
        real3 centre = x_star + of.per_all * to_jacobi(x, &of);
        real3 speed = v_star + of.per_all * to_jacobi(v, &of);
#pragma unroll 1
        for (uint part = 0; part < 2; part++) {
            if (part)
                kick(x, v, &of, G, dt);
            drift(x, v, &of, dt / 2);
        }
        x_star = centre + dt * speed - from_jacobi(x, &of);
        v_star = speed - from_jacobi(v, &of);
        /* The state is that of the bodies, rounded as in memory: how many steps a launch takes
         * changes no bit. */
        real3 none = 0 * x_star + 0 * v_star;
        EACH(i) {
            x[i] = (x_star + x[i]) - x_star;
            v[i] = (v_star + v[i]) - v_star;
            none += 0 * x[i];
            none += 0 * v[i];
        }
        good = none.x + none.y + none.z == 0;
        step += good;
    }
    position[begin].xyz = x_star;
    velocity[begin].xyz = v_star;
    acceleration[begin] = (real4)(0, 0, 0, 0);
    EACH(i) if (i < planets) {
        position[begin + 1 + i].xyz = x_star + x[i];
        velocity[begin + 1 + i].xyz = v_star + v[i];
        acceleration[begin + 1 + i] = (real4)(0, 0, 0, 0);
    }
    if (!good) {
        uint i = begin;
        while (i <= begin + planets && is_number(position[i]) && is_number(velocity[i]))
            i++;
        report_bad(counters, step_offset + step, i <= begin + planets ? i : begin);
    }
}
