/* The surface density of a sheet on a grid.
 *   diag_wakes_sum      partial sums of mass, its square, the number of bodies that have mass, and
 *                       their radii
 *   diag_wakes_deposit  mass in each cell of the grid, in integer units, so that the sums do not
 *                       depend on the order of the atomics; a body is shared by the four cells
 *                       whose centres are around it
 * Reads position, velocity, type. Any work-group size. */
#include "precision.clh"
#include "partials.clh"

#define WAKE_COLUMNS 4

kernel void diag_wakes_sum(global sum *partials, uint first_sum, uint sum_rows,
                           global const real4 *position, global const real4 *velocity,
                           global const uchar *type, real mass_scale, real scale, uint n)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    sum total[WAKE_COLUMNS];
    for (uint k = 0; k < WAKE_COLUMNS; k++)
        total[k] = sum_zero();
    for (uint i = item; i < n; i += items) {
        real m = position[i].w * mass_scale;
        if (type[i] == OCT_TYPE_REMOVED || !(m > 0))
            continue;
        real value[WAKE_COLUMNS] = {m, m * m, 1, velocity[i].w * scale};
        for (uint k = 0; k < WAKE_COLUMNS; k++)
            total[k] = sum_add(total[k], value[k]);
    }
    for (uint k = 0; k < WAKE_COLUMNS; k++)
        PARTIAL(k, item) = total[k];
}

/* How many times `cells` lie below a cell's number. */
static inline int boxes_below(int cell, int cells)
{
    return cell / cells - (cell % cells < 0);
}

/* Shares a mass, in units, between two cells of a row. y is in cells from the middle of the box. */
static inline void share_row(volatile global uint *row, real mass, real y, int cells)
{
    real at = y + (real)0.5 * (cells - 1), below = floor(at);
    int cell = (int)below - boxes_below((int)below, cells) * cells;
    atomic_add(&row[cell], convert_uint_rte(mass * (1 - (at - below))));
    atomic_add(&row[cell + 1 < cells ? cell + 1 : 0], convert_uint_rte(mass * (at - below)));
}

/* lag: how far the next box outward is shifted along y. */
kernel void diag_wakes_deposit(volatile global uint *grid, global const real4 *position,
                               global const uchar *type, real units, real per_x, real per_y,
                               real lag, uint cells_x, uint cells_y, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || type[i] == OCT_TYPE_REMOVED)
        return;
    real4 x = position[i];
    real at = x.x * per_x + (real)0.5 * ((int)cells_x - 1), below = floor(at);
    for (int side = 0; side < 2; side++) {
        int column = (int)below + side, boxes = boxes_below(column, (int)cells_x);
        real part = side ? at - below : 1 - (at - below);
        share_row(&grid[(uint)(column - boxes * (int)cells_x) * cells_y], x.w * units * part,
                  (x.y - boxes * lag) * per_y, (int)cells_y);
    }
}
