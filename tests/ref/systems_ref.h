/* Solar systems for tests, made body by body. */
#ifndef OCT_TESTS_SYSTEMS_REF_H
#define OCT_TESTS_SYSTEMS_REF_H

#include "scene_sim.h"

/* Appends a body; system 0: alone. G = 1 (units: nbody). */
void ref_add(oct_bodies *bodies, unsigned system, double mass, const double position[3],
             const double velocity[3], unsigned type);
/* Appends a star and planets on circles of these radii about it, seen from it at angles 0, 1, 2...
 * radians, each slightly out of the plane of the one before. */
void ref_add_system(oct_bodies *bodies, unsigned system, const double place[3],
                    const double velocity[3], double star, double planet, const double *radii,
                    size_t planets);

/* A simulation of these bodies; `scene` has the other sections. */
oct_sim *ref_bodies_sim(const oct_bodies *bodies, oct_precision precision, const char *scene, ...);

/* Steps forward, turns velocities round, and steps as often again; the largest distance of a body
 * from where it was. */
double ref_return_error(oct_sim *sim, uint64_t steps);
/* The largest distance between the same body of two simulations. */
double ref_apart(oct_sim *a, oct_sim *b);

#endif
