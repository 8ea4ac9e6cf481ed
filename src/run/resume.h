/* From a saved state to a simulation. */
#ifndef OCT_RUN_RESUME_H
#define OCT_RUN_RESUME_H

#include "core/sim.h"

/* How a state is gone on from. */
typedef struct oct_resumption {
    const char *where;      /* messages say that the state is from */
    const oct_scene *scene; /* NULL: the one that the state holds */
    const oct_trust_watch *watch;
    bool results; /* files of its run are open: what they follow from stays */
} oct_resumption;

/* Goes on from a state, which it takes over even when it fails; what a state does not survive is
 * refused. */
oct_status oct_resume_state(oct_sim **out, oct_device *device, oct_state *state,
                            const oct_resumption *way);
/* Whether a state survives another value of this key, as far as the key alone says. */
bool oct_resume_allows(const char *key, bool results);

#endif
