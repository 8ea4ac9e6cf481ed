/* The surface density of a sheet on a grid.
 *   diag_wakes_sum      partial sums of mass and its square
 *   diag_wakes_deposit  mass in each cell of the grid, in integer units, so that the sums do not
 *                       depend on the order of the atomics
 * Reads position, type. Any work-group size. */
#include "precision.clh"

#define COLUMNS 2

kernel void diag_wakes_sum(global sum *partials, global const real4 *position,
                           global const uchar *type, real mass_scale, uint n)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    sum mass = sum_zero(), square = sum_zero();
    for (uint i = item; i < n; i += items) {
        real m = type[i] == OCT_TYPE_REMOVED ? 0 : position[i].w * mass_scale;
        mass = sum_add(mass, m);
        square = sum_add(square, m * m);
    }
    partials[item * COLUMNS] = mass;
    partials[item * COLUMNS + 1] = square;
}

/* The cell of a coordinate given in cells from the centre of the box. */
static inline uint cell_of(real x, uint cells)
{
    return (uint)clamp((int)floor(x + (real)cells / 2), 0, (int)cells - 1);
}

kernel void diag_wakes_deposit(volatile global uint *grid, global const real4 *position,
                               global const uchar *type, real units, real per_x, real per_y,
                               uint cells_x, uint cells_y, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n || type[i] == OCT_TYPE_REMOVED)
        return;
    real4 x = position[i];
    uint cell = cell_of(x.x * per_x, cells_x) * cells_y + cell_of(x.y * per_y, cells_y);
    atomic_add(&grid[cell], convert_uint_rte(x.w * units));
}
