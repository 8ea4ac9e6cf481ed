/* Cells once more, for walks that test many at a time: what a test needs in one place, and the
 * children of a cell side by side. Cells in depth-first order fill the places 0, 1, ... without a
 * gap when the children of cell i, all of them, come before what is below them: they begin at
 *   i + 1 + d(i),  d(i) the number of later siblings of i and of each of its ancestors.
 *   place  centre of mass and mass, as in `mass`
 *   test   x: extent by the relative criterion, else reach, as bits of a float; y: place of its
 *          first child or, for a leaf, its first particle; z: their number, with LEAF_BIT for a
 *          leaf; w: the cell, where its second moments are
 *   moved  second moments as in `quad`, where those do not stay
 *   tree_records_rank  reads links; writes how many siblings come after a cell
 *   tree_records_make  reads links, these numbers and moments; writes the records
 *   tree_records_move  copies second moments to the places of their records, which then name these
 * Any work-group size. */
#include "precision.clh"
#include "tree.clh"

kernel void tree_records_rank(global uint *later, global const uint4 *links,
                              global const uint *total, uint capacity)
{
    uint i = (uint)get_global_id(0);
    if (total[0] > capacity || i >= total[0])
        return;
    uint4 link = links[i];
    uint end = link.w == NO_CELL ? link.x : links[link.w].x, after = 0;
    for (uint next = link.x; next != end; next = links[next].x)
        after++;
    later[i] = after;
}

kernel void tree_records_make(global real4 *place, global uint4 *test, global const uint *later,
                              global const uint4 *links, global const real4 *mass,
                              global const force4 *quad, global const uint *total, uint capacity)
{
    uint i = (uint)get_global_id(0);
    if (total[0] > capacity || i >= total[0])
        return;
    uint4 link = links[i];
    uint at = 0, below = i + 1 + later[i];
    if (link.w != NO_CELL) {
        uint before = 0;
        for (uint above = link.w; above != NO_CELL; above = links[above].w)
            before += later[above];
        at = link.w + 1 + before + later[link.w + 1] - later[i];
        below += before;
    }
#if CRITERION == CRITERION_RELATIVE
    float reach = (float)quad[2 * i + 1].w;
#else
    float reach = (float)quad[2 * i + 1].z;
#endif
    place[at] = mass[i];
    test[at] = CELL_IS_LEAF(link) ? (uint4)(as_uint(reach), link.y, link.z, i)
                                  : (uint4)(as_uint(reach), below, later[i + 1] + 1, i);
}

kernel void tree_records_move(global force4 *moved, global uint4 *test, global const force4 *quad,
                              global const uint *total, uint capacity)
{
    uint at = (uint)get_global_id(0);
    if (total[0] > capacity || at >= total[0])
        return;
    uint cell = test[at].w;
    moved[2 * at] = quad[2 * cell];
    moved[2 * at + 1] = quad[2 * cell + 1];
    test[at].w = at;
}
