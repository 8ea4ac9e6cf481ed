/* Appends rows, and finds the end of the last whole one in a file that a kill has cut. */
#include "run/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/survey.h"
#include "run/table.h"
#include "util/file.h"
#include "util/number.h"

static oct_status make_heading(char **out, const oct_sim *sim)
{
    static const char *const axes[] = {"_x", "_y", "_z"};
    const oct_units *units = oct_sim_units(sim);
    oct_heading heading = {.run = sim->run};
    oct_heading_add(&heading, &(oct_column){.name = "step"}, "", units);
    oct_heading_add(&heading, &(oct_column){.name = "time", .time = 1}, "", units);
    for (const oct_column *column = oct_sim_columns(sim); column->name; column++)
        for (unsigned i = 0; i < column->count; i++)
            oct_heading_add(&heading, column, column->count == 3 ? axes[i] : "", units);
    return oct_heading_take(out, &heading);
}

/* Whether a straight run up to now would have written this row. The one at an end need not be due,
 * but whoever went on from there has cut it off; where the run is changed, it stays. */
static bool is_row(uint64_t row, const oct_clock *clock, oct_schedule schedule)
{
    return row < clock->step ||
           (row == clock->step && (clock->tick <= schedule.origin ||
                                   oct_schedule_due(schedule, clock->tick, clock->length)));
}

static bool is_name(const char *line)
{
    return strncmp(line, OCT_RUN_COMMENT, strlen(OCT_RUN_COMMENT)) == 0;
}

/* Compares the heading line for line; the one that names the run is not there in old tables. What
 * follows it is left in *line. */
static oct_status pass_heading(oct_rows *rows, FILE *file, char **line, size_t *room,
                               ssize_t *length)
{
    const char *expected = rows->heading;
    while ((*length = getline(line, room, file)) > 0 && (*line)[*length - 1] == '\n') {
        if (is_name(expected) && !is_name(*line))
            expected = "";
        if (!*expected)
            return OCT_STATUS_OK;
        OCT_CHECK(strncmp(*line, expected, (size_t)*length) == 0, OCT_STATUS_INPUT,
                  is_name(expected)
                      ? "%s is of another run than the rest of its folder: choose another folder"
                      : "%s has other columns than this run: choose another folder",
                  rows->path);
        expected += *length;
        rows->end += *length;
    }
    if (*expected)
        rows->end = 0; /* it was cut off */
    *length = 0;
    return OCT_STATUS_OK;
}

/* A broken last line, later rows, and the row of an end that was not the scene's own are not
 * among those that stay. */
static oct_status find_end(oct_rows *rows, FILE *file, const oct_clock *clock,
                           oct_schedule schedule)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    oct_status status;
    OCT_TRY_DONE(pass_heading(rows, file, &line, &room, &length));
    for (; length > 0; length = getline(&line, &room, file)) {
        char *comma;
        uint64_t row = strtoull(line, &comma, 10);
        bool whole = line[length - 1] == '\n' && *comma == ',';
        rows->reached = whole && row == clock->step;
        if (!whole || !is_row(row, clock, schedule))
            break;
        line[length - 1] = '\0';
        rows->end += length;
        free(rows->last);
        rows->last = line;
        line = NULL;
        room = 0;
    }
    OCT_CHECK_DONE(!ferror(file), OCT_STATUS_IO, "cannot read %s", rows->path);
done:
    free(line);
    return status;
}

oct_status oct_rows_look_table(oct_rows *out, const char *folder, const char *name, char *heading,
                               const oct_sim *sim, oct_schedule schedule)
{
    char path[OCT_FOLDER_PATH];
    FILE *file = NULL;
    uint64_t bytes;
    *out = (oct_rows){.heading = heading};
    oct_folder_file(path, folder, name);
    oct_status status = oct_text_copy(&out->path, path);
    if (status == OCT_STATUS_OK)
        status = oct_file_open(&file, &bytes, path);
    if (status == OCT_STATUS_OK)
        status = find_end(out, file, &sim->clock, schedule);
    else if (status == OCT_STATUS_MISSING)
        status = OCT_STATUS_OK;
    if (file)
        (void)fclose(file);
    if (status != OCT_STATUS_OK)
        oct_rows_close(out);
    return status;
}

oct_status oct_rows_look(oct_rows *out, const char *folder, const oct_sim *sim,
                         oct_schedule schedule)
{
    char *heading;
    *out = (oct_rows){0};
    OCT_TRY(make_heading(&heading, sim));
    return oct_rows_look_table(out, folder, "diagnostics.csv", heading, sim, schedule);
}

oct_status oct_rows_open(oct_rows *rows, oct_sim *sim)
{
    if (rows->end > 0)
        OCT_CHECK(truncate(rows->path, rows->end) == 0, OCT_STATUS_IO, "cannot cut %s back: %s",
                  rows->path, strerror(errno));
    else /* whole or not at all: a table without the name of its run is nobody's */
        OCT_TRY(oct_file_write(rows->path, rows->heading, strlen(rows->heading), false));
    rows->file = fopen(rows->path, "a");
    OCT_CHECK(rows->file, OCT_STATUS_IO, "cannot write %s: %s", rows->path, strerror(errno));
    if (rows->end == 0 && oct_sim_steps(sim) > 0)
        oct_sim_note(sim, "%s has no rows from before step %" PRIu64, rows->path,
                     oct_sim_steps(sim));
    return OCT_STATUS_OK;
}

bool oct_rows_has(const oct_rows *rows, uint64_t step)
{
    return rows->last && strtoull(rows->last, NULL, 10) == step;
}

void oct_rows_last(double *values, const oct_rows *rows, uint32_t n)
{
    const char *at = rows->last;
    for (int skipped = 0; skipped < 2 && *at; at++) /* step and time */
        skipped += *at == ',';
    for (uint32_t i = 0; i < n; i++) {
        const char *end = at;
        if (!oct_number_read(&values[i], &end, at))
            values[i] = NAN;
        at = end + strcspn(end, ",");
        at += *at == ',';
    }
}

oct_status oct_rows_line(char **out, const double *values, uint32_t n, uint64_t step, double time)
{
    char number[OCT_NUMBER_BYTES];
    oct_text row = {0};
    oct_number_write(number, time);
    oct_text_add(&row, "%" PRIu64 ",%s", step, number);
    for (uint32_t i = 0; i < n; i++) {
        oct_number_write(number, values[i]);
        oct_text_add(&row, ",%s", number);
    }
    return oct_text_take(out, &row);
}

oct_status oct_rows_add(oct_rows *rows, char **line)
{
    free(rows->last);
    rows->last = *line;
    *line = NULL;
    OCT_CHECK(fprintf(rows->file, "%s\n", rows->last) > 0 && fflush(rows->file) == 0, OCT_STATUS_IO,
              "cannot write %s: %s", rows->path, strerror(errno));
    return OCT_STATUS_OK;
}

oct_status oct_rows_add_lines(oct_rows *rows, char *lines)
{
    size_t length = strlen(lines);
    bool written = fwrite(lines, 1, length, rows->file) == length && fflush(rows->file) == 0;
    free(lines);
    OCT_CHECK(written, OCT_STATUS_IO, "cannot write %s: %s", rows->path, strerror(errno));
    return OCT_STATUS_OK;
}

oct_status oct_rows_flush(oct_rows *rows)
{
    OCT_CHECK(fflush(rows->file) == 0 && fsync(fileno(rows->file)) == 0, OCT_STATUS_IO,
              "cannot write %s: %s", rows->path, strerror(errno));
    return OCT_STATUS_OK;
}

void oct_rows_close(oct_rows *rows)
{
    if (rows->file)
        (void)fclose(rows->file);
    free(rows->path);
    free(rows->heading);
    free(rows->last);
    *rows = (oct_rows){0};
}
