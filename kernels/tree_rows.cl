/* The cells once more for walks in vector lanes: children of a cell side by side
 * (kernels/tree_rows.clh). A work-item a cell writes the row of its children; tree_moments.cl has
 * taken the room for it. Where a row is depends on who comes first, and nothing else does. Reads
 * links, mass, quad, box and row_of, soft with SOFTENINGS and third with OCTUPOLE. Any work-group
 * size. */
#include "precision.clh"
#include "tree.clh"
#include "tree_rows.clh"

#ifdef SOFTENINGS
#include "tree_soft.clh"
#define ROW_SOFT_ARGUMENTS , global const force2 *soft
#define ROW_SOFT_GIVEN     , soft
#else
#define ROW_SOFT_ARGUMENTS
#define ROW_SOFT_GIVEN
#endif
#ifdef OCTUPOLE
#define ROW_THIRD_ARGUMENTS , global const force4 *third
#define ROW_THIRD_GIVEN     , third
#else
#define ROW_THIRD_ARGUMENTS
#define ROW_THIRD_GIVEN
#endif

/* Child k of n in the row that begins at a slot. */
static inline void write_child(global force *rows, uint slot, uint k, uint n, uint cell,
                               global const uint4 *links, global const real4 *mass,
                               global const force4 *quad, global const force4 *box,
                               global const uint *row_of ROW_SOFT_ARGUMENTS ROW_THIRD_ARGUMENTS)
{
    global real *places = ROW_PLACES(rows, slot);
    global force *numbers = ROW_NUMBERS(rows, slot, n);
    uint4 link = links[cell];
    real4 m = mass[cell];
    force4 a = quad[2 * cell], b = quad[2 * cell + 1];
    const real place[3] = {m.x, m.y, m.z};
    force4 low = box[2 * cell], high = box[2 * cell + 1];
    force reach = CELL_IS_LEAF(link) && CELL_COUNT(link) <= FEW ? INFINITY : b.z;
#ifdef OCTUPOLE
    force4 t = third[3 * cell], u = third[3 * cell + 1], v = third[3 * cell + 2];
#endif
    const force number[] = {(force)m.w, reach, b.w, a.x, a.y, a.z, a.w, b.x, b.y,
#ifdef SOFTENINGS
                            soft[cell].x,
#endif
#ifdef OCTUPOLE
                            t.x, t.y, t.z, t.w, u.x, u.y, u.z, u.w, v.x, v.y,
#endif
                            low.x, low.y, low.z, high.x, high.y, high.z};
    for (uint i = 0; i < 3; i++)
        places[i * n + k] = place[i];
    for (uint i = 0; i < ROW_FORCES; i++)
        numbers[i * n + k] = number[i];
    ROW_WORDS(rows, slot, n)[k] = CELL_IS_LEAF(link) ? LEAF_BIT | cell : row_of[cell];
}

kernel void tree_rows_write(global force *rows, global const uint *row_of,
                            global const uint4 *links, global const real4 *mass,
                            global const force4 *quad, global const force4 *box,
                            global const uint *total,
                            uint capacity ROW_SOFT_ARGUMENTS ROW_THIRD_ARGUMENTS)
{
    uint cell = (uint)get_global_id(0);
    if (total[0] > capacity || cell >= total[0])
        return;
    if (cell == 0)
        write_child(rows, 0, 0, 1, 0, links, mass, quad, box,
                    row_of ROW_SOFT_GIVEN ROW_THIRD_GIVEN);
    uint4 link = links[cell];
    if (CELL_IS_LEAF(link))
        return;
    uint k = 0, slot = ROW_WORD_SLOT(row_of[cell]), n = ROW_WORD_COUNT(row_of[cell]);
    for (uint child = cell + 1; child != link.x; child = links[child].x)
        write_child(rows, slot, k++, n, child, links, mass, quad, box,
                    row_of ROW_SOFT_GIVEN ROW_THIRD_GIVEN);
}
