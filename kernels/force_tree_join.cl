/* Adds up what the slices of groups have left (force_tree_slices.clh); a work-item a particle of as
 * many groups as there is room for. Any work-group size. */
kernel void force_tree_join(TREE_ARGUMENTS, global const real4 *parted,
                            global const uint2 *parted_work TILES_SOFTENINGS OTHERS_ARGUMENTS)
{
    uint k = (uint)get_global_id(0) / GROUP, particle = (uint)get_global_id(0) % GROUP;
    uint slices = slices_of(groups, n_groups, n);
    if (total_cells[0] > capacity || slices == 1 || k >= n_groups[0])
        return;
    uint number = groups[k], i = number * GROUP + particle, first = k * slices;
    force e2 = (force)softening2;
    if (particle == 0) {
        uint2 done = (uint2)(0);
        for (uint s = 0; s < slices; s++)
            done += parted_work[first + s];
        ADD_WORK(number, done.x, done.y);
    }
    if (i >= n || !is_active(active, order[i]))
        return;
    real4 sum = (real4)(0);
    for (uint s = 0; s < slices; s++)
        sum += parted[(first + s) * GROUP + particle];
    ADD_FORCE(i, sum, OWN_POTENTIAL(i));
}
