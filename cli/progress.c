/* Lines are drawn anew at most ten times a second on a terminal, and never mixed with notes. */
#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

void oct_progress_clear(const oct_progress *progress)
{
    if (progress->terminal)
        fprintf(stderr, "\r\033[K");
}

void oct_progress_note(void *context, const char *sentence)
{
    oct_progress_clear(context);
    oct_print_sentence("note: ", sentence);
}

void oct_progress_duration(char out[32], double seconds)
{
    if (!isfinite(seconds) || seconds > 1e9) {
        snprintf(out, 32, "a long time");
        return;
    }
    unsigned long s = (unsigned long)(seconds + 0.5);
    if (s >= 3600)
        snprintf(out, 32, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(out, 32, "%lu:%02lu", s / 60, s % 60);
}

/* "time 1000 (0.0209 orbits)" */
static void print_time(FILE *to, const oct_sim *sim, double time)
{
    double size;
    const char *calendar = oct_sim_calendar(&size, sim);
    fprintf(to, "time %.6g", time);
    if (calendar)
        fprintf(to, " (%.4g %s)", time / size, calendar);
}

static void print_line(FILE *to, const oct_sim *sim, const oct_run_record *record)
{
    fprintf(to, "step %" PRIu64 "/%" PRIu64 "  ", record->step, record->steps);
    print_time(to, sim, record->time);
    if (record->steps_per_s > 0) {
        char left[32];
        oct_progress_duration(left, (double)(record->steps - record->step) / record->steps_per_s);
        fprintf(to, "  %.4g steps/s  %s left", record->steps_per_s, left);
    }
    if (isfinite(record->energy_error))
        fprintf(to, "  energy error %.2e", record->energy_error);
}

static void print_column(const oct_column *column, const double *value)
{
    printf(", \"%s\": %s", column->name, column->count > 1 ? "[" : "");
    for (unsigned i = 0; i < column->count; i++) {
        printf("%s", i ? ", " : "");
        oct_json_number(value[i]);
    }
    printf("%s", column->count > 1 ? "]" : "");
}

static void print_relaxed(const oct_sim *sim)
{
    oct_relaxation r = {.size = sizeof r};
    if (!oct_sim_relaxed(&r, sim))
        return;
    const struct {
        const char *name;
        double value;
    } rows[] = {{"sweeps", (double)r.sweeps}, {"moved", (double)r.moved},
                {"move_mean", r.mean},        {"move_max", r.farthest},
                {"pairs", (double)r.pairs},   {"pairs_left", (double)r.pairs_left},
                {"overlap_max", r.deepest},   {"overlap_max_left", r.deepest_left},
                {"thickness", r.thickness},   {"thickness_left", r.thickness_left}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        printf("%s\"%s\": ", i ? ", " : ", \"relaxed\": {", rows[i].name);
        oct_json_number(rows[i].value);
    }
    printf("}");
}

/* The names and values of what outputs cost, in the order in which they are said. */
typedef struct cost_line {
    const char *key, *words;
    double seconds;
} cost_line;

enum { COST_LINES = 4 };

static void list_costs(cost_line out[COST_LINES], const oct_run_costs *costs)
{
    const cost_line lines[COST_LINES] = {
        {"diagnostics_s", "diagnostics", costs->diagnostics_s},
        {"snapshots_s", "snapshots", costs->snapshots_s},
        {"checkpoints_s", "checkpoints", costs->checkpoints_s},
        {"film_s", "film", costs->film_s},
    };
    memcpy(out, lines, sizeof lines);
}

static void print_costs_json(const oct_run_costs *costs)
{
    cost_line lines[COST_LINES];
    list_costs(lines, costs);
    printf(", \"outputs\": {\"share\": ");
    oct_json_number(costs->share);
    printf(", \"total_s\": ");
    oct_json_number(costs->total_s);
    for (int i = 0; i < COST_LINES; i++) {
        printf(", \"%s\": ", lines[i].key);
        oct_json_number(lines[i].seconds);
    }
    printf(", \"beside_s\": ");
    oct_json_number(costs->beside_s);
    printf(", \"due_share\": ");
    oct_json_number(costs->due_share);
    printf(", \"rows\": %" PRIu64 ", \"snapshots\": %" PRIu64 ", \"checkpoints\": %" PRIu64
           ", \"frames\": %" PRIu64 ", \"ahead\": %" PRIu64 "}",
           costs->rows, costs->snapshots, costs->checkpoints, costs->frames, costs->ahead);
}

/* "outputs took 4.1 % of it: diagnostics 1.2 s, snapshots 0.1 s, and 0.8 s beside the steps" */
static void print_costs(const oct_run_costs *costs)
{
    cost_line lines[COST_LINES];
    const char *before = ":";
    list_costs(lines, costs);
    printf("outputs took %.2g %% of it", 100 * costs->share);
    for (int i = 0; i < COST_LINES; i++)
        if (lines[i].seconds >= 5e-4) {
            printf("%s %s %.3g s", before, lines[i].words, lines[i].seconds);
            before = ",";
        }
    if (costs->beside_s >= 5e-4)
        printf("%s %.3g s beside the steps", before, costs->beside_s);
    if (isfinite(costs->due_share))
        printf("; %.2g %% without those of the start and the end", 100 * costs->due_share);
    if (costs->ahead > 0)
        printf("; of %" PRIu64 " enqueued with the steps that is the host's time", costs->ahead);
    putchar('\n');
}

static void print_json(oct_progress *progress, const oct_run_record *record)
{
    printf("{\"step\": %" PRIu64 ", \"time\": ", record->step);
    oct_json_number(record->time);
    printf(", \"n\": %" PRIu64 ", \"energy_error\": ", oct_sim_count(progress->sim));
    oct_json_number(record->energy_error);
    const double *value = record->values;
    for (const oct_column *column = record->columns; column->name; column++) {
        if (strcmp(column->name, "n") != 0 && strcmp(column->name, "energy_error") != 0)
            print_column(column, value);
        value += column->count;
    }
    if (record->final) {
        print_relaxed(progress->sim);
        uint64_t hash = 0;
        progress->status = oct_sim_hash(&hash, progress->sim);
        printf(", \"final\": true, \"stopped\": %s, \"wall_s\": ",
               record->stopped ? "true" : "false");
        oct_json_number(record->wall_s);
        printf(", \"steps_per_s\": ");
        oct_json_number(record->steps_per_s);
        printf(", \"device\": ");
        oct_json_text(progress->device);
        printf(", \"precision\": \"%s\", \"state_hash\": \"%016" PRIx64 "\", \"run\": \"%s\"",
               oct_precision_name(oct_sim_precision(progress->sim)), hash,
               oct_sim_identity(progress->sim));
        print_costs_json(record->costs);
    }
    printf("}\n");
    fflush(stdout);
}

void oct_progress_report(void *context, const oct_run_record *record)
{
    const double rewrite_s = 0.1;
    oct_progress *progress = context;
    progress->step = record->step;
    progress->steps = record->steps;
    progress->stopped = record->stopped;
    if (progress->json && record->measured)
        print_json(progress, record);
    if (progress->terminal && record->final) {
        oct_progress_clear(progress);
    } else if (progress->terminal &&
               (progress->shown_s == 0 || record->wall_s - progress->shown_s >= rewrite_s)) {
        oct_progress_clear(progress);
        print_line(stderr, progress->sim, record);
        progress->shown_s = record->wall_s;
    } else if (!progress->terminal && !progress->json && !progress->quiet && record->measured &&
               !record->final) {
        print_line(stdout, progress->sim, record);
        putchar('\n');
        fflush(stdout);
    }
    if (record->final && !progress->json && !progress->quiet) {
        printf("%" PRIu64 " steps, ", record->step);
        print_time(stdout, progress->sim, record->time);
        printf(", in %.3g s (%.4g steps/s) on %s, %s precision", record->wall_s,
               record->steps_per_s, OCT_SHOW(progress->device),
               oct_precision_name(oct_sim_precision(progress->sim)));
        if (isfinite(record->energy_error))
            printf(", energy error %.2e", record->energy_error);
        putchar('\n');
        if (record->costs->total_s > 0)
            print_costs(record->costs);
    }
}
