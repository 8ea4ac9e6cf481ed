/* What members of a batch write, read, copy and fill, as launches that are one for all of them:
 * to[i] = from[i], or a byte, for i below `bytes`, in words where everything is aligned. Buffers
 * are bytes; groups of any size, each work-item takes as many as are left for it. */

static bool in_words(global const uchar *a, global const uchar *b, ulong bytes)
{
    return (((ulong)(size_t)a | (ulong)(size_t)b | bytes) & 3) == 0;
}

kernel void device_batch_move(global uchar *to, global const uchar *from, ulong bytes)
{
    ulong first = get_global_id(0), items = get_global_size(0);
    if (in_words(to, from, bytes)) {
        global uint *words = (global uint *)to;
        global const uint *others = (global const uint *)from;
        for (ulong i = first; i < bytes / 4; i += items)
            words[i] = others[i];
    } else {
        for (ulong i = first; i < bytes; i += items)
            to[i] = from[i];
    }
}

kernel void device_batch_fill(global uchar *to, uint byte, ulong bytes)
{
    ulong first = get_global_id(0), items = get_global_size(0);
    if (in_words(to, to, bytes)) {
        global uint *words = (global uint *)to;
        for (ulong i = first; i < bytes / 4; i += items)
            words[i] = byte * 0x01010101u;
    } else {
        for (ulong i = first; i < bytes; i += items)
            to[i] = (uchar)byte;
    }
}
