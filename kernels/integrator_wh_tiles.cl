/* Many Wisdom-Holman steps in one launch, for GPUs: integrator_wh_lanes.cl with a body a work-item,
 * and as many whole systems in a work-group as there is room for. Reads packs, the first system of
 * a group and the one past its last, and system_first; changes position and velocity;
 * acceleration, that of other systems, is 0. Work-groups of PACK.
 *
 * Places are seen from the star; the star's own work-item has the centre of mass. */
#include "precision.clh"
#include "kepler.clh"
#include "kepler_quick_one.clh"

#ifndef PACK
#define PACK 64
#endif

/* A body as its work-item has it. */
typedef struct {
    uint first, own, last; /* local numbers of the star and itself, and past those of its system */
    real m, share;         /* its mass, and m_k / M_k */
    real mu, before;       /* G M_k, and 1 / M_{k-1}; of the star 1 over all */
    bool star, inner;
} member;

/* What all bodies of the group have, and this one too. Two arrays in turn: who writes the one has
 * seen everybody past the other. */
static inline local const real4 *exchange(local real4 *shared, uint *turn, uint own, real3 value,
                                          real weight)
{
    *turn = PACK - *turn;
    shared[*turn + own] = (real4)(value, weight);
    barrier(CLK_LOCAL_MEM_FENCE);
    return shared + *turn;
}

/* The sum of what planets before this one have, or all of them for the star. */
static inline real3 sum_before(const member *b, local const real4 *of)
{
    real3 sum = (real3)(0, 0, 0);
    uint end = b->star ? b->last : b->own;
    for (uint k = b->first + 1; k < end; k++)
        sum += of[k].w * of[k].xyz;
    return sum;
}

/* x' of d; of the star, the centre as seen from it. */
static inline real3 to_jacobi(const member *b, real3 d, local real4 *shared, uint *turn)
{
    real3 sum = b->before * sum_before(b, exchange(shared, turn, b->own, d, b->m));
    return b->star ? sum : d - sum;
}

/* d of x'; of the star, the centre as seen from it. */
static inline real3 from_jacobi(const member *b, real3 x, local real4 *shared, uint *turn)
{
    real3 sum = sum_before(b, exchange(shared, turn, b->own, x, b->share));
    return b->star ? sum : x + sum;
}

static inline void drift(const member *b, real3 *x, real3 *v, real dt)
{
    if (b->star)
        return;
    kepler_orbit o = {x->x, x->y, x->z, v->x, v->y, v->z};
    if (kepler_quick(&o, b->mu, dt)) {
        kepler_drift(x, v, b->mu, dt);
        return;
    }
    *x = (real3)(o.x, o.y, o.z);
    *v = (real3)(o.u, o.v, o.w);
}

/* mass times d / |d|^3, nothing at no distance. */
static inline real3 pull(real mass, real3 d)
{
    real r2 = dot(d, d), u = r2 > 0 ? rsqrt(r2) : 0;
    return mass * (u * u * u) * d;
}

/* What the bodies of the system, in `at` as seen from the star, do to this one; what star and first
 * planet do to each other is left out. */
static inline real3 pull_of_all(const member *b, local const real4 *at, real m_star)
{
    real3 own = b->star ? (real3)(0, 0, 0) : at[b->own].xyz, sum = (real3)(0, 0, 0);
    for (uint k = b->first + (b->star ? 2 : 1); k < b->last; k++)
        sum += pull(at[k].w, at[k].xyz - own);
    if (!b->star && !b->inner)
        sum += pull(m_star, -own);
    return sum;
}

static inline void kick(const member *b, real3 x, real3 *v, local real4 *shared, uint *turn,
                        real m_star, real G, real dt)
{
    real3 d = from_jacobi(b, x, shared, turn);
    real3 a = G * pull_of_all(b, exchange(shared, turn, b->own, d, b->m), m_star);
    /* As seen from the star, in Jacobi coordinates. */
    local const real4 *of = exchange(shared, turn, b->own, a, b->m);
    real3 star = of[b->first].xyz, sum = (real3)(0, 0, 0);
    for (uint k = b->first + 1; k < b->own; k++)
        sum += of[k].w * (of[k].xyz - star);
    a = a - star - b->before * sum;
    if (!b->inner)
        a += pull(b->mu, x);
    if (!b->star)
        *v += dt * a;
}

static inline member find_member(uint i, uint begin, uint end, uint pack_begin,
                                 global const real4 *position, real G)
{
    member b;
    real sum = 0;
    b.first = begin - pack_begin;
    b.own = i - pack_begin;
    b.last = end - pack_begin;
    b.star = i == begin;
    b.inner = i == begin + 1;
    b.m = position[i].w;
    for (uint k = begin; k < (b.star ? end : i); k++)
        sum += position[k].w;
    b.before = sum > 0 ? 1 / sum : 0;
    b.share = b.m > 0 && !b.star ? b.m / (sum + b.m) : 0;
    b.mu = G * (sum + b.m);
    return b;
}

kernel __attribute__((reqd_work_group_size(PACK, 1, 1))) void
integrator_wh_tiles(global real4 *position, global real4 *velocity, global real4 *acceleration,
                    global const uint *system_of, global const uint *system_first,
                    global const uint2 *packs, real G, real dt, uint steps,
                    volatile global uint *counters, uint step_offset)
{
    local real4 shared[2 * PACK];
    uint2 pack = packs[get_group_id(0)];
    uint pack_begin = system_first[pack.x], pack_end = system_first[pack.y];
    uint lane = (uint)get_local_id(0), i = min(pack_begin + lane, pack_end - 1);
    uint begin = system_first[system_of[i]], end = system_first[system_of[i] + 1];
    member b = find_member(i, begin, end, pack_begin, position, G);
    real m_star = position[begin].w;
    real3 place = position[i].xyz, speed = velocity[i].xyz;
    real3 x_star = position[begin].xyz, v_star = velocity[begin].xyz;
    uint bad = UINT_MAX, turn = 0;
    /* Past the end the last body is moved as well, by the same numbers. */
    for (uint step = 0; step < steps; step++) {
        real3 x = to_jacobi(&b, place - x_star, shared, &turn);
        real3 v = to_jacobi(&b, speed - v_star, shared, &turn);
        real3 rate = v_star + v, centre = x_star + x + dt * rate;
        drift(&b, &x, &v, dt / 2);
        kick(&b, x, &v, shared, &turn, m_star, G, dt);
        drift(&b, &x, &v, dt / 2);
        place = from_jacobi(&b, x, shared, &turn);
        speed = from_jacobi(&b, v, shared, &turn);
        x_star = exchange(shared, &turn, b.own, centre - place, 0)[b.first].xyz;
        v_star = exchange(shared, &turn, b.own, rate - speed, 0)[b.first].xyz;
        place = b.star ? x_star : x_star + place;
        speed = b.star ? v_star : v_star + speed;
        if (bad == UINT_MAX && (!is_number((real4)(place, 0)) || !is_number((real4)(speed, 0))))
            bad = step;
    }
    if (pack_begin + lane >= pack_end)
        return;
    if (bad != UINT_MAX)
        report_bad(counters, step_offset + bad, i);
    position[i].xyz = place;
    velocity[i].xyz = speed;
    acceleration[i] = (real4)(0, 0, 0, 0);
}
