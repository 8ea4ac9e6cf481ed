/* Potential energy of all pairs in double, each once, whatever precision forces have:
 *   W = -sum_i m_i sum_(j < i) m_j / (|x_j - x_i|^2 + eps^2)^(1/2)
 * without G; one row a work-item. Two in one place do not act on each other without softening.
 * Eight bodies at a time meet those before them: a vector on a CPU, independent work on a GPU.
 * Reads position. Built in mixed and double precision. Any work-group size. */
#include "precision.clh"

#define LANES 8

/* The energy of bodies [first, first + LANES) with all that come before each. */
static double block_energy(global const double4 *position, double softening2, uint first, uint n)
{
    double lanes[4][LANES];
    long places[LANES];
    for (uint k = 0; k < LANES; k++) {
        double4 p = first + k < n ? position[first + k] : (double4)(0);
        lanes[0][k] = p.x;
        lanes[1][k] = p.y;
        lanes[2][k] = p.z;
        lanes[3][k] = p.w;
        places[k] = first + k;
    }
    double8 x = vload8(0, lanes[0]), y = vload8(0, lanes[1]), z = vload8(0, lanes[2]);
    double8 potential = 0;
    long8 place = vload8(0, places);
    for (uint j = 0; j < min(first + LANES, n); j++) {
        double4 p = position[j];
        double8 dx = p.x - x, dy = p.y - y, dz = p.z - z;
        double8 r2 = dx * dx + dy * dy + dz * dz + softening2;
        long8 acts = (r2 > 0) & (place > (long)j);
        potential -= select((double8)(0), p.w / sqrt(r2), acts);
    }
    vstore8(potential * vload8(0, lanes[3]), 0, lanes[0]);
    double total = 0;
    for (uint k = 0; k < LANES; k++)
        total += lanes[0][k];
    return total;
}

/* A block from the front and one from the back: all work-items have as much to do. */
kernel void diag_pairs_sum(global double *partials, global const double4 *position,
                           double softening2, uint n)
{
    uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    uint blocks = (n + LANES - 1) / LANES;
    double total = 0;
    for (uint b = item; 2 * b < blocks; b += items) {
        uint back = blocks - 1 - b;
        total += block_energy(position, softening2, b * LANES, n);
        if (back != b)
            total += block_energy(position, softening2, back * LANES, n);
    }
    partials[item] = total;
}
