/* The rest of a sort by upper bits: puts pairs that are sorted by the bits [shift, last) of their
 * keys in order by all bits below `last`. Where few agree in the upper bits this is cheaper than
 * passes over the lower ones.
 *   array_settle  a pair looks through those that agree with it, at most RUN; longer runs must be
 *                 in order already, as equal keys are, else *unsettled becomes 1
 * Any work-group size. */
#define RUN 64

#define SETTLE_BITS(key) ((key) & ~0ul >> (64 - last))

kernel void array_settle(global ulong *keys_out, global uint *values_out, global uint *unsettled,
                         global const ulong *keys, global const uint *values, uint n, uint shift,
                         uint last)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    ulong key = SETTLE_BITS(keys[i]);
    uint before = 0, after = 0, smaller = 0, to = i;
    for (; before < min(i, (uint)RUN); before++) {
        ulong other = SETTLE_BITS(keys[i - 1 - before]);
        if ((other ^ key) >> shift != 0)
            break;
        smaller += other <= key;
    }
    for (; after < min(n - 1 - i, (uint)RUN); after++) {
        ulong other = SETTLE_BITS(keys[i + 1 + after]);
        if ((other ^ key) >> shift != 0)
            break;
        smaller += other < key;
    }
    if (before + after < RUN)
        to = i - before + smaller;
    else if (after > 0 && SETTLE_BITS(keys[i + 1]) < key)
        *unsettled = 1;
    keys_out[to] = keys[i];
    values_out[to] = values[i];
}
