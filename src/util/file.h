/* Whole files: read in one go, and replaced so that a crash at any moment leaves a whole one. */
#ifndef OCT_UTIL_FILE_H
#define OCT_UTIL_FILE_H

#include "util/status.h"

#include <stdio.h>

/* Opens a regular file for reading; a folder, a pipe or a missing file is refused by name. */
oct_status oct_file_open(FILE **out, uint64_t *bytes, const char *path);
/* Reads a regular file of at most `limit` bytes; a NUL follows them. bytes may be NULL. */
oct_status oct_file_read(char **out, size_t *bytes, const char *path, uint64_t limit);

/* A file that is being replaced. It is written under the temporary name PATH.tmp, which one
 * process at a time may use, and takes its place when it is whole. Start from {0}. */
typedef struct oct_file_draft {
    char *path, *temporary;
} oct_file_draft;

/* Creates the temporary file, empty. */
oct_status oct_file_begin(oct_file_draft *draft, const char *path);
/* Flushes it to the disk and puts it in place; the one before stays as PATH.prev if asked for. */
oct_status oct_file_commit(oct_file_draft *draft, bool keep_previous);
/* Removes the temporary file; does nothing after a commit. */
void oct_file_abandon(oct_file_draft *draft);

/* Writes a file in one go, as above. */
oct_status oct_file_write(const char *path, const void *data, size_t bytes, bool keep_previous);

/* Flushes what was renamed in a folder. */
oct_status oct_file_sync_folder(const char *folder);
/* The name of the one before: PATH.prev. */
oct_status oct_file_previous(char **out, const char *path);
/* Whether the path ends so, as in ".csv". */
bool oct_file_ends(const char *path, const char *ending);

#endif
