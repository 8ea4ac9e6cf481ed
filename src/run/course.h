/* A run in progress, and its outputs. */
#ifndef OCT_RUN_COURSE_H
#define OCT_RUN_COURSE_H

#include "run/average.h"
#include "run/burst.h"
#include "run/cost.h"
#include "run/film_recorder.h"
#include "run/folder.h"
#include "run/schedule.h"
#include "run/writer.h"

typedef struct oct_course {
    oct_sim *sim;
    /* A row that the device has yet to measure, and a snapshot of what it has yet to copy; NULL and
     * {0}: none. */
    struct row_job *row_ahead;
    oct_writer_job snapshot_ahead;
    const oct_run_options *options; /* in this version's layout */
    oct_schedules schedules;
    oct_folder folder;
    oct_film_recorder recorder;
    double *values;
    const double *energy_error; /* among the values; NULL where none is measured */
    bool measured, whole;       /* the values are those of the present step, and of all columns */
    oct_average average;
    uint64_t start, last; /* steps; last: to end at, UINT64_MAX: at the end in any case */
    int64_t end;          /* tick; OCT_CLOCK_NEVER: at the last step in any case */
    oct_burst burst;
    oct_costs costs;
    oct_writer *writer, *rows;            /* of files; of rows, which do not wait for those */
    double clock_start, clock_checkpoint; /* seconds */
} oct_course;

/* Whether the end is reached. */
bool oct_course_over(const oct_course *run);
/* The steps in all, where those to come are of one dt; and the tick of the end. */
uint64_t oct_course_steps(const oct_course *run);
int64_t oct_course_last_tick(const oct_course *run);
bool oct_course_due(const oct_course *run, oct_schedule schedule);

oct_run_record oct_course_record(const oct_course *run, bool measured);
void oct_course_report(const oct_course *run, oct_run_record record);
/* What began with oct_cost_begin is done. */
oct_status oct_course_spent(oct_course *run, oct_cost_kind kind);

/* A row of the present step, for the table or not; the one of the table, unless it is there. */
oct_status oct_course_take_row(oct_course *run, bool row, bool report);
oct_status oct_course_row(oct_course *run, bool report);
/* Writes what is due at this step, and a snapshot at the end of the run; with frames of a film. */
oct_status oct_course_files(oct_course *run);
oct_status oct_course_outputs(oct_course *run);

/* Whether nobody need wait at a tick: what is due there can be enqueued. */
bool oct_course_goes_ahead(const oct_course *run, int64_t target);
/* Outputs that were enqueued arrive; steps that were enqueued since go on. */
oct_status oct_course_settle_ahead(oct_course *run);
/* The same, and rows that are under way; the sentence about what went wrong with one. */
oct_status oct_course_await_rows(oct_course *run);
/* Forgets outputs that were enqueued. */
void oct_course_drop_ahead(oct_course *run);

#endif
