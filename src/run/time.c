#include "run/time.h"

#include <math.h>

#include "core/units.h"

double oct_time_orbit(const oct_setup *setup)
{
    const oct_boundary *boundary = (const oct_boundary *)setup->boundary.module;
    double rates[2] = {0};
    if (boundary->rotation)
        boundary->rotation(rates, setup->boundary.state);
    return rates[0] == 0 ? 0 : 2 * acos(-1.0) / fabs(rates[0]);
}

oct_status oct_sim_parse_time(double *out, const oct_sim *sim, const char *text)
{
    const oct_setup *setup = sim->setup;
    return oct_units_parse(out, text, (oct_dimension){.time = 1}, &setup->units,
                           oct_time_orbit(setup));
}
