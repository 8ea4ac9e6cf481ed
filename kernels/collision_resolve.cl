/* Resolves listed pairs in parallel, equal to a serial pass in the order of their priorities.
 *
 * Of the pairs that share a particle one comes directly before another, so that a pair waits for
 * two at most, one for each particle, and two at most wait for it. Pairs that do not wait for each
 * other, however far along the chain, have no particle in common: their order does not matter, and
 * the result is that of the serial pass, bit for bit.
 *
 *   collision_resolve_link    finds these neighbours, a work-item a pair; halts the device where
 *                             the list had no room
 *   collision_resolve_climb   whoever resolves the last pair that another waits for goes on with
 *                             that one: all chains in one launch. Needs a fence for the device
 *   collision_resolve_round   without one: resolves what waits for nobody any more, round by round
 *   collision_resolve_finish  the serial pass over what is left, sorted by one work-group of
 *                             SORTERS and resolved by its first work-item; then the list is empty.
 *                             Where the host has guessed that there is nothing to resolve, and
 *                             there was, the device halts at the next operation: this one is done
 *   collision_resolve_sum     partial sums of the totals, one row a work-item */
#include "collision.clh"
#include "collision_pair.clh"
#include "device_fence.clh"
#include "partials.clh"

#ifndef SORTERS
#define SORTERS 256
#endif

/* In `stamps`, beside WAITING: pairs waited for, times WAITS, and those of them that are resolved.
 * NEVER: more than there can be. */
#ifdef SHARED
#define WAITS 8u
#define NEVER 7u
#else
#define WAITS 4u
#define NEVER 3u
#endif

/* How many pairs to resolve. None are where the list had no room for all: the host takes the step
 * again. */
static inline uint count_pairs(volatile global const uint *status, uint capacity,
                               volatile global const uint *counters)
{
    return status[STATUS_PAIRS] > capacity || is_halted(counters) ? 0 : status[STATUS_PAIRS];
}

/* The pairs right before and after another one in a particle's list, or NO_ENTRY. */
typedef struct {
    uint before, after;
    bool whole; /* all of the list was looked at */
} beside;

static inline beside look_through(uint entry, uint k, uint4 pair, global const uint4 *pairs,
                                  global const uint *next, uint longest PLACES)
{
    beside b = {NO_ENTRY, NO_ENTRY, true};
    uint4 last = pair, first = pair;
    for (uint seen = 0; entry != NO_ENTRY; entry = next[entry]) {
        uint other = entry / 2;
        if (other == k)
            continue;
        b.whole = seen++ < longest;
        if (!b.whole)
            break;
        uint4 p = pairs[other];
        if (comes_before(p, pair PLACES_PASSED)) {
            if (b.before == NO_ENTRY || comes_before(last, p PLACES_PASSED)) {
                b.before = other;
                last = p;
            }
        } else if (b.after == NO_ENTRY || comes_before(p, first PLACES_PASSED)) {
            b.after = other;
            first = p;
        }
    }
    return b;
}

#ifdef SHARED
#define HELD_ARGUMENTS PLACES, global const uchar *active
#else
#define HELD_ARGUMENTS
#endif

/* On a CPU work-items follow each other: what a pair needs is asked for when one so many places
 * before it has its turn. Of pairs that a work-item has, so many are begun with at a time. */
#define PAIRS_AHEAD    8
#define PAIRS_TOGETHER 64

/* `climbs`: chains lead to the pairs after, else to those before. One work-item goes through a list
 * of `longest` at most; where many touch one particle, that is left for the serial pass. */
kernel void collision_resolve_link(volatile global uint *status, volatile global uint *counters,
                                   global uint2 *chain, global uint *stamps,
                                   global const uint4 *pairs, global const uint *heads,
                                   global const uint *next, uint capacity, uint longest,
                                   uint climbs, uint operation HELD_ARGUMENTS)
{
    uint k = (uint)get_global_id(0);
    if (k == 0 && status[STATUS_PAIRS] > capacity && !is_halted(counters))
        counters[COUNTER_HALT] = operation;
    uint n = count_pairs(status, capacity, counters);
    if (k >= n)
        return;
    PREFETCH(heads + pairs[min(k + PAIRS_AHEAD, n - 1)].x);
    PREFETCH(heads + pairs[min(k + PAIRS_AHEAD, n - 1)].y);
    uint4 pair = pairs[k];
    beside x = look_through(heads[pair.x], k, pair, pairs, next, longest PLACES_PASSED);
    beside y = look_through(heads[pair.y], k, pair, pairs, next, longest PLACES_PASSED);
    uint waits = (x.before != NO_ENTRY) + (y.before != NO_ENTRY);
    if (!x.whole || !y.whole) {
        waits = NEVER;
        x.before = k; /* which is resolved by nobody */
        atomic_inc(&status[STATUS_LEFT]);
    }
#ifdef SHARED
    if (!active[pair.x] || !active[pair.y])
        waits++; /* for the other domain, which has to be as far as this one */
#endif
    chain[k] = climbs ? (uint2)(x.after, y.after) : (uint2)(x.before, y.before);
    stamps[k] = WAITING | waits * WAITS;
}

/* What a pair is resolved with. */
static inline void ask_for(uint k, RESOLVE_ARGUMENTS)
{
    uint4 pair = pairs[k];
    PREFETCH(position + pair.x);
    PREFETCH(position + pair.y);
    PREFETCH(velocity + pair.x);
    PREFETCH(velocity + pair.y);
    PREFETCH(impacts + pair.x);
    PREFETCH(energy + pair.x);
    PREFETCH(transport + pair.x);
}

/* One pair less for this one to wait for: whether it was the last. */
static inline bool may_go_on(uint k, volatile global uint *stamps)
{
    if (k == NO_ENTRY)
        return false;
    uint before = atomic_inc(&stamps[k]) & ~WAITING;
    return before % WAITS + 1 == before / WAITS;
}

/* Pairs that a work-item is to resolve, the first and the last: `left` leads from each to the next.
 */
typedef struct {
    uint first, last;
} queue;

static inline void line_up(queue *q, uint k, global uint *left, RESOLVE_ARGUMENTS)
{
    ask_for(k, RESOLVE_PASSED);
    left[k] = NO_ENTRY;
    if (q->first == NO_ENTRY)
        q->first = k;
    else
        left[q->last] = k;
    q->last = k;
}

/* Resolves pairs, and behind them those that they were the last for to wait for. */
static void climb_from(queue q, global const uint2 *chain, global uint *left, RESOLVE_ARGUMENTS)
{
    while (q.first != NO_ENTRY) {
        uint k = q.first;
        uint2 after = chain[k];
        resolve(k, RESOLVE_PASSED);
        stamps[k] = 0;
        q.first = left[k];
        if (after.x != NO_ENTRY || after.y != NO_ENTRY) {
            DEVICE_FENCE();
            if (may_go_on(after.x, stamps))
                line_up(&q, after.x, left, RESOLVE_PASSED);
            if (may_go_on(after.y, stamps))
                line_up(&q, after.y, left, RESOLVE_PASSED);
            DEVICE_FENCE();
        }
    }
}

/* Heads are cleared for the next search: chains are all that is needed here. A work-item that has
 * several pairs to begin with knows early what it will need. */
kernel void collision_resolve_climb(global const uint *status, global uint *heads,
                                    global const uint2 *chain, global uint *left, uint capacity,
                                    RESOLVE_ARGUMENTS)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    uint n = count_pairs(status, capacity, counters), all = min(status[STATUS_PAIRS], capacity);
    uint share = (all + items - 1) / items, end = min((item + 1) * share, all);
    for (uint from = item * share; from < end; from += PAIRS_TOGETHER) {
        queue q = {NO_ENTRY, NO_ENTRY};
        for (uint k = from; k < min(from + PAIRS_TOGETHER, end); k++) {
            heads[pairs[k].x] = heads[pairs[k].y] = NO_ENTRY;
            /* A pair that waits belongs to whoever resolves the last one that it waits for. */
            if (k < n && stamps[k] == WAITING)
                line_up(&q, k, left, RESOLVE_PASSED);
        }
        climb_from(q, chain, left, RESOLVE_PASSED);
    }
}

/* Whether a pair was resolved before this round: what this one resolves counts from the next on. */
static inline bool is_done(uint k, volatile global const uint *stamps, uint round)
{
    return k == NO_ENTRY || stamps[k] < round;
}

kernel void collision_resolve_round(volatile global uint *status, global const uint2 *chain,
                                    uint round, uint rounds, uint capacity, RESOLVE_ARGUMENTS)
{
    uint k = (uint)get_global_id(0);
    if (k >= count_pairs(status, capacity, counters) || stamps[k] < WAITING)
        return;
    if (is_done(chain[k].x, stamps, round) && is_done(chain[k].y, stamps, round)) {
        resolve(k, RESOLVE_PASSED);
        stamps[k] = round;
    } else if (round == rounds)
        atomic_inc(&status[STATUS_LEFT]);
}

/* A step of a bitonic sort, for any number of elements: those past the end would come last, and
 * stay there, since every comparison puts what comes before in front. */
static inline void order_two(global uint *left, uint a, uint b, uint n,
                             global const uint4 *pairs PLACES)
{
    if (b >= n)
        return;
    uint p = left[a], q = left[b];
    if (comes_before(pairs[q], pairs[p] PLACES_PASSED)) {
        left[a] = q;
        left[b] = p;
    }
}

/* Lists what no chain and no round has resolved. */
static inline uint gather_left(global uint *left, volatile global uint *status,
                               global const uint *stamps, uint n)
{
    uint item = (uint)get_local_id(0);
    if (item == 0)
        status[STATUS_LEFT] = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint k = item; k < n; k += SORTERS)
        if (stamps[k] >= WAITING)
            left[atomic_inc(&status[STATUS_LEFT])] = k;
    barrier(CLK_GLOBAL_MEM_FENCE);
    return status[STATUS_LEFT];
}

kernel __attribute__((reqd_work_group_size(SORTERS, 1, 1))) void
collision_resolve_finish(volatile global uint *status, global uint *left, uint capacity,
                         uint operation, uint guessed, RESOLVE_ARGUMENTS)
{
    uint item = (uint)get_local_id(0), found = status[STATUS_PAIRS];
    uint n = status[STATUS_LEFT] > 0 ? count_pairs(status, capacity, counters) : 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    n = n > 0 ? gather_left(left, status, stamps, n) : 0;
    for (uint size = 2; size / 2 < n; size *= 2)
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            for (uint pair = item; 2 * (pair / stride * stride) < n; pair += SORTERS) {
                uint a = pair / stride * stride * 2 + pair % stride;
                /* The first step of a merge runs against the second half's order. */
                uint b = stride == size / 2 ? a / size * size + size - 1 - a % size : a + stride;
                order_two(left, a, b, n, pairs PLACES_PASSED);
            }
            barrier(CLK_GLOBAL_MEM_FENCE);
        }
    for (uint k = 0; item == 0 && k < n; k++)
        resolve(left[k], RESOLVE_PASSED);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (item == 0) {
        status[STATUS_FOUND] = found;
        status[STATUS_MOST] = max(status[STATUS_MOST], found);
        if (found <= capacity && !is_halted(counters)) {
            status[STATUS_BUSY] += found > 0;
            counters[COUNTER_STILL] = found == 0;
            if (guessed && found > 0)
                counters[COUNTER_HALT] = operation + 1;
        }
        status[STATUS_PAIRS] = status[STATUS_LEFT] = 0;
    }
}

#ifdef SHARED
#include "collision_shared.clh"
#endif

#define COLUMNS 3

kernel void collision_resolve_sum(global sum *partials, uint first_sum, uint sum_rows,
                                  global const uint *impacts, global const sum *energy,
                                  global const sum *transport, uint n)
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
        PARTIAL(k, item) = total[k];
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
