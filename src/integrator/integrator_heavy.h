/* Heavy bodies, which others orbit: the mass beyond which a body is one, where they are and how
 * fast they move. */
#ifndef OCT_INTEGRATOR_HEAVY_H
#define OCT_INTEGRATOR_HEAVY_H

#include "core/sim.h"

/* More than so many are no centres any more but a part of all bodies. */
enum { OCT_HEAVY_MOST = 64 };

typedef struct oct_heavy {
    oct_buffer *mass;    /* the mass beyond which a body is heavy; 0: not known yet */
    oct_buffer *bodies;  /* which are; NULL: nobody wants to know */
    oct_buffer *centres; /* position and velocity of each */
    uint32_t n;
    size_t *shares;     /* bytes of centres that are of each rank's bodies; NULL: there is one */
    oct_edition listed; /* the bodies that they were found among */
} oct_heavy;

extern const oct_offer oct_heavy_offers[];

/* With centres, or the mass alone. */
oct_status oct_heavy_create(oct_heavy *out, oct_domain *domain, bool centres);
void oct_heavy_memory(oct_needs *needs, bool centres);
/* Before a step where all bodies are between theirs: finds the mass, of so many mean masses, once
 * for a run, and who is heavy, where others than the steps have written masses. */
oct_status oct_heavy_find(oct_heavy *heavy, oct_domain *domain, double mean_masses);
/* After a kernel has found the centres of this rank's bodies: those of all. */
oct_status oct_heavy_join(oct_heavy *heavy, const oct_domain *domain);
void oct_heavy_clear(oct_heavy *heavy);

#endif
