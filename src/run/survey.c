/* Recognises files by their names, and reads whose they are from what they hold. */
#include "run/survey.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/seal.h"
#include "run/tables.h"
#include "util/file.h"

static const char *const names[] = {"scene.yaml", "diagnostics.csv", "impacts.csv",
                                    "checkpoint.hdf5", "report.html"};

void oct_folder_file(char out[OCT_FOLDER_PATH], const char *folder, const char *name)
{
    snprintf(out, OCT_FOLDER_PATH, "%s/%s", folder, name);
}

void oct_snapshot_name(char out[48], uint64_t index)
{
    const char *ending = oct_feature_present("hdf5") ? "hdf5" : "csv";
    snprintf(out, 48, "snapshot_%04" PRIu64 ".%s", index, ending);
}

/* Cuts an ending off, if it is there. */
static bool cut(char *name, const char *ending)
{
    if (!oct_file_ends(name, ending))
        return false;
    name[strlen(name) - strlen(ending)] = '\0';
    return true;
}

/* Cuts off what names a part of a file. */
static void cut_part(char *name)
{
    static const char part[] = ".hdf5.part-";
    char *found = strstr(name, part);
    /* A number, or of checkpoints step, rank and ranks. */
    size_t length = found ? strspn(found + strlen(part), "0123456789-ofb") : 0;
    if (length > 0 && found[strlen(part) + length] == '\0')
        found[strlen(".hdf5")] = '\0';
}

/* Whether a run gives this name to a file. */
static bool recognise(oct_found *out, const char *name)
{
    char base[sizeof out->name], again[sizeof out->name];
    *out = (oct_found){0};
    if (strlen(name) >= sizeof base)
        return false;
    strcpy(out->name, name);
    strcpy(base, name);
    out->temporary = cut(base, ".tmp");
    bool previous = !out->temporary && cut(base, ".prev");
    cut_part(base);
    if (sscanf(base, "snapshot_%19" SCNu64, &out->index) == 1) {
        /* Of any build, with HDF5 or without. */
        (void)(cut(base, ".hdf5") || cut(base, ".csv"));
        snprintf(again, sizeof again, "snapshot_%04" PRIu64, out->index);
        out->snapshot = strcmp(base, again) == 0;
        return out->snapshot;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(base, names[i]) == 0)
            return !previous || oct_file_ends(base, ".hdf5");
    for (size_t i = 0; oct_diags[i]; i++)
        if (oct_table_file(again, oct_diags[i]) && strcmp(base, again) == 0)
            return !previous;
    return false;
}

/* Where the name of the run stands in the beginning of a text file; NULL: nowhere. */
static const char *find_name(const char *head, const char *file)
{
    const char *mark = oct_file_ends(file, ".html") ? OCT_RUN_META : OCT_RUN_COMMENT;
    const char *found = strstr(head, mark);
    bool whole_line = found && (found == head || found[-1] == '\n' || *mark == '<');
    return whole_line ? found + strlen(mark) : NULL;
}

static oct_status identify_text(oct_found *file, const char *path)
{
    enum { HEAD = 1 << 16 };
    FILE *text;
    char *head = NULL;
    uint64_t bytes;
    OCT_TRY(oct_file_open(&text, &bytes, path));
    oct_status status = oct_alloc(&head, HEAD + 1, 1, "the beginning of a file");
    if (status == OCT_STATUS_OK) {
        head[fread(head, 1, HEAD, text)] = '\0';
        if (ferror(text))
            status = OCT_FAIL(OCT_STATUS_IO, "reading '%s' failed: %s", path, strerror(errno));
        const char *name = find_name(head, file->name);
        file->claim =
            name && oct_identity_read(file->run, name) ? OCT_FILE_NAMED : OCT_FILE_NAMELESS;
    }
    free(head);
    (void)fclose(text);
    return status;
}

static oct_status identify(oct_found *file, const char *folder)
{
    char path[OCT_FOLDER_PATH];
    struct stat about;
    bool sealed;
    oct_folder_file(path, folder, file->name);
    if (file->temporary)
        return OCT_STATUS_OK;
    bool there = stat(path, &about) == 0;
    OCT_CHECK(there || errno == ENOENT, OCT_STATUS_IO, "cannot look at '%s': %s", path,
              strerror(errno));
    if (!there || !S_ISREG(about.st_mode))
        return OCT_STATUS_OK;
    if (!strstr(file->name, ".hdf5"))
        return identify_text(file, path);
    OCT_TRY(oct_seal_run(file->run, &sealed, path));
    file->claim = !sealed ? OCT_FILE_FOREIGN : *file->run ? OCT_FILE_NAMED : OCT_FILE_NAMELESS;
    return OCT_STATUS_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const oct_found *)a)->name, ((const oct_found *)b)->name);
}

oct_status oct_survey_make(oct_survey *out, const char *folder)
{
    oct_status status = OCT_STATUS_OK;
    size_t room = 0;
    *out = (oct_survey){0};
    DIR *entries = opendir(folder);
    if (!entries && (errno == ENOENT || errno == ENOTDIR))
        return OCT_STATUS_OK;
    OCT_CHECK(entries, OCT_STATUS_INPUT, "cannot look into the folder %s: %s", folder,
              strerror(errno));
    for (struct dirent *entry; errno = 0, (entry = readdir(entries)) != NULL;) {
        oct_found found;
        if (!recognise(&found, entry->d_name))
            continue;
        if (out->n == room) {
            room = 2 * room + 16;
            OCT_TRY_DONE(oct_realloc(&out->files, room, sizeof *out->files, "names of files"));
        }
        OCT_TRY_DONE(identify(&found, folder));
        out->files[out->n++] = found;
    }
    OCT_CHECK_DONE(errno == 0, OCT_STATUS_IO, "reading the folder %s failed: %s", folder,
                   strerror(errno));
    if (out->n > 0)
        qsort(out->files, out->n, sizeof *out->files, by_name);
done:
    (void)closedir(entries);
    if (status != OCT_STATUS_OK)
        oct_survey_clear(out);
    return status;
}

void oct_survey_clear(oct_survey *survey)
{
    free(survey->files);
    *survey = (oct_survey){0};
}

const oct_found *oct_survey_first(const oct_survey *survey)
{
    for (size_t i = 0; i < survey->n; i++)
        if (!survey->files[i].temporary)
            return &survey->files[i];
    return NULL;
}

const oct_found *oct_survey_find(const oct_survey *survey, const char *name)
{
    for (size_t i = 0; i < survey->n; i++)
        if (strcmp(survey->files[i].name, name) == 0)
            return &survey->files[i];
    return NULL;
}

bool oct_survey_is_ours(const oct_survey *survey, const oct_found *file)
{
    bool sure = false;
    for (size_t i = 0; i < survey->n; i++) {
        const oct_found *other = &survey->files[i];
        bool sealed = other->claim == OCT_FILE_NAMELESS && strstr(other->name, ".hdf5");
        sure = sure || other->claim == OCT_FILE_NAMED || sealed;
    }
    return file->claim == OCT_FILE_NAMED || (file->claim == OCT_FILE_NAMELESS && sure);
}
