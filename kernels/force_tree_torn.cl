/* Walks for particles of groups that were torn (force_tree_torn.clh), one after the other. Reads
 * the tree and its records; adds to acceleration and potential. Work-groups of 32, any number. */
kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void
force_tree_torn(TREE_ARGUMENTS, global const real4 *place, global const uint4 *test,
                global const real4 *run_centre, global const force *run_sums,
                global const uint *begin, global const uint *n_begin, real far_reach,
                global const uint *torn,
                global const uint *n_torn TILES_SOFTENINGS OTHERS_ARGUMENTS)
{
    local room shared, *r = &shared;
    uint lane = (uint)get_local_id(0);
    force e2 = (force)softening2;
    const octree o = {SOURCE, place, mass,  test,
                      quad,   box,   e2,    scale,
                      mass_scale SOFTENINGS_GIVEN};
    if (total_cells[0] > capacity)
        return;
#ifdef SLICES
    if (lane == 0)
        r->slices = 1;
    SYNC();
#endif
    for (uint k = (uint)get_group_id(0); k < n_torn[0]; k += (uint)get_num_groups(0)) {
        uint i = torn[k], number = i / GROUP, base = number * GROUP, run = base / RUN;
        const uint at[2] = {i, i};
        walker w = {.far = (force)far_reach, .least = INFINITY, .most = NEVER_TORN,
                    .alone = true};
        targets t;
        if (!is_active(active, order[i]))
            continue;
#ifdef OTHERS
        w.least = least_of_groups(group_boxes, number, number + 1);
#elif CRITERION == CRITERION_RELATIVE
        const uint all[2] = {min(base + lane, n - 1), min(base + LANES + lane, n - 1)};
        w.least = find_least(r, all, base + lane < n, base + LANES + lane < n, before, order, alpha,
                             least_acceleration, min(n - base, (uint)GROUP));
#endif
        place_group(&t, r, sorted[i], at, sorted, scale);
#ifdef SOFTENINGS
        place_softenings(&w, &t, r, at, sorted_soft);
#endif
        uint2 done = SUM_FORCES(sorted[i]) / min(n - base, (uint)GROUP);
        real4 sum = join_alone(r, SUM(0));
        if (lane > 0)
            continue;
        ADD_FORCE(i, sum, OWN_POTENTIAL(i));
        atomic_add(&work[2 * number], done.x);
        atomic_add(&work[2 * number + 1], done.y);
    }
}
