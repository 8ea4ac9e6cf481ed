/* report.html: a run at a glance, in one file that needs nothing else. */
#ifndef OCT_RUN_REPORT_H
#define OCT_RUN_REPORT_H

#include "core/sim.h"
#include "util/text.h"

/* Writes the report of a run from diagnostics.csv, and from impacts.csv where there is one, in the
 * folder. The record is the run's last; `average` says what time its values are means over, 0 for
 * none. Nothing of the clock goes in: the same run leaves the same bytes. */
oct_status oct_report_write(const char *folder, oct_sim *sim, const oct_run_record *record,
                            double average);

/* Adds plots of the components' profiles, where they are measured, as they are now. */
oct_status oct_report_add_profiles(oct_text *text, oct_sim *sim);

#endif
