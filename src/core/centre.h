/* The centre of mass of bodies, of which some are added at a time. */
#ifndef OCT_CORE_CENTRE_H
#define OCT_CORE_CENTRE_H

#include "octant/octant.h"
#include "util/exact_sum.h"

/* Begin with {0}. */
typedef struct oct_centre {
    oct_exact_sum mass, moment[3], momentum[3];
} oct_centre;

/* Adds bodies [first, first + count). The last bits depend on their order, not on how they are
 * divided. */
void oct_centre_add(oct_centre *centre, const oct_bodies *bodies, size_t first, size_t count);
/* Moves bodies to the frame in which it is at rest at the origin. */
oct_status oct_centre_enter(const oct_centre *centre, oct_bodies *bodies, size_t first,
                            size_t count);

#endif
