/* The two systems that are nearest to each other. */
#ifndef OCT_FORCE_NEAREST_H
#define OCT_FORCE_NEAREST_H

#include "core/sim.h"

enum { OCT_NEAREST_BYTES = 160 };

/* From the squares of the distances between each target and the system nearest to it, in units of
 * the scale, in floats, for one or more parts of the sources: one of the two, the first of equals,
 * and their distance, infinite where there are no two. Targets are systems, or all bodies. */
oct_status oct_nearest_find(uint32_t *system, double *distance, oct_domain *domain,
                            oct_buffer *squares, uint32_t targets);

/* Names a system and the one nearest to it, which may be its own image, and says how far apart they
 * are, from the centres and masses of all in units of the scales. */
oct_status oct_nearest_name(char out[OCT_NEAREST_BYTES], uint32_t system, oct_domain *domain,
                            oct_buffer *centre);

#endif
