#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/sim.h"
#include "run/average.h"
#include "run/folder.h"
#include "run/report.h"
#include "util/status.h"

/* A run in progress. */
typedef struct run_state {
    oct_sim *sim;
    const oct_run_options *options;
    oct_schedules schedules;
    oct_folder folder;
    double *values;
    const double *energy_error; /* among the values; NULL where none is measured */
    bool measured;              /* the values are those of the present step */
    oct_average average;
    uint64_t start, steps, burst;
    double clock_start, clock_checkpoint; /* seconds */
} run_state;

static double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool run_stopped(const run_state *run)
{
    return run->options->stop && *run->options->stop;
}

static oct_run_record run_record(const run_state *run, bool measured)
{
    double wall = clock_now() - run->clock_start;
    uint64_t step = oct_sim_steps(run->sim);
    return (oct_run_record){
        .step = step,
        .steps = run->steps,
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
    return oct_average_start(&run->average, columns, run->options->average);
}

static oct_status run_measure(run_state *run)
{
    if (run->measured)
        return OCT_STATUS_OK;
    OCT_TRY(oct_sim_measure(run->values, run->sim));
    run->measured = true;
    return oct_average_add(&run->average, oct_sim_time(run->sim), run->values);
}

static oct_status run_row(run_state *run)
{
    if (oct_folder_has_row(&run->folder, oct_sim_steps(run->sim)))
        return OCT_STATUS_OK;
    OCT_TRY(run_measure(run));
    return oct_folder_row(&run->folder, run->sim, run->values);
}

/* Writes what is due at this step, and a snapshot at the end of the run. */
static oct_status run_outputs(run_state *run)
{
    uint64_t step = oct_sim_steps(run->sim);
    bool end = step == run->steps;
    const oct_schedules *schedules = &run->schedules;
    if (oct_schedule_due(schedules->diagnostics, step) && !oct_folder_has_row(&run->folder, step)) {
        OCT_TRY(run_row(run));
        if (!end)
            run_report(run, run_record(run, true));
    }
    bool due = oct_schedule_due(schedules->snapshots, step);
    if (end || due) {
        uint64_t count = oct_schedule_count(schedules->snapshots, step);
        OCT_TRY(oct_folder_snapshot(&run->folder, run->sim, due ? count - 1 : count));
    }
    return OCT_STATUS_OK;
}

/* Takes steps up to the target or for a fraction of a second, so that signals, progress and
 * checkpoints are prompt while the device is never kept waiting for long. */
static oct_status run_burst(run_state *run, uint64_t target)
{
    const double burst_s = 0.2;
    enum { FASTEST_GROWTH = 8 };
    uint64_t left = target - oct_sim_steps(run->sim);
    uint64_t steps = run->burst < left ? run->burst : left;
    double start = clock_now();
    run->measured = false;
    OCT_TRY(oct_sim_step(run->sim, steps));
    OCT_TRY(oct_sim_wait(run->sim));
    double factor = burst_s / fmax(clock_now() - start, 1e-9);
    double burst = (double)steps * fmin(factor, FASTEST_GROWTH);
    /* A burst that an output cut short says nothing about a longer one that was fine. */
    if (steps == run->burst || burst > (double)run->burst)
        run->burst = burst > 1 ? (uint64_t)burst : 1;
    return OCT_STATUS_OK;
}

static oct_status run_checkpoint(run_state *run)
{
    OCT_TRY(oct_folder_checkpoint(&run->folder, run->sim));
    run->clock_checkpoint = clock_now();
    return OCT_STATUS_OK;
}

static oct_status run_loop(run_state *run)
{
    const oct_schedules *schedules = &run->schedules;
    double interval = run->sim->setup->output.checkpoint;
    OCT_TRY(run_outputs(run));
    while (oct_sim_steps(run->sim) < run->steps && !run_stopped(run)) {
        uint64_t step = oct_sim_steps(run->sim), target = run->steps;
        uint64_t row = oct_schedule_next(schedules->diagnostics, step);
        uint64_t snapshot = oct_schedule_next(schedules->snapshots, step);
        target = row < target ? row : target;
        target = snapshot < target ? snapshot : target;
        OCT_TRY(run_burst(run, target));
        if (oct_sim_steps(run->sim) == target)
            OCT_TRY(run_outputs(run));
        else
            run_report(run, run_record(run, false));
        if (interval > 0 && clock_now() - run->clock_checkpoint >= interval)
            OCT_TRY(run_checkpoint(run));
    }
    OCT_TRY(run_checkpoint(run));
    /* The last row follows the checkpoint: it need not be due, and rates are measured from row to
     * row, which must be the same for a run that goes on from here. */
    return oct_sim_steps(run->sim) < run->steps ? OCT_STATUS_OK : run_row(run);
}

static oct_status run_start(run_state *run)
{
    const oct_run_options *options = run->options;
    OCT_TRY(oct_sim_wait(run->sim));
    OCT_TRY(oct_schedules_make(&run->schedules, run->sim->setup, options->until));
    run->start = oct_sim_steps(run->sim);
    run->steps = options->steps > 0 ? options->steps : run->schedules.steps;
    run->burst = 1;
    run->clock_start = run->clock_checkpoint = clock_now();
    return run_prepare_values(run);
}

static oct_status run_finish(run_state *run)
{
    OCT_TRY(oct_folder_close(&run->folder));
    /* A run that was stopped is measured after its checkpoint: the row is not due. */
    OCT_TRY(run_measure(run));
    oct_run_record record = run_record(run, true);
    record.final = true;
    record.stopped = record.step < run->steps;
    OCT_TRY(oct_folder_impacts(&run->folder, run->sim));
    if (run->folder.path)
        OCT_TRY(oct_report_write(run->folder.path, run->sim, &record, run->options->average));
    run_report(run, record);
    return OCT_STATUS_OK;
}

oct_status oct_run(oct_sim *sim, const oct_run_options *options)
{
    static const oct_run_options none = {0};
    run_state run = {.sim = sim, .options = options ? options : &none};
    options = run.options;
    oct_status status;
    OCT_TRY_DONE(run_start(&run));
    /* A run that has reached its end already keeps its files as they are. */
    if (options->existing != OCT_RUN_CONTINUE || run.start < run.steps) {
        OCT_TRY_DONE(
            oct_folder_open(&run.folder, options->out, options->existing, sim, &run.schedules));
        OCT_TRY_DONE(run_loop(&run));
    }
    status = run_finish(&run);
done:
    if (run.folder.csv)
        (void)fclose(run.folder.csv);
    oct_average_clear(&run.average);
    free(run.values);
    return status;
}
