/* Opens the folder in an order that a kill at any call survives, and writes a run's files. */
#include "run/folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sim.h"
#include "io/checkpoint.h"
#include "run/lineage.h"
#include "run/replacement.h"
#include "util/file.h"
#include "util/text.h"

static oct_status is_there(bool *out, const char *path)
{
    struct stat ignored;
    *out = stat(path, &ignored) == 0;
    OCT_CHECK(*out || errno == ENOENT || errno == ENOTDIR, OCT_STATUS_IO, "cannot look at %s: %s",
              path, strerror(errno));
    return OCT_STATUS_OK;
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

static oct_status check_name(const char *path)
{
    OCT_CHECK(*path && strlen(path) < OCT_FOLDER_PATH - 64, OCT_STATUS_INPUT,
              "the name of the results folder is %s", *path ? "too long" : "empty");
    return OCT_STATUS_OK;
}

static oct_status refuse_run(const char *path, const char *file, const char *remedy)
{
    return OCT_FAIL(OCT_STATUS_INPUT, "%s holds a run already (%s): %s", path, file, remedy);
}

oct_status oct_folder_claim(const char *path, const char *const *files, oct_run_existing existing,
                            const char *remedy)
{
    char file[OCT_FOLDER_PATH];
    bool there;
    OCT_TRY(check_name(path));
    for (size_t i = 0; files[i] && existing == OCT_RUN_REFUSE; i++) {
        oct_folder_file(file, path, files[i]);
        OCT_TRY(is_there(&there, file));
        if (there)
            return refuse_run(path, files[i], remedy);
    }
    OCT_TRY(make_folder(path));
    for (size_t i = 0; files[i] && existing == OCT_RUN_REPLACE; i++) {
        oct_folder_file(file, path, files[i]);
        OCT_TRY(remove_file(file));
    }
    return OCT_STATUS_OK;
}

oct_status oct_folder_scene(const char *folder, const char *name, const oct_sim *sim,
                            const char *run)
{
    char path[OCT_FOLDER_PATH];
    oct_text text = {0};
    oct_folder_file(path, folder, name);
    if (*run)
        oct_text_add(&text, "%s%s\n", OCT_RUN_COMMENT, run);
    oct_text_add(&text, "%s", oct_sim_scene(sim));
    oct_status status = text.failed ? OCT_FAIL(OCT_STATUS_MEMORY, "no memory for %s", path)
                                    : oct_file_write(path, text.data, text.length, false);
    oct_text_clear(&text);
    return status;
}

/* A run there is refused before the folder is touched or even made. */
static oct_status refuse_existing(const char *path)
{
    oct_survey survey;
    OCT_TRY(oct_survey_make(&survey, path));
    const oct_found *first = oct_survey_first(&survey);
    oct_status status =
        first ? refuse_run(path, first->name, "choose another folder, resume it or replace it")
              : OCT_STATUS_OK;
    oct_survey_clear(&survey);
    return status;
}

/* What is not Octant's is neither moved nor replaced. */
static oct_status check_ours(const oct_survey *survey, const char *path, uint64_t first_snapshot)
{
    for (size_t i = 0; i < survey->n; i++) {
        const oct_found *file = &survey->files[i];
        bool stays = file->temporary || (file->snapshot && file->index < first_snapshot);
        OCT_CHECK(stays || oct_survey_is_ours(survey, file), OCT_STATUS_INPUT,
                  "%s/%s has a name that Octant gives, but is not as Octant writes it: move it "
                  "away, or choose another folder",
                  path, file->name);
    }
    return OCT_STATUS_OK;
}

static oct_status move_aside(oct_folder *folder, oct_sim *sim, const oct_survey *survey)
{
    if (!oct_survey_first(survey))
        return OCT_STATUS_OK;
    OCT_TRY(check_ours(survey, folder->path, 0));
    OCT_TRY(oct_identity_draw(sim->run)); /* never that of the old run */
    folder->replacing = true;
    return oct_replacement_begin(folder->path, survey, sim->run);
}

/* What is cut off must come again if this is killed: the folder's checkpoint is to be the one that
 * the simulation comes from, not a later one. */
static oct_status keep_origin(oct_folder *folder, oct_sim *sim, oct_lineage from)
{
    char previous[OCT_FOLDER_PATH], path[OCT_FOLDER_PATH];
    if (from == OCT_LINEAGE_CHECKPOINT)
        return OCT_STATUS_OK;
    if (from == OCT_LINEAGE_ELSEWHERE)
        return oct_folder_checkpoint(folder, sim, NULL);
    oct_folder_file(path, folder->path, "checkpoint.hdf5");
    oct_folder_file(previous, folder->path, "checkpoint.hdf5.prev");
    OCT_CHECK(rename(previous, path) == 0, OCT_STATUS_IO, "cannot go back to %s: %s", previous,
              strerror(errno));
    oct_lineage_record(sim, path);
    return OCT_STATUS_OK;
}

/* The files that a straight run up to here would not have, and those that were never finished. */
static oct_status cut_back(const oct_survey *survey, const char *path, uint64_t kept)
{
    char file[OCT_FOLDER_PATH];
    for (size_t i = 0; i < survey->n; i++) {
        const oct_found *found = &survey->files[i];
        oct_folder_file(file, path, found->name);
        if (found->temporary || (found->snapshot && found->index >= kept))
            OCT_TRY(remove_file(file));
    }
    return OCT_STATUS_OK;
}

static oct_status prepare(oct_folder *folder, oct_run_existing existing, oct_sim *sim,
                          const oct_schedules *schedules)
{
    const char *path = folder->path;
    uint64_t kept = oct_schedule_count(schedules->snapshots, sim->clock.tick);
    oct_survey survey = {0};
    char name[OCT_IDENTITY_TEXT];
    oct_status status;
    memcpy(name, sim->run, sizeof name);
    oct_lineage from = OCT_LINEAGE_ELSEWHERE;
    OCT_TRY_DONE(oct_survey_make(&survey, path));
    if (existing == OCT_RUN_CONTINUE) {
        OCT_TRY_DONE(oct_lineage_check(&from, sim, &survey, path));
        OCT_TRY_DONE(check_ours(&survey, path, kept));
    } else if (existing == OCT_RUN_REPLACE) {
        OCT_TRY_DONE(move_aside(folder, sim, &survey));
    }
    if (!*sim->run)
        OCT_TRY_DONE(oct_identity_draw(sim->run));
    memcpy(folder->run, sim->run, sizeof folder->run);
    OCT_TRY_DONE(oct_rows_look(&folder->rows, path, sim, schedules->diagnostics));
    OCT_TRY_DONE(oct_tables_look(&folder->tables, path, sim, schedules->diagnostics));
    if (existing == OCT_RUN_CONTINUE && oct_sim_steps(sim) > 0)
        OCT_TRY_DONE(keep_origin(folder, sim, from));
    if (!folder->replacing)
        OCT_TRY_DONE(cut_back(&survey, path, kept));
    OCT_TRY_DONE(oct_rows_open(&folder->rows, sim));
    OCT_TRY_DONE(oct_tables_open(&folder->tables, sim));
    status = oct_folder_scene(path, "scene.yaml", sim, folder->run);
done:
    if (status != OCT_STATUS_OK) /* it has not become another run */
        memcpy(sim->run, name, sizeof name);
    oct_survey_clear(&survey);
    return status;
}

oct_status oct_folder_open(oct_folder *out, const char *path, oct_run_existing existing,
                           oct_sim *sim, const oct_schedules *schedules)
{
    *out = (oct_folder){.path = path};
    if (!path)
        return OCT_STATUS_OK;
    OCT_TRY(check_name(path));
    if (existing == OCT_RUN_REFUSE && !oct_replacement_pending(path))
        OCT_TRY(refuse_existing(path));
    OCT_TRY(make_folder(path));
    OCT_TRY(oct_lock_take(&out->lock, path));
    if (out->lock.absent)
        oct_sim_note(sim,
                     "the file system of %s has no locks: nothing keeps a second process from "
                     "writing there",
                     path);
    oct_status status = oct_replacement_settle(path);
    if (status == OCT_STATUS_OK && existing == OCT_RUN_REFUSE)
        status = refuse_existing(path);
    if (status == OCT_STATUS_OK)
        status = prepare(out, existing, sim, schedules);
    if (status == OCT_STATUS_OK && !oct_feature_present("hdf5"))
        oct_sim_note(sim, "this build of Octant has no HDF5: the run leaves no checkpoint to go on "
                          "from, and its snapshots are CSV files");
    return status;
}

oct_status oct_run_recover(const char *folder)
{
    oct_lock lock;
    OCT_TRY(check_name(folder));
    if (!oct_replacement_pending(folder) && !oct_lock_exists(folder))
        return OCT_STATUS_OK;
    OCT_TRY(oct_lock_take(&lock, folder));
    oct_status status = oct_replacement_settle(folder);
    oct_lock_release(&lock);
    return status;
}

oct_status oct_folder_close(oct_folder *folder)
{
    oct_status status = folder->rows.file ? oct_rows_flush(&folder->rows) : OCT_STATUS_OK;
    if (status == OCT_STATUS_OK)
        status = oct_tables_flush(&folder->tables);
    oct_rows_close(&folder->rows);
    oct_tables_close(&folder->tables);
    oct_snapshot_forget(folder->mold);
    folder->mold = NULL;
    /* Where it does not succeed, the next to open the folder tries again. */
    if (folder->lock.path && oct_replacement_pending(folder->path))
        (void)oct_replacement_settle(folder->path);
    folder->replacing = false;
    oct_lock_release(&folder->lock);
    return status;
}

oct_status oct_folder_tabulate(oct_folder *folder, oct_sim *sim, uint64_t row)
{
    return folder->path ? oct_tables_add(&folder->tables, sim, row) : OCT_STATUS_OK;
}

oct_status oct_folder_settle(const oct_folder *folder)
{
    char last[OCT_FOLDER_PATH], previous[OCT_FOLDER_PATH], kind[16];
    bool there;
    oct_folder_file(last, folder->path, "checkpoint.hdf5");
    oct_folder_file(previous, folder->path, "checkpoint.hdf5.prev");
    OCT_TRY(is_there(&there, previous));
    if (!there)
        return OCT_STATUS_OK;
    OCT_TRY(oct_seal_check(kind, last));
    OCT_TRY(remove_file(previous));
    return oct_checkpoint_sweep(last);
}
