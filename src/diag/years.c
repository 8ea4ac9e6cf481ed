/* Time in the unit that users of stars and planets think in. */
#include <string.h>

#include "core/sim.h"

static const oct_column columns[] = {
    {"years", 1, 0, 0, 0, .unit = "yr", .doc = "time in years"},
    {0},
};

static bool years_applies(const oct_setup *setup)
{
    double size;
    const char *name = oct_setup_calendar(&size, setup);
    return name && strcmp(name, columns[0].name) == 0;
}

static oct_status years_measure(double *out, void *state, oct_sim *sim)
{
    double size;
    (void)state;
    (void)oct_setup_calendar(&size, sim->setup);
    *out = sim->time / size;
    return OCT_STATUS_OK;
}

const oct_diag oct_diag_years = {
    .version = OCT_MODULE_VERSION,
    .name = "years",
    .doc = "Time in years, with the units solar and galactic.",
    .columns = columns,
    .applies = years_applies,
    .measure = years_measure,
};
