/* What a ring beyond the acting images of a sheared box adds to gravity: that of a thin sheet of
 * the box's mean surface density, infinite but for the place that the images take. Without it a
 * uniform sheet would be pulled to the middle of the box. */
#ifndef OCT_BOUNDARY_SHEET_H
#define OCT_BOUNDARY_SHEET_H

#include "boundary/boundary_expansion.h"

typedef struct oct_outer_sheet {
    oct_expansion expansion;
    double size[3]; /* of the box */
    uint32_t rings[3];
    double *fixed;  /* coefficients that do not change with time */
    double *moving; /* those of rows along the orbit, as series of how far the row has slid */
    double *now;
    oct_buffer *mass; /* of the box, part of the state: merging must not change its last bits */
    double known_mass;
    oct_edition placed; /* the bodies that have it */
} oct_outer_sheet;

/* The program is kernels/sheet.cl. */
oct_status oct_outer_sheet_start(oct_outer_sheet *out, oct_domain *domain, oct_program *program,
                                 const double size[3], const uint32_t rings[3]);
void oct_outer_sheet_memory(oct_needs *needs);
void oct_outer_sheet_end(oct_outer_sheet *sheet);
/* Adds to acceleration and potential; the next box outward lags behind by `offset`. */
oct_status oct_outer_sheet_add(oct_outer_sheet *sheet, oct_domain *domain, double offset);

#endif
