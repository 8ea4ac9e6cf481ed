/* The results folder of a run: the scene as resolved, diagnostics, snapshots, the checkpoint, and
 * the report. Nothing in it is changed before all that can be refused has been checked, and nobody
 * else writes there meanwhile. */
#ifndef OCT_RUN_FOLDER_H
#define OCT_RUN_FOLDER_H

#include "io/snapshot.h"
#include "run/lock.h"
#include "run/rows.h"
#include "run/schedule.h"
#include "run/survey.h"
#include "run/tables.h"
#include "run/writer.h"

/* Start from {0}. */
typedef struct oct_folder {
    const char *path; /* the caller's; NULL: nothing is written */
    char run[OCT_IDENTITY_TEXT];
    oct_lock lock;
    oct_rows rows;
    oct_tables tables;
    bool replacing;          /* the run that was here before is still there, aside */
    oct_snapshot_mold *mold; /* of its snapshots; whoever writes them has it */
} oct_folder;

/* Makes the folder where it is missing. Files of these names (the list ends with NULL) that are
 * there already are refused with a remedy, kept or removed. */
oct_status oct_folder_claim(const char *path, const char *const *files, oct_run_existing existing,
                            const char *remedy);
/* Writes the scene as resolved; run: the name of the run, "" for none. */
oct_status oct_folder_scene(const char *folder, const char *name, const oct_sim *sim,
                            const char *run);
/* Makes the folder ready for a run from the simulation's present step on, and locks it. What a run
 * before it left there is refused, moved aside, or, where it is the same run, cut back to that
 * step. */
oct_status oct_folder_open(oct_folder *out, const char *path, oct_run_existing existing,
                           oct_sim *sim, const oct_schedules *schedules);
/* Gives the folder back; a run that was to be replaced by one without a checkpoint is back then. */
oct_status oct_folder_close(oct_folder *folder);

/* Adds what measurements have for tables of their own at the present step, where it has a row of
 * diagnostics of this number or OCT_ROW_WHOLE. */
oct_status oct_folder_tabulate(oct_folder *folder, oct_sim *sim, uint64_t row);
/* Lets the writer write snapshot number index, unless it is there already; NULL: at once. */
oct_status oct_folder_snapshot(oct_folder *folder, oct_sim *sim, uint64_t index,
                               oct_writer *writer);
/* The same, for a writer later: what it is to do is there after oct_ahead_finish. Without `run`
 * where there is nothing to write. */
oct_status oct_folder_snapshot_ahead(oct_writer_job *out, oct_folder *folder, oct_sim *sim,
                                     uint64_t index);
/* The same for the checkpoint; a run that is being replaced goes when it is there. */
oct_status oct_folder_checkpoint(oct_folder *folder, oct_sim *sim, oct_writer *writer);
/* At the end of a run, checkpoint.hdf5.prev goes, once the last checkpoint has been read back: of
 * which step it is was the clock's choice, and two runs of a scene leave the same files. */
oct_status oct_folder_settle(const oct_folder *folder);

#endif
