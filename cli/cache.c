/* nftw belongs to the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700

#include "cache.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static char temporary[PATH_BYTES]; /* "" where none was needed */

/* Whether the folder can be written, or made in the nearest one above it that there is. */
static bool writable(const char *folder)
{
    char path[PATH_BYTES];
    struct stat about;
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash; stat(path, &about) != 0 && errno == ENOENT && (slash = strrchr(path, '/'));)
        *(slash == path ? slash + 1 : slash) = '\0';
    return access(path, W_OK | X_OK) == 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* The folder of caches that the environment names, as the XDG base directories have it; "" for
 * none. */
static void cache_home(char out[PATH_BYTES])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    out[0] = '\0';
    if (cache && cache[0])
        snprintf(out, PATH_BYTES, "%.3000s", cache);
    else if (home && home[0])
        snprintf(out, PATH_BYTES, "%.3000s/.cache", home);
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    (void)remove(path);
    return 0;
}

static void remove_temporary(void)
{
    enum { DESCRIPTORS = 16 };
    (void)nftw(temporary, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

static bool borrow_temporary(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(temporary, sizeof temporary, "%.3000s/octant-cache-XXXXXX",
             place && place[0] == '/' ? place : "/tmp");
    if (!mkdtemp(temporary)) {
        temporary[0] = '\0';
        return false;
    }
    return atexit(remove_temporary) == 0 && setenv("POCL_CACHE_DIR", temporary, 1) == 0;
}

void oct_cache_prepare(bool quiet)
{
    char home[PATH_BYTES], ours[PATH_BYTES + 16], theirs[PATH_BYTES + 16], note[PATH_BYTES + 200];
    const char *pocl = getenv("POCL_CACHE_DIR");
    cache_home(home);
    snprintf(ours, sizeof ours, "%s/octant", home);
    snprintf(theirs, sizeof theirs, "%s/pocl/kcache", home);
    pocl = pocl && pocl[0] ? pocl : theirs;
    /* Without a home PoCL compiles in a folder for temporary files, and Octant keeps nothing. */
    bool kept = home[0] && writable(ours), works = (pocl == theirs && !home[0]) || writable(pocl);
    if (kept && works)
        return;
    snprintf(note, sizeof note,
             "the cache folder %s cannot be written: kernels are compiled and checked anew each "
             "time; %s names another folder",
             !kept ? ours : pocl, !kept || pocl == theirs ? "XDG_CACHE_HOME" : "POCL_CACHE_DIR");
    if (!works)
        (void)borrow_temporary(); /* where there is none either, PoCL has no device */
    if (!quiet && (home[0] || !works))
        oct_print_sentence("note: ", note);
}

oct_status oct_call_device(oct_device **out, const oct_call *call)
{
    oct_cache_prepare(oct_call_option(call, "quiet") != NULL);
    return oct_device_open(out, oct_call_option(call, "device"));
}
