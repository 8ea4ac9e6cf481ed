/* Other settings from the present state on. */
#ifndef OCT_RUN_SIM_SET_H
#define OCT_RUN_SIM_SET_H

#include "core/sim.h"

/* The simulation as oct_sim_set_all would change it, beside the one that there is, which has not
 * changed: whoever has things of their own to make for it does so before the two are exchanged. */
oct_status oct_change_prepare(oct_sim **out, oct_sim *sim, const char *const *assignments,
                              size_t n);

#endif
