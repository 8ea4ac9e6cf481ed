/* From a saved state to a simulation. */
#ifndef OCT_RUN_RESUME_H
#define OCT_RUN_RESUME_H

#include "core/sim.h"

/* How a state is gone on from. */
typedef struct oct_resumption {
    const char *where;      /* messages say that the state is from */
    const oct_scene *scene; /* NULL: the one that the state holds */
    const oct_trust_watch *watch;
    oct_comm *comm; /* ranks that share the simulation; NULL: none */
    double share;   /* of the work, this rank's */
    bool results;   /* files of its run are open: what they follow from stays */
} oct_resumption;

/* Goes on from a state, which it takes over even when it fails; what a state does not survive is
 * refused. */
oct_status oct_resume_state(oct_sim **out, oct_device *device, oct_state *state,
                            const oct_resumption *way);
/* Self-tests what a scene uses on a device, as oct_setup_trust; of ranks that share it the first
 * one does, and the others find it done. What they cannot share is refused before. */
oct_status oct_resume_trust(oct_device *device, const oct_setup *setup, oct_precision precision,
                            const oct_trust_watch *watch, oct_comm *comm);
/* Whether a state survives another value of this key, as far as the key alone says. */
bool oct_resume_allows(const char *key, bool results);

#endif
