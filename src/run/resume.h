/* From a saved state to a simulation. */
#ifndef OCT_RUN_RESUME_H
#define OCT_RUN_RESUME_H

#include "core/sim.h"

/* Goes on from a state, which it takes over even when it fails, with the scene that it holds or
 * another one; what a state does not survive is refused. `where` is what messages say that the
 * state is from. */
oct_status oct_resume_state(oct_sim **out, oct_device *device, oct_state *state, const char *where,
                            const oct_scene *scene, const oct_trust_watch *watch);

#endif
