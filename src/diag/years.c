/* The time in years. */
#include "diag/diag_calendar.h"

static const oct_column columns[] = {
    {"years", 1, 0, 0, 0, .unit = "yr", .doc = "time in years"},
    {0},
};

static bool years_applies(const oct_setup *setup)
{
    return oct_calendar_is(setup, "years");
}

const oct_diag oct_diag_years = {
    .version = OCT_MODULE_VERSION,
    .name = "years",
    .doc = "Time in years, with the units solar and galactic.",
    .columns = columns,
    .applies = years_applies,
    .measure = oct_calendar_measure,
    .looks = oct_looks_nowhere,
    .shared = true,
    .ahead = true,
};
