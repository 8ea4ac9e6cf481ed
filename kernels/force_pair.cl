/* What surrounds the sums over pairs.
 *   force_pair_reach     the largest range in each cell of one level of the tree; those of the next
 *                        level have been done
 *   force_pair_advance   column += rate dt, as velocities are kicked; force_pair_advance3: vectors
 * Any work-group size. */
#include "precision.clh"
#include "tree.clh"

kernel void force_pair_reach(global real *reach_of, global const real *ranges,
                             global const uint4 *links, global const uchar *level_of,
                             global const uint *order, global const uint *total, uint capacity,
                             uint level)
{
    uint index = (uint)get_global_id(0);
    if (total[0] > capacity || index >= total[0] || level_of[index] != level)
        return;
    uint4 link = links[index];
    real largest = 0;
    if (CELL_IS_LEAF(link))
        for (uint j = link.y; j < link.y + CELL_COUNT(link); j++)
            largest = fmax(largest, ranges[order[j]]);
    else
        for (uint child = index + 1; child != link.x; child = links[child].x)
            largest = fmax(largest, reach_of[child]);
    reach_of[index] = largest;
}

/* What single precision rounds off is put back with the next addition (Kahan). */
#if OCT_PRECISION == 1
#define ADD(number) KAHAN_ADD(number, column[i], low[i], rate[i] * dt);
#else
#define ADD(number) column[i] += rate[i] * dt;
#endif

kernel void force_pair_advance(global real *column, global real *low, global const real *rate,
                               global const uchar *type, real dt, uint n,
                               volatile global uint *counters, uint step_offset)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || (type[i] & OCT_TYPE_HELD) || is_halted(counters))
        return;
    ADD(real)
    if (!isfinite(column[i]))
        report_bad(counters, step_offset, i);
}

kernel void force_pair_advance3(global real4 *column, global real4 *low, global const real4 *rate,
                                global const uchar *type, real dt, uint n,
                                volatile global uint *counters, uint step_offset)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || (type[i] & OCT_TYPE_HELD) || is_halted(counters))
        return;
    ADD(real4)
    if (!is_number(column[i]))
        report_bad(counters, step_offset, i);
}
