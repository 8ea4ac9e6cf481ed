/* Errors of forces against sums in double. */
#ifndef OCT_TESTS_FORCE_ERRORS_H
#define OCT_TESTS_FORCE_ERRORS_H

#include "octant/octant.h"

typedef struct ref_errors {
    double median, p90, p99, mean; /* |a - a_direct| / |a_direct| */
    double potential;              /* mean |phi / phi_direct - 1| */
} ref_errors;

/* Every stride-th body of `got` against those of `expected`, which are those bodies only. */
ref_errors ref_compare(const oct_bodies *got, const oct_bodies *expected, size_t stride);

typedef struct ref_box_errors {
    double relative;     /* the largest of accelerations, relative to each */
    double median, most; /* of accelerations, in units of a scale */
    double potential;    /* the largest, relative to their rms */
    double energy;       /* relative, of all */
} ref_box_errors;

/* All bodies, in a box. scale: of accelerations; 0: each its own. */
ref_box_errors ref_compare_box(const oct_bodies *got, const oct_bodies *expected, double scale);

/* Every stride-th body with the pull of all of them, G = 1, without softening. */
void ref_sum_some(oct_bodies *out, const oct_bodies *all, size_t stride);

/* Bodies of a model with the forces of a method, in units of G = 1. */
void ref_forces(oct_bodies *out, oct_precision precision, const char *model, const char *gravity);

#endif
