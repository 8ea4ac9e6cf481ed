/* A star cluster about a black hole with block steps: what they cost, and how well energy is kept.
 */
#ifndef OCT_TESTS_BLOCK_CLUSTER_H
#define OCT_TESTS_BLOCK_CLUSTER_H

#include "octant/octant.h"

/* Forces found, a body; the largest energy error of those at multiples of dt, and the last. */
typedef struct ref_block_cost {
    double forces, largest, last;
} ref_block_cost;

/* A Plummer sphere of 500 about a black hole of a twentieth of its mass, in units in which its
 * crossing time is 2 sqrt 2, with this softening and these settings of the integrator. */
ref_block_cost ref_block_cluster(double softening, const char *integrator, double until);

/* Steps until a time that steps end at. */
void ref_step_to(oct_sim *sim, double time);

#endif
