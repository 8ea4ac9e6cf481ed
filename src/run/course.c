/* The outputs of a run: rows, snapshots and frames, made while steps go on where they can be. */
#include "run/course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ahead.h"
#include "core/diagnose.h"
#include "run/finish.h"

/* What began with oct_cost_begin is done. */
oct_status oct_course_spent(oct_course *run, oct_cost_kind kind)
{
    return oct_cost_end(&run->costs, kind, run->sim->domain->device);
}

/* Whether the end is reached. */
bool oct_course_over(const oct_course *run)
{
    const oct_clock *clock = &run->sim->clock;
    return clock->step >= run->last || clock->tick >= run->end;
}

/* The steps in all, where those to come are of one dt. */
uint64_t oct_course_steps(const oct_course *run)
{
    return run->end == OCT_CLOCK_NEVER ? run->last : oct_clock_step_at(&run->sim->clock, run->end);
}

/* The tick of the end, in the same way. */
int64_t oct_course_last_tick(const oct_course *run)
{
    int64_t tick = run->sim->clock.tick, most = (INT64_MAX - tick) / OCT_CLOCK_DT;
    uint64_t left = run->last - oct_sim_steps(run->sim);
    if (run->end != OCT_CLOCK_NEVER)
        return run->end;
    return tick + (left < (uint64_t)most ? (int64_t)left : most) * OCT_CLOCK_DT;
}

oct_run_record oct_course_record(const oct_course *run, bool measured)
{
    double wall = oct_burst_clock() - run->clock_start;
    uint64_t step = oct_sim_steps(run->sim);
    return (oct_run_record){
        .size = sizeof(oct_run_record),
        .step = step,
        .steps = oct_course_steps(run),
        .time = oct_sim_time(run->sim),
        .wall_s = wall,
        .steps_per_s = wall > 0 ? (double)(step - run->start) / wall : 0,
        .energy_error = run->energy_error ? *run->energy_error : NAN,
        .measured = measured,
        .columns = measured ? oct_sim_columns(run->sim) : NULL,
        .values = measured ? run->average.means : NULL,
    };
}

void oct_course_report(const oct_course *run, oct_run_record record)
{
    if (run->options->report)
        run->options->report(run->options->context, &record);
}

bool oct_course_due(const oct_course *run, oct_schedule schedule)
{
    return oct_schedule_due(schedule, run->sim->clock.tick, run->sim->clock.length);
}

/* A row on its way to the table. */
typedef struct row_job {
    oct_course *run;
    oct_later later;
    double *values;
    oct_run_record record;
    int64_t tick;
    bool fresh;         /* measured, not what was measured before */
    bool table, report; /* it is to be written, and told */
    char *line;
} row_job;

/* Completes it, beside the steps where it may be. */
static oct_status complete_row(void *context)
{
    row_job *job = context;
    OCT_TRY(oct_later_finish(&job->later, job->values));
    return job->table ? oct_rows_line(&job->line, job->values, job->run->sim->n_values,
                                      job->record.step, job->record.time)
                      : OCT_STATUS_OK;
}

static oct_status have_row(void *context)
{
    row_job *job = context;
    oct_course *run = job->run;
    if (job->tick == run->sim->clock.tick)
        memcpy(run->values, job->values, run->sim->n_values * sizeof *run->values);
    if (job->fresh)
        OCT_TRY(oct_average_add(&run->average, job->tick, job->values));
    if (job->line)
        OCT_TRY(oct_rows_add(&run->folder.rows, &job->line));
    if (job->report)
        oct_course_report(run, job->record);
    return OCT_STATUS_OK;
}

static void free_row(void *context)
{
    row_job *job = context;
    oct_later_clear(&job->later);
    free(job->values);
    free(job->line);
    free(job);
}

/* The columns that are due: a row has its number, what is measured besides has them all. */
static oct_status run_measure(row_job *job, bool row)
{
    oct_course *run = job->run;
    const oct_schedule schedule = run->schedules.diagnostics;
    bool numbered = row && oct_course_due(run, schedule);
    uint64_t count = oct_schedule_count(schedule, run->sim->clock.tick);
    job->fresh = !run->measured || !(numbered || run->whole);
    if (job->fresh) {
        OCT_TRY(oct_diagnose_row_ahead(&job->later, run->values, run->sim,
                                       numbered ? count - 1 : OCT_ROW_WHOLE));
        run->measured = true;
        run->whole = !numbered;
    }
    memcpy(job->values, run->values, run->sim->n_values * sizeof *run->values);
    job->tick = run->sim->clock.tick;
    job->record = oct_course_record(run, true);
    return row ? oct_folder_tabulate(&run->folder, run->sim, numbered ? count - 1 : OCT_ROW_WHOLE)
               : OCT_STATUS_OK;
}

/* Whether to wake a thread for a row takes longer than the row: a line of text is all that is left
 * to do, the processors are busy with steps, and no row before it is under way. */
static bool is_quick(const row_job *job)
{
    const oct_course *run = job->run;
    return job->later.n == 0 && oct_device_is_cpu(oct_device_describe(run->sim->domain->device)) &&
           oct_writer_idle(run->rows);
}

/* Hands a measured row over: it is completed while the device takes the next steps, where there are
 * some and nobody looks at it before. */
static oct_status run_hand_over(row_job *job, bool beside)
{
    return oct_writer_add(beside ? job->run->rows : NULL,
                          (oct_writer_job){.name = "diagnostics",
                                           .context = job,
                                           .run = complete_row,
                                           .done = have_row,
                                           .free = free_row,
                                           .bytes = job->run->sim->n_values * sizeof(double)});
}

/* Forgets outputs that were enqueued. */
void oct_course_drop_ahead(oct_course *run)
{
    if (run->row_ahead)
        free_row(run->row_ahead);
    if (run->snapshot_ahead.run)
        run->snapshot_ahead.free(run->snapshot_ahead.context);
    run->row_ahead = NULL;
    run->snapshot_ahead = (oct_writer_job){0};
    oct_ahead_drop(run->sim);
}

static oct_status run_hand_over_ahead(oct_course *run)
{
    row_job *job = run->row_ahead;
    oct_writer_job snapshot = run->snapshot_ahead;
    run->row_ahead = NULL;
    if (job) {
        memcpy(job->values, run->values, run->sim->n_values * sizeof *run->values);
        job->record.energy_error = run->energy_error ? *run->energy_error : NAN;
        OCT_TRY(run_hand_over(job, !is_quick(job)));
    }
    run->snapshot_ahead = (oct_writer_job){0};
    return snapshot.run ? oct_writer_add(run->writer, snapshot) : OCT_STATUS_OK;
}

/* Outputs that were enqueued arrive; steps that were enqueued since go on. */
oct_status oct_course_settle_ahead(oct_course *run)
{
    row_job *job = run->row_ahead;
    if (!job && !run->snapshot_ahead.run)
        return OCT_STATUS_OK;
    /* While the device is busy with steps before them nothing stands still for them. */
    double began = oct_burst_clock();
    oct_device *device = run->sim->domain->device;
    oct_status status = oct_ahead_await(run->sim);
    if (status == OCT_STATUS_OK && oct_ahead_at_once(run->sim))
        status = oct_device_note_span(device, OCT_LANE_HOST, "steps", began, oct_burst_clock());
    oct_cost_begin(&run->costs);
    if (status == OCT_STATUS_OK)
        status = oct_ahead_finish(job ? &job->later : NULL, job ? run->values : NULL, run->sim);
    if (status == OCT_STATUS_OK)
        status = run_hand_over_ahead(run);
    if (status != OCT_STATUS_OK) {
        oct_course_drop_ahead(run);
        return status;
    }
    return oct_cost_end_rest(&run->costs, job ? OCT_COST_DIAGNOSTICS : OCT_COST_SNAPSHOTS, device);
}

/* Rows that are under way arrive; the sentence about what went wrong with one. */
oct_status oct_course_await_rows(oct_course *run)
{
    OCT_TRY(oct_course_settle_ahead(run));
    return oct_writer_wait(run->rows);
}

/* Enqueues a row, where the host need not wait for it. */
static oct_status run_send_row(bool *sent, row_job *job)
{
    oct_course *run = job->run;
    const oct_schedule schedule = run->schedules.diagnostics;
    uint64_t row = oct_schedule_count(schedule, run->sim->clock.tick) - 1;
    *sent = job->later.beside && !run->measured && oct_course_due(run, schedule) &&
            oct_ahead_can_measure(run->sim, row);
    if (!*sent)
        return OCT_STATUS_OK;
    OCT_TRY(oct_ahead_measure(run->sim, row));
    job->fresh = true;
    job->tick = run->sim->clock.tick;
    job->record = oct_course_record(run, true);
    run->row_ahead = job;
    run->costs.ahead++;
    return OCT_STATUS_OK;
}

oct_status oct_course_take_row(oct_course *run, bool row, bool report)
{
    bool beside = run->costs.on_way && !run->options->attend;
    bool sent = false;
    row_job *job;
    OCT_TRY(beside ? oct_course_settle_ahead(run) : oct_course_await_rows(run));
    OCT_TRY(oct_alloc(&job, 1, sizeof *job, "a row"));
    *job = (row_job){.run = run, .table = row && run->folder.path, .report = report};
    job->later.beside = beside;
    oct_status status = oct_alloc(&job->values, run->sim->n_values, sizeof *job->values, "a row");
    if (status == OCT_STATUS_OK && row)
        status = run_send_row(&sent, job);
    if (status == OCT_STATUS_OK && !sent)
        status = run_measure(job, row);
    if (status != OCT_STATUS_OK) {
        free_row(job);
        return status;
    }
    return sent ? OCT_STATUS_OK : run_hand_over(job, beside && !is_quick(job));
}

oct_status oct_course_row(oct_course *run, bool report)
{
    if (oct_rows_has(&run->folder.rows, oct_sim_steps(run->sim)))
        return OCT_STATUS_OK;
    oct_cost_begin(&run->costs);
    OCT_TRY(oct_course_take_row(run, true, report));
    OCT_TRY(oct_course_spent(run, OCT_COST_DIAGNOSTICS));
    return oct_ahead_at_once(run->sim) ? oct_course_settle_ahead(run) : OCT_STATUS_OK;
}

/* Writes what is due at this step, and a snapshot at the end of the run. */
oct_status oct_course_files(oct_course *run)
{
    const oct_schedules *schedules = &run->schedules;
    bool end = oct_course_over(run), row = oct_course_due(run, schedules->diagnostics);
    if (row)
        OCT_TRY(oct_course_row(run, !end));
    /* A file without bodies is one that no program reads. */
    bool due = end || oct_course_due(run, schedules->snapshots);
    if (!due || !run->folder.path || oct_sim_count(run->sim) == 0)
        return OCT_STATUS_OK;
    uint64_t index = oct_finish_snapshot(schedules, &run->sim->clock);
    bool ahead = run->costs.on_way && !run->options->attend && oct_ahead_can_copy(run->sim);
    oct_cost_begin(&run->costs);
    run->costs.ahead += ahead;
    OCT_TRY(ahead ? oct_folder_snapshot_ahead(&run->snapshot_ahead, &run->folder, run->sim, index)
                  : oct_folder_snapshot(&run->folder, run->sim, index, run->writer));
    return oct_course_spent(run, OCT_COST_SNAPSHOTS);
}

oct_status oct_course_outputs(oct_course *run)
{
    OCT_TRY(oct_course_files(run));
    if (!oct_film_recorder_due(&run->recorder, run->sim) || oct_sim_count(run->sim) == 0)
        return OCT_STATUS_OK;
    oct_cost_begin(&run->costs);
    OCT_TRY(oct_film_recorder_frame(&run->recorder, run->sim, run->writer));
    return oct_course_spent(run, OCT_COST_FILM);
}

/* Whether nobody need wait at a tick: what is due there can be enqueued. */
bool oct_course_goes_ahead(const oct_course *run, int64_t target)
{
    const oct_schedule schedule = run->schedules.diagnostics;
    int64_t tick = run->sim->clock.tick;
    bool row = oct_schedule_next(schedule, tick) == target;
    return !run->options->attend && target < oct_course_last_tick(run) &&
           oct_film_recorder_next(&run->recorder, tick) != target &&
           (row ? oct_ahead_can_measure(run->sim, oct_schedule_count(schedule, target) - 1)
                : oct_ahead_can_copy(run->sim));
}
