/* Each step is a rename or an unlink that can be repeated after a kill. */
#include "run/replacement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"

static const char old_name[] = ".octant-old";   /* comes back unless the new run begins well */
static const char gone_name[] = ".octant-gone"; /* is being removed */
static const char note_name[] = "replaced-by";  /* in .octant-old: the name of the new run */

/* One that cannot be looked at may be there: whoever opens it will know. */
static bool is_folder(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 ? S_ISDIR(about.st_mode) : errno != ENOENT;
}

static oct_status move(const char *from, const char *to, const char *name)
{
    char source[OCT_FOLDER_PATH], target[OCT_FOLDER_PATH];
    struct stat about;
    oct_folder_file(source, from, name);
    oct_folder_file(target, to, name);
    bool there = lstat(target, &about) == 0;
    OCT_CHECK(there || errno == ENOENT, OCT_STATUS_IO, "cannot look at %s: %s", target,
              strerror(errno));
    OCT_CHECK(!there, OCT_STATUS_INPUT,
              "cannot move %s to %s, where a file of this name is: move one of them away", source,
              target);
    OCT_CHECK(rename(source, target) == 0, OCT_STATUS_IO, "cannot move %s to %s: %s", source,
              target, strerror(errno));
    return OCT_STATUS_OK;
}

static oct_status remove_file(const char *folder, const char *name)
{
    char path[OCT_FOLDER_PATH];
    oct_folder_file(path, folder, name);
    OCT_CHECK(unlink(path) == 0 || errno == ENOENT, OCT_STATUS_IO, "cannot remove %s: %s", path,
              strerror(errno));
    return OCT_STATUS_OK;
}

/* What Octant has put there is gone by then: anything else stays, and is named. */
static oct_status remove_folder(const char *path)
{
    OCT_CHECK(rmdir(path) == 0 || errno == ENOENT, OCT_STATUS_INPUT,
              "cannot remove %s: %s; see what is in it, and move that away", path, strerror(errno));
    return OCT_STATUS_OK;
}

oct_status oct_replacement_begin(const char *folder, const oct_survey *old, const char *run)
{
    char aside[OCT_FOLDER_PATH], note[OCT_FOLDER_PATH];
    oct_folder_file(aside, folder, old_name);
    oct_folder_file(note, aside, note_name);
    OCT_CHECK(mkdir(aside, 0777) == 0, OCT_STATUS_IO, "cannot make the folder %s: %s", aside,
              strerror(errno));
    OCT_TRY(oct_file_write(note, run, strlen(run), false));
    for (size_t i = 0; i < old->n; i++)
        OCT_TRY(old->files[i].temporary ? remove_file(folder, old->files[i].name)
                                        : move(folder, aside, old->files[i].name));
    OCT_TRY(oct_file_sync_folder(aside));
    return oct_file_sync_folder(folder);
}

bool oct_replacement_pending(const char *folder)
{
    char old[OCT_FOLDER_PATH], gone[OCT_FOLDER_PATH];
    oct_folder_file(old, folder, old_name);
    oct_folder_file(gone, folder, gone_name);
    return is_folder(old) || is_folder(gone);
}

/* The name of the run for which the old one was moved; "" where the note is missing: nothing has
 * been moved yet, or all is back. */
static oct_status read_note(char run[OCT_IDENTITY_TEXT], const char *aside)
{
    char path[OCT_FOLDER_PATH], *text = NULL;
    oct_folder_file(path, aside, note_name);
    run[0] = '\0';
    oct_status status = oct_file_read(&text, NULL, path, OCT_IDENTITY_TEXT);
    if (status == OCT_STATUS_MISSING)
        return OCT_STATUS_OK;
    OCT_TRY(status);
    bool whole = oct_identity_read(run, text);
    free(text);
    OCT_CHECK(whole, OCT_STATUS_INPUT,
              "%s is not as Octant writes it: the folder it is in holds the run that was to be "
              "replaced, and has to be emptied by hand",
              path);
    return OCT_STATUS_OK;
}

static oct_status move_back(const char *folder, const char *aside, const char *run)
{
    oct_survey new = {0}, old = {0};
    oct_status status;
    OCT_TRY_DONE(oct_survey_make(&new, folder));
    OCT_TRY_DONE(oct_survey_make(&old, aside));
    for (size_t i = 0; i < new.n; i++)
        if (new.files[i].temporary || (*run && strcmp(new.files[i].run, run) == 0))
            OCT_TRY_DONE(remove_file(folder, new.files[i].name));
    for (size_t i = 0; i < old.n; i++)
        if (!old.files[i].temporary)
            OCT_TRY_DONE(move(aside, folder, old.files[i].name));
    OCT_TRY_DONE(oct_file_sync_folder(folder));
    OCT_TRY_DONE(remove_file(aside, "replaced-by.tmp"));
    OCT_TRY_DONE(remove_file(aside, note_name));
    status = remove_folder(aside);
done:
    oct_survey_clear(&new);
    oct_survey_clear(&old);
    return status;
}

static oct_status remove_gone(const char *gone)
{
    oct_survey files;
    OCT_TRY(oct_survey_make(&files, gone));
    oct_status status = OCT_STATUS_OK;
    for (size_t i = 0; i < files.n && status == OCT_STATUS_OK; i++)
        status = remove_file(gone, files.files[i].name);
    oct_survey_clear(&files);
    OCT_TRY(status);
    OCT_TRY(remove_file(gone, note_name));
    return remove_folder(gone);
}

/* The run that has begun well: that of the checkpoint or, in builds that write none, that of the
 * report, which comes last. */
static oct_status find_heir(char run[OCT_IDENTITY_TEXT], const char *folder)
{
    oct_survey survey;
    OCT_TRY(oct_survey_make(&survey, folder));
    const oct_found *file = oct_survey_find(&survey, "checkpoint.hdf5");
    file = file ? file : oct_survey_find(&survey, "report.html");
    snprintf(run, OCT_IDENTITY_TEXT, "%s", file ? file->run : "");
    oct_survey_clear(&survey);
    return OCT_STATUS_OK;
}

oct_status oct_replacement_settle(const char *folder)
{
    char old[OCT_FOLDER_PATH], gone[OCT_FOLDER_PATH];
    char run[OCT_IDENTITY_TEXT], has[OCT_IDENTITY_TEXT];
    oct_folder_file(old, folder, old_name);
    oct_folder_file(gone, folder, gone_name);
    if (is_folder(gone))
        OCT_TRY(remove_gone(gone));
    if (!is_folder(old))
        return OCT_STATUS_OK;
    OCT_TRY(read_note(run, old));
    OCT_TRY(find_heir(has, folder));
    if (!*run || strcmp(has, run) != 0)
        return move_back(folder, old, run);
    OCT_CHECK(rename(old, gone) == 0, OCT_STATUS_IO, "cannot move %s to %s: %s", old, gone,
              strerror(errno));
    return remove_gone(gone);
}
