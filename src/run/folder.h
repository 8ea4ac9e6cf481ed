/* The results folder of a run: the scene as resolved, diagnostics, snapshots, the checkpoint, and
 * the report. */
#ifndef OCT_RUN_FOLDER_H
#define OCT_RUN_FOLDER_H

#include <stdio.h>

#include "run/schedule.h"

enum { OCT_FOLDER_PATH = 4096 };

typedef struct oct_folder {
    const char *path; /* the caller's; NULL: nothing is written */
    FILE *csv;
    bool any_row;
    uint64_t last_row; /* the step of the last row, where there is one */
} oct_folder;

/* The path of one of the run's files in a folder that oct_folder_open has accepted. */
void oct_folder_file(char out[OCT_FOLDER_PATH], const char *folder, const char *name);

/* Makes the folder where it is missing. Files of these names (the list ends with NULL) that are
 * there already are refused with a remedy, kept or removed. */
oct_status oct_folder_claim(const char *path, const char *const *files, oct_run_existing existing,
                            const char *remedy);
/* Writes the scene as resolved. */
oct_status oct_folder_scene(const char *folder, const char *name, const oct_sim *sim);
/* Makes the folder ready for a run from the simulation's present step on. What a run before it
 * left there is refused, removed, or cut back to that step. */
oct_status oct_folder_open(oct_folder *out, const char *path, oct_run_existing existing,
                           oct_sim *sim, const oct_schedules *schedules);
/* Flushes what was written. */
oct_status oct_folder_close(oct_folder *folder);

bool oct_folder_has_row(const oct_folder *folder, uint64_t step);
/* Adds a row of diagnostics of the present step. */
oct_status oct_folder_row(oct_folder *folder, const oct_sim *sim, const double *values);
/* Writes snapshot number index, unless it is there already. */
oct_status oct_folder_snapshot(oct_folder *folder, oct_sim *sim, uint64_t index);
/* Writes impacts.csv, how many collisions there were at each speed, where bodies collide. */
oct_status oct_folder_impacts(oct_folder *folder, oct_sim *sim);
oct_status oct_folder_checkpoint(oct_folder *folder, oct_sim *sim);

#endif
