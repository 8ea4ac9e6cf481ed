/* The collisions of one step in plain double-precision C: pairs by comparison of all that are near
 * in x, over all images, resolved one after the other in the order of their priorities. */
#ifndef OCT_TESTS_COLLISION_REF_H
#define OCT_TESTS_COLLISION_REF_H

#include "core/sim.h"

typedef struct ref_pair {
    uint32_t i, j, image, priority;
} ref_pair;

/* All pairs that touch and approach in the nearest images of the box, in order. */
size_t ref_colliding(ref_pair **out, const oct_bodies *bodies, const oct_sim *sim, uint64_t step);

/* Hard spheres with a constant restitution: changes the velocities. Returns the energy lost. */
double ref_bounce(oct_bodies *bodies, const ref_pair *pairs, size_t n, const oct_sim *sim,
                  double restitution);

/* The image of an index, as core/images.c counts them, one ring in every repeated direction. */
oct_image ref_image(const oct_sim *sim, uint32_t index);

#endif
