/* A smooth field on a box, as a Chebyshev series that a kernel adds to the forces. */
#ifndef OCT_BOUNDARY_EXPANSION_H
#define OCT_BOUNDARY_EXPANSION_H

#include "core/sim.h"

typedef struct oct_expansion {
    uint32_t terms[3]; /* in each direction; the last one's coefficients are neighbours */
    double size[3];    /* of the box around the origin */
    double to[3];      /* what takes coordinates there to those of the series, -1 to 1 */
    oct_kernel *add;
    oct_buffer *coefficients;
    uint32_t lanes; /* particles of a work-item */
    double unit;    /* of the potential */
} oct_expansion;

/* For kernels: coefficients, to_x, to_y, to_z. */
extern const oct_offer oct_expansion_offers[];

/* The program holds boundary_expansion.cl, built for these terms. A field that is `symmetric`, the
 * same at (-x, -y, z) and at (x, y, -z), takes a quarter of the work, and the precision of pair
 * forces instead of that of the state. */
oct_status oct_expansion_start(oct_expansion *out, oct_domain *domain, oct_program *program,
                               const uint32_t terms[3], const double size[3], bool symmetric);
void oct_expansion_memory(oct_needs *needs, const uint32_t terms[3], bool symmetric);
void oct_expansion_end(oct_expansion *self);
/* Adds the field to acceleration and potential; `unit` is the potential that 1 stands for. */
oct_status oct_expansion_add(oct_expansion *self, oct_domain *domain, double unit);

/* The coefficients of T_0 to T_terms-1 from values in the points cos(pi (i + 1/2) / terms): row k
 * of `out` times the values. */
void oct_expansion_weights(double *out, uint32_t terms);
/* The points. */
double oct_expansion_point(uint32_t i, uint32_t terms);

#endif
