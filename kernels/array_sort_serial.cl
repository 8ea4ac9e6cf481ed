/* A radix sort for CPUs, digit by digit: one work-item goes through its block of `chunk` pairs.
 *   array_sort_serial_count    how often each digit occurs in each block, counts[block][digit]
 *   array_sort_serial_scatter  a pair goes behind all smaller digits, the same digit in earlier
 *                             blocks, and the same digit earlier in its block: a stable sort
 *   array_sort_serial_whole    all digits of the bits [first, last), where there is one block; the
 *                             result is in `out` where `digits` is odd, else where pairs were
 * The digit of a key is its bits [shift, shift + bits), at most BITS. Work-groups of
 * one. */
#ifndef BITS
#define BITS 11
#endif
#define BINS (1 << BITS)

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
array_sort_serial_count(global uint *counts, global const ulong *keys, uint n, uint chunk,
                       uint shift, uint bits)
{
    uint block = (uint)get_group_id(0), bins = 1u << bits;
    uint first = block * chunk, last = n - first < chunk ? n : first + chunk;
    uint count[BINS];
    for (uint d = 0; d < bins; d++)
        count[d] = 0;
    for (uint i = first; i < last; i++)
        count[keys[i] >> shift & (bins - 1)]++;
    for (uint d = 0; d < bins; d++)
        counts[block * bins + d] = count[d];
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
array_sort_serial_scatter(global ulong *keys_out, global uint *values_out,
                         global const ulong *keys, global const uint *values,
                         global const uint *counts, uint n, uint chunk, uint shift, uint bits)
{
    uint block = (uint)get_group_id(0), blocks = (uint)get_num_groups(0), bins = 1u << bits;
    uint first = block * chunk, last = n - first < chunk ? n : first + chunk;
    uint total[BINS], place[BINS], start = 0;
    for (uint d = 0; d < bins; d++)
        total[d] = place[d] = 0;
    for (uint b = 0; b < blocks; b++)
        for (uint d = 0; d < bins; d++) {
            total[d] += counts[b * bins + d];
            place[d] += b < block ? counts[b * bins + d] : 0;
        }
    for (uint d = 0; d < bins; d++) {
        place[d] += start;
        start += total[d];
    }
    for (uint i = first; i < last; i++) {
        ulong key = keys[i];
        uint to = place[key >> shift & (bins - 1)]++;
        keys_out[to] = key;
        values_out[to] = values[i];
    }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
array_sort_serial_whole(global ulong *keys_out, global uint *values_out, global ulong *keys,
                        global uint *values, uint n, uint first, uint last, uint digits)
{
    uint place[BINS];
    for (uint digit = 0; digit < digits; digit++) {
        uint low = first + digit * (last - first) / digits;
        uint high = first + (digit + 1) * (last - first) / digits;
        uint mask = (1u << (high - low)) - 1, start = 0;
        for (uint d = 0; d <= mask; d++)
            place[d] = 0;
        for (uint i = 0; i < n; i++)
            place[keys[i] >> low & mask]++;
        for (uint d = 0; d <= mask; d++) {
            uint count = place[d];
            place[d] = start;
            start += count;
        }
        for (uint i = 0; i < n; i++) {
            uint to = place[keys[i] >> low & mask]++;
            keys_out[to] = keys[i];
            values_out[to] = values[i];
        }
        global ulong *sorted = keys_out;
        global uint *moved = values_out;
        keys_out = keys;
        values_out = values;
        keys = sorted;
        values = moved;
    }
}
