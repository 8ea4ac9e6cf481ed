/* Sums over pairs of bodies in plain double loops, over every image of a box. */
#ifndef OCT_TESTS_PAIR_REF_H
#define OCT_TESTS_PAIR_REF_H

#include "octant/octant.h"

/* The boxes around the one with the bodies, up to `rings` away; a sheared one where omega > 0, as
 * it is at this time. */
typedef struct pair_ref_box {
    double size[3], omega, time;
    int rings[3];
} pair_ref_box;

typedef struct pair_ref_gap {
    double d[3], v[3], r2, range; /* from i to j's image */
} pair_ref_gap;

/* Adds what j gives to i. */
typedef void (*pair_ref_law)(double *sum, const oct_bodies *b, size_t i, size_t j,
                             const pair_ref_gap *gap, const void *context);

typedef enum pair_ref_reach { PAIR_REF_LARGER, PAIR_REF_OWN } pair_ref_reach;

typedef struct pair_ref {
    pair_ref_box box;
    const double *range; /* of each body; NULL: no bound */
    pair_ref_reach reach;
    bool nearest; /* only in its nearest image */
    bool self;
    pair_ref_law law;
    const void *context;
} pair_ref;

/* sums: n rows of `width` numbers. */
void pair_ref_sum(double *sums, size_t width, const oct_bodies *b, const pair_ref *ref);

#endif
