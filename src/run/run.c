/* The loop: steps in bursts up to the next output, checkpoints, signals, the end. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/diagnose.h"
#include "run/course.h"
#include "run/finish.h"
#include "run/report.h"
#include "util/flag.h"
#include "util/sized.h"
#include "util/status.h"

static oct_status run_watch_writer(void *context, const char *name, double start_s, double end_s)
{
    const oct_course *run = context;
    return oct_device_note_span(run->sim->domain->device, OCT_LANE_WRITER, name, start_s, end_s);
}

static bool run_stopped(const oct_course *run)
{
    return oct_flag_is_set(run->options->stop);
}

/* Makes room for a measurement and finds the energy error in it. */
static oct_status run_prepare_values(oct_course *run)
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

/* Whether nothing is left to simulate. Looked for at rows, which do not depend on the clock. */
static bool run_empty(const oct_course *run)
{
    return oct_sim_count(run->sim) == 0 && oct_course_due(run, run->schedules.diagnostics);
}

/* now: the run goes on when it is written; it must where another run waits to be replaced. */
static oct_status run_checkpoint(oct_course *run, bool now)
{
    OCT_TRY(oct_course_await_rows(run));
    if (!run->folder.path)
        return OCT_STATUS_OK;
    oct_cost_begin(&run->costs);
    OCT_TRY(oct_folder_checkpoint(&run->folder, run->sim, run->writer));
    if (now || run->folder.replacing)
        OCT_TRY(oct_writer_wait(run->writer));
    OCT_TRY(oct_course_spent(run, OCT_COST_CHECKPOINTS));
    run->clock_checkpoint = oct_burst_clock();
    return OCT_STATUS_OK;
}

/* Now and then; and early where another run waits to be replaced. */
static bool run_wants_checkpoint(const oct_course *run)
{
    double interval = run->sim->setup->output.checkpoint;
    return (interval > 0 && oct_burst_clock() - run->clock_checkpoint >= interval) ||
           (run->folder.replacing && !oct_course_over(run));
}

static oct_status run_start(oct_course *run);

/* The simulation has been changed into another one. */
static oct_status run_again(oct_course *run)
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
    return oct_course_outputs(run);
}

/* Lets the attendant look; most: the steps that may be taken before the next time. */
static oct_status run_attend(oct_course *run, uint64_t *most)
{
    const oct_run_options *options = run->options;
    const oct_setup *setup;
    *most = UINT64_MAX;
    if (!options->attend)
        return OCT_STATUS_OK;
    do {
        const oct_run_record record = oct_course_record(run, run->measured);
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
static int64_t run_target(const oct_course *run)
{
    int64_t tick = run->sim->clock.tick, target = run->end;
    const int64_t next[] = {oct_schedule_next(run->schedules.diagnostics, tick),
                            oct_schedule_next(run->schedules.snapshots, tick),
                            oct_film_recorder_next(&run->recorder, tick)};
    for (size_t i = 0; i < sizeof next / sizeof next[0]; i++)
        target = next[i] < target ? next[i] : target;
    return target;
}

static oct_status run_loop(oct_course *run)
{
    uint64_t most;
    OCT_TRY(oct_course_outputs(run));
    OCT_TRY(run_attend(run, &most));
    oct_cost_set_out(&run->costs);
    while (!oct_course_over(run) && most > 0 && !run_stopped(run) && !run_empty(run)) {
        int64_t target = run_target(run);
        uint64_t left = run->last - oct_sim_steps(run->sim);
        run->measured = false;
        double began = oct_burst_clock();
        OCT_TRY(oct_burst_take(&run->burst, run->sim, left < most ? left : most, target,
                               oct_course_goes_ahead(run, target)));
        OCT_TRY(oct_device_note_span(run->sim->domain->device, OCT_LANE_HOST, "steps", began,
                                     oct_burst_clock()));
        OCT_TRY(oct_course_settle_ahead(run));
        if (oct_course_over(run))
            oct_cost_arrive(&run->costs);
        if (run->sim->clock.tick >= target || oct_course_over(run))
            OCT_TRY(oct_course_outputs(run));
        else
            oct_course_report(run, oct_course_record(run, false));
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
    return oct_course_over(run) ? oct_course_row(run, false) : OCT_STATUS_OK;
}

/* Does again what follows the last checkpoint, of a run that was killed before it was done. */
static oct_status run_complete(oct_course *run)
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
    OCT_TRY(oct_course_files(run));
    OCT_TRY(oct_writer_wait(run->writer));
    return oct_course_row(run, false);
}

static oct_status run_start(oct_course *run)
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
    OCT_CHECK((options->steps == 0 && options->until == 0) || oct_course_steps(run) >= run->start,
              OCT_STATUS_INPUT,
              "the run is at step %" PRIu64 " (time %g) already, and is to end at step %" PRIu64
              ": that is in the past",
              run->start, oct_sim_time(sim), oct_course_steps(run));
    run->clock_start = run->clock_checkpoint = oct_burst_clock();
    oct_film_recorder_plan(&run->recorder, sim, oct_course_last_tick(run));
    return run_prepare_values(run);
}

static oct_status run_finish_film(oct_course *run)
{
    if (!run->recorder.plan)
        return OCT_STATUS_OK;
    oct_cost_begin(&run->costs);
    OCT_TRY(oct_writer_wait(run->writer));
    OCT_TRY(oct_film_recorder_finish(&run->recorder));
    return oct_course_spent(run, OCT_COST_FILM);
}

static oct_status run_finish(oct_course *run)
{
    if (run->folder.path)
        OCT_TRY(oct_rows_flush(&run->folder.rows));
    OCT_TRY(oct_tables_flush(&run->folder.tables));
    /* A run that was stopped is measured after its checkpoint: the row is not due. The last record
     * has all columns, whichever were due. */
    OCT_TRY(oct_course_take_row(run, false, false));
    oct_run_record record = oct_course_record(run, true);
    record.final = true;
    run->costs.beside_s = oct_writer_seconds(run->writer) + oct_writer_seconds(run->rows);
    record.costs = oct_cost_tell(&run->costs, record.wall_s);
    record.stopped = !oct_course_over(run) && !run_empty(run);
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
    oct_course_report(run, record);
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
static oct_status run_leave(oct_course *run, oct_status status)
{
    oct_error said;
    oct_error_save(&said);
    oct_course_drop_ahead(run);
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
    oct_course run = {.sim = sim, .options = options};
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
    bool over = options->existing == OCT_RUN_CONTINUE && oct_course_over(&run);
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
