/* Which bodies have left their rank's run of the curve, and where the runs are cut.
 *   trade_count  how many keys are in each of 1 << BITS runs from a key on, for some heads: that
 *                key, and s where runs are 1 << s keys long. For each head a bin a run and one of
 *                all keys below. Work-groups of COUNTERS, `blocks` of them a head
 *   trade_list   rows whose keys are not in [run_begin, run_end), with their keys, in any order,
 *                as many as there is room for: how many there are, the step in which a body was no
 *                number, then from the fourth word on a row and the two halves of its key for each.
 *                Bins are left empty. A work-item a body or a bin, any work-group size
 * Removed bodies are neither counted nor listed. */
#include "precision.clh"
#include "tree_key.clh"

#define BINS     (1u << BITS)
#define HEADER   4
#define ENTRY    3

/* A work-group of one work-item, as CPUs have, counts by itself. */
#if COUNTERS == 1
#define ADD(place, number) *(place) += (number)
#else
#define ADD(place, number) atomic_add(place, number)
#endif

kernel __attribute__((reqd_work_group_size(COUNTERS, 1, 1))) void
trade_count(volatile global uint *bins, global uint *strays, global const ulong *keys,
            global const ulong2 *heads, uint n, uint blocks)
{
    volatile local uint count[BINS + 1];
    uint which = (uint)get_group_id(0) / blocks, block = (uint)get_group_id(0) % blocks;
    uint item = (uint)get_local_id(0), below = 0;
    if (get_global_id(0) == 0)
        strays[0] = 0;
    ulong2 head = heads[which];
    for (uint d = item; d <= BINS; d += COUNTERS)
        count[d] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = block * COUNTERS + item; i < n; i += blocks * COUNTERS) {
        ulong key = keys[i], run = (key - head.x) >> head.y;
        if (KEY_IS_REMOVED(key))
            continue;
        if (key < head.x)
            below++;
        else if (run < BINS)
            ADD(&count[(uint)run], 1u);
    }
    ADD(&count[BINS], below);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = item; d <= BINS; d += COUNTERS)
        if (count[d] > 0)
            atomic_add(&bins[which * (BINS + 1) + d], count[d]);
}

kernel void trade_list(volatile global uint *strays, global uint *bins, global const ulong *keys,
                       global const uint *counters, ulong run_begin, ulong run_end, uint n,
                       uint n_bins, uint room)
{
    uint i = (uint)get_global_id(0);
    if (i == 0)
        strays[1] = counters[COUNTER_BAD_STEP];
    if (i < n_bins)
        bins[i] = 0;
    if (i >= n)
        return;
    ulong key = keys[i];
    if (KEY_IS_REMOVED(key) || (key >= run_begin && key < run_end))
        return;
    uint at = atomic_inc(strays);
    if (at >= room)
        return;
    volatile global uint *entry = strays + HEADER + (size_t)ENTRY * at;
    entry[0] = i;
    entry[1] = (uint)key;
    entry[2] = (uint)(key >> 32);
}
