/* The largest error of the energy so far: one row alone may be at a zero of its oscillation. */
#include <math.h>

#include "core/diagnose.h"

static const oct_column columns[] = {
    {"energy_error_max", 1, 0, 0, 0,
     .doc = "largest size of energy_error in any measurement since the start of the run"},
    {0},
};

static bool energy_error_applies(const oct_setup *setup)
{
    return !oct_setup_boundary(setup)->rotation; /* else energy is not conserved */
}

static void energy_error_derive(double *out, const oct_domain *domain, const double *values)
{
    oct_sim *sim = domain->sim;
    const double *error = oct_diagnose_value(sim, values, "energy_error");
    /* Where it was not measured fmax leaves what there was. */
    sim->energy_worst = fmax(sim->energy_worst, fabs(*error));
    *out = sim->energy_worst;
}

const oct_diag oct_diag_energy_error = {
    .version = OCT_MODULE_VERSION,
    .name = "energy-error",
    .doc = "The largest energy error so far.",
    .columns = columns,
    .applies = energy_error_applies,
    .derive = energy_error_derive,
    .looks = oct_looks_nowhere,
    .shared = true,
    .ahead = true,
};
