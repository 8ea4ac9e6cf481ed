/* Rows of a column change places: to[i] = from[index[i]] for i < count.
 *   column_gather_words  elements of `parts` words of 4 bytes
 *   column_gather_bytes  elements of `parts` bytes
 * Reads from and index; writes to, which is another array. One work-item a part, so that neighbours
 * write to neighbouring places. Any work-group size. */
#include "precision.clh"

kernel void column_gather_words(global uint *to, global const uint *from, global const uint *index,
                              uint count, uint parts)
{
    size_t k = get_global_id(0), i = k / parts;
    if (i < count)
        to[k] = from[(size_t)index[i] * parts + k % parts];
}

kernel void column_gather_bytes(global uchar *to, global const uchar *from,
                                global const uint *index, uint count, uint parts)
{
    size_t k = get_global_id(0), i = k / parts;
    if (i < count)
        to[k] = from[(size_t)index[i] * parts + k % parts];
}
