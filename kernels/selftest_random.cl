/* Draws random bits for every particle; writes them as they come. Any work-group size. */
#include "random.clh"

kernel void selftest_random_draw(global uint4 *out, ulong seed, uint stream, uint draw, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i < n)
        out[i] = random_bits(seed, stream, i, draw);
}
