/* What collisions have taken of the energy: added to the energy it gives what is conserved. */
#include "core/sim.h"

static const oct_column columns[] = {
    {"energy_lost", 1, 2, 1, -2,
     .doc = "kinetic energy that collisions have taken since the start, by friction too"},
    {0},
};

static bool dissipation_applies(const oct_setup *setup)
{
    return oct_setup_collision(setup)->impacts != NULL;
}

static oct_status dissipation_launch(void *state, oct_domain *domain)
{
    (void)state;
    return oct_readback_launch_impacts(domain);
}

static oct_status dissipation_measure(double *out, void *state, oct_domain *domain)
{
    oct_impacts impacts;
    (void)state;
    OCT_TRY(oct_readback_impacts(&impacts, domain));
    *out = impacts.energy;
    return OCT_STATUS_OK;
}

const oct_diag oct_diag_dissipation = {
    .version = OCT_MODULE_VERSION,
    .name = "dissipation",
    .doc = "Energy lost in collisions.",
    .columns = columns,
    .applies = dissipation_applies,
    .launch = dissipation_launch,
    .measure = dissipation_measure,
    .looks = oct_looks_nowhere,
    .shared = true,
    .ahead = true,
};
