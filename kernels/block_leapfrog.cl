/* Leapfrog with a step of its own for each body (integrator/block_leapfrog.c). A body on level l
 * has a step of dt / 2^l, and `rung` has l + 1 for it; 0: it has none yet. All steps begin at
 * multiples of their own length, so at any time those begin or end a step that are on some level or
 * a deeper one. Between the two kicks of its step a body has the velocity of the middle of it.
 *   block_open     kicks who begins a step by half of it, and lets all drift; marks who will end
 *                  one there, and takes their accelerations; nobody is deepest yet
 *   block_close    kicks who ends a step by half of it, and chooses the next one's level
 *   block_choose   chooses levels for those who have none, or finds out who wants the deepest
 *   block_survey   the deepest rung, and whether somebody has none
 *   block_share    gives all the deepest
 *   block_lead     puts heavy bodies on the deepest level that somebody is on, and adds up how
 *                  many have ended a step
 *   block_limit    the same, and levels of neighbours, in groups of GROUP in the tree's order; a
 *                  work-group of as many a group
 *   block_predict  velocities of now
 *   block_centre   where heavy bodies are and how fast, for those who choose (with ORBIT)
 * Those that close and limit go by the set of set.clh. Any work-group size elsewhere.
 * CRITERION, SYMMETRIC, ORBIT, PATIENCE and GROUP are set by the host. */
#include "precision.clh"
#include "compensated.clh"
#include "set.clh"
#include "softening.clh"
#include "state.clh"

#define CRITERION_GOTHIC 0
#define CRITERION_GADGET 1
#define CRITERION_ESCAPE 2

/* What is found in a step, as in integrator/block_leapfrog.c. */
#define FOUND_DEEPEST 0
#define FOUND_NONE    1
#define FOUND_ENDED   3

/* Half a step, or a step, of a level. Powers of two: exact. */
static inline real of_level(real whole, uint level)
{
    return whole / (real)(1u << level);
}

/* A length that neither overflows nor vanishes on its way. */
static inline real norm(real4 v)
{
    real most = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    if (!(most > 0))
        return 0;
    real x = v.x / most, y = v.y / most, z = v.z / most;
    return most * sqrt(x * x + y * y + z * z);
}

/* The step that a body wants: Miki & Umemura 2017; Springel 2005, eq. 34; or the time in which
 * nobody there can pass more than eta softenings, by the potential in a.w. */
static inline real wanted_step(real4 v, real4 a, real eta, real length_scale)
{
#if CRITERION == CRITERION_GADGET
    (void)v;
    return sqrt(2 * eta * length_scale / norm(a));
#elif CRITERION == CRITERION_ESCAPE
    (void)v;
    return eta * length_scale / sqrt(2 * fabs(a.w));
#else
    return eta * fmin(length_scale / norm(v), sqrt(length_scale / norm(a)));
#endif
}

/* As long as the mean of what is wanted at both ends, h = (tau(t) + tau(t + h)) / 2, to first
 * order: h = tau / (1 - tau' / 2) (Pelupessy, Janes & Portegies Zwart 2012, eq. 15), tau' from the
 * last step. */
static inline real symmetric_step(real now, real before, real elapsed)
{
    if (!(before > 0) || !isfinite(now))
        return now;
    real slope = (now - before) / elapsed;
    return now / clamp(1 - slope / 2, (real)0.5, (real)2);
}

/* The first level whose step is no longer than this, among those that may begin now. */
static inline uint level_of(real step, real dt, uint longest, uint levels)
{
    uint level = 0;
    for (real has = dt; level < levels && has > step; has /= 2)
        level++;
    return max(level, longest);
}

#ifdef ORBIT
#define ORBIT_ARGUMENTS                                                                            \
    , global const real4 *position, global const uint *heavy_bodies, global const real4 *centres,  \
        uint n_centres, real orbit_time
#define ORBIT_VALUES , position, heavy_bodies, centres, n_centres, orbit_time

/* No longer than a part of (rho^3 / G M)^(1/2) of any heavy body, rho^2 = r^2 + length^2. How that
 * changes on the way is known: tau' = 3/2 tau r v / rho^2. */
static inline real orbit_step(real step, real4 v, uint i, real length ORBIT_ARGUMENTS)
{
    real4 x = position[i];
    for (uint k = 0; k < n_centres; k++) {
        real4 c = centres[2 * k], u = centres[2 * k + 1];
        if (heavy_bodies[k] == i)
            continue;
        real dx = x.x - c.x, dy = x.y - c.y, dz = x.z - c.z;
        real rho2 = dx * dx + dy * dy + dz * dz + length * length;
        real tau = orbit_time * sqrt(rho2 * sqrt(rho2) / c.w);
#ifdef SYMMETRIC
        real slope = (real)1.5 * tau *
                     (dx * (v.x - u.x) + dy * (v.y - u.y) + dz * (v.z - u.z)) / rho2;
        tau /= clamp(1 - slope / 2, (real)0.5, (real)2);
#endif
        step = fmin(step, tau);
    }
    return step;
}

/* centre_dt: half of dt, where the last kick of their steps has yet to come; else 0. */
kernel void block_centre(global real4 *centres, global const uint *heavy_bodies,
                         global const real4 *position, global const real4 *velocity,
                         global const real4 *acceleration, global const uchar *type,
                         global const uchar *rung, global const uchar *active, real centre_dt,
                         uint n_centres)
{
    uint k = (uint)get_global_id(0);
    if (k >= n_centres)
        return;
    uint i = heavy_bodies[k];
    /* A body of another rank, which sends it. */
    if (i == UINT_MAX)
        return;
    real4 v = velocity[i], a = acceleration[i];
    if (is_active(active, i) && !(type[i] & OCT_TYPE_HELD) && centre_dt > 0) {
        real half_step = of_level(centre_dt, rung[i] - 1u);
        v += (real4)(a.x * half_step, a.y * half_step, a.z * half_step, 0);
    }
    centres[2 * k] = position[i];
    centres[2 * k + 1] = v;
}
#else
#define ORBIT_ARGUMENTS
#define ORBIT_VALUES
#endif

/* The level of a body whose last step has ended, or 0 where steps do not matter to it. */
static inline uint next_level(real4 v, real4 a, uchar type, real elapsed, global real *tau, uint i,
                              real dt, real eta, global const real *lengths, real length_scale,
                              uint longest, uint levels ORBIT_ARGUMENTS)
{
    if (type & OCT_TYPE_HELD)
        return longest;
    real length = softening_of(lengths, i, length_scale);
    real step = wanted_step(v, a, eta, length);
#ifdef SYMMETRIC
    real before = tau[i];
    tau[i] = step;
    step = symmetric_step(step, before, elapsed);
#endif
#ifdef ORBIT
    step = orbit_step(step, v, i, length ORBIT_VALUES);
#endif
    return level_of(step, dt, longest, levels);
}

#ifdef PATIENCE
#define PATIENCE_ARGUMENTS , global real *calm, real patience
#define LONGEST_WANTED     0

/* A longer step is taken one level at a time, by who has wanted one for `patience` of dt. `calm`:
 * for how long a body has. */
static inline uint patient_level(uint wanted, uint level, uint longest, uint i PATIENCE_ARGUMENTS)
{
    real waited = wanted < level ? calm[i] + of_level(1, level) : 0;
    bool rises = waited >= patience && longest < level;
    calm[i] = rises ? 0 : waited;
    return rises ? level - 1 : max(wanted, level);
}
#else
#define PATIENCE_ARGUMENTS
#define LONGEST_WANTED longest
#endif

/* Whoever comes first, the largest stays. */
static inline void note_deepest(volatile global uint *found, uint rung)
{
    if (rung > found[FOUND_DEEPEST])
        atomic_max(&found[FOUND_DEEPEST], rung);
}

kernel void block_open(global real4 *position, global real *position_low, global real4 *velocity,
                       global real *velocity_low, global real4 *acceleration, global uchar *marks,
                       global const uchar *type, global const uchar *rung, global uint *found,
                       uint beginning, uint ending, real half_dt, real drift_dt, uint n,
                       volatile global uint *counters, uint step_offset)
{
    uint i = (uint)get_global_id(0);
    if (i == 0)
        found[FOUND_DEEPEST] = found[FOUND_ENDED] = 0;
    if (i >= n)
        return;
    uint on = rung[i];
    bool ends = ending > 0 && on >= ending && type[i] != OCT_TYPE_REMOVED;
    if (ending > 0)
        marks[i] = ends;
    if (type[i] == OCT_TYPE_REMOVED || is_halted(counters))
        return;
    real4 v = velocity[i];
    if (!(type[i] & OCT_TYPE_HELD) && on >= beginning)
        v = velocity[i] = kicked(v, acceleration[i], of_level(half_dt, on - 1), velocity_low, i,
                                 counters, step_offset);
    if (ends)
        acceleration[i] = (real4)(0);
    position[i] = drifted(position[i], v, drift_dt, position_low, i, counters, step_offset);
}

kernel void block_close(global real4 *velocity, global real *velocity_low, global uchar *rung,
                        global real *tau, volatile global uint *found,
                        global const real4 *acceleration, global const uchar *type,
                        global const uchar *active, real dt, real half_dt, real eta,
                        global const real *lengths, real length_scale, uint longest, uint levels,
                        uint n, volatile global uint *counters,
                        uint step_offset PATIENCE_ARGUMENTS ORBIT_ARGUMENTS)
{
    local uint ended;
    uint i = (uint)get_global_id(0);
    if (get_local_id(0) == 0)
        ended = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n && is_active(active, i) && type[i] != OCT_TYPE_REMOVED && !is_halted(counters)) {
        uint level = rung[i] - 1u;
        real4 v = velocity[i], a = acceleration[i];
        if (!(type[i] & OCT_TYPE_HELD))
            v = velocity[i] = kicked(v, a, of_level(half_dt, level), velocity_low, i, counters,
                                     step_offset);
        uint next = next_level(v, a, type[i], of_level(dt, level), tau, i, dt, eta, lengths,
                               length_scale, LONGEST_WANTED, levels ORBIT_VALUES);
#ifdef PATIENCE
        next = patient_level(next, level, longest, i, calm, patience);
#endif
        level = next;
        rung[i] = (uchar)(level + 1);
        note_deepest(found, level + 1);
        atomic_inc(&ended);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && ended > 0)
        atomic_add(&found[FOUND_ENDED], ended);
}

/* With one step for all, what each wants is noted only, and they have had a step before. */
kernel void block_choose(global uchar *rung, global real *tau, volatile global uint *found,
                         global ulong *evaluations, global const real4 *velocity,
                         global const real4 *acceleration, global const uchar *type, real dt,
                         real eta, global const real *lengths, real length_scale, uint longest,
                         uint levels, uint shared, uint n ORBIT_ARGUMENTS)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    uint on = rung[i];
    if (i == 0 && shared && on > 0)
        evaluations[0] += n;
    if (shared || on == 0) {
        real elapsed = on > 0 ? of_level(dt, on - 1) : 0;
        on = 1 + next_level(velocity[i], acceleration[i], type[i], elapsed, tau, i, dt, eta,
                            lengths, length_scale, longest, levels ORBIT_VALUES);
        if (!shared)
            rung[i] = (uchar)on;
    }
    note_deepest(found, on);
}

kernel void block_survey(volatile global uint *found, global const uchar *rung, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    note_deepest(found, rung[i]);
    if (rung[i] == 0)
        found[FOUND_NONE] = 1;
}

kernel void block_share(global uchar *rung, global const uint *found, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i < n)
        rung[i] = (uchar)found[FOUND_DEEPEST];
}

/* The rung of a body, heavy or not. */
static inline uint led(uint i, global const uchar *rung, global const uint *found,
                       global const real4 *position, global const uchar *active,
                       global const real *heavy)
{
    uint on = rung[i];
    return is_active(active, i) && position[i].w > heavy[0] ? max(on, found[FOUND_DEEPEST]) : on;
}

kernel void block_lead(global uchar *rung, global ulong *evaluations, global const uint *found,
                       global const real4 *position, global const uchar *active,
                       global const real *heavy, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i == 0)
        evaluations[0] += found[FOUND_ENDED];
    if (i < n && is_active(active, i))
        rung[i] = (uchar)led(i, rung, found, position, active, heavy);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
block_limit(global uchar *rung, global ulong *evaluations, global const uint *found,
            global const real4 *position, global const uchar *active, global const real *heavy,
            global const uint *order, global const uint *groups, global const uint *n_groups,
            uint spread, uint n)
{
    local uint deepest;
    uint k = (uint)get_group_id(0), lane = (uint)get_local_id(0);
    if (k == 0 && lane == 0)
        evaluations[0] += found[FOUND_ENDED];
    if (k >= (groups ? n_groups[0] : (n + GROUP - 1) / GROUP))
        return;
    uint i = (groups ? groups[k] : k) * GROUP + lane, body = order[min(i, n - 1)];
    uint on = led(body, rung, found, position, active, heavy);
    if (lane == 0)
        deepest = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(&deepest, on);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n && is_active(active, body))
        rung[body] = (uchar)(on + spread < deepest ? deepest - spread : on);
}

/* From the middle of a body's step, v = v_1/2 + a (t - t_1/2), where it has not ended. `past`:
 * ticks since a time at which all steps began, of which dt has 2^TICKS. */
kernel void block_predict(global real4 *predicted, global const real4 *velocity,
                          global const real4 *acceleration, global const uchar *type,
                          global const uchar *rung, real dt, uint past, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    real4 v = velocity[i], a = acceleration[i];
    uint ticks = (1u << TICKS) >> (rung[i] - (rung[i] > 0)), within = past & (ticks - 1);
    if (within > 0 && !(type[i] & OCT_TYPE_HELD)) {
        real since = ((real)within - (real)ticks / 2) * (dt / (real)(1u << TICKS));
        v += (real4)(a.x * since, a.y * since, a.z * since, 0);
    }
    predicted[i] = v;
}
