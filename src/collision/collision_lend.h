/* Which of a rank's bodies may touch bodies of others, in the box or in its images: those are lent.
 * Each rank tells the others boxes around runs of its bodies in the order of its tree, and of those
 * that are far apart in it, which have strayed among others' bodies, each one's place. Each looks
 * in its tree for what may touch them. */
#ifndef OCT_COLLISION_COLLISION_LEND_H
#define OCT_COLLISION_COLLISION_LEND_H

#include "tree/tree.h"

typedef struct oct_lender {
    oct_tree *tree; /* of the domain */
    oct_program *program;
    oct_kernel *find_boxes, *find_points, *list;
    oct_buffer *boxes;  /* around runs of `each` */
    oct_buffer *places; /* of bodies that are told one by one */
    oct_buffer *points; /* these */
    oct_buffer *told;   /* boxes of others */
    oct_buffer *listed; /* a count, then rank, place and row of each that is lent */
    oct_buffer *marks;  /* of bodies: for whom they are listed */
    uint32_t each, n_boxes, n_points, n_told, room;
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
 * ranks. The tree of the domain is that of the bodies as they are then. */
oct_status oct_lender_find(oct_loan *out, oct_lender *lender, oct_domain *domain);
void oct_loan_clear(oct_loan *loan);

#endif
