/* Time in the unit that users of a rotating box think in. */
#include <string.h>

#include "core/sim.h"

static const oct_column columns[] = {
    {"orbits", 1, 0, 0, 0, .unit = "orbit", .doc = "time in orbits"},
    {0},
};

static bool orbits_applies(const oct_setup *setup)
{
    double size;
    const char *name = oct_setup_calendar(&size, setup);
    return name && strcmp(name, columns[0].name) == 0;
}

static oct_status orbits_measure(double *out, void *state, oct_sim *sim)
{
    double size;
    (void)state;
    (void)oct_setup_calendar(&size, sim->setup);
    *out = sim->time / size;
    return OCT_STATUS_OK;
}

const oct_diag oct_diag_orbits = {
    .version = OCT_MODULE_VERSION,
    .name = "orbits",
    .doc = "Time in orbits of a rotating box.",
    .columns = columns,
    .applies = orbits_applies,
    .measure = orbits_measure,
};
