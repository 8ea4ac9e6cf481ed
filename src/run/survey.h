/* What a results folder holds: the files that bear a name a run gives, and the run of each. */
#ifndef OCT_RUN_SURVEY_H
#define OCT_RUN_SURVEY_H

#include "util/identity.h"

enum { OCT_FOLDER_PATH = 4096 };

typedef enum oct_file_claim {
    OCT_FILE_FOREIGN,  /* not a file that Octant writes, under a name that it writes */
    OCT_FILE_NAMELESS, /* as Octant writes it, but it does not say of which run */
    OCT_FILE_NAMED,    /* it names its run */
} oct_file_claim;

typedef struct oct_found {
    char name[48];
    bool temporary; /* NAME.tmp: it was never finished */
    bool snapshot;
    uint64_t index; /* of a snapshot */
    oct_file_claim claim;
    char run[OCT_IDENTITY_TEXT];
} oct_found;

typedef struct oct_survey {
    oct_found *files; /* by name */
    size_t n;
} oct_survey;

/* Looks into a folder; one that is not there holds nothing. */
oct_status oct_survey_make(oct_survey *out, const char *folder);
void oct_survey_clear(oct_survey *survey);
/* The first file that is no temporary one, or NULL: whether the folder holds a run. */
const oct_found *oct_survey_first(const oct_survey *survey);
/* The file of this name, or NULL. */
const oct_found *oct_survey_find(const oct_survey *survey, const char *name);
/* Whether a file is what it is called: text that names no run counts only beside files that are
 * surely Octant's. */
bool oct_survey_is_ours(const oct_survey *survey, const oct_found *file);

/* The path of a file in a folder. */
void oct_folder_file(char out[OCT_FOLDER_PATH], const char *folder, const char *name);
/* The name of snapshot number index. */
void oct_snapshot_name(char out[48], uint64_t index);

/* How text files name their run, by their kind: before the name in a comment. */
#define OCT_RUN_COMMENT "# run: "
#define OCT_RUN_META    "<meta name=\"octant-run\" content=\""

#endif
