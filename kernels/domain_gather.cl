/* Bodies that move to another place: row k of `to` is row list[k] of `from`.
 *   domain_gather_words  rows of so many words of 4 bytes
 *   domain_gather_bytes  rows of one byte
 * Any work-group size. */

kernel void domain_gather_words(global uint *to, global const uint *from, global const uint *list,
                                uint words, uint n)
{
    uint k = (uint)get_global_id(0);
    if (k >= n)
        return;
    for (uint w = 0; w < words; w++)
        to[(size_t)k * words + w] = from[(size_t)list[k] * words + w];
}

kernel void domain_gather_bytes(global uchar *to, global const uchar *from,
                                global const uint *list, uint n)
{
    uint k = (uint)get_global_id(0);
    if (k < n)
        to[k] = from[list[k]];
}
