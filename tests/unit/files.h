/* Files for tests: a scratch folder, whole-file reading and patching, and sample bodies. */
#ifndef OCT_TESTS_FILES_H
#define OCT_TESTS_FILES_H

#include "octant/octant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch[64];

static inline int scratch_make(void **state)
{
    (void)state;
    strcpy(scratch, "scratch-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static inline void scratch_path(char out[128], const char *name)
{
    snprintf(out, 128, "%s/%s", scratch, name);
}

/* How many entries the scratch folder has. */
static inline size_t scratch_count(void)
{
    size_t count = 0;
    DIR *folder = opendir(scratch);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static inline int scratch_remove(void **state)
{
    (void)state;
    DIR *folder = opendir(scratch);
    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", scratch, entry->d_name);
        if (entry->d_name[0] != '.' && unlink(path) != 0)
            rmdir(path);
    }
    closedir(folder);
    return rmdir(scratch);
}

static inline size_t slurp(char **out, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size_t bytes = (size_t)ftell(file);
    rewind(file);
    *out = malloc(bytes + 1);
    assert_non_null(*out);
    assert_int_equal(fread(*out, 1, bytes, file), bytes);
    (*out)[bytes] = '\0';
    fclose(file);
    return bytes;
}

static inline void spill(const char *path, const char *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

/* Flips one bit of one byte. */
static inline void flip(const char *path, size_t offset, unsigned bit)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, (long)offset, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, (long)offset, SEEK_SET);
    fputc(byte ^ (1 << bit), file);
    assert_int_equal(fclose(file), 0);
}

/* Bodies whose numbers have all their bits set somehow, of the types given in turn; those of
 * several types spin. */
static inline void sample_bodies(oct_bodies *out, size_t n, const char *types)
{
    uint64_t seed = 1;
    assert_int_equal(oct_bodies_resize(out, n), OCT_STATUS_OK);
    double *columns[] = {out->position, out->velocity,  out->mass,
                         out->radius,   out->potential, out->spin};
    for (size_t c = 0; c < (strlen(types) > 1 ? 6 : 5); c++)
        for (size_t i = 0; i < n * (c < 2 || c == 5 ? 3 : 1); i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            columns[c][i] = (double)(seed >> 11) / 9007199254740992.0 - (c < 2 ? 0.5 : 0);
        }
    for (size_t i = 0; i < n; i++) {
        out->id[i] = 1000 + 7 * i;
        out->type[i] = (uint8_t)(types[i % strlen(types)] - '0');
    }
}

static inline void assert_same_bodies(const oct_bodies *a, const oct_bodies *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->position, b->position, a->n * 3 * sizeof(double));
    assert_memory_equal(a->velocity, b->velocity, a->n * 3 * sizeof(double));
    assert_memory_equal(a->spin, b->spin, a->n * 3 * sizeof(double));
    assert_memory_equal(a->mass, b->mass, a->n * sizeof(double));
    assert_memory_equal(a->radius, b->radius, a->n * sizeof(double));
    assert_memory_equal(a->id, b->id, a->n * sizeof(uint64_t));
    assert_memory_equal(a->type, b->type, a->n);
}

/* The last call was refused with one sentence that has both words in it. */
static inline void assert_refused(oct_status status, const char *word, const char *other)
{
    const char *sentence = oct_last_error();
    if (status <= OCT_STATUS_OK || !strstr(sentence, word) || !strstr(sentence, other) ||
        strchr(sentence, '\n'))
        fail_msg("status %d, \"%s\" should name \"%s\" and \"%s\"", status, sentence, word, other);
}

#endif
