/* The scalar oracle of gravity by solar systems. */
#ifndef OCT_SELFTEST_ORACLE_SYSTEMS_H
#define OCT_SELFTEST_ORACLE_SYSTEMS_H

#include "octant/octant.h"

typedef struct oct_oracle_systems {
    double G, softening, opening;
    bool quadrupole;
    bool bodies;             /* each body sums over the other systems for itself */
    bool no_near, no_far;    /* leaves out a body's own system, or all others */
    double size[3];          /* of a box with images; systems are whole, across its faces */
    int ghosts[3];           /* rings of images */
    double cells, particles; /* found: systems and bodies that act on a body, on average */
} oct_oracle_systems;

/* Acceleration and potential of every body. A body whose system is 0 is one of its own. */
oct_status oct_oracle_systems_forces(oct_bodies *bodies, oct_oracle_systems *gravity);

#endif
