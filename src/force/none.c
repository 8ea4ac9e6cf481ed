#include "core/sim.h"

static oct_status none_accumulate(void *self, oct_sim *sim)
{
    (void)self;
    (void)sim;
    return OCT_STATUS_OK;
}

const oct_force oct_force_none = {
    .version = OCT_MODULE_VERSION,
    .name = "none",
    .doc = "No gravity.",
    .gravity = true,
    .accumulate = none_accumulate,
};
