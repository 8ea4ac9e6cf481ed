/* Compiled programs under $XDG_CACHE_HOME/octant. A cache is a convenience: whatever goes wrong
 * here is silently the same as an empty cache. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "device/cl.h"

typedef struct cache_head {
    char magic[8];
    uint64_t bytes, hash;
} cache_head;

static const char magic[8] = "octant1";

static bool make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

void oct_cache_path(char *out, size_t bytes, const char *file)
{
    char base[3072], folder[3200];
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    out[0] = '\0';
    if (cache && cache[0] == '/')
        snprintf(base, sizeof base, "%.3000s", cache);
    else if (home && home[0] == '/')
        snprintf(base, sizeof base, "%.3000s/.cache", home);
    else
        return;
    snprintf(folder, sizeof folder, "%s/octant", base);
    if (make_folder(base) && make_folder(folder))
        snprintf(out, bytes, "%s/%s", folder, file);
}

void oct_cache_read(unsigned char **out, size_t *bytes, const char *key)
{
    char path[4096];
    cache_head head;
    *out = NULL;
    oct_cache_path(path, sizeof path, key);
    FILE *file = path[0] ? fopen(path, "rb") : NULL;
    if (!file)
        return;
    unsigned char *data = NULL;
    bool good = fread(&head, sizeof head, 1, file) == 1 &&
                memcmp(head.magic, magic, sizeof magic) == 0 && head.bytes > 0 &&
                head.bytes < (uint64_t)1 << 30 && (data = malloc(head.bytes)) != NULL &&
                fread(data, 1, head.bytes, file) == head.bytes &&
                XXH3_64bits(data, head.bytes) == head.hash;
    fclose(file);
    if (!good) {
        free(data);
        return;
    }
    *out = data;
    *bytes = head.bytes;
}

void oct_cache_write(const unsigned char *binary, size_t bytes, const char *key)
{
    char path[4096], temporary[4128];
    cache_head head = {.bytes = bytes, .hash = XXH3_64bits(binary, bytes)};
    memcpy(head.magic, magic, sizeof magic);
    oct_cache_path(path, sizeof path, key);
    if (!path[0])
        return;
    /* No other process has this number now, and no other thread this address. */
    snprintf(temporary, sizeof temporary, "%s.%ld.%lx", path, (long)getpid(),
             (unsigned long)(uintptr_t)&head);
    FILE *file = fopen(temporary, "wb");
    if (!file)
        return;
    bool good = fwrite(&head, sizeof head, 1, file) == 1 && fwrite(binary, 1, bytes, file) == bytes;
    if (fclose(file) != 0 || !good || rename(temporary, path) != 0)
        remove(temporary);
}
