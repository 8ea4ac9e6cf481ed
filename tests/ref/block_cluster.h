/* A star cluster about a black hole with block steps: what they cost, and how well energy is kept.
 */
#ifndef OCT_TESTS_BLOCK_CLUSTER_H
#define OCT_TESTS_BLOCK_CLUSTER_H

#include "octant/octant.h"

/* The dynamical time (3 pi / 16 G rho)^(1/2) of its half-mass sphere (Binney & Tremaine). */
#define REF_BLOCK_DYNAMICAL_TIME 1.498

/* Forces found, a body; the largest energy error and the last of those that were measured. */
typedef struct ref_block_cost {
    double forces, largest, last;
} ref_block_cost;

/* A Plummer sphere of n about a black hole of a twentieth of its mass, in units in which its
 * crossing time is 2 sqrt 2, with this softening and block-leapfrog with these settings, dt among
 * them. Energies are measured at multiples of 1/16, where all steps end. */
ref_block_cost ref_block_cluster(unsigned n, double softening, const char *integrator,
                                 double until);

/* Steps until a time that steps end at. */
void ref_step_to(oct_sim *sim, double time);

#endif
