/* Times as scenes write them. */
#include "core/sim.h"
#include "core/units.h"

oct_status oct_sim_parse_time(double *out, const oct_sim *sim, const char *text)
{
    const oct_setup *setup = sim->setup;
    return oct_units_parse(out, text, OCT_TIME, &setup->units, oct_setup_orbit(setup));
}
