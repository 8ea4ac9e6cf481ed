/* Divides the time by the length of an orbit or a year. */
#include "diag/diag_calendar.h"

#include <string.h>

bool oct_calendar_is(const oct_setup *setup, const char *name)
{
    double size;
    const char *calendar = oct_setup_calendar(&size, setup);
    return calendar && strcmp(calendar, name) == 0;
}

oct_status oct_calendar_measure(double *out, void *state, oct_domain *domain)
{
    double size;
    (void)state;
    (void)oct_setup_calendar(&size, domain->setup);
    *out = oct_sim_time(domain->sim) / size;
    return OCT_STATUS_OK;
}
