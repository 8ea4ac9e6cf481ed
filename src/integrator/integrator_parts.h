/* What integrators that split the force into near and far share. */
#ifndef OCT_INTEGRATOR_PARTS_H
#define OCT_INTEGRATOR_PARTS_H

#include "core/sim.h"

/* The field of those that take several inner steps in a step. */
#define OCT_FIELD_SUBSTEPS(state)                                                                  \
    {                                                                                              \
        .name = "substeps", .type = OCT_FIELD_INT, .offset = offsetof(state, substeps),            \
        .initial = "10", .min = 1, .max = 1000000,                                                 \
        .doc = "inner steps, with the pull of the own system, in one with that of all others"      \
    }

/* Refuses gravity that has no parts. */
oct_status oct_integrator_needs_parts(const oct_setup *setup, const char *integrator);

/* Wrapped within a step, a body that has left its star would be pulled there by a near force before
 * and by a far one after it: with images, the boundary acts at the ends of steps. */
void oct_integrator_start_parts(oct_sim *sim);
/* What ends a step. */
oct_status oct_integrator_end_parts(oct_sim *sim, double dt);

#endif
