/* Measurements that look at pairs of bodies, or at rays through all of them, where ranks share the
 * bodies: all come to the first rank, which measures them as if it had no others. */
#ifndef OCT_CORE_WHOLE_H
#define OCT_CORE_WHOLE_H

#include "core/sim.h"

typedef struct oct_whole oct_whole;

/* Brings the bodies, as they are now, for a row. All ranks call it, and the others below. */
oct_status oct_whole_begin(oct_sim *sim);
/* Enqueues what a measurement needs, by its index among those of a domain. */
oct_status oct_whole_launch(oct_sim *sim, uint32_t index);
/* Its values, which all ranks get. */
oct_status oct_whole_measure(double *out, oct_sim *sim, uint32_t index, uint32_t values);
void oct_whole_free(oct_whole *whole);

#endif
