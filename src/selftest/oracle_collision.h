/* The collisions of one step in plain double-precision C: pairs by comparison of all that are near
 * in x, over all images, resolved one after the other in the order of their priorities. */
#ifndef OCT_SELFTEST_ORACLE_COLLISION_H
#define OCT_SELFTEST_ORACLE_COLLISION_H

#include "core/sim.h"

typedef struct oct_oracle_pair {
    uint32_t i, j, image, priority;
} oct_oracle_pair;

/* All pairs that touch and approach in the nearest images of the box, in order. */
oct_status oct_oracle_colliding(oct_oracle_pair **out, size_t *n, const oct_bodies *bodies,
                                const oct_sim *sim, uint64_t step);

/* What becomes of the pairs, one after the other, by the contact of the scene: spheres that bounce
 * with this restitution (or the law of Bridges et al. with a speed) and rub where they are rough,
 * or merge; bodies that are gone have no place any more. Returns the energy lost. */
double oct_oracle_resolve(oct_bodies *bodies, const oct_oracle_pair *pairs, size_t n,
                          const oct_sim *sim, double restitution);

#endif
