/* Moves the box that cells are halves of: out by an eighth of each extent, a random part of it at
 * the lowest corner and the rest at the highest. The faces of cells are then elsewhere each time a
 * tree is built, and errors of forces do not add up over steps (GADGET-4 moves all bodies for this:
 * Springel et al. 2021). The bits of the box itself are the seed, so that the same bodies have the
 * same tree again, whoever asks and whenever. Reads around; writes bounds. One work-item. */
#include "precision.clh"
#include "random.clh"

static inline uint seed_of(real x)
{
#if OCT_PRECISION == 1
    return as_uint(x);
#else
    return as_uint2(x).x ^ as_uint2(x).y;
#endif
}

kernel void tree_shift(global real4 *bounds, global const real4 *around)
{
    real4 low = around[0], high = around[1], more = (high - low) / 8;
    ulong seed = (ulong)seed_of(low.x) << 32 | seed_of(high.x);
    ulong which = (ulong)seed_of(low.y) << 32 | seed_of(high.y);
    uint4 bits = random_bits(seed, seed_of(low.z), which, seed_of(high.z));
    real4 below = more * (real)0x1p-32 * (real4)(bits.x, bits.y, bits.z, 0);
    /* Around nothing the box is inside out. */
    bool any = high.x >= low.x;
    bounds[0] = any ? low - below : low;
    bounds[1] = any ? high + (more - below) : high;
}
