/* All bodies of a simulation that ranks share, in a domain of this rank's device: its own in their
 * rows, behind them those of the others, one rank after the other. For gravity whose far part needs
 * every system whole; each rank sums for its own bodies alone. */
#ifndef OCT_FORCE_FORCE_GATHERING_H
#define OCT_FORCE_FORCE_GATHERING_H

#include "core/domain.h"

typedef struct oct_gathering {
    oct_domain *domain; /* NULL: there is none */
    oct_choice gravity; /* the same settings, with a state for this domain, which is not started */
    uint32_t n_own, systems_own;
    size_t *counts; /* bodies of each rank */
} oct_gathering;

/* Makes the domain, with the systems of all ranks; places come later. */
oct_status oct_gathering_start(oct_gathering *g, oct_domain *domain);
void oct_gathering_end(oct_gathering *g);

/* Brings bodies to where they are now, and the accelerations of the rank's own, which are added to;
 * then takes these back. All ranks call it. */
oct_status oct_gathering_bring(oct_gathering *g, oct_domain *domain);
oct_status oct_gathering_take(oct_gathering *g, oct_domain *domain);

#endif
