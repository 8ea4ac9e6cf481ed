/* Which of a rank's bodies may touch bodies of others, in the box or in its images: those are lent.
 * Each rank tells the others some boxes, around runs of its rows; rows are in the order of the
 * curve, so that those that follow each other are near each other. */
#ifndef OCT_CORE_LEND_H
#define OCT_CORE_LEND_H

#include "core/sim.h"

typedef struct oct_lender {
    oct_program *program;
    oct_kernel *find_boxes;
    oct_buffer *boxes;
    uint32_t n_boxes;
} oct_lender;

/* What is lent: rows of the domain, those for one rank after those for another. */
typedef struct oct_loan {
    uint32_t n;
    uint32_t *rows;
    uint64_t *n_out; /* for each rank */
} oct_loan;

oct_status oct_lender_start(oct_lender *lender, oct_domain *domain);
void oct_lender_end(oct_lender *lender);
/* All ranks call it. Two spheres that touch in any of the nearest images are lent to each other's
 * ranks. */
oct_status oct_lender_find(oct_loan *out, oct_lender *lender, oct_domain *domain);
void oct_loan_clear(oct_loan *loan);

#endif
