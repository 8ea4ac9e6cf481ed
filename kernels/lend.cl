/* Boxes around rows that follow each other, CHUNK of them, removed bodies left out: the lowest
 * corner and the largest radius, the highest corner and 0. A box around nothing is inside out.
 * Reads the state; writes two elements a box. One work-item a box; any work-group size. */
#include "precision.clh"

kernel void lend_boxes(global real4 *boxes, global const real4 *position,
                       global const real4 *velocity, global const uchar *type, uint n)
{
    uint box = (uint)get_global_id(0), first = box * CHUNK;
    if (first >= n)
        return;
    real4 low = (real4)(INFINITY, INFINITY, INFINITY, 0), high = -low;
    real radius = 0;
    for (uint i = first; i < min(first + CHUNK, n); i++) {
        if (type[i] == OCT_TYPE_REMOVED)
            continue;
        low = fmin(low, position[i]);
        high = fmax(high, position[i]);
        radius = fmax(radius, velocity[i].w);
    }
    boxes[2 * box] = (real4)(low.xyz, radius);
    boxes[2 * box + 1] = (real4)(high.xyz, 0);
}
