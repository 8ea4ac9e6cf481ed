#include "run/folder.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sim.h"
#include "run/table.h"
#include "util/file.h"
#include "util/number.h"

static const char *const run_files[] = {
    "scene.yaml",           "diagnostics.csv", "impacts.csv", "checkpoint.hdf5",
    "checkpoint.hdf5.prev", "report.html",     NULL};

void oct_folder_file(char out[OCT_FOLDER_PATH], const char *folder, const char *name)
{
    snprintf(out, OCT_FOLDER_PATH, "%s/%s", folder, name);
}

static void snapshot_path(char out[OCT_FOLDER_PATH], const char *folder, uint64_t index)
{
    char name[40];
    snprintf(name, sizeof name, "snapshot_%04" PRIu64 ".hdf5", index);
    oct_folder_file(out, folder, name);
}

static bool exists(const char *path)
{
    struct stat ignored;
    return stat(path, &ignored) == 0;
}

static oct_status remove_file(const char *path)
{
    OCT_CHECK(unlink(path) == 0 || errno == ENOENT, OCT_STATUS_IO, "cannot remove %s: %s", path,
              strerror(errno));
    return OCT_STATUS_OK;
}

/* Makes the folder and those above it that are missing. */
static oct_status make_folder(const char *folder)
{
    char path[OCT_FOLDER_PATH];
    snprintf(path, sizeof path, "%s", folder);
    for (char *c = path + 1; *c; c++) {
        if (*c != '/')
            continue;
        *c = '\0';
        (void)mkdir(path, 0777); /* the one that matters is checked below */
        *c = '/';
    }
    if (mkdir(folder, 0777) == 0)
        return OCT_STATUS_OK;
    struct stat found;
    OCT_CHECK(errno == EEXIST, OCT_STATUS_IO, "cannot make the folder %s: %s", folder,
              strerror(errno));
    OCT_CHECK(stat(folder, &found) == 0 && S_ISDIR(found.st_mode), OCT_STATUS_INPUT,
              "%s is there already and is no folder", folder);
    return OCT_STATUS_OK;
}

oct_status oct_folder_claim(const char *path, const char *const *files, oct_run_existing existing,
                            const char *remedy)
{
    char file[OCT_FOLDER_PATH];
    OCT_CHECK(*path && strlen(path) < OCT_FOLDER_PATH - 64, OCT_STATUS_INPUT,
              "the name of the results folder is %s", *path ? "too long" : "empty");
    for (size_t i = 0; files[i] && existing == OCT_RUN_REFUSE; i++) {
        oct_folder_file(file, path, files[i]);
        OCT_CHECK(!exists(file), OCT_STATUS_INPUT, "%s holds a run already (%s): %s", path,
                  files[i], remedy);
    }
    OCT_TRY(make_folder(path));
    for (size_t i = 0; files[i] && existing == OCT_RUN_REPLACE; i++) {
        oct_folder_file(file, path, files[i]);
        OCT_TRY(remove_file(file));
    }
    return OCT_STATUS_OK;
}

/* Removes snapshots from number index on. */
static oct_status remove_snapshots(const char *folder, uint64_t index)
{
    char path[OCT_FOLDER_PATH];
    for (snapshot_path(path, folder, index); exists(path); snapshot_path(path, folder, ++index))
        OCT_TRY(remove_file(path));
    return OCT_STATUS_OK;
}

static oct_status make_header(char **out, const oct_sim *sim)
{
    static const char *const axes[] = {"_x", "_y", "_z"};
    const oct_units *units = oct_sim_units(sim);
    oct_heading heading = {0};
    oct_heading_add(&heading, &(oct_column){.name = "step"}, "", units);
    oct_heading_add(&heading, &(oct_column){.name = "time", .time = 1}, "", units);
    for (const oct_column *column = oct_sim_columns(sim); column->name; column++)
        for (unsigned i = 0; i < column->count; i++)
            oct_heading_add(&heading, column, column->count == 3 ? axes[i] : "", units);
    return oct_heading_take(out, &heading);
}

/* Whether a straight run would have written this row; those up to where the run was changed
 * followed another schedule. */
static bool is_row(uint64_t row, uint64_t step, oct_schedule schedule)
{
    return row <= step && (row <= schedule.origin || oct_schedule_due(schedule, row));
}

/* Finds where the rows end that a straight run would have written up to this step: a broken last
 * line, later rows, and the row of an end that was not the scene's own are cut off. */
static oct_status find_end(off_t *end, oct_folder *folder, const char *header, uint64_t step,
                           oct_schedule schedule)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    oct_status status = OCT_STATUS_OK;
    *end = 0;
    while (*header && (length = getline(&line, &room, folder->csv)) > 0 &&
           line[length - 1] == '\n') {
        OCT_CHECK_DONE(strncmp(line, header, (size_t)length) == 0, OCT_STATUS_INPUT,
                       "%s/diagnostics.csv has other columns than this run: choose another folder",
                       folder->path);
        header += length;
        *end += length;
    }
    if (*header)
        *end = 0;
    while (*end > 0 && (length = getline(&line, &room, folder->csv)) > 0) {
        char *comma;
        uint64_t row = strtoull(line, &comma, 10);
        if (line[length - 1] != '\n' || *comma != ',' || !is_row(row, step, schedule))
            break;
        folder->any_row = true;
        folder->last_row = row;
        *end += length;
    }
    OCT_CHECK_DONE(!ferror(folder->csv), OCT_STATUS_IO, "cannot read %s/diagnostics.csv",
                   folder->path);
done:
    free(line);
    return status;
}

static oct_status open_csv(oct_folder *folder, oct_sim *sim, oct_schedule schedule)
{
    char path[OCT_FOLDER_PATH], *header = NULL;
    oct_status status;
    off_t end = 0;
    oct_folder_file(path, folder->path, "diagnostics.csv");
    OCT_TRY(make_header(&header, sim));
    folder->csv = fopen(path, "a+");
    OCT_CHECK_DONE(folder->csv, OCT_STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    rewind(folder->csv);
    OCT_TRY_DONE(find_end(&end, folder, header, oct_sim_steps(sim), schedule));
    /* Appending mode writes at the end, wherever it was read. */
    OCT_CHECK_DONE(fseeko(folder->csv, 0, SEEK_END) == 0 &&
                       ftruncate(fileno(folder->csv), end) == 0,
                   OCT_STATUS_IO, "cannot cut %s back: %s", path, strerror(errno));
    if (end == 0) {
        OCT_CHECK_DONE(fputs(header, folder->csv) >= 0, OCT_STATUS_IO, "cannot write %s: %s", path,
                       strerror(errno));
        if (oct_sim_steps(sim) > 0)
            oct_sim_note(sim, "%s has no rows from before step %" PRIu64, path, oct_sim_steps(sim));
    }
done:
    oct_text_free(header);
    return status;
}

oct_status oct_folder_open(oct_folder *out, const char *path, oct_run_existing existing,
                           oct_sim *sim, const oct_schedules *schedules)
{
    *out = (oct_folder){.path = path};
    if (!path)
        return OCT_STATUS_OK;
    OCT_TRY(oct_folder_claim(path, run_files, existing,
                             "choose another folder, resume it or replace it"));
    uint64_t kept = existing == OCT_RUN_REPLACE
                        ? 0
                        : oct_schedule_count(schedules->snapshots, oct_sim_steps(sim));
    /* Rows with other columns are refused before anything is changed. */
    oct_status status = open_csv(out, sim, schedules->diagnostics);
    if (status == OCT_STATUS_OK)
        status = remove_snapshots(path, kept);
    if (status == OCT_STATUS_OK)
        status = oct_folder_scene(path, "scene.yaml", sim);
    if (status != OCT_STATUS_OK && out->csv) {
        (void)fclose(out->csv);
        out->csv = NULL;
    }
    return status;
}

oct_status oct_folder_scene(const char *folder, const char *name, const oct_sim *sim)
{
    char path[OCT_FOLDER_PATH];
    oct_folder_file(path, folder, name);
    return oct_file_write(path, oct_sim_scene(sim), strlen(oct_sim_scene(sim)), false);
}

/* Rows are on the disk before a checkpoint that says they were written. */
static oct_status flush_csv(oct_folder *folder)
{
    OCT_CHECK(fflush(folder->csv) == 0 && fsync(fileno(folder->csv)) == 0, OCT_STATUS_IO,
              "cannot write %s/diagnostics.csv: %s", folder->path, strerror(errno));
    return OCT_STATUS_OK;
}

oct_status oct_folder_close(oct_folder *folder)
{
    if (!folder->csv)
        return OCT_STATUS_OK;
    oct_status status = flush_csv(folder);
    (void)fclose(folder->csv);
    folder->csv = NULL;
    return status;
}

bool oct_folder_has_row(const oct_folder *folder, uint64_t step)
{
    return folder->any_row && folder->last_row == step;
}

oct_status oct_folder_row(oct_folder *folder, const oct_sim *sim, const double *values)
{
    if (!folder->csv)
        return OCT_STATUS_OK;
    FILE *csv = folder->csv;
    char number[OCT_NUMBER_BYTES];
    oct_number_write(number, oct_sim_time(sim));
    fprintf(csv, "%" PRIu64 ",%s", oct_sim_steps(sim), number);
    for (const oct_column *column = oct_sim_columns(sim); column->name; column++) {
        for (unsigned i = 0; i < column->count; i++) {
            oct_number_write(number, *values++);
            fprintf(csv, ",%s", number);
        }
    }
    fputc('\n', csv);
    OCT_CHECK(fflush(csv) == 0 && !ferror(csv), OCT_STATUS_IO,
              "cannot write %s/diagnostics.csv: %s", folder->path, strerror(errno));
    folder->any_row = true;
    folder->last_row = oct_sim_steps(sim);
    return OCT_STATUS_OK;
}

oct_status oct_folder_snapshot(oct_folder *folder, oct_sim *sim, uint64_t index)
{
    char path[OCT_FOLDER_PATH];
    if (!folder->path)
        return OCT_STATUS_OK;
    snapshot_path(path, folder->path, index);
    /* One that survived oct_folder_open is of this very step. */
    return exists(path) ? OCT_STATUS_OK : oct_sim_snapshot(sim, path);
}

oct_status oct_folder_checkpoint(oct_folder *folder, oct_sim *sim)
{
    if (!folder->path)
        return OCT_STATUS_OK;
    char path[OCT_FOLDER_PATH];
    OCT_TRY(flush_csv(folder));
    oct_folder_file(path, folder->path, "checkpoint.hdf5");
    return oct_sim_checkpoint(sim, path);
}

oct_status oct_folder_impacts(oct_folder *folder, oct_sim *sim)
{
    const oct_choice *choice = &sim->setup->collisions;
    const oct_collision *collision = (const oct_collision *)choice->module;
    if (!folder->path || !collision || !collision->speeds)
        return OCT_STATUS_OK;
    uint64_t counts[OCT_SPEED_BINS];
    double lowest;
    OCT_TRY(collision->speeds(&lowest, counts, choice->state, sim));
    size_t first = 0, end = OCT_SPEED_BINS;
    while (end > 0 && counts[end - 1] == 0)
        end--;
    while (first < end && counts[first] == 0)
        first++;
    char path[OCT_FOLDER_PATH], *header;
    static const oct_column columns[] = {
        {.name = "lower", .length = 1, .time = -1},
        {.name = "upper", .length = 1, .time = -1},
        {.name = "count"},
    };
    oct_heading heading = {0};
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
        oct_heading_add(&heading, &columns[k], "", oct_sim_units(sim));
    OCT_TRY(oct_heading_take(&header, &heading));
    oct_text text = {0};
    oct_text_add(&text, "%s", header);
    oct_text_free(header);
    for (size_t k = first; k < end; k++) {
        char lower[OCT_NUMBER_BYTES], upper[OCT_NUMBER_BYTES];
        oct_number_write(lower, lowest * exp2((double)k / 8));
        oct_number_write(upper, lowest * exp2((double)(k + 1) / 8));
        oct_text_add(&text, "%s,%s,%" PRIu64 "\n", lower, upper, counts[k]);
    }
    oct_folder_file(path, folder->path, "impacts.csv");
    oct_status status = text.failed ? OCT_FAIL(OCT_STATUS_MEMORY, "no memory for %s", path)
                                    : oct_file_write(path, text.data, text.length, false);
    oct_text_clear(&text);
    return status;
}
