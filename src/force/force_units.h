/* What pair forces are multiplied with: they are summed in units of the simulation's scales. */
#ifndef OCT_FORCE_UNITS_H
#define OCT_FORCE_UNITS_H

#include "core/sim.h"

typedef struct oct_force_units {
    double softening2;              /* square of the softening length, in those units */
    double acceleration, potential; /* what sums become in the scene's */
} oct_force_units;

/* Kernels know them as softening2, to_acceleration and to_potential. */
extern const oct_offer oct_force_unit_offers[];

/* What kernels of pairs are built with: whether there is softening, and whether bodies differ in
 * it.
 */
const char *oct_force_softening_options(double softening, const oct_domain *domain);

void oct_force_units_find(oct_force_units *out, double softening, const oct_domain *domain);

#endif
