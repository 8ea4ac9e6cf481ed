/* A set of bodies in the order of the tree: what of it is listed for walks (tree/active.c).
 *   tree_active_groups  which groups of GROUP neighbours have an active body, a work-item a group
 *   tree_active_places  which places have one, a work-item a place
 * Reads active and order; writes marks. Any work-group size. */
kernel void tree_active_groups(global uchar *marks, global const uchar *active,
                               global const uint *order, uint n)
{
    uint first = (uint)get_global_id(0) * GROUP;
    if (first >= n)
        return;
    /* Of all, however soon one is found: many are then asked for at once. */
    uchar any = 0;
    for (uint k = 0; k < GROUP; k++)
        any |= active[order[min(first + k, n - 1)]];
    marks[get_global_id(0)] = any != 0;
}

kernel void tree_active_places(global uchar *marks, global const uchar *active,
                               global const uint *order, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    marks[i] = active[order[i]] != 0;
}
