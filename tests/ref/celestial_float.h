/* Celestial's two force sums and its symplectic Euler step as it had them, in plain float: neither
 * is compensated, and places are seen from the black hole. */
#ifndef OCT_TESTS_CELESTIAL_FLOAT_H
#define OCT_TESTS_CELESTIAL_FLOAT_H

#include "octant/octant.h"

typedef enum ref_float_way {
    REF_FLOAT_PAIRS,
    REF_FLOAT_PAIRS_BACKWARD, /* the same pairs, from the last body to the first */
    REF_FLOAT_CENTRES,        /* other systems by their centres of mass */
} ref_float_way;

/* A galaxy: body 0 is the black hole, which is held; then come systems of equal size. */
typedef struct ref_floats {
    size_t n, bodies;
    float (*x)[3], (*v)[3], (*a)[3];
    float *mu; /* G m */
} ref_floats;

void ref_floats_start(ref_floats *out, const oct_bodies *from, size_t bodies, double G);
void ref_floats_step(ref_floats *f, ref_float_way way, float dt);
/* The summed distance of corresponding bodies. */
double ref_floats_apart(const ref_floats *f, const ref_floats *g);
void ref_floats_clear(ref_floats *f);

#endif
