/* Bodies come and go: a simulation moves to a domain of another size. */
#ifndef OCT_CORE_SIM_POPULATION_H
#define OCT_CORE_SIM_POPULATION_H

#include "core/sim.h"

/* Copies what a domain has beside columns: counters, and arrays of modules that are no columns. One
 * that the new domain does not have is left behind. */
oct_status oct_domain_keep(oct_domain *to, oct_domain *from);

/* Moves the simulation to a new domain: first the bodies of the present one that are listed, in
 * this order, then `added`, which may be NULL. The new domain is whole before the old one goes, and
 * made as that of a run that is resumed: nothing but the bodies tells the two apart. */
oct_status oct_sim_rehouse(oct_sim *sim, const uint32_t *stay, uint32_t n_stay,
                           const oct_bodies *added);

/* Closes the gaps of removed bodies up where that is worth it, at steps that depend on nothing but
 * the state. */
oct_status oct_sim_close_up(oct_sim *sim);

#endif
