/* Times as scenes write them. */
#ifndef OCT_RUN_TIME_H
#define OCT_RUN_TIME_H

#include "core/sim.h"

/* The length of an orbit, 2 pi / omega of the box; 0 where the frame is at rest. */
double oct_time_orbit(const oct_setup *setup);

#endif
