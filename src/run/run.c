/* The loop: steps in bursts up to the next output, checkpoints, signals, the end. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/diagnose.h"
#include "run/average.h"
#include "run/burst.h"
#include "run/cost.h"
#include "run/film_recorder.h"
#include "run/finish.h"
#include "run/report.h"
#include "util/flag.h"
#include "util/sized.h"
#include "util/status.h"

/* A run in progress. */
typedef struct run_state {
    oct_sim *sim;
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
} run_state;

/* What began with oct_cost_begin is done. */
static oct_status run_spent(run_state *run, oct_cost_kind kind)
{
    return oct_cost_end(&run->costs, kind, run->sim->domain->device);
}

static oct_status run_watch_writer(void *context, const char *name, double start_s, double end_s)
{
    const run_state *run = context;
    return oct_device_note_span(run->sim->domain->device, OCT_LANE_WRITER, name, start_s, end_s);
}

static bool run_stopped(const run_state *run)
{
    return oct_flag_is_set(run->options->stop);
}

/* Whether the end is reached. */
static bool run_over(const run_state *run)
{
    const oct_clock *clock = &run->sim->clock;
    return clock->step >= run->last || clock->tick >= run->end;
}

/* The steps in all, where those to come are of one dt. */
static uint64_t run_steps(const run_state *run)
{
    return run->end == OCT_CLOCK_NEVER ? run->last : oct_clock_step_at(&run->sim->clock, run->end);
}

/* The tick of the end, in the same way. */
static int64_t run_last_tick(const run_state *run)
{
    int64_t tick = run->sim->clock.tick, most = (INT64_MAX - tick) / OCT_CLOCK_DT;
    uint64_t left = run->last - oct_sim_steps(run->sim);
    if (run->end != OCT_CLOCK_NEVER)
        return run->end;
    return tick + (left < (uint64_t)most ? (int64_t)left : most) * OCT_CLOCK_DT;
}

static oct_run_record run_record(const run_state *run, bool measured)
{
    double wall = oct_burst_clock() - run->clock_start;
    uint64_t step = oct_sim_steps(run->sim);
    return (oct_run_record){
        .size = sizeof(oct_run_record),
        .step = step,
        .steps = run_steps(run),
        .time = oct_sim_time(run->sim),
        .wall_s = wall,
        .steps_per_s = wall > 0 ? (double)(step - run->start) / wall : 0,
        .energy_error = run->energy_error ? *run->energy_error : NAN,
        .measured = measured,
        .columns = measured ? oct_sim_columns(run->sim) : NULL,
        .values = measured ? run->average.means : NULL,
    };
}

static void run_report(const run_state *run, oct_run_record record)
{
    if (run->options->report)
        run->options->report(run->options->context, &record);
}

/* Makes room for a measurement and finds the energy error in it. */
static oct_status run_prepare_values(run_state *run)
{
    size_t n = 0, energy_error = SIZE_MAX;
    const oct_column *columns = oct_sim_columns(run->sim);
    for (const oct_column *column = columns; column->name; column++) {
        if (strcmp(column->name, "energy_error") == 0)
            energy_error = n;
        n += column->count;
    }
    OCT_TRY(oct_alloc(&run->values, n, sizeof *run->values, "measurements"));
    if (energy_error != SIZE_MAX)
        run->energy_error = run->values + energy_error;
    return oct_average_start(&run->average, columns, &run->sim->clock, run->options->average);
}

static bool run_due(const run_state *run, oct_schedule schedule)
{
    return oct_schedule_due(schedule, run->sim->clock.tick, run->sim->clock.length);
}

/* A row on its way to the table. */
typedef struct row_job {
    run_state *run;
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
    run_state *run = job->run;
    if (job->tick == run->sim->clock.tick)
        memcpy(run->values, job->values, run->sim->n_values * sizeof *run->values);
    if (job->fresh)
        OCT_TRY(oct_average_add(&run->average, job->tick, job->values));
    if (job->line)
        OCT_TRY(oct_rows_add(&run->folder.rows, &job->line));
    if (job->report)
        run_report(run, job->record);
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
    run_state *run = job->run;
    const oct_schedule schedule = run->schedules.diagnostics;
    bool numbered = row && run_due(run, schedule);
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
    job->record = run_record(run, true);
    return row ? oct_folder_tabulate(&run->folder, run->sim, numbered ? count - 1 : OCT_ROW_WHOLE)
               : OCT_STATUS_OK;
}

/* Rows that are under way arrive; the sentence about what went wrong with one. */
static oct_status run_await_rows(run_state *run)
{
    return oct_writer_wait(run->rows);
}

/* Measures, and hands a row over: it is completed while the device takes the next steps, where
 * there are some and nobody looks at it before. */
static oct_status run_take_row(run_state *run, bool row, bool report)
{
    bool beside = run->costs.on_way && !run->options->attend;
    uint64_t bytes = run->sim->n_values * sizeof(double);
    row_job *job;
    if (!beside)
        OCT_TRY(run_await_rows(run));
    OCT_TRY(oct_alloc(&job, 1, sizeof *job, "a row"));
    *job = (row_job){.run = run, .table = row && run->folder.path, .report = report};
    job->later.beside = beside;
    oct_status status = oct_alloc(&job->values, run->sim->n_values, sizeof *job->values, "a row");
    if (status == OCT_STATUS_OK)
        status = run_measure(job, row);
    if (status != OCT_STATUS_OK) {
        free_row(job);
        return status;
    }
    return oct_writer_add(beside ? run->rows : NULL, (oct_writer_job){.name = "diagnostics",
                                                                      .context = job,
                                                                      .run = complete_row,
                                                                      .done = have_row,
                                                                      .free = free_row,
                                                                      .bytes = bytes});
}

static oct_status run_row(run_state *run, bool report)
{
    if (oct_rows_has(&run->folder.rows, oct_sim_steps(run->sim)))
        return OCT_STATUS_OK;
    oct_cost_begin(&run->costs);
    OCT_TRY(run_take_row(run, true, report));
    return run_spent(run, OCT_COST_DIAGNOSTICS);
}

/* Writes what is due at this step, and a snapshot at the end of the run. */
static oct_status run_files(run_state *run)
{
    const oct_schedules *schedules = &run->schedules;
    bool end = run_over(run), row = run_due(run, schedules->diagnostics);
    if (row)
        OCT_TRY(run_row(run, !end));
    /* A file without bodies is one that no program reads. */
    bool due = end || run_due(run, schedules->snapshots);
    if (!due || !run->folder.path || oct_sim_count(run->sim) == 0)
        return OCT_STATUS_OK;
    oct_cost_begin(&run->costs);
    OCT_TRY(oct_folder_snapshot(&run->folder, run->sim,
                                oct_finish_snapshot(schedules, &run->sim->clock), run->writer));
    return run_spent(run, OCT_COST_SNAPSHOTS);
}

static oct_status run_outputs(run_state *run)
{
    OCT_TRY(run_files(run));
    if (!oct_film_recorder_due(&run->recorder, run->sim) || oct_sim_count(run->sim) == 0)
        return OCT_STATUS_OK;
    oct_cost_begin(&run->costs);
    OCT_TRY(oct_film_recorder_frame(&run->recorder, run->sim, run->writer));
    return run_spent(run, OCT_COST_FILM);
}

/* Whether nothing is left to simulate. Looked for at rows, which do not depend on the clock. */
static bool run_empty(const run_state *run)
{
    return oct_sim_count(run->sim) == 0 && run_due(run, run->schedules.diagnostics);
}

/* now: the run goes on when it is written; it must where another run waits to be replaced. */
static oct_status run_checkpoint(run_state *run, bool now)
{
    OCT_TRY(run_await_rows(run));
    if (!run->folder.path)
        return OCT_STATUS_OK;
    oct_cost_begin(&run->costs);
    OCT_TRY(oct_folder_checkpoint(&run->folder, run->sim, run->writer));
    if (now || run->folder.replacing)
        OCT_TRY(oct_writer_wait(run->writer));
    OCT_TRY(run_spent(run, OCT_COST_CHECKPOINTS));
    run->clock_checkpoint = oct_burst_clock();
    return OCT_STATUS_OK;
}

/* Now and then; and early where another run waits to be replaced. */
static bool run_wants_checkpoint(const run_state *run)
{
    double interval = run->sim->setup->output.checkpoint;
    return (interval > 0 && oct_burst_clock() - run->clock_checkpoint >= interval) ||
           (run->folder.replacing && !run_over(run));
}

static oct_status run_start(run_state *run);

/* The simulation has been changed into another one. */
static oct_status run_again(run_state *run)
{
    oct_average_clear(&run->average);
    free(run->values);
    run->values = NULL;
    run->energy_error = NULL;
    run->measured = false;
    OCT_TRY(run_start(run));
    oct_folder *folder = &run->folder;
    if (folder->path) {
        memcpy(run->sim->run, folder->run, sizeof folder->run);
        OCT_TRY(oct_folder_scene(folder->path, "scene.yaml", run->sim, folder->run));
    }
    return run_outputs(run);
}

/* Lets the attendant look; most: the steps that may be taken before the next time. */
static oct_status run_attend(run_state *run, uint64_t *most)
{
    const oct_run_options *options = run->options;
    const oct_setup *setup;
    *most = UINT64_MAX;
    if (!options->attend)
        return OCT_STATUS_OK;
    do {
        const oct_run_record record = run_record(run, run->measured);
        setup = run->sim->setup;
        run->sim->hold = options->out || options->film ? OCT_HOLD_RESULTS : OCT_HOLD_NONE;
        oct_status status = options->attend(options->attendant, run->sim, &record, most);
        run->sim->hold = OCT_HOLD_ALL;
        OCT_TRY(status);
        if (run->sim->setup != setup)
            OCT_TRY(run_again(run));
    } while (run->sim->setup != setup);
    return OCT_STATUS_OK;
}

/* The tick of the next output, or of the end. */
static int64_t run_target(const run_state *run)
{
    int64_t tick = run->sim->clock.tick, target = run->end;
    const int64_t next[] = {oct_schedule_next(run->schedules.diagnostics, tick),
                            oct_schedule_next(run->schedules.snapshots, tick),
                            oct_film_recorder_next(&run->recorder, tick)};
    for (size_t i = 0; i < sizeof next / sizeof next[0]; i++)
        target = next[i] < target ? next[i] : target;
    return target;
}

static oct_status run_loop(run_state *run)
{
    uint64_t most;
    OCT_TRY(run_outputs(run));
    OCT_TRY(run_attend(run, &most));
    oct_cost_set_out(&run->costs);
    while (!run_over(run) && most > 0 && !run_stopped(run) && !run_empty(run)) {
        int64_t target = run_target(run);
        uint64_t left = run->last - oct_sim_steps(run->sim);
        run->measured = false;
        double began = oct_burst_clock();
        OCT_TRY(oct_burst_take(&run->burst, run->sim, left < most ? left : most, target));
        OCT_TRY(oct_device_note_span(run->sim->domain->device, OCT_LANE_HOST, "steps", began,
                                     oct_burst_clock()));
        if (run_over(run))
            oct_cost_arrive(&run->costs);
        if (run->sim->clock.tick >= target || run_over(run))
            OCT_TRY(run_outputs(run));
        else
            run_report(run, run_record(run, false));
        if (run_wants_checkpoint(run))
            OCT_TRY(run_checkpoint(run, false));
        OCT_TRY(oct_writer_check(run->rows));
        OCT_TRY(oct_writer_check(run->writer));
        OCT_TRY(run_attend(run, &most));
    }
    oct_cost_arrive(&run->costs);
    OCT_TRY(run_checkpoint(run, true));
    /* The last row follows the checkpoint: it need not be due, and rates are measured from row to
     * row, which must be the same for a run that goes on from here. */
    return run_over(run) ? run_row(run, false) : OCT_STATUS_OK;
}

/* Does again what follows the last checkpoint, of a run that was killed before it was done. */
static oct_status run_complete(run_state *run)
{
    oct_sim *sim = run->sim;
    oct_sim_note(sim, "the run had reached its end, but not all of its files were there: they are "
                      "written now");
    if (oct_rows_has(&run->folder.rows, oct_sim_steps(sim))) {
        /* Measured anew, rates since the last row would be those of no time at all. */
        oct_rows_last(run->values, &run->folder.rows, sim->n_values);
        run->measured = run->whole = true;
        OCT_TRY(oct_average_add(&run->average, sim->clock.tick, run->values));
    }
    OCT_TRY(run_files(run));
    OCT_TRY(oct_writer_wait(run->writer));
    return run_row(run, false);
}

static oct_status run_start(run_state *run)
{
    const oct_run_options *options = run->options;
    oct_sim *sim = run->sim;
    OCT_TRY(oct_sim_wait(sim));
    OCT_TRY(
        oct_schedules_from(&run->schedules, sim->setup, &sim->clock, &sim->origin, options->until));
    run->start = oct_sim_steps(sim);
    if (options->steps == 0)
        OCT_TRY(oct_schedules_ends(sim->setup, options->until));
    if (run->start == 0 && options->steps == 0)
        OCT_TRY(oct_schedules_check(sim->setup, options->until));
    run->last = options->steps > 0 ? options->steps : UINT64_MAX;
    run->end = options->steps > 0 ? OCT_CLOCK_NEVER : run->schedules.end;
    OCT_CHECK((options->steps == 0 && options->until == 0) || run_steps(run) >= run->start,
              OCT_STATUS_INPUT,
              "the run is at step %" PRIu64 " (time %g) already, and is to end at step %" PRIu64
              ": that is in the past",
              run->start, oct_sim_time(sim), run_steps(run));
    run->clock_start = run->clock_checkpoint = oct_burst_clock();
    oct_film_recorder_plan(&run->recorder, sim, run_last_tick(run));
    return run_prepare_values(run);
}

static oct_status run_finish_film(run_state *run)
{
    if (!run->recorder.plan)
        return OCT_STATUS_OK;
    oct_cost_begin(&run->costs);
    OCT_TRY(oct_writer_wait(run->writer));
    OCT_TRY(oct_film_recorder_finish(&run->recorder));
    return run_spent(run, OCT_COST_FILM);
}

static oct_status run_finish(run_state *run)
{
    if (run->folder.path)
        OCT_TRY(oct_rows_flush(&run->folder.rows));
    OCT_TRY(oct_tables_flush(&run->folder.tables));
    /* A run that was stopped is measured after its checkpoint: the row is not due. The last record
     * has all columns, whichever were due. */
    OCT_TRY(run_take_row(run, false, false));
    oct_run_record record = run_record(run, true);
    record.final = true;
    run->costs.beside_s = oct_writer_seconds(run->writer) + oct_writer_seconds(run->rows);
    record.costs = oct_cost_tell(&run->costs, record.wall_s);
    record.stopped = !run_over(run) && !run_empty(run);
    if (run_empty(run))
        oct_sim_note(run->sim,
                     "no bodies are left at step %" PRIu64 " of %" PRIu64 ": the run ends here",
                     record.step, record.steps);
    OCT_TRY(oct_finish_impacts(&run->folder, run->sim));
    if (run->folder.path && !record.stopped)
        OCT_TRY(oct_folder_settle(&run->folder));
    if (run->folder.path)
        OCT_TRY(oct_report_write(run->folder.path, run->sim, &record, run->options->average));
    OCT_TRY(oct_folder_close(&run->folder));
    run_report(run, record);
    return OCT_STATUS_OK;
}

/* Tells what was changed when the simulation was resumed, once the run has its folder. */
static void run_note_changes(oct_sim *sim)
{
    for (const char *line = sim->changes; line && *line; line += *line == '\n') {
        int length = (int)strcspn(line, "\n");
        oct_sim_note(sim, "%.*s", length - 2, line + 2);
        line += length;
    }
}

/* Lets what was handed over be written, and gives the folder back; a sentence about what went wrong
 * before is kept. */
static oct_status run_leave(run_state *run, oct_status status)
{
    oct_error said;
    oct_error_save(&said);
    oct_writer_free(run->rows);
    oct_writer_free(run->writer);
    oct_status closed = oct_folder_close(&run->folder);
    if (status == OCT_STATUS_OK)
        return closed;
    oct_error_restore(&said);
    return status;
}

oct_status oct_run(oct_sim *sim, const oct_run_options *given)
{
    oct_run_options own = {0}, *const options = &own;
    run_state run = {.sim = sim, .options = options};
    oct_status status;
    if (given)
        OCT_TRY(OCT_SIZED_TAKE(oct_run_options, film, options, given));
    bool replace = options->existing == OCT_RUN_REPLACE, done = false;
    OCT_TRY(oct_sim_usable(sim));
    OCT_CHECK(sim->hold == OCT_HOLD_NONE, OCT_STATUS_INPUT, "the simulation is in a run already");
    sim->hold = OCT_HOLD_ALL;
    OCT_TRY_DONE(oct_writer_create(&run.writer, run_watch_writer, &run));
    OCT_TRY_DONE(oct_writer_create(&run.rows, run_watch_writer, &run));
    OCT_TRY_DONE(oct_film_recorder_open(&run.recorder, options->film, sim, replace));
    OCT_TRY_DONE(run_start(&run));
    /* A run that has reached its end already keeps its files as they are, if they are all there. */
    bool over = options->existing == OCT_RUN_CONTINUE && run_over(&run);
    if (over) {
        run.last = run.start;
        run.end = sim->clock.tick;
        OCT_TRY_DONE(oct_finish_done(&done, options->out, sim, &run.schedules));
    }
    if (!done)
        OCT_TRY_DONE(
            oct_folder_open(&run.folder, options->out, options->existing, sim, &run.schedules));
    if (over && !done)
        OCT_TRY_DONE(run_complete(&run));
    if (!over) {
        run_note_changes(sim);
        oct_diagnose_note(sim);
        OCT_TRY_DONE(run_loop(&run));
        OCT_TRY_DONE(run_finish_film(&run));
    }
    status = run_finish(&run);
done:
    status = run_leave(&run, status);
    sim->hold = OCT_HOLD_NONE;
    oct_film_recorder_clear(&run.recorder);
    oct_average_clear(&run.average);
    free(run.values);
    return oct_sim_done(sim, status);
}
