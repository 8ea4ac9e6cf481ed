/* One descriptor reads, adds and locks: a process that closes another one of the same file would
 * lose its locks. */
#include "selftest/selftest_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "util/file.h"
#include "util/text.h"

enum { MOST_BYTES = 1 << 24 };

oct_status oct_selftest_record_read(oct_selftest_record *out, oct_device *device)
{
    char fingerprint[33], name[64];
    *out = (oct_selftest_record){.device = device, .file = -1};
    OCT_TRY(oct_device_fingerprint(fingerprint, device, NULL));
    snprintf(name, sizeof name, "%s.passed", fingerprint);
    oct_cache_path(out->path, sizeof out->path, name);
    if (out->path[0] && access(out->path, R_OK) == 0)
        OCT_TRY(oct_file_read(&out->passed, NULL, out->path, MOST_BYTES));
    return OCT_STATUS_OK;
}

void oct_selftest_record_clear(oct_selftest_record *record)
{
    if (record->file >= 0)
        close(record->file);
    oct_text_free(record->passed);
}

bool oct_selftest_record_has(const oct_selftest_record *record, const char *part)
{
    size_t length = strlen(part);
    /* Where there is a file it decides: it may have been removed on purpose. */
    if (!record->path[0] && oct_device_recalls(record->device, part))
        return true;
    for (const char *line = record->passed; line && *line;) {
        const char *end = strchr(line, '\n');
        if (end && (size_t)(end - line) == length && memcmp(line, part, length) == 0)
            return true;
        line = end ? end + 1 : NULL;
    }
    return false;
}

void oct_selftest_record_open(oct_selftest_record *record)
{
    if (record->path[0])
        record->file = open(record->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

void oct_selftest_record_refresh(oct_selftest_record *record)
{
    struct stat about;
    char *text;
    if (record->file < 0 || fstat(record->file, &about) != 0 || about.st_size > MOST_BYTES ||
        (text = calloc((size_t)about.st_size + 1, 1)) == NULL)
        return;
    if (pread(record->file, text, (size_t)about.st_size, 0) != about.st_size) {
        free(text);
        return;
    }
    oct_text_free(record->passed);
    record->passed = text;
}

/* One line is one write, so that several processes may add theirs. */
void oct_selftest_record_add(oct_selftest_record *record, const char *part)
{
    char line[128];
    int length = snprintf(line, sizeof line, "%s\n", part);
    oct_device_note(record->device, part);
    if (record->file >= 0)
        (void)!write(record->file, line, (size_t)length);
}

/* A part is a byte of the file, by its name, whether the file is that long or not. */
static int set_lock(const oct_selftest_record *record, const char *part, short kind)
{
    struct flock byte = {.l_type = kind,
                         .l_whence = SEEK_SET,
                         .l_start = (off_t)(XXH3_64bits(part, strlen(part)) & 0x3fffffff),
                         .l_len = 1};
    return fcntl(record->file, F_SETLK, &byte) == 0 ? 0 : errno;
}

bool oct_selftest_record_lock(oct_selftest_record *record, const char *part)
{
    int code = record->file >= 0 ? set_lock(record, part, F_WRLCK) : 0;
    return code != EAGAIN && code != EACCES;
}

void oct_selftest_record_unlock(oct_selftest_record *record, const char *part)
{
    if (record->file >= 0)
        (void)set_lock(record, part, F_UNLCK);
}
