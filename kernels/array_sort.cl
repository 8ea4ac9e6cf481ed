/* One digit of a radix sort for GPUs: a work-group goes through its block of `chunk` pairs, TILE
 * at a time.
 *   array_sort_count    how often each digit occurs in each block, counts[block][digit]
 *   array_sort_scatter  a pair goes behind all smaller digits, the same digit in earlier blocks,
 *                      and the same digit earlier in its block: a stable sort
 * The digit of a key is its bits [shift, shift + bits), at most BITS. A tile is sorted in local
 * memory before it is written, so that neighbours in a group write to neighbours in memory. On
 * NVIDIA a warp finds equal digits by ballot; elsewhere a tile is sorted by two counting sorts of
 * 4 bits. Work-groups of GROUP, one a block. */
#ifndef BITS
#define BITS 8
#endif
#ifndef GROUP
#define GROUP 256
#endif
#ifndef ITEMS
#define ITEMS 8
#endif
#include "array_group.clh"
#include "array_settle.cl"

#define BINS (1 << BITS)
#define TILE (GROUP * ITEMS)
/* Copies of a histogram: neighbours in a group count in different ones, and different banks. */
#define COPIES 16
/* Loads in flight while the counts of all blocks are added up. */
#define ROWS 16

#define DIGIT(key) ((uint)((key) >> shift) & mask)

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
array_sort_count(global uint *counts, global const ulong *keys, uint n, uint chunk, uint shift,
                uint bits)
{
    local uint copies[BINS * COPIES];
    uint item = (uint)get_local_id(0), bins = 1u << bits, mask = bins - 1;
    uint2 range = block_range(chunk, n);
    for (uint k = item; k < bins * COPIES; k += GROUP)
        copies[k] = 0;
    GROUP_BARRIER();
    for (uint start = range.x + item; start < range.y; start += TILE) {
        ulong key[ITEMS];
#pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            key[i] = start + i * GROUP < range.y ? keys[start + i * GROUP] : 0;
#pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            if (start + i * GROUP < range.y)
                atomic_inc(&copies[DIGIT(key[i]) * COPIES + item % COPIES]);
    }
    GROUP_BARRIER();
    for (uint d = item; d < bins; d += GROUP) {
        uint total = 0;
        for (uint c = 0; c < COPIES; c++)
            total += copies[d * COPIES + (c + item) % COPIES];
        counts[get_group_id(0) * bins + d] = total;
    }
}

/* Where the block's first pair of each digit goes: column sums of the counts. */
static inline void find_bases(local uint *base, global const uint *counts, uint bits,
                              local uint *scratch)
{
    uint item = (uint)get_local_id(0), digit = item & ((1u << bits) - 1);
    uint block = (uint)get_group_id(0), blocks = (uint)get_num_groups(0);
    uint parts = GROUP >> bits, total = 0, before = 0, all;
    for (uint row = item >> bits; row < blocks; row += ROWS * parts) {
        uint count[ROWS];
#pragma unroll
        for (uint r = 0; r < ROWS; r++)
            count[r] = row + r * parts < blocks ? counts[((row + r * parts) << bits) + digit] : 0;
#pragma unroll
        for (uint r = 0; r < ROWS; r++) {
            total += count[r];
            before += row + r * parts < block ? count[r] : 0;
        }
    }
    scratch[item] = total;
    scratch[GROUP + item] = before;
    GROUP_BARRIER();
    total = before = 0;
    for (uint part = 0; part < parts && item == digit; part++) {
        total += scratch[(part << bits) + item];
        before += scratch[GROUP + (part << bits) + item];
    }
    GROUP_BARRIER();
    uint start = group_scan(total, &all, scratch);
    if (item == digit)
        base[item] = start + before;
}

#ifdef OCT_WARPS
/* A warp has 32 * ITEMS neighbours of the tile, 32 at a time. */
#define FIRST_SLOT (item / 32 * (32 * ITEMS) + item % 32)
#define SLOT_STEP  32
#define RANK_WORDS (OCT_WARPS * BINS)

/* The lanes with this lane's digit. */
static inline uint warp_peers(uint digit)
{
    uint peers = 0xffffffff;
#pragma unroll
    for (uint bit = 0; bit < BITS; bit++) {
        uint set = digit >> bit & 1;
        peers &= warp_ballot(set) ^ (set - 1);
    }
    return peers;
}

/* The place of each pair in its sorted tile. Each warp counts its own digits; the counts of all
 * warps, scanned by digit and then by warp, are where each warp's first pair of a digit goes. */
static inline void rank_tile(uint *rank, const ulong *key, uint shift, uint mask,
                             local uint *counters, local uint *scratch)
{
    uint item = (uint)get_local_id(0), earlier = (1u << item % 32) - 1;
    local uint *mine = counters + item / 32 * BINS;
    for (uint d = item % 32; d < BINS; d += 32)
        mine[d] = 0;
    warp_barrier();
#pragma unroll
    for (uint i = 0; i < ITEMS; i++) {
        uint digit = DIGIT(key[i]), peers = warp_peers(digit);
        uint seen = mine[digit];
        warp_barrier();
        if ((peers & earlier) == 0)
            mine[digit] = seen + popcount(peers);
        warp_barrier();
        rank[i] = seen + popcount(peers & earlier);
    }
    GROUP_BARRIER();
    uint total = 0, all;
    if (item < BINS)
        for (uint w = 0; w < OCT_WARPS; w++)
            total += counters[w * BINS + item];
    uint place = group_scan(total, &all, scratch);
    if (item < BINS)
        for (uint w = 0; w < OCT_WARPS; w++) {
            uint count = counters[w * BINS + item];
            counters[w * BINS + item] = place;
            place += count;
        }
    GROUP_BARRIER();
#pragma unroll
    for (uint i = 0; i < ITEMS; i++)
        rank[i] += mine[DIGIT(key[i])];
}

#else
#define FIRST_SLOT item
#define SLOT_STEP  GROUP
#define RANK_WORDS (TILE + 8 * GROUP)

/* The place of each pair in its sorted tile: codes of digit and slot are sorted by the digit's low
 * half and then by its high half. A work-item counts ITEMS neighbours in a column of its own; the
 * counts, scanned by value and then by work-item, are where its first code of a value goes. */
static inline void rank_tile(uint *rank, const ulong *key, uint shift, uint mask,
                             local uint *codes, local uint *scratch)
{
    local ushort *counters = (local ushort *)(codes + TILE);
    uint item = (uint)get_local_id(0);
    for (uint i = 0; i < ITEMS; i++) {
        uint slot = FIRST_SLOT + i * SLOT_STEP;
        codes[slot] = DIGIT(key[i]) << 16 | slot;
    }
    GROUP_BARRIER();
    for (uint digit = 0; digit < 2; digit++) {
        uint code[ITEMS], place[ITEMS], total = 0, all;
        for (uint v = 0; v < 16; v++)
            counters[v * GROUP + item] = 0;
        for (uint i = 0; i < ITEMS; i++) {
            code[i] = codes[item * ITEMS + i];
            place[i] = counters[(code[i] >> (16 + 4 * digit) & 15) * GROUP + item]++;
        }
        GROUP_BARRIER();
        for (uint v = 0; v < 16; v++)
            total += counters[item * 16 + v];
        uint next = group_scan(total, &all, scratch);
        for (uint v = 0; v < 16; v++) {
            uint count = counters[item * 16 + v];
            counters[item * 16 + v] = (ushort)next;
            next += count;
        }
        GROUP_BARRIER();
        for (uint i = 0; i < ITEMS; i++) {
            uint to = place[i] + counters[(code[i] >> (16 + 4 * digit) & 15) * GROUP + item];
            if (digit == 0)
                codes[to] = code[i];
            else
                codes[code[i] & 0xffff] = to;
        }
        GROUP_BARRIER();
    }
    for (uint i = 0; i < ITEMS; i++)
        rank[i] = codes[FIRST_SLOT + i * SLOT_STEP];
}
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
array_sort_scatter(global ulong *keys_out, global uint *values_out, global const ulong *keys,
                  global const uint *values, global const uint *counts, uint n, uint chunk,
                  uint shift, uint bits)
{
    /* Ranks, then keys, then values of a tile. */
    local ulong tile[TILE > RANK_WORDS / 2 ? TILE : RANK_WORDS / 2];
    local uint *words = (local uint *)tile;
    local uint base[BINS], offset[BINS], scratch[GROUP_SCRATCH];
    uint item = (uint)get_local_id(0), slot = FIRST_SLOT, mask = (1u << bits) - 1;
    uint2 range = block_range(chunk, n);
    find_bases(base, counts, bits, scratch);
    for (uint start = range.x; start < range.y; start += TILE) {
        uint valid = min(range.y - start, (uint)TILE), ends = 0;
        ulong key[ITEMS];
        uint value[ITEMS], rank[ITEMS];
        /* One pointer and fixed distances from it save registers. */
        global const ulong *key_in = keys + start + slot;
        global const uint *value_in = values + start + slot;
        local ulong *sorted = tile + item;
        /* Past the end are keys that come last, behind all others with their digit. */
#pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            key[i] = slot + i * SLOT_STEP < valid ? key_in[i * SLOT_STEP] : ULONG_MAX;
        GROUP_BARRIER();
        rank_tile(rank, key, shift, mask, words, scratch);
#pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            value[i] = slot + i * SLOT_STEP < valid ? value_in[i * SLOT_STEP] : 0;
        GROUP_BARRIER();
#pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            tile[rank[i]] = key[i];
        GROUP_BARRIER();
        /* A run of equal digits starts where its left neighbour has another, and ends likewise. */
#pragma unroll
        for (uint i = 0; i < ITEMS; i++) {
            uint j = i * GROUP + item;
            key[i] = sorted[i * GROUP];
            uint digit = DIGIT(key[i]);
            if (j == 0 || DIGIT(*(sorted + i * GROUP - 1)) != digit)
                offset[digit] = base[digit] - j;
            if (j + 1 >= valid || DIGIT(sorted[i * GROUP + 1]) != digit)
                ends |= 1u << i;
        }
        GROUP_BARRIER();
#pragma unroll
        for (uint i = 0; i < ITEMS; i++) {
            words[rank[i]] = value[i];
            uint j = i * GROUP + item, digit = DIGIT(key[i]), to = offset[digit] + j;
            rank[i] = to;
            if (j < valid)
                keys_out[to] = key[i];
            if (j < valid && ends >> i & 1)
                base[digit] = to + 1;
        }
        GROUP_BARRIER();
#pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            if (i * GROUP + item < valid)
                values_out[rank[i]] = words[i * GROUP + item];
    }
}
