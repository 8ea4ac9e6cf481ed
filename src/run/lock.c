/* For F_OFD_SETLK, which POSIX has had since 2024. */
#define _GNU_SOURCE
#include "run/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/text.h"

enum { LONGEST = 512 };

/* 0, or errno. Systems without locks of descriptions get those of processes. */
static int set_lock(int descriptor)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
#ifdef F_OFD_SETLK
    if (fcntl(descriptor, F_OFD_SETLK, &whole) == 0)
        return 0;
    if (errno != EINVAL)
        return errno;
#endif
    return fcntl(descriptor, F_SETLK, &whole) == 0 ? 0 : errno;
}

/* What this process was started as, for people; "" where the system does not say. */
static void command_line(char out[LONGEST])
{
    FILE *file = fopen("/proc/self/cmdline", "rb");
    size_t length = file ? fread(out, 1, LONGEST - 1, file) : 0;
    if (file)
        (void)fclose(file);
    while (length > 0 && out[length - 1] == '\0')
        length--;
    for (size_t i = 0; i < length; i++)
        out[i] = out[i] == '\0' ? ' ' : out[i];
    out[length] = '\0';
}

/* Says in the file who holds it; the lock does not depend on it. */
static void sign(int descriptor)
{
    char host[256] = "", since[32] = "", command[LONGEST], text[2 * LONGEST];
    time_t now = time(NULL);
    struct tm utc;
    (void)gethostname(host, sizeof host - 1);
    if (gmtime_r(&now, &utc))
        strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S UTC", &utc);
    command_line(command);
    int length = snprintf(text, sizeof text, "process %ld on %s since %s: %s\n", (long)getpid(),
                          host, since, command);
    if (length > 0 && ftruncate(descriptor, 0) == 0)
        (void)!pwrite(descriptor, text, (size_t)length, 0);
}

/* Anybody may have written there: one line, and nothing that a terminal would obey. */
static void read_signature(char out[LONGEST], int descriptor)
{
    ssize_t count = pread(descriptor, out, LONGEST - 1, 0);
    out[count > 0 ? count : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
            *c = '?';
    if (!*out)
        strcpy(out, "another process");
}

/* Whether the file still has its name: whoever gives a lock back removes it. */
static bool is_current(int descriptor, const char *path)
{
    struct stat mine, named;
    return fstat(descriptor, &mine) == 0 && stat(path, &named) == 0 &&
           mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

static oct_status take(oct_lock *out, const char *folder, bool *gone)
{
    char holder[LONGEST];
    int descriptor = open(out->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    OCT_CHECK(descriptor >= 0, errno == ENOSPC || errno == EIO ? OCT_STATUS_IO : OCT_STATUS_INPUT,
              "cannot write in the folder %s: %s", folder, strerror(errno));
    int failure = set_lock(descriptor);
    if (failure == EACCES || failure == EAGAIN) {
        read_signature(holder, descriptor);
        (void)close(descriptor);
        return OCT_FAIL(OCT_STATUS_INPUT,
                        "%s is being written by %s; wait for it, or choose another folder", folder,
                        holder);
    }
    out->absent = failure != 0;
    *gone = !is_current(descriptor, out->path);
    if (*gone) {
        (void)close(descriptor);
        return OCT_STATUS_OK;
    }
    sign(descriptor);
    out->descriptor = descriptor;
    return OCT_STATUS_OK;
}

static oct_status name_lock(char **out, const char *folder)
{
    oct_text path = {0};
    oct_text_add(&path, "%s/.octant-lock", folder);
    return oct_text_take(out, &path);
}

bool oct_lock_exists(const char *folder)
{
    char *path = NULL;
    bool exists = name_lock(&path, folder) == OCT_STATUS_OK && access(path, F_OK) == 0;
    free(path);
    return exists;
}

oct_status oct_lock_take(oct_lock *out, const char *folder)
{
    *out = (oct_lock){.descriptor = -1};
    OCT_TRY(name_lock(&out->path, folder));
    oct_status status;
    bool gone = false;
    do
        status = take(out, folder, &gone);
    while (status == OCT_STATUS_OK && gone);
    if (status != OCT_STATUS_OK) {
        free(out->path);
        *out = (oct_lock){0};
    }
    return status;
}

void oct_lock_release(oct_lock *lock)
{
    if (!lock->path)
        return;
    (void)unlink(lock->path); /* while it is held: nobody else has it */
    (void)close(lock->descriptor);
    free(lock->path);
    *lock = (oct_lock){0};
}
