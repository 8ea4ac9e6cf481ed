/* Compares names, checkpoints and changes of the scene with those of the folder. */
#include "run/lineage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/file.h"
#include "util/text.h"

static const char current[] = "checkpoint.hdf5", previous[] = "checkpoint.hdf5.prev";

void oct_lineage_record(oct_sim *sim, const char *checkpoint)
{
    struct stat about = {0};
    (void)stat(checkpoint, &about);
    sim->checkpoint[0] = (uint64_t)about.st_dev;
    sim->checkpoint[1] = (uint64_t)about.st_ino;
    free(sim->resumed_from);
    sim->resumed_from = NULL;
}

/* Whether this is the very file that the simulation was read from, or has written. */
static bool is_from(const oct_sim *sim, const char *folder, const char *name)
{
    char path[OCT_FOLDER_PATH];
    struct stat about;
    oct_folder_file(path, folder, name);
    return sim->checkpoint[1] != 0 && stat(path, &about) == 0 &&
           sim->checkpoint[0] == (uint64_t)about.st_dev &&
           sim->checkpoint[1] == (uint64_t)about.st_ino;
}

/* Whether the simulation was read from a file of this name in the folder. */
static bool was_here(const oct_sim *sim, const char *folder, const char *name)
{
    char path[OCT_FOLDER_PATH] = ".";
    struct stat theirs, ours;
    const char *from = sim->resumed_from ? sim->resumed_from : "", *slash = strrchr(from, '/');
    if (strcmp(slash ? slash + 1 : from, name) != 0)
        return false;
    if (slash)
        snprintf(path, sizeof path, "%.*s", (int)(slash - from) + 1, from);
    return stat(path, &theirs) == 0 && stat(folder, &ours) == 0 && theirs.st_dev == ours.st_dev &&
           theirs.st_ino == ours.st_ino;
}

/* The file that names a run; the checkpoint before others. */
static const oct_found *named(const oct_survey *survey)
{
    const oct_found *checkpoint = oct_survey_find(survey, current);
    if (checkpoint && checkpoint->claim == OCT_FILE_NAMED)
        return checkpoint;
    for (size_t i = 0; i < survey->n; i++)
        if (survey->files[i].claim == OCT_FILE_NAMED)
            return &survey->files[i];
    return NULL;
}

static oct_status check_names(const oct_sim *sim, const oct_survey *survey, const char *path)
{
    for (size_t i = 0; i < survey->n; i++) {
        const oct_found *file = &survey->files[i];
        OCT_CHECK(file->claim != OCT_FILE_NAMED || strcmp(file->run, sim->run) == 0,
                  OCT_STATUS_INPUT,
                  "%s holds run %s (%s), and the checkpoint is of run %s: choose another folder",
                  path, file->run, file->name, sim->run);
    }
    return OCT_STATUS_OK;
}

/* The next comment about a change before this step, "# since step 37, ...", from *at on. */
static const char *next_change(const char **at, size_t *length, uint64_t step)
{
    while (**at == '#') {
        unsigned long long since;
        const char *line = *at;
        *length = strcspn(line, "\n");
        *at += *length + (line[*length] == '\n');
        if (sscanf(line, "# since step %llu,", &since) == 1 && since < step)
            return line;
    }
    return NULL;
}

/* Two that were the same run once may have been changed since, each in its own way. */
static oct_status check_course(const oct_sim *sim, const char *path)
{
    enum { LONGEST = 1 << 26 };
    char file[OCT_FOLDER_PATH], *text = NULL;
    oct_folder_file(file, path, "scene.yaml");
    oct_status status = oct_file_read(&text, NULL, file, LONGEST);
    if (status == OCT_STATUS_MISSING)
        return OCT_STATUS_OK;
    OCT_TRY(status);
    const char *theirs = text, *ours = oct_sim_scene(sim), *a, *b;
    bool same;
    do {
        size_t length_a = 0, length_b = 0;
        a = next_change(&theirs, &length_a, oct_sim_steps(sim));
        b = next_change(&ours, &length_b, oct_sim_steps(sim));
        same = (!a && !b) || (a && b && length_a == length_b && memcmp(a, b, length_a) == 0);
    } while (same && a);
    free(text);
    OCT_CHECK(same, OCT_STATUS_INPUT,
              "%s holds run %s as well, but it was changed there in another way before step %llu "
              "than in the checkpoint (see %s): choose another folder",
              path, sim->run, (unsigned long long)oct_sim_steps(sim), file);
    return OCT_STATUS_OK;
}

oct_status oct_lineage_check(oct_lineage *out, oct_sim *sim, const oct_survey *survey,
                             const char *path)
{
    const oct_found *first = oct_survey_first(survey), *of = named(survey);
    *out = is_from(sim, path, current)    ? OCT_LINEAGE_CHECKPOINT
           : is_from(sim, path, previous) ? OCT_LINEAGE_PREVIOUS
                                          : OCT_LINEAGE_ELSEWHERE;
    /* It was not locked while it was read. Both may be names of one file, after a kill. */
    OCT_CHECK((is_from(sim, path, current) || !was_here(sim, path, current)) &&
                  (is_from(sim, path, previous) || !was_here(sim, path, previous)),
              OCT_STATUS_INPUT,
              "%s has been replaced by another process since it was read: resume the run again",
              sim->resumed_from);
    if (!first)
        return sim->changes ? oct_identity_draw(sim->run) : OCT_STATUS_OK;
    OCT_CHECK(*out != OCT_LINEAGE_ELSEWHERE || (*sim->run && of), OCT_STATUS_INPUT,
              "%s holds a run already (%s), and nothing says that the checkpoint is of the same: "
              "choose another folder",
              path, first->name);
    if (!*sim->run && *out == OCT_LINEAGE_CHECKPOINT)
        *out = OCT_LINEAGE_ELSEWHERE; /* it is written again, with a name */
    if (!*sim->run && of)
        memcpy(sim->run, of->run, sizeof sim->run);
    OCT_TRY(check_names(sim, survey, path));
    return check_course(sim, path);
}
