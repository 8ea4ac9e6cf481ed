/* The trees that other ranks have sent, as one: cells that are always opened hold them together.
 *   tree_forest_place  puts the messages where a tree has them, a work-item a cell; `trees` says
 *                      for each message, in the order of the cells: first cell, where its cells are
 *                      in the words, where its particles are there, first particle; then the cell
 *                      above it, and three words of nothing
 *   tree_forest_rows   takes room for the rows of cells with children, in any order
 * Particles begin with SHUT that are no numbers. Any work-group size. */
#include "tree_message.clh"
#include "tree_rows.clh"

#ifdef SOFTENINGS
#define FOREST_SOFT , global force2 *soft, global force *source_soft
#else
#define FOREST_SOFT
#endif

kernel void tree_forest_place(global uint4 *links, global real4 *mass, global force4 *quad,
                              global force4 *box, global real4 *source, global uint *total,
                              global uint *row_end, global const uint *words,
                              global const uint4 *trees, uint n_trees, uint n_cells FOREST_SOFT)
{
    uint cell = (uint)get_global_id(0);
    if (cell >= n_cells)
        return;
    if (cell == 0) {
        total[0] = n_cells;
        row_end[0] = 0;
        for (uint i = 0; i < SHUT; i++) {
            source[i] = (real4)(NAN);
#ifdef SOFTENINGS
            source_soft[i] = NAN;
#endif
        }
    }
    uint tree = 0;
    for (uint step = 1u << 31; step > 0; step >>= 1)
        if (tree + step < n_trees && trees[2 * (tree + step)].x <= cell)
            tree += step;
    uint4 at = trees[2 * tree];
    global const uint *from = words + at.y + (size_t)(cell - at.x) * CELL_WORDS;
    uint4 link = vload4(0, from + LINK_WORD);
    uint4 placed = (uint4)(at.x + link.x, link.y == NO_CELL ? 0 : at.w + link.y, link.z,
                           link.w == NO_CELL ? trees[2 * tree + 1].x : at.x + link.w);
    links[cell] = placed;
    mass[cell] = get_real4(from);
    get_pair(quad + 2 * cell, from + QUAD_WORD);
#ifdef SOFTENINGS
    soft[cell] = vload2(0, (global const force *)(from + SOFT_WORD));
#endif
#if CRITERION == CRITERION_MIN_DISTANCE
    get_pair(box + 2 * cell, from + BOX_WORD);
#else
    box[2 * cell] = box[2 * cell + 1] = (force4)(0);
#endif
    if (!CELL_IS_LEAF(link) || link.y == NO_CELL)
        return;
    for (uint j = 0; j < CELL_COUNT(link); j++) {
        global const uint *body = words + at.z + (size_t)(link.y + j) * BODY_WORDS;
        source[placed.y + j] = get_real4(body);
#ifdef SOFTENINGS
        source_soft[placed.y + j] = *(global const force *)(body + BODY_SOFT_WORD);
#endif
    }
}

kernel void tree_forest_rows(global uint *row_of, volatile global uint *row_end,
                             global const uint4 *links, uint n_cells)
{
    uint cell = (uint)get_global_id(0), n = 0;
    if (cell >= n_cells)
        return;
    uint4 link = links[cell];
    if (CELL_IS_LEAF(link))
        return;
    for (uint child = cell + 1; child != link.x; child = links[child].x)
        n++;
    row_of[cell] = ROW_WORD(1 + atomic_add(row_end, n), n);
}
