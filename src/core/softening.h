/* Softening lengths of bodies: one for all, or a column of them.
 *
 * A pair goes by eps^2 = (eps_i^2 + eps_j^2) / 2. A body with 0 in the column has that of gravity's
 * field `softening`. The column is there where bodies differ when a simulation begins, and not
 * later: programs are built for it. */
#ifndef OCT_CORE_SOFTENING_H
#define OCT_CORE_SOFTENING_H

#include "core/setup.h"

/* What bodies of each type have, 0: nothing of their own. The field `softenings` of gravity. */
typedef struct oct_softenings {
    double halo, disk, bulge, star, black_hole;
} oct_softenings;

extern const oct_field oct_softening_fields[];

/* What gravity has for bodies without a softening of their own; 0 where it knows of none. */
double oct_setup_softening(const oct_setup *setup);
/* Whether its models or its gravity say that bodies differ; files and programs may say so, too. */
bool oct_setup_softens(const oct_setup *setup);

/* Gives the bodies [first, first + count) what their model has for them, where it is not 0; else,
 * where they have none, what gravity has for their type. */
void oct_setup_soften(oct_bodies *bodies, size_t first, size_t count, double of_model,
                      const oct_setup *setup);
/* Whether any body has a softening of its own. */
bool oct_bodies_soften(const oct_bodies *bodies);
/* Refuses a gravity that would not go by them. */
oct_status oct_setup_check_softenings(const oct_setup *setup);
/* The same for bodies that differ; others forget softenings, which are gravity's own. */
oct_status oct_setup_settle_softenings(oct_bodies *bodies, const oct_setup *setup);
/* Refuses bodies with softenings for a simulation that began without. */
oct_status oct_sim_check_softenings(const oct_sim *sim, const oct_bodies *bodies);

#endif
