/* Scalar double-precision oracles: the shortest code that is right. Self-tests and unit tests
 * compare kernels with them; nothing else uses them. */
#ifndef OCT_SELFTEST_ORACLE_H
#define OCT_SELFTEST_ORACLE_H

#include <math.h>

#include "octant/octant.h"

typedef struct oct_oracle_gravity {
    double G, softening; /* of bodies without one of their own */
    double size[3];      /* of a box with images */
    int ghosts[3];       /* rings of images */
    double lag;          /* of the next box along x, in sides along y: see oct_oracle_lag */
} oct_oracle_gravity;

/* The softening of a pair. */
double oct_oracle_softening(const oct_bodies *bodies, size_t i, size_t j,
                            const oct_oracle_gravity *gravity);

/* Acceleration and potential of every body by summation over all pairs and images. */
void oct_oracle_forces(oct_bodies *bodies, const oct_oracle_gravity *gravity);

/* The same in a box that repeats itself for ever, in a background of the opposite density. */
void oct_oracle_ewald(oct_bodies *bodies, const oct_oracle_gravity *gravity);

/* One step of "leapfrog", "euler" or "symplectic-euler". */
void oct_oracle_step(oct_bodies *bodies, const oct_oracle_gravity *gravity, const char *integrator,
                     double dt);

/* Largest |a - b| over vectors, relative to |b| of each. */
double oct_oracle_vector_error(const double *a, const double *b, size_t n);
/* The same of accelerations, or of potentials where that is larger; those near zero are measured by
 * the mean. */
double oct_oracle_forces_error(const oct_bodies *got, const oct_bodies *expected);

/* The larger of two errors; what is no number is the worst. */
static inline double oct_oracle_worse(double worst, double error)
{
    return isnan(error) ? INFINITY : fmax(worst, error);
}

#endif
