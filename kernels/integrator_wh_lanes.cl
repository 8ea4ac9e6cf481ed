/* Many Wisdom-Holman steps of integrator_wh.cl in one launch, for CPUs and systems that nothing
 * else pulls: a system a work-item, planets in vector lanes. All bodies take part: none is held or
 * removed. Reads system_first; changes position and velocity; acceleration, that of other systems,
 * is 0. Work-groups of one work-item.
 *
 * With d_i the place of planet i from the star, its Jacobi coordinates are
 *   x'_i = d_i - sum_{0<k<i} m_k d_k / M_{i-1},  d_i = x'_i + sum_{0<k<i} (m_k / M_k) x'_k,
 * and accelerations, from the star's, transform like places. What star and first planet do to each
 * other is their Kepler orbit, and left out of the kicks. At the end of each step the state is that
 * of the bodies, rounded as in memory: how many steps a launch takes changes no bit. */
#include "precision.clh"
#include "kepler.clh"
#include "kepler_quick_lanes.clh"

#define MOST 8 /* vectors: 64 planets */

/* Rows of vectors, planets in their order. */
typedef struct {
    number x[MOST], y[MOST], z[MOST];
} rows;

typedef struct {
    rows d, v;                     /* planets from the star */
    rows x, u;                     /* Jacobi places and velocities */
    number m[MOST], share[MOST];   /* masses, and m_k / M_k */
    number mu[MOST], before[MOST]; /* G M_k, and 1 / M_{k-1} */
    number kick[MOST];             /* G M_k, 0 for the first planet */
    real3 x_star, v_star;
    real m_star, per_all;
    uint planets, vectors;
    flags spare; /* lanes of the last vector that have no planet */
} chain;

static inline number shift_1(number a)
{
    return (number)(0, a.s0, a.s1, a.s2, a.s3, a.s4, a.s5, a.s6);
}

/* The sums of all lanes before each, from `carry` on, which goes on to the next vector. */
static inline number scan(number a, real *carry)
{
    number sum = shift_1(a);
    sum += shift_1(sum);
    sum += (number)(0, 0, sum.s0, sum.s1, sum.s2, sum.s3, sum.s4, sum.s5);
    sum += (number)(0, 0, 0, 0, sum.s0, sum.s1, sum.s2, sum.s3);
    sum += *carry;
    *carry = sum.s7 + a.s7;
    return sum;
}

/* x' of d, and the sum of all m_k d_k. */
static inline real3 to_jacobi(rows *out, const rows *d, const chain *c)
{
    real x = 0, y = 0, z = 0;
    for (uint k = 0; k < c->vectors; k++) {
        out->x[k] = d->x[k] - c->before[k] * scan(c->m[k] * d->x[k], &x);
        out->y[k] = d->y[k] - c->before[k] * scan(c->m[k] * d->y[k], &y);
        out->z[k] = d->z[k] - c->before[k] * scan(c->m[k] * d->z[k], &z);
    }
    return (real3)(x, y, z);
}

/* Lanes without a planet follow the first one, so that their orbits are as good as any. */
static inline void fill_spare(rows *a, const chain *c)
{
    uint last = c->vectors - 1;
    a->x[last] = c->spare ? (number)(a->x[0].s0) : a->x[last];
    a->y[last] = c->spare ? (number)(a->y[0].s0) : a->y[last];
    a->z[last] = c->spare ? (number)(a->z[0].s0) : a->z[last];
}

/* d of x', and the sum of all (m_k / M_k) x'_k: how far the star is behind the centre. */
static inline real3 from_jacobi(rows *d, const rows *x, const chain *c)
{
    real sum_x = 0, sum_y = 0, sum_z = 0;
    for (uint k = 0; k < c->vectors; k++) {
        d->x[k] = x->x[k] + scan(c->share[k] * x->x[k], &sum_x);
        d->y[k] = x->y[k] + scan(c->share[k] * x->y[k], &sum_y);
        d->z[k] = x->z[k] + scan(c->share[k] * x->z[k], &sum_z);
    }
    return (real3)(sum_x, sum_y, sum_z);
}

/* The ones that kepler_quick has left. */
static void drift_slowly(chain *c, uint k, flags bad, real dt)
{
    private real *x = (private real *)&c->x, *v = (private real *)&c->u;
    const private real *mu = (const private real *)c->mu;
    const private long *left = (const private long *)&bad;
    for (uint lane = 0; lane < LANES; lane++)
        if (left[lane]) {
            uint i = k * LANES + lane;
            real3 place = (real3)(x[i], x[MOST * LANES + i], x[2 * MOST * LANES + i]);
            real3 speed = (real3)(v[i], v[MOST * LANES + i], v[2 * MOST * LANES + i]);
            kepler_drift(&place, &speed, mu[i], dt);
            x[i] = place.x;
            x[MOST * LANES + i] = place.y;
            x[2 * MOST * LANES + i] = place.z;
            v[i] = speed.x;
            v[MOST * LANES + i] = speed.y;
            v[2 * MOST * LANES + i] = speed.z;
        }
}

static inline __attribute__((always_inline)) void drift(chain *c, real dt)
{
    for (uint k = 0; k < c->vectors; k++) {
        kepler_orbit o = {c->x.x[k], c->x.y[k], c->x.z[k], c->u.x[k], c->u.y[k], c->u.z[k]};
        flags bad = kepler_quick(&o, c->mu[k], dt);
        c->x.x[k] = o.x;
        c->x.y[k] = o.y;
        c->x.z[k] = o.z;
        c->u.x[k] = o.u;
        c->u.y[k] = o.v;
        c->u.z[k] = o.w;
        if (ANY(bad))
            drift_slowly(c, k, bad, dt);
    }
}

/* 1 / r^3, nothing at no distance. */
static inline number cube(number x, number y, number z)
{
    number r2 = x * x + y * y + z * z;
    return r2 > (number)(0) ? 1 / (r2 * sqrt(r2)) : (number)(0);
}

/* Accelerations of planets from the star's. */
static inline void pull_planets(rows *a, const chain *c, real G)
{
    const private real *x = (const private real *)&c->d, *m = (const private real *)c->m;
    real star_x = 0, star_y = 0, star_z = 0;
    for (uint k = 0; k < c->vectors; k++) {
        number u = G * cube(c->d.x[k], c->d.y[k], c->d.z[k]);
        if (k == 0)
            u.s0 = 0;
        scan(u * c->m[k] * c->d.x[k], &star_x);
        scan(u * c->m[k] * c->d.y[k], &star_y);
        scan(u * c->m[k] * c->d.z[k], &star_z);
        a->x[k] = -c->m_star * u * c->d.x[k];
        a->y[k] = -c->m_star * u * c->d.y[k];
        a->z[k] = -c->m_star * u * c->d.z[k];
    }
    for (uint k = 0; k < c->vectors; k++) {
        number sum_x = a->x[k] - star_x, sum_y = a->y[k] - star_y, sum_z = a->z[k] - star_z;
        for (uint j = 0; j < c->planets; j++) {
            number dx = x[j] - c->d.x[k], dy = x[MOST * LANES + j] - c->d.y[k],
                   dz = x[2 * MOST * LANES + j] - c->d.z[k];
            number u = G * m[j] * cube(dx, dy, dz);
            sum_x += u * dx;
            sum_y += u * dy;
            sum_z += u * dz;
        }
        a->x[k] = sum_x;
        a->y[k] = sum_y;
        a->z[k] = sum_z;
    }
}

static inline void kick(chain *c, real G, real dt)
{
    rows a, b;
    from_jacobi(&c->d, &c->x, c);
    pull_planets(&a, c, G);
    to_jacobi(&b, &a, c);
    for (uint k = 0; k < c->vectors; k++) {
        number u = c->kick[k] * cube(c->x.x[k], c->x.y[k], c->x.z[k]);
        c->u.x[k] += dt * (b.x[k] + u * c->x.x[k]);
        c->u.y[k] += dt * (b.y[k] + u * c->x.y[k]);
        c->u.z[k] += dt * (b.z[k] + u * c->x.z[k]);
    }
    fill_spare(&c->u, c);
}

static void load_chain(chain *c, global const real4 *position, global const real4 *velocity,
                       uint begin, uint end, real G)
{
    private real *d = (private real *)&c->d, *v = (private real *)&c->v;
    private real *m = (private real *)c->m, *share = (private real *)c->share;
    private real *mu = (private real *)c->mu, *before = (private real *)c->before;
    private real *kicks = (private real *)c->kick;
    real4 star = position[begin];
    real sum = star.w;
    c->x_star = star.xyz;
    c->v_star = velocity[begin].xyz;
    c->m_star = star.w;
    c->planets = end - begin - 1;
    c->vectors = (c->planets + LANES - 1) / LANES;
    c->spare = (flags)(0, 1, 2, 3, 4, 5, 6, 7) >=
               (flags)((long)c->planets - (long)(c->vectors * LANES - LANES));
    for (uint i = 0; i < c->vectors * LANES; i++) {
        uint body = begin + 1 + min(i, c->planets - 1);
        real own = i < c->planets ? position[body].w : 0;
        real3 place = position[body].xyz - c->x_star, speed = velocity[body].xyz - c->v_star;
        d[i] = place.x;
        d[MOST * LANES + i] = place.y;
        d[2 * MOST * LANES + i] = place.z;
        v[i] = speed.x;
        v[MOST * LANES + i] = speed.y;
        v[2 * MOST * LANES + i] = speed.z;
        before[i] = sum > 0 ? 1 / sum : 0;
        sum += own;
        m[i] = own;
        share[i] = own > 0 ? own / sum : 0;
        mu[i] = i < c->planets ? G * sum : mu[0];
        kicks[i] = i > 0 && i < c->planets ? G * sum : 0;
    }
    c->per_all = sum > 0 ? 1 / sum : 0;
}

static void store_chain(const chain *c, global real4 *position, global real4 *velocity,
                        global real4 *acceleration, uint begin)
{
    const private real *d = (const private real *)&c->d, *v = (const private real *)&c->v;
    position[begin].xyz = c->x_star;
    velocity[begin].xyz = c->v_star;
    acceleration[begin] = (real4)(0, 0, 0, 0);
    for (uint i = 0; i < c->planets; i++) {
        real3 place = (real3)(d[i], d[MOST * LANES + i], d[2 * MOST * LANES + i]);
        real3 speed = (real3)(v[i], v[MOST * LANES + i], v[2 * MOST * LANES + i]);
        position[begin + 1 + i].xyz = c->x_star + place;
        velocity[begin + 1 + i].xyz = c->v_star + speed;
        acceleration[begin + 1 + i] = (real4)(0, 0, 0, 0);
    }
}

/* As after a store and a load. */
static inline number rounded(number d, real star)
{
    number place = star + d;
    return place - star;
}

/* One step; false: some body is no number any more. */
static inline bool take_step(chain *c, real G, real dt)
{
    real3 centre = c->x_star + c->per_all * to_jacobi(&c->x, &c->d, c);
    real3 speed = c->v_star + c->per_all * to_jacobi(&c->u, &c->v, c);
    fill_spare(&c->x, c);
    fill_spare(&c->u, c);
    drift(c, dt / 2);
    kick(c, G, dt);
    drift(c, dt / 2);
    c->x_star = centre + dt * speed - from_jacobi(&c->d, &c->x, c);
    c->v_star = speed - from_jacobi(&c->v, &c->u, c);
    number sum = (number)(c->x_star.x + c->x_star.y + c->x_star.z + c->v_star.x + c->v_star.y +
                          c->v_star.z);
    for (uint k = 0; k < c->vectors; k++) {
        c->d.x[k] = rounded(c->d.x[k], c->x_star.x);
        c->d.y[k] = rounded(c->d.y[k], c->x_star.y);
        c->d.z[k] = rounded(c->d.z[k], c->x_star.z);
        c->v.x[k] = rounded(c->v.x[k], c->v_star.x);
        c->v.y[k] = rounded(c->v.y[k], c->v_star.y);
        c->v.z[k] = rounded(c->v.z[k], c->v_star.z);
        sum += c->d.x[k] + c->d.y[k] + c->d.z[k] + c->v.x[k] + c->v.y[k] + c->v.z[k];
    }
    return !ANY(sum * 0 != (number)(0));
}

/* Names the first body that is no number, or the star where it is their sum that overflows. */
static void report_first(volatile global uint *counters, uint step, global const real4 *position,
                         global const real4 *velocity, uint begin, uint end)
{
    uint i = begin;
    while (i < end && is_number(position[i]) && is_number(velocity[i]))
        i++;
    report_bad(counters, step, i < end ? i : begin);
}

/* A body alone. */
static void fly_straight(global real4 *position, global const real4 *velocity,
                         global real4 *acceleration, uint i, real dt, uint steps,
                         volatile global uint *counters, uint step_offset)
{
    real4 x = position[i], v = velocity[i];
    bool good = true;
    for (uint step = 0; step < steps && good; step++) {
        x.xyz += dt * v.xyz;
        good = is_number(x);
        if (!good)
            report_bad(counters, step_offset + step, i);
    }
    position[i] = x;
    acceleration[i] = (real4)(0, 0, 0, 0);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
integrator_wh_lanes(global real4 *position, global real4 *velocity, global real4 *acceleration,
                    global const uint *system_first, global const uint2 *packs, real G, real dt,
                    uint steps, volatile global uint *counters, uint step_offset)
{
    uint system = packs[get_group_id(0)].x;
    uint begin = system_first[system], end = system_first[system + 1];
    chain c;
    if (end - begin == 1) {
        fly_straight(position, velocity, acceleration, begin, dt, steps, counters, step_offset);
        return;
    }
    load_chain(&c, position, velocity, begin, end, G);
    uint step = 0;
    bool good = true;
    while (step < steps && good) {
        good = take_step(&c, G, dt);
        step += good;
    }
    store_chain(&c, position, velocity, acceleration, begin);
    if (!good)
        report_first(counters, step_offset + step, position, velocity, begin, end);
}
