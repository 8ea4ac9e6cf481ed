/* The time in orbits of the frame. */
#include "diag/diag_calendar.h"

static const oct_column columns[] = {
    {"orbits", 1, 0, 0, 0, .unit = "orbit", .doc = "time in orbits"},
    {0},
};

static bool orbits_applies(const oct_setup *setup)
{
    return oct_calendar_is(setup, "orbits");
}

const oct_diag oct_diag_orbits = {
    .version = OCT_MODULE_VERSION,
    .name = "orbits",
    .doc = "Time in orbits of a rotating box.",
    .columns = columns,
    .applies = orbits_applies,
    .measure = oct_calendar_measure,
    .looks = oct_looks_nowhere,
    .shared = true,
    .ahead = true,
};
