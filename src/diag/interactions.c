/* What a force that approximates has summed over. */
#include "core/sim.h"

static const oct_column columns[] = {
    {"cells", 1, 0, 0, 0,
     .doc = "cells of the tree that a particle's force was summed over, on average"},
    {"particles", 1, 0, 0, 0,
     .doc = "particles that a particle's force was summed over, on average"},
    {0},
};

static bool interactions_applies(const oct_setup *setup)
{
    return oct_setup_gravity(setup)->interactions != NULL;
}

static oct_status interactions_measure(double *out, void *state, oct_domain *domain)
{
    (void)state;
    return oct_setup_gravity(domain->setup)->interactions(out, domain->gravity.state, domain);
}

const oct_diag oct_diag_interactions = {
    .version = OCT_MODULE_VERSION,
    .name = "interactions",
    .doc = "Interactions per particle of tree gravity.",
    .columns = columns,
    .applies = interactions_applies,
    .measure = interactions_measure,
};
