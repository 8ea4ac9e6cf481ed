/* Makes the folder on first use, and removes it at exit. */
#include "scratch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NAMES = 8 };

static char folder[] = "/tmp/octant-fuzz-XXXXXX";
static char paths[MOST_NAMES][128];

static void forget(void)
{
    for (int i = 0; i < MOST_NAMES && paths[i][0]; i++)
        (void)unlink(paths[i]);
    (void)rmdir(folder);
}

static void begin(void)
{
    static int begun;
    if (!begun && (!mkdtemp(folder) || atexit(forget) != 0))
        abort();
    begun = 1;
}

const char *scratch_path(const char *name)
{
    begin();
    char wanted[128];
    snprintf(wanted, sizeof wanted, "%s/%s", folder, name);
    int i = 0;
    while (i < MOST_NAMES && paths[i][0] && strcmp(paths[i], wanted) != 0)
        i++;
    if (i == MOST_NAMES)
        abort();
    memcpy(paths[i], wanted, sizeof wanted);
    return paths[i];
}

const char *scratch_write(const char *name, const void *data, size_t bytes)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0)
        abort();
    return path;
}

void scratch_keep_handlers(void)
{
    static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    enum { CRASHES = sizeof crashes / sizeof crashes[0] };
    static struct sigaction first[CRASHES];
    static int known;
    for (int i = 0; i < CRASHES; i++)
        if (sigaction(crashes[i], known ? &first[i] : NULL, known ? NULL : &first[i]) != 0)
            abort();
    known = 1;
}
