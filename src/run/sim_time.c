/* Times as scenes write them. */
#include "core/sim.h"
#include "core/units.h"

const char *oct_sim_calendar(double *size, const oct_sim *sim)
{
    return oct_setup_calendar(size, sim->setup);
}

oct_status oct_sim_parse_time(double *out, const oct_sim *sim, const char *text)
{
    const oct_setup *setup = sim->setup;
    return oct_units_parse(out, text, OCT_TIME, &setup->units, oct_setup_orbit(setup));
}
