/* The tables of a comparison, written row by row. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "run/compare.h"
#include "run/folder.h"
#include "run/table.h"
#include "util/number.h"
#include "util/text.h"

static const char *const names[] = {"scene_a.yaml", "scene_b.yaml", "compare.csv",
                                    "bodies.csv",   "report.html",  NULL};

/* The columns of compare.csv. */
static const oct_column columns[] = {
    {.name = "time", .time = 1},
    {.name = "separation_max", .length = 1},
    {.name = "separation_mean", .length = 1},
    {.name = "separation_total", .length = 1},
    {.name = "energy_error_a"},
    {.name = "energy_error_b"},
    {.name = "farthest"},
    {.name = "compared"},
    {.name = "removed_a"},
    {.name = "removed_b"},
    {0},
};

static oct_status open_table(FILE **out, const char *folder, const char *name, oct_heading *heading)
{
    char path[OCT_FOLDER_PATH], *text;
    OCT_TRY(oct_heading_take(&text, heading));
    oct_folder_file(path, folder, name);
    *out = fopen(path, "w");
    bool written = *out && fputs(text, *out) >= 0;
    oct_text_free(text);
    OCT_CHECK(written, OCT_STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    return OCT_STATUS_OK;
}

/* A comparison that is there may be replaced; a run, which has a report too, is not. */
static oct_status claim(oct_lock *lock, const char *path, bool replace)
{
    static const char remedy[] = "choose another folder or replace it";
    oct_survey survey;
    OCT_TRY(oct_folder_claim(path, names, replace ? OCT_RUN_CONTINUE : OCT_RUN_REFUSE, remedy));
    OCT_TRY(oct_lock_take(lock, path));
    OCT_TRY(oct_survey_make(&survey, path));
    const oct_found *report = oct_survey_find(&survey, "report.html");
    bool of_run = report && report->claim == OCT_FILE_NAMED;
    oct_survey_clear(&survey);
    OCT_CHECK(!of_run, OCT_STATUS_INPUT,
              "%s holds a run, whose report.html would be replaced: choose another folder", path);
    return oct_folder_claim(path, names, replace ? OCT_RUN_REPLACE : OCT_RUN_REFUSE, remedy);
}

oct_status oct_compare_open(oct_compare_files *out, const oct_compare_options *options,
                            oct_sim *const sims[2], const oct_compare_record *record)
{
    const oct_units *units = oct_sim_units(sims[0]);
    const char *path = out->path = options->out;
    oct_heading heading = {0}, bodies = {0};
    if (!path)
        return OCT_STATUS_OK;
    OCT_TRY(claim(&out->lock, path, options->replace));
    for (int i = 0; i < 2; i++)
        OCT_TRY(oct_folder_scene(path, names[i], sims[i], ""));
    for (const oct_column *column = columns; column->name; column++)
        oct_heading_add(&heading, column, "", units);
    OCT_TRY(open_table(&out->rows, path, "compare.csv", &heading));
    if (record->n > OCT_COMPARE_BODIES && !options->bodies)
        return OCT_STATUS_OK;
    oct_heading_add(&bodies, &columns[0], "", units);
    for (size_t i = 0; i < record->n; i++) {
        char id[24];
        snprintf(id, sizeof id, "%" PRIu64, record->ids[i]);
        oct_heading_add(&bodies, &(oct_column){.name = id, .length = 1}, "", units);
    }
    return open_table(&out->bodies, path, "bodies.csv", &bodies);
}

/* Every row starts with the time. */
static void begin_row(oct_text *row, double time, const double *values, size_t n)
{
    char number[OCT_NUMBER_BYTES];
    oct_number_write(number, time);
    oct_text_add(row, "%s", number);
    for (size_t i = 0; i < n; i++) {
        oct_number_write(number, values[i]);
        oct_text_add(row, ",%s", number);
    }
}

/* In one go: a row that lacks a number in its middle would pass for a whole one. */
static oct_status end_row(oct_text *row, FILE *file, const char *folder)
{
    char *text = NULL;
    oct_text_add(row, "\n");
    OCT_TRY(oct_text_take(&text, row));
    bool written = fputs(text, file) >= 0 && fflush(file) == 0;
    oct_text_free(text);
    OCT_CHECK(written, OCT_STATUS_IO, "cannot write to %s: %s", folder, strerror(errno));
    return OCT_STATUS_OK;
}

oct_status oct_compare_row(oct_compare_files *files, const oct_compare_record *r)
{
    oct_text row = {0};
    if (!files->path)
        return OCT_STATUS_OK;
    const double values[] = {r->separation_max, r->separation_mean, r->separation_total,
                             r->energy_error_a, r->energy_error_b};
    begin_row(&row, r->time, values, sizeof values / sizeof values[0]);
    if (r->separation_max > 0)
        oct_text_add(&row, ",%" PRIu64, r->farthest);
    else
        oct_text_add(&row, ",nan");
    oct_text_add(&row, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, r->compared, r->removed_a,
                 r->removed_b);
    OCT_TRY(end_row(&row, files->rows, files->path));
    if (!files->bodies)
        return OCT_STATUS_OK;
    begin_row(&row, r->time, r->separations, r->n);
    return end_row(&row, files->bodies, files->path);
}

static void close_tables(oct_compare_files *files)
{
    if (files->rows)
        (void)fclose(files->rows);
    if (files->bodies)
        (void)fclose(files->bodies);
    files->rows = files->bodies = NULL;
}

void oct_compare_clear(oct_compare_files *files)
{
    close_tables(files);
    oct_lock_release(&files->lock);
    *files = (oct_compare_files){0};
}

oct_status oct_compare_finish(oct_compare_files *files, oct_sim *const sims[2],
                              const oct_compare_record *record)
{
    const char *folder = files->path;
    bool bodies = files->bodies != NULL;
    close_tables(files);
    oct_status status = folder ? oct_compare_report(folder, sims, record, bodies) : OCT_STATUS_OK;
    oct_compare_clear(files);
    return status;
}
