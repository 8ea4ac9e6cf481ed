/* All that a kept tree with records renews, in one launch. Where a cell's record is does not change
 * while the tree is kept, nor who is in it: children are found side by side instead of one by the
 * other, and records are written along with the moments, whose bits are those of tree_moments.cl.
 *   seat  of each cell, x: the place of its record; y, z: as in the record, its first child's place
 *         and their number or, with LEAF_BIT, its first particle and theirs; w: its parent
 *   came  children of each cell that are done; 0 before and after
 *   tree_keep_seats  reads records and links of a tree that was built; any work-group size
 *   tree_keep_climb  writes sorted positions, mass, quad, box and what changes in records; reads
 *                    seats, order, position, and soft, which stays. Work-groups of KEEPERS, an item
 *                    a cell: the leaves of a work-group are neighbours, and it fetches all their
 *                    particles before they are summed over, a leaf a work-item. */
#define KEEPERS   64
#define KEPT_ROOM 512
#define AT_ONCE   4

kernel void tree_keep_seats(global uint4 *seat, global uint *came, global const uint4 *test,
                            global const uint4 *links, global const uint *total, uint capacity)
{
    uint i = (uint)get_global_id(0);
    if (total[0] > capacity || i >= total[0])
        return;
    uint4 record = test[i];
    seat[record.w] = (uint4)(i, record.y, record.z, links[record.w].w);
    came[i] = 0;
}

/* Fetches the particles from `begin` to `end`; those for which there is room can be had there. */
static inline void fetch_particles(local real4 *room, global real4 *sorted,
                                   global const uint *order, global const real4 *position,
                                   uint begin, uint end)
{
    for (uint i = begin + (uint)get_local_id(0); i < end; i += AT_ONCE * KEEPERS) {
        real4 x[AT_ONCE];
#pragma unroll
        for (uint k = 0; k < AT_ONCE; k++)
            x[k] = position[order[min(i + k * KEEPERS, end - 1)]];
#pragma unroll
        for (uint k = 0; k < AT_ONCE; k++) {
            uint at = i + k * KEEPERS;
            if (at < end)
                sorted[at] = x[k];
            if (at < end && at - begin < KEPT_ROOM)
                room[at - begin] = x[k];
        }
    }
}

#define FETCHED(i) ((i) - begin < KEPT_ROOM ? room[(i) - begin] : sorted[i])

/* As leaf_moments. */
static inline cell fetched_leaf(uint4 seat, local const real4 *room, global const real4 *sorted,
                                uint begin, force radius, real scale, real mass_scale)
{
    uint end = seat.y + CELL_COUNT(seat);
    real4 sum = (real4)(0), lost = (real4)(0), middle = FETCHED(seat.y);
    for (uint i = seat.y; i < end; i++) {
        real4 x = FETCHED(i);
        KAHAN_ADD(real4, sum, lost, (real4)((x.xyz - middle.xyz) * x.w, x.w));
    }
    cell c = start_cell(middle, sum, sum.w * mass_scale);
    for (uint i = seat.y; i < end; i++)
        add_particle(&c, FETCHED(i), scale, mass_scale);
    c.low.w = radius;
    c.high.w = 0;
    return c;
}

static inline cell join_seated(uint4 seat, volatile global const real4 *place,
                               global const uint4 *test, volatile global const force4 *quad,
                               volatile global const force4 *box, real scale THIRD_READ)
{
    real4 m[8];
    uint child[8];
#pragma unroll
    for (uint k = 0; k < 8; k++) {
        uint at = seat.y + (k < seat.z ? k : 0);
        m[k] = place[at];
        child[k] = test[at].w;
    }
    return join_found(m, child, seat.z, quad, box, scale THIRD_GIVEN);
}

#if CRITERION == CRITERION_RELATIVE
#define TESTED(c) (c).b.w
#else
#define TESTED(c) (c).b.z
#endif
#ifdef SOFTENINGS
#define KEPT_SOFT , global const force2 *soft
#else
#define KEPT_SOFT
#endif

kernel __attribute__((reqd_work_group_size(KEEPERS, 1, 1))) void
tree_keep_climb(volatile global real4 *mass, volatile global force4 *quad,
                volatile global force4 *box, volatile global real4 *place, global uint4 *test,
                volatile global uint *came, global real4 *sorted, global const uint4 *seat,
                global const uint4 *links, global const uchar *level_of, global const uint *order,
                global const real4 *position, global const real4 *bounds,
                global const uint *total, real scale, real mass_scale, real inverse_theta, uint n,
                uint capacity KEPT_SOFT THIRD_ARGUMENTS)
{
    local real4 room[KEPT_ROOM];
    uint index = (uint)get_global_id(0), first = (uint)get_group_id(0) * KEEPERS;
    if (total[0] > capacity || first >= total[0])
        return;
    uint begin = links[first].y;
    uint end = first + KEEPERS < total[0] ? links[first + KEEPERS].y : n;
    fetch_particles(room, sorted, order, position, begin, end);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (index >= total[0])
        return;
    uint4 at = seat[index];
    if (!CELL_IS_LEAF(at))
        return;
    cell c = fetched_leaf(at, room, sorted, begin, box[2 * index].w, scale, mass_scale);
    for (;;) {
#ifdef SOFTENINGS
        c.soft = soft[index];
#endif
        write_cell(&c, index, level_of[index], mass, quad, box, bounds, (force)inverse_theta,
                   scale THIRD_GIVEN);
        place[at.x] = c.mass;
        test[at.x].x = as_uint((float)TESTED(c));
        index = at.w;
        if (index == NO_CELL)
            return;
        DEVICE_FENCE();
        uint before = atomic_inc(&came[index]);
        at = seat[index];
        if (before + 1 != at.z)
            return;
        DEVICE_FENCE();
        came[index] = 0;
        c = join_seated(at, place, test, quad, box, scale THIRD_GIVEN);
    }
}
