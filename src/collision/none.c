/* No collisions: bodies pass through each other. */
#include "core/sim.h"

const oct_collision oct_collision_none = {
    .version = OCT_MODULE_VERSION,
    .name = "none",
    .doc = "Bodies pass through each other.",
    .shared = true,
};
