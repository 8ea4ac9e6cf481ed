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
 *                             SORTERS, resolved by its first work-item
 *   collision_resolve_sum     partial sums of the totals, one row a work-item
 * Totals are kept for each particle, so that their sums do not depend on timing. */
#include "collision.clh"
#include "collision_contact.clh"
#include "user_types.clh"
/* What bodies put together of the user's columns when they merge. */
#ifndef MERGED_ARGUMENTS
#define MERGED_ARGUMENTS
#define MERGED_PASSED
#define MERGE_COLUMNS(kept, gone, gone_part)
#endif
#ifdef CUSTOM
static real user_restitution(real speed, real radius_a, real radius_b, constant real *numbers);
#define RESTITUTION(speed, radius_a, radius_b) user_restitution(speed, radius_a, radius_b, numbers)
#else
#include "collision_restitution.clh"
#endif

#ifndef SORTERS
#define SORTERS 256
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
        real tangential, real minimum_speed, real lowest_speed,                                    \
        constant real *numbers MERGED_ARGUMENTS
#define RESOLVE_PASSED                                                                             \
    pairs, stamps, position, position_low, velocity, velocity_low, type, spin, image_shift,        \
        image_velocity, impacts, energy, transport, speeds, merged, counters, faults, id, step,    \
        step_offset, overlapping, omega, law_a, law_b, tangential, minimum_speed, lowest_speed,    \
        numbers MERGED_PASSED

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
    bool first = c.x.w >= c.other_x.w; /* it stays */
    uint kept = first ? c.i : c.j, gone = first ? c.j : c.i;
    MERGE_COLUMNS(kept, gone, first ? c.part_i : c.part_j)
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
#define PAIRS_AHEAD 8
static inline void ask_for(uint k, uint n_pairs, global const uint *heads, RESOLVE_ARGUMENTS)
{
    if (k >= n_pairs || stamps[k] < WAITING)
        return;
    uint4 pair = pairs[k];
    PREFETCH(heads + pair.x);
    PREFETCH(heads + pair.y);
    PREFETCH(position + pair.x);
    PREFETCH(position + pair.y);
    PREFETCH(velocity + pair.x);
    PREFETCH(velocity + pair.y);
    PREFETCH(impacts + pair.x);
    PREFETCH(energy + pair.x);
    PREFETCH(transport + pair.x);
}

/* A pair goes through the lists of its particles once: in later rounds it looks at the one it
 * waited for, and goes on from there when that is resolved. */
kernel void collision_resolve_round(global const uint *heads, global const uint *next, uint round,
                                    uint n_pairs, RESOLVE_ARGUMENTS)
{
    uint k = (uint)get_global_id(0);
    if (k >= n_pairs || stamps[k] < WAITING)
        return;
    ask_for(k + PAIRS_AHEAD, n_pairs, heads, RESOLVE_PASSED);
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

kernel __attribute__((reqd_work_group_size(SORTERS, 1, 1))) void
collision_resolve_finish(global uint *left, global const uint *status, RESOLVE_ARGUMENTS)
{
    uint n = status[STATUS_LEFT], item = (uint)get_local_id(0);
    for (uint size = 2; size / 2 < n; size *= 2)
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            for (uint pair = item; 2 * (pair / stride * stride) < n; pair += SORTERS) {
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
