/* No gravity: bodies do not attract each other. */
#include "core/sim.h"

const oct_force oct_force_none = {
    .version = OCT_MODULE_VERSION,
    .name = "none",
    .doc = "No gravity.",
    .gravity = true,
    .shared = true,
};
