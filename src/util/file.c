/* A file is written beside the one it replaces, synced, and renamed. */
#include "util/file.h"

#include "util/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

oct_status oct_file_open(FILE **out, uint64_t *bytes, const char *path)
{
    *out = NULL;
    /* Without O_NONBLOCK a pipe would keep us waiting for somebody to write into it. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    OCT_CHECK(descriptor >= 0 || errno != ENOENT, OCT_STATUS_MISSING, "there is no file '%s'",
              path);
    OCT_CHECK(descriptor >= 0, OCT_STATUS_INPUT, "cannot read '%s': %s", path, strerror(errno));
    oct_status status = OCT_STATUS_OK;
    struct stat about;
    OCT_CHECK_DONE(fstat(descriptor, &about) == 0, OCT_STATUS_IO, "cannot look at '%s': %s", path,
                   strerror(errno));
    OCT_CHECK_DONE(!S_ISDIR(about.st_mode), OCT_STATUS_INPUT, "'%s' is a folder, not a file", path);
    OCT_CHECK_DONE(S_ISREG(about.st_mode), OCT_STATUS_INPUT, "'%s' is not a regular file", path);
    *out = fdopen(descriptor, "rb");
    OCT_CHECK_DONE(*out, OCT_STATUS_MEMORY, "no memory to read '%s'", path);
    descriptor = -1;
    *bytes = (uint64_t)about.st_size;
done:
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

oct_status oct_file_read(char **out, size_t *bytes, const char *path, uint64_t limit)
{
    FILE *file = NULL;
    char *text = NULL;
    uint64_t size;
    oct_status status;
    OCT_TRY_DONE(oct_file_open(&file, &size, path));
    OCT_CHECK_DONE(size <= limit && size < SIZE_MAX, OCT_STATUS_INPUT,
                   "'%s' is larger than %llu bytes", path, (unsigned long long)limit);
    OCT_TRY_DONE(oct_alloc(&text, (size_t)size + 1, 1, "characters of a file"));
    size_t count = fread(text, 1, (size_t)size, file);
    OCT_CHECK_DONE(!ferror(file), OCT_STATUS_IO, "reading '%s' failed: %s", path, strerror(errno));
    if (bytes)
        *bytes = count;
    *out = text;
    text = NULL;
done:
    free(text);
    if (file)
        fclose(file);
    return status;
}

static oct_status path_with(char **out, const char *path, const char *ending)
{
    oct_text text = {0};
    oct_text_add(&text, "%s%s", path, ending);
    return oct_text_take(out, &text);
}

oct_status oct_file_previous(char **out, const char *path)
{
    return path_with(out, path, ".prev");
}

bool oct_file_ends(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

oct_status oct_file_begin(oct_file_draft *draft, const char *path)
{
    oct_status status;
    struct stat about;
    int descriptor = -1;
    *draft = (oct_file_draft){0};
    OCT_TRY_DONE(oct_text_copy(&draft->path, path));
    OCT_CHECK_DONE(stat(path, &about) != 0 || S_ISREG(about.st_mode), OCT_STATUS_INPUT,
                   "cannot write '%s': something that is not a file has this name", path);
    OCT_TRY_DONE(path_with(&draft->temporary, path, ".tmp"));
    /* One left behind by a crash goes first, so that O_EXCL never follows a link. */
    unlink(draft->temporary);
    descriptor = open(draft->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    OCT_CHECK_DONE(descriptor >= 0,
                   errno == ENOSPC || errno == EIO ? OCT_STATUS_IO : OCT_STATUS_INPUT,
                   "cannot write '%s': %s", path, strerror(errno));
    close(descriptor);
done:
    if (status != OCT_STATUS_OK) {
        free(draft->path);
        free(draft->temporary);
        *draft = (oct_file_draft){0};
    }
    return status;
}

void oct_file_abandon(oct_file_draft *draft)
{
    if (draft->temporary)
        unlink(draft->temporary);
    free(draft->path);
    free(draft->temporary);
    *draft = (oct_file_draft){0};
}

static oct_status sync_path(const char *path, int flags)
{
    int descriptor = open(path, flags | O_CLOEXEC);
    OCT_CHECK(descriptor >= 0, OCT_STATUS_IO, "cannot open '%s' to flush it: %s", path,
              strerror(errno));
    /* Some file systems cannot flush a folder and say EINVAL. */
    bool flushed = fsync(descriptor) == 0 || errno == EINVAL;
    int code = errno;
    close(descriptor);
    OCT_CHECK(flushed, OCT_STATUS_IO, "flushing '%s' to the disk failed: %s", path, strerror(code));
    return OCT_STATUS_OK;
}

oct_status oct_file_sync_folder(const char *folder)
{
    return sync_path(folder, O_RDONLY | O_DIRECTORY);
}

static oct_status sync_folder_of(const char *path)
{
    char *folder = NULL;
    OCT_TRY(oct_text_copy(&folder, path));
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    oct_status status = oct_file_sync_folder(slash ? folder : ".");
    free(folder);
    return status;
}

/* A second name for the file keeps PATH whole at every moment; a file system without hard links
 * gets a rename, after which PATH.prev is the whole one for an instant. */
static oct_status keep_as_previous(const char *path)
{
    if (access(path, F_OK) != 0) {
        OCT_CHECK(errno == ENOENT, OCT_STATUS_IO, "cannot look at '%s': %s", path, strerror(errno));
        return OCT_STATUS_OK;
    }
    char *previous = NULL;
    OCT_TRY(oct_file_previous(&previous, path));
    unlink(previous);
    oct_status status = OCT_STATUS_OK;
    if (link(path, previous) != 0 && rename(path, previous) != 0)
        status = OCT_FAIL(OCT_STATUS_IO, "cannot keep '%s' as '%s': %s", path, previous,
                          strerror(errno));
    free(previous);
    return status;
}

oct_status oct_file_commit(oct_file_draft *draft, bool keep_previous)
{
    oct_status status;
    OCT_TRY_DONE(sync_path(draft->temporary, O_RDONLY));
    if (keep_previous)
        OCT_TRY_DONE(keep_as_previous(draft->path));
    OCT_CHECK_DONE(rename(draft->temporary, draft->path) == 0, OCT_STATUS_IO,
                   "cannot put '%s' in place: %s", draft->path, strerror(errno));
    free(draft->temporary);
    draft->temporary = NULL;
    status = sync_folder_of(draft->path);
done:
    oct_file_abandon(draft);
    return status;
}

oct_status oct_file_write(const char *path, const void *data, size_t bytes, bool keep_previous)
{
    oct_file_draft draft = {0};
    OCT_TRY(oct_file_begin(&draft, path));
    FILE *file = fopen(draft.temporary, "wb");
    bool written = file && fwrite(data, 1, bytes, file) == bytes;
    int code = errno;
    if (file && fclose(file) != 0 && written) {
        written = false;
        code = errno;
    }
    if (!written) {
        oct_file_abandon(&draft);
        return OCT_FAIL(OCT_STATUS_IO, "writing '%s' failed: %s", path, strerror(code));
    }
    return oct_file_commit(&draft, keep_previous);
}
