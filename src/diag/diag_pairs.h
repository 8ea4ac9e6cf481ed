/* The potential energy of all pairs, summed in double: the forces' own potentials are float in
 * mixed precision, and a tree's are approximate, which would hide how well energy is kept. */
#ifndef OCT_DIAG_DIAG_PAIRS_H
#define OCT_DIAG_DIAG_PAIRS_H

#include "core/sim.h"

typedef struct oct_pairs {
    oct_program *program; /* NULL where pairs are not summed */
    oct_kernel *sum;
    unsigned width; /* of its work-groups */
    double softening, softening2;
} oct_pairs;

/* Prepares it where it can be afforded: gravity of all pairs or by a tree in an open space, of not
 * too many bodies. */
oct_status oct_pairs_init(oct_pairs *pairs, oct_domain *domain);
/* The same for a softening that is known, by work-groups of so many. */
oct_status oct_pairs_build(oct_pairs *pairs, oct_domain *domain, unsigned width);
/* Enqueues the sum; what it is, once that is read back. */
oct_status oct_pairs_launch(uint32_t *place, const oct_pairs *pairs, oct_domain *domain);
oct_status oct_pairs_energy(double *out, uint32_t place, oct_domain *domain);
void oct_pairs_clear(oct_pairs *pairs);

#endif
