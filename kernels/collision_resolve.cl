/* Resolves listed pairs in parallel, equal to a serial pass in the order of their priorities.
 *
 * In a round a pair is resolved when no pair that comes before it and is not resolved yet shares
 * a particle with it. Such pairs have no particle in common, so their order does not matter, and
 * the result is that of the serial pass, bit for bit. Velocities are read when a pair's turn
 * comes; a pair that does not overlap or approach any more is passed over.
 *
 *   collision_resolve_round   one round, a work-item a pair
 *   collision_resolve_left    lists what a few rounds have left
 *   collision_resolve_finish  the serial pass over what is left: sorted by one work-group of
 *                             GROUP, resolved by its first work-item
 *   collision_resolve_sum     partial sums of the totals, one row a work-item
 * Totals are kept for each particle, so that their sums do not depend on timing. */
#include "collision.clh"
#include "compensated.clh"
#ifdef CUSTOM
static real user_restitution(real speed, real radius_a, real radius_b, constant real *numbers);
#define RESTITUTION(speed, radius_a, radius_b) user_restitution(speed, radius_a, radius_b, numbers)
#else
#include "collision_restitution.clh"
#endif

#ifndef GROUP
#define GROUP 256
#endif

/* Words of `faults`. */
#define FAULT_STEP  0
#define FAULT_INDEX 1

#define RESOLVE_ARGUMENTS                                                                          \
    global const uint4 *pairs, global uint *stamps, global real4 *position,                        \
        global real *position_low, global real4 *velocity, global real *velocity_low,              \
        global uchar *type, global real4 *spin, global const real4 *image_shift,                   \
        global const real4 *image_velocity, global uint *impacts, global sum *energy,              \
        global sum *transport, volatile global uint *speeds, global ulong *merged,                 \
        volatile global uint *counters, volatile global uint *faults, global const ulong *id,      \
        ulong step, uint step_offset, uint overlapping, real omega, real law_a, real law_b,        \
        real tangential, real minimum_speed, real lowest_speed, constant real *numbers
#define RESOLVE_PASSED                                                                             \
    pairs, stamps, position, position_low, velocity, velocity_low, type, spin, image_shift,        \
        image_velocity, impacts, energy, transport, speeds, merged, counters, faults, id, step,    \
        step_offset, overlapping, omega, law_a, law_b, tangential, minimum_speed, lowest_speed,    \
        numbers

/* Two particles in contact: positions as the second one's image has them, velocities as the first
 * one's does. */
typedef struct {
    uint i, j;
    real4 x, v, other_x, other_v;
    real3 d, u, normal; /* from the first to the second */
    real distance, reach, speed;
    real part_i, part_j, reduced; /* of the impulse's effect on each; the reduced mass */
} contact;

static inline real4 with_w(real3 v, real w)
{
    return (real4)(v.x, v.y, v.z, w);
}

/* Moves both along d, their centre of mass kept, until they touch; in a frame that rotates they
 * stay in the sheared flow. Only while bodies are sorted out at the start: later it would do work
 * and change the angular momentum. */
static inline void push_apart(const contact *c, global real4 *position, global real *position_low,
                              global real4 *velocity, real omega)
{
    real depth = c->reach - c->distance;
    real3 to_i = c->normal * (-depth * c->part_i), to_j = c->normal * (depth * c->part_j);
    position[c->i] = add_compensated(position[c->i], with_w(to_i, 0), position_low, c->i);
    position[c->j] = add_compensated(position[c->j], with_w(to_j, 0), position_low, c->j);
    velocity[c->i].y -= (real)1.5 * omega * to_i.x;
    velocity[c->j].y -= (real)1.5 * omega * to_j.x;
}

static inline void count_impact(const contact *c, real loss, real carried, global uint *impacts,
                                global sum *energy, global sum *transport,
                                volatile global uint *speeds, real lowest_speed)
{
    impacts[c->i]++;
    energy[c->i] = sum_add(energy[c->i], loss);
    transport[c->i] = sum_add(transport[c->i], carried);
    float bin = 8 * log2((float)(c->speed / lowest_speed));
    /* Rows, since a counter is full after 2^32 impacts; by particle, so that they are the same in
     * every run. */
    uint row = c->i % SPEED_ROWS;
    atomic_inc(&speeds[row * SPEED_BINS + (uint)clamp(bin, 0.0f, (float)(SPEED_BINS - 1))]);
}

/* Of a homogeneous sphere. */
static inline real moment(real mass, real radius)
{
    return (real)0.4 * mass * radius * radius;
}

/* An angular velocity of the inertial frame as the rotating one sees it: velocities are those seen
 * there, and so must be the surfaces'. */
static inline real3 seen_spin(real4 spin, real omega)
{
    return (real3)(spin.x, spin.y, spin.z - omega);
}

#ifdef MERGE
/* The lighter one goes into the heavier one: mass, momentum, angular momentum and volume are kept.
 * Returns the kinetic energy lost. */
static inline real merge(const contact *c, global real4 *position, global real *position_low,
                         global real4 *velocity, global real *velocity_low, global uchar *type,
                         global real4 *spin, global ulong *merged, volatile global uint *counters,
                         global const ulong *id, ulong step, real omega)
{
    bool first = c->x.w >= c->other_x.w;
    uint kept = first ? c->i : c->j, gone = first ? c->j : c->i;
    real m = c->x.w + c->other_x.w;
    real radius = cbrt(c->v.w * c->v.w * c->v.w + c->other_v.w * c->other_v.w * c->other_v.w);
    /* In the frame of the one that stays. */
    real3 x = first ? position[c->i].xyz + c->d * c->part_i : position[c->j].xyz - c->d * c->part_j;
    real3 v = first ? c->v.xyz + c->u * c->part_i : velocity[c->j].xyz - c->u * c->part_j;
    /* The orbit of the two about each other becomes spin. Moments of inertia are (2/5) m r^2. */
    real i_i = moment(c->x.w, c->v.w), i_j = moment(c->other_x.w, c->other_v.w);
    real i_both = moment(m, radius);
    real3 w_i = seen_spin(spin[c->i], omega), w_j = seen_spin(spin[c->j], omega), w;
    real3 inertial = c->u + cross((real3)(0, 0, omega), c->d);
    real3 l = spin[c->i].xyz * i_i + spin[c->j].xyz * i_j + cross(c->d, inertial) * c->reduced;
    spin[kept] = with_w(i_both > 0 ? l / i_both : (real3)(0), 0);
    spin[gone] = (real4)(0);
    w = seen_spin(spin[kept], omega);
    real loss = (c->reduced * dot3(c->u, c->u) + i_i * dot3(w_i, w_i) + i_j * dot3(w_j, w_j) -
                 i_both * dot3(w, w)) /
                2;
    position[kept] = with_w(x, m);
    velocity[kept] = with_w(v, radius);
    position[gone].w = 0;
    velocity[gone] = (real4)(0);
    type[gone] = OCT_TYPE_REMOVED;
    forget_compensation(position_low, kept);
    forget_compensation(velocity_low, kept);
    merged[2 * gone] = step;
    merged[2 * gone + 1] = id[kept];
    atomic_inc(&counters[COUNTER_REMOVED]);
    return loss;
}
#endif

#ifdef ROUGH
/* Friction: the surfaces' relative speed keeps `tangential` of itself. Impulse and torques act at
 * the point that divides the distance as the radii do, so that angular momentum is kept:
 *   J = -(1 - e_t) u_t / k,  k = 1/mu + l_i^2 / I_i + l_j^2 / I_j,  I = (2/5) m r^2
 * Returns J, the impulse on the second; what it takes of the energy goes to *loss. */
static inline real3 rub(const contact *c, global real4 *spin, real tangential, real omega,
                        real *loss)
{
    real share = c->v.w / c->reach, l_i = c->distance * share, l_j = c->distance - l_i;
    real3 w_i = seen_spin(spin[c->i], omega), w_j = seen_spin(spin[c->j], omega);
    real3 u = c->u - cross(w_i * l_i + w_j * l_j, c->normal);
    real3 along = u - c->normal * dot3(u, c->normal);
    real i_i = moment(c->x.w, c->v.w), i_j = moment(c->other_x.w, c->other_v.w);
    if (!(i_i > 0 && i_j > 0))
        return (real3)(0);
    real k = 1 / c->reduced + l_i * l_i / i_i + l_j * l_j / i_j;
    real3 impulse = along * (-(1 - tangential) / k);
    real3 torque = cross(c->normal, impulse);
    spin[c->i] -= with_w(torque * (l_i / i_i), 0);
    spin[c->j] -= with_w(torque * (l_j / i_j), 0);
    *loss += (1 - tangential * tangential) * dot3(along, along) / (2 * k);
    return impulse;
}
#endif

/* The jump of the normal velocity. Bodies part with what restitution leaves, but at least with the
 * minimum times the overlap in units of the smaller radius: those that rest on each other meet
 * with the speed of a step's kick, and would sink with what is left of it. */
static inline real normal_jump(const contact *c, real restitution, real minimum_speed)
{
    real small = fmin(c->v.w, c->other_v.w), large = fmax(c->v.w, c->other_v.w);
    /* A point has no radius to measure with. */
    real unit = small > 0 ? small : large;
    real least = minimum_speed * fmin(c->reach - c->distance, large) / unit;
    return least > restitution * c->speed ? c->speed + least : (1 + restitution) * c->speed;
}

static void resolve(uint k, RESOLVE_ARGUMENTS)
{
    uint4 pair = pairs[k];
    contact c;
    c.i = pair.x;
    c.j = pair.y;
#ifdef MERGE
    if (type[c.i] == OCT_TYPE_REMOVED || type[c.j] == OCT_TYPE_REMOVED)
        return;
#endif
    c.x = moved_by(position[c.i], -image_shift[pair.z]);
    c.v = velocity[c.i];
    c.other_x = position[c.j];
    c.other_v = moved_by(velocity[c.j], image_velocity[pair.z]);
    if (!pair_collides(c.x, c.v, c.other_x, c.other_v, overlapping))
        return;
    c.d = c.other_x.xyz - c.x.xyz;
    c.u = c.other_v.xyz - c.v.xyz;
    c.reach = c.v.w + c.other_v.w;
    c.distance = sqrt(dot3(c.d, c.d));
    /* Two in one place part along x. */
    c.normal = c.distance > 0 ? c.d / c.distance : (real3)(1, 0, 0);
    c.speed = -dot3(c.u, c.normal);
    real m = c.x.w + c.other_x.w;
    c.part_i = m > 0 ? c.other_x.w / m : (real)0.5;
    c.part_j = m > 0 ? c.x.w / m : (real)0.5;
    c.reduced = c.x.w * c.part_i;
    if (overlapping) {
        push_apart(&c, position, position_low, velocity, omega);
        return;
    }
#ifdef MERGE
    real loss = merge(&c, position, position_low, velocity, velocity_low, type, spin, merged,
                      counters, id, step, omega);
    count_impact(&c, loss, 0, impacts, energy, transport, speeds, lowest_speed);
#else
    real restitution = RESTITUTION(c.speed, c.v.w, c.other_v.w);
    if (!(restitution >= 0 && restitution <= 1)) {
        atomic_min(&faults[FAULT_STEP], step_offset);
        atomic_min(&faults[FAULT_INDEX], c.i);
        restitution = 0;
    }
    real jump = normal_jump(&c, restitution, minimum_speed);
    real3 impulse = c.normal * (c.reduced * jump);
    real loss = c.reduced * jump * (2 * c.speed - jump) / 2;
    real3 change = c.normal * jump;
#ifdef ROUGH
    real3 friction = rub(&c, spin, tangential, omega, &loss);
    impulse += friction;
    change += c.reduced > 0 ? friction / c.reduced : (real3)(0);
#endif
    velocity[c.i] = add_compensated(c.v, with_w(change * -c.part_i, 0), velocity_low, c.i);
    velocity[c.j] =
        add_compensated(velocity[c.j], with_w(change * c.part_j, 0), velocity_low, c.j);
    count_impact(&c, loss, impulse.y * c.d.x, impacts, energy, transport, speeds, lowest_speed);
#endif
}

/* The first entry from this one on whose pair comes before pair k and was unresolved when the
 * round began. A stamp that is written meanwhile is this round's and reads as unresolved, as it
 * should. */
static inline uint find_rival(uint entry, uint k, uint4 pair, global const uint4 *pairs,
                              global const uint *next, volatile global uint *stamps, uint round)
{
    for (; entry != NO_ENTRY; entry = next[entry]) {
        uint rival = entry / 2, stamp = stamps[rival];
        if (rival != k && (stamp >= WAITING || stamp == round) && comes_before(pairs[rival], pair))
            break;
    }
    return entry;
}

/* On a CPU work-items follow each other: what a pair needs is asked for when one so many places
 * before it has its turn. */
#define AHEAD 8
static inline void ask_for(uint k, uint n_pairs, global const uint *heads, RESOLVE_ARGUMENTS)
{
    if (k >= n_pairs || stamps[k] < WAITING)
        return;
    uint4 pair = pairs[k];
    SOON(heads + pair.x);
    SOON(heads + pair.y);
    SOON(position + pair.x);
    SOON(position + pair.y);
    SOON(velocity + pair.x);
    SOON(velocity + pair.y);
    SOON(impacts + pair.x);
    SOON(energy + pair.x);
    SOON(transport + pair.x);
}

/* A pair goes through the lists of its particles once: in later rounds it looks at the one it
 * waited for, and goes on from there when that is resolved. */
kernel void collision_resolve_round(global const uint *heads, global const uint *next, uint round,
                                    uint n_pairs, RESOLVE_ARGUMENTS)
{
    uint k = (uint)get_global_id(0);
    if (k >= n_pairs || stamps[k] < WAITING)
        return;
    ask_for(k + AHEAD, n_pairs, heads, RESOLVE_PASSED);
    uint4 pair = pairs[k];
    uint entry = heads[pair.x];
    bool first = true;
    if (stamps[k] != NO_ENTRY) {
        entry = stamps[k] & ~WAITING;
        first = (entry % 2 ? pairs[entry / 2].y : pairs[entry / 2].x) == pair.x;
    }
    entry = find_rival(entry, k, pair, pairs, next, stamps, round);
    if (entry == NO_ENTRY && first)
        entry = find_rival(heads[pair.y], k, pair, pairs, next, stamps, round);
    if (entry == NO_ENTRY)
        resolve(k, RESOLVE_PASSED);
    stamps[k] = entry == NO_ENTRY ? round : WAITING | entry;
}

kernel void collision_resolve_left(global uint *left, volatile global uint *status,
                                   global const uint *stamps, uint n_pairs)
{
    uint k = (uint)get_global_id(0);
    if (k < n_pairs && stamps[k] >= WAITING)
        left[atomic_inc(&status[STATUS_LEFT])] = k;
}

/* A step of a bitonic sort, for any number of elements: those past the end would come last, and
 * stay there, since every comparison puts what comes before in front. */
static inline void order_two(global uint *left, uint a, uint b, uint n, global const uint4 *pairs)
{
    if (b >= n)
        return;
    uint p = left[a], q = left[b];
    if (comes_before(pairs[q], pairs[p])) {
        left[a] = q;
        left[b] = p;
    }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
collision_resolve_finish(global uint *left, global const uint *status, RESOLVE_ARGUMENTS)
{
    uint n = status[STATUS_LEFT], item = (uint)get_local_id(0);
    for (uint size = 2; size / 2 < n; size *= 2)
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            for (uint pair = item; 2 * (pair / stride * stride) < n; pair += GROUP) {
                uint a = pair / stride * stride * 2 + pair % stride;
                /* The first step of a merge runs against the second half's order. */
                uint b = stride == size / 2 ? a / size * size + size - 1 - a % size : a + stride;
                order_two(left, a, b, n, pairs);
            }
            barrier(CLK_GLOBAL_MEM_FENCE);
        }
    for (uint k = 0; item == 0 && k < n; k++)
        resolve(left[k], RESOLVE_PASSED);
}

#define COLUMNS 3

kernel void collision_resolve_sum(global sum *partials, global const uint *impacts,
                                  global const sum *energy, global const sum *transport, uint n)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    sum total[COLUMNS] = {sum_zero(), sum_zero(), sum_zero()};
    for (uint i = item; i < n; i += items) {
        /* In two halves, so that a float holds each. */
        total[0] = sum_add(sum_add(total[0], (real)(impacts[i] & 0xffff)),
                           (real)(impacts[i] & 0xffff0000u));
        total[1] = sum_join(total[1], energy[i]);
        total[2] = sum_join(total[2], transport[i]);
    }
    for (uint k = 0; k < COLUMNS; k++)
        partials[item * COLUMNS + k] = total[k];
}

#ifdef CUSTOM
/* Last, so that the user's names and macros cannot change anything above. */
#include "user_parameters.clh"
#include "user.clh"

static real user_restitution(real speed, real radius_a, real radius_b, constant real *numbers)
{
    return octant_restitution(speed, radius_a, radius_b WITH_PARAMETERS(numbers));
}
#endif
