/* What ends the calm of solar systems, found in the bodies at one moment. */
#ifndef OCT_RUN_STABILITY_H
#define OCT_RUN_STABILITY_H

#include "octant/octant.h"

/* What was there at the start, so that only what is new counts. */
typedef struct oct_baseline {
    size_t n; /* bodies */
    uint64_t *ids;
    bool *crosses; /* of the first body of each system: its orbits cross from the start */
    /* The heaviest body outside of all systems; n: there is none, or no end to its pull, as in a
     * periodic box, from which nothing can be torn off. */
    size_t centre;
    double G, period[3];
    char length[32], speed[32]; /* their units, after a blank; "" where there are none */
    struct oct_baseline_orbit *room;
} oct_baseline;

/* In a box with these periods, 0 where there are no images; NULL: there is none. */
oct_status oct_baseline_start(oct_baseline *baseline, const oct_bodies *bodies,
                              const oct_units *units, const double *period);
void oct_baseline_clear(oct_baseline *baseline);

/* Fills in event, bodies and cause where something has happened; potentials must be known. What
 * touches is listed in pairs of indices. */
void oct_baseline_find_event(oct_stability *out, const oct_baseline *baseline,
                             const oct_bodies *bodies, const uint32_t (*touching)[2],
                             size_t n_touching);

#endif
