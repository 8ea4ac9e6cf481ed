/* What the images of a periodic box beyond the acting ones add to gravity, with a background that
 * makes up for the mean density: Ewald's field of the lattice less that of the acting images. It
 * has no singularity near the box, so that a few hundred products of Chebyshev polynomials of where
 * it is felt and of where it comes from describe it:
 *   f(x - y) = sum C_ij P_i(x) P_j(y),  P_i(x) = T_a(x1) T_b(x2) T_c(x3).
 * Moments of the bodies times C are the series of the field. Bodies may be outside of the box by a
 * margin, as long as the acting images are those of where they are. */
#ifndef OCT_BOUNDARY_LATTICE_H
#define OCT_BOUNDARY_LATTICE_H

#include "boundary/boundary_expansion.h"

typedef struct oct_lattice {
    oct_expansion expansion;
    double unit; /* of lengths */
    oct_program *program;
    oct_kernel *find_moments, *fold, *apply;
    oct_buffer *matrix, *partials, *moments;
    uint32_t terms, blocks, workers, chunk, chunks;
} oct_lattice;

/* Rings of images that have to act for a box of this size. */
void oct_lattice_rings(uint32_t rings[3], const double size[3]);
void oct_lattice_memory(oct_needs *needs, const double size[3], double margin);
oct_status oct_lattice_start(oct_lattice *out, oct_domain *domain, const double size[3],
                             double margin);
oct_status oct_lattice_add(oct_lattice *lattice, oct_domain *domain);
void oct_lattice_end(oct_lattice *lattice);

/* The matrix C for a box of this size without the images of these rings; `out` has the square of
 * the product of the terms. */
oct_status oct_lattice_matrix(double *out, const double size[3], double margin,
                              const uint32_t rings[3], const uint32_t terms[3]);

#endif
