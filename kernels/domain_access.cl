/* Some numbers of some bodies, packed one body after another, for those who read and write them.
 * A body's numbers in a column are `width` words of 4 bytes from word `lane` of its `element` words
 * on; the bodies are those that `list` names, or, without a list, those from `first` on.
 *   domain_access_read, domain_access_write            words
 *   domain_access_read_bytes, domain_access_write_bytes  columns of one byte
 * Writes to bodies of the list, each named once. Any work-group size. */

static size_t place_of(global const uint *list, uint first, uint k)
{
    return list ? list[k] : (size_t)first + k;
}

kernel void domain_access_read(global uint *packed, global const uint *column,
                               global const uint *list, uint first, uint n, uint element, uint lane,
                               uint width)
{
    uint k = (uint)get_global_id(0);
    if (k >= n)
        return;
    size_t at = place_of(list, first, k) * element + lane;
    for (uint w = 0; w < width; w++)
        packed[(size_t)k * width + w] = column[at + w];
}

kernel void domain_access_write(global uint *column, global const uint *packed,
                                global const uint *list, uint first, uint n, uint element,
                                uint lane, uint width)
{
    uint k = (uint)get_global_id(0);
    if (k >= n)
        return;
    size_t at = place_of(list, first, k) * element + lane;
    for (uint w = 0; w < width; w++)
        column[at + w] = packed[(size_t)k * width + w];
}

kernel void domain_access_read_bytes(global uchar *packed, global const uchar *column,
                                     global const uint *list, uint first, uint n)
{
    uint k = (uint)get_global_id(0);
    if (k < n)
        packed[k] = column[place_of(list, first, k)];
}

kernel void domain_access_write_bytes(global uchar *column, global const uchar *packed,
                                      global const uint *list, uint first, uint n)
{
    uint k = (uint)get_global_id(0);
    if (k < n)
        column[place_of(list, first, k)] = packed[k];
}
