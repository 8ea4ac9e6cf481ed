/* What follows the last checkpoint of a run: its last row, impacts.csv and report.html. Whoever
 * resumes a run that has reached its end does this again until it is done. */
#ifndef OCT_RUN_FINISH_H
#define OCT_RUN_FINISH_H

#include "run/folder.h"

/* The number that a snapshot of the present step has, due or at the end. */
uint64_t oct_finish_snapshot(const oct_schedules *schedules, const oct_clock *clock);
/* Whether the folder holds all that a run which ended at the present step leaves. Looks only. */
oct_status oct_finish_done(bool *out, const char *folder, oct_sim *sim,
                           const oct_schedules *schedules);
/* Writes impacts.csv, how many collisions there were at each speed, where bodies collide. */
oct_status oct_finish_impacts(oct_folder *folder, oct_sim *sim);

/* The line by which report.html, the last file of all, says what it is of. */
void oct_finish_mark(char out[160], const char *run, uint64_t step, bool stopped);

#endif
