/* Time in the unit that users of a scene think in, for the modules named after one. */
#ifndef OCT_DIAG_CALENDAR_H
#define OCT_DIAG_CALENDAR_H

#include "core/sim.h"

/* Whether the scene's times are told in this one. */
bool oct_calendar_is(const oct_setup *setup, const char *name);
/* The time in the scene's one, for oct_diag. */
oct_status oct_calendar_measure(double *out, void *state, oct_domain *domain);

#endif
