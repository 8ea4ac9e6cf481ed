/* Domains are runs of the space-filling curve. Bodies are shared out by what they cost, each rank
 * as much as its share of the work, when a simulation begins; later when those who wait for the
 * slowest rank would lose more by it than a move costs, or bodies have strayed. Nothing but the
 * state decides, so that runs that were resumed move bodies where others do. */
#ifndef OCT_CORE_DECOMPOSE_H
#define OCT_CORE_DECOMPOSE_H

#include "core/lineup.h"

/* Where each rank's bodies are to go: of its lineup, rank r gets those from ends[r] on, before
 * ends[r + 1]. */
typedef struct oct_course {
    oct_lineup lineup;
    uint32_t *ends;   /* one more than ranks */
    uint64_t *counts; /* of each rank afterwards, removed bodies included */
} oct_course;

/* With several ranks: shares the bodies of a simulation that begins out; looks whether it is time
 * to do it again, after a step. */
oct_status oct_decompose_first(oct_sim *sim);
oct_status oct_decompose_again(oct_sim *sim);

/* Moves the bodies: rows of all columns go to their new owners, which have them in the order of the
 * curve, and those that were removed, which stay, behind. */
oct_status oct_migrate(oct_sim *sim, const oct_course *course);
/* Columns that some ranks have made for their bodies, and others have had no use for: a bit for
 * each that a domain has; makes those of these bits that it has not. */
uint64_t oct_migrate_columns(oct_domain *domain);
oct_status oct_migrate_add_columns(oct_domain *domain, uint64_t bits);

#endif
