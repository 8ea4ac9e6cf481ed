/* Parts of checkpoints: written a rank each, read as far as somebody wants their rows. */
#include "io/checkpoint_parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/owners.h"

enum { PATH_BYTES = 4096 };
static const char kind_of_part[] = "part", group[] = "Checkpoint";

/* The length of the folder that a path begins with, and the slash. */
static int folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash + 1 - path) : 0;
}

static void beside(char out[PATH_BYTES], const char *path, const char *file)
{
    snprintf(out, PATH_BYTES, "%.*s%s", folder_of(path), path, file);
}

static oct_status write_rows(const oct_h5 *h5, void *context)
{
    OCT_TRY(oct_h5_add_group(h5, group));
    return oct_checkpoint_add_arrays(h5, context, OCT_CHECKPOINT_ROWS);
}

static oct_status save(oct_checkpoint_part *out, const oct_state *own, const char *path)
{
    char file[PATH_BYTES];
    oct_state copy = *own; /* the writer's context is not const */
    beside(file, path, out->file);
    OCT_TRY(oct_h5_save(file, kind_of_part, own->run, write_rows, &copy));
    return oct_seal_hash(out->hash, file);
}

oct_status oct_checkpoint_write_part(oct_checkpoint_part *out, const oct_state *own,
                                     const char *path, oct_checkpoint_share share)
{
    const oct_state_array *ids = oct_state_find(own, "id");
    const char *base = path + folder_of(path);
    char file[PATH_BYTES], hash[OCT_SEAL_HASH];
    *out = (oct_checkpoint_part){.rows = ids ? ids->count : 0};
    OCT_CHECK(strlen(base) + 64 < sizeof out->file && strlen(path) + 64 < PATH_BYTES,
              OCT_STATUS_INPUT, "the name of '%s' is too long", path);
    int length =
        snprintf(out->file, sizeof out->file, "%s.part-%llu-%uof%u", base,
                 (unsigned long long)own->clock.step, (unsigned)share.rank, (unsigned)share.size);
    beside(file, path, out->file);
    if (access(file, F_OK) != 0)
        return save(out, own, path);
    /* The same step may have come another way: what the checkpoint needs that is there stays. */
    out->file[length] = 'b';
    OCT_TRY(save(out, own, path));
    if (oct_seal_hash(hash, file) != OCT_STATUS_OK || strcmp(hash, out->hash) != 0)
        return OCT_STATUS_OK;
    beside(file, path, out->file);
    out->file[length] = '\0';
    OCT_CHECK(unlink(file) == 0, OCT_STATUS_IO, "cannot remove '%s': %s", file, strerror(errno));
    return OCT_STATUS_OK;
}

oct_status oct_checkpoint_list_parts(oct_checkpoint_part **out, uint32_t *n, const oct_h5 *h5)
{
    char object[64];
    size_t count;
    for (*n = 0;; ++*n) {
        snprintf(object, sizeof object, "Checkpoint/Part%u", (unsigned)*n);
        if (!oct_h5_has(h5, object))
            return OCT_STATUS_OK;
        OCT_TRY(oct_realloc(out, *n + 1, sizeof **out, "parts of a file"));
        oct_checkpoint_part *part = *out + *n;
        *part = (oct_checkpoint_part){.rows = 0};
        OCT_TRY(oct_h5_get_text(part->file, sizeof part->file, h5, object, "File"));
        OCT_TRY(oct_h5_get_text(part->hash, sizeof part->hash, h5, object, "Hash"));
        OCT_TRY(oct_h5_get_numbers(&part->rows, &count, h5, object, "Rows", H5T_NATIVE_UINT64, 1));
        OCT_CHECK(part->file[0] && !strchr(part->file, '/') && part->rows < INT32_MAX,
                  OCT_STATUS_INPUT, "'%s': %s names no file beside it", h5->path, object);
    }
}

/* Rows of a part, and where they go among those that are read. */
typedef struct piece {
    oct_state *state;
    size_t first, count, to, all;
} piece;

static oct_status find_array(oct_state_array **out, oct_state *state, const char *name,
                             size_t element, size_t count)
{
    for (uint64_t i = 0; i < state->n_arrays; i++) {
        *out = &state->arrays[i];
        if (strcmp((*out)->name, name) == 0)
            return OCT_STATUS_OK;
    }
    OCT_CHECK(state->n_arrays < OCT_STATE_ARRAYS, OCT_STATUS_INPUT,
              "the parts have more than %d arrays", OCT_STATE_ARRAYS);
    *out = &state->arrays[state->n_arrays++];
    **out = (oct_state_array){.element = element, .count = count, .rows = true};
    snprintf((*out)->name, sizeof(*out)->name, "%s", name);
    return oct_alloc(&(*out)->data, count, element, name);
}

static oct_status read_piece(const oct_h5 *h5, void *context)
{
    const piece *p = context;
    for (size_t i = 0;; i++) {
        char object[64], name[32];
        size_t rows, element;
        oct_state_array *array;
        snprintf(object, sizeof object, "Checkpoint/Array%zu", i);
        if (!oct_h5_has(h5, object))
            return OCT_STATUS_OK;
        OCT_TRY(oct_h5_get_text(name, sizeof name, h5, object, "Name"));
        OCT_TRY(oct_h5_shape(&rows, &element, h5, object));
        OCT_CHECK(name[0] && element > 0 && element <= OCT_CHECKPOINT_ELEMENT, OCT_STATUS_INPUT,
                  "'%s': %s is no array of a state", h5->path, object);
        OCT_TRY(find_array(&array, p->state, name, element, p->all));
        OCT_CHECK(array->rows && array->element == element && array->count == p->all,
                  OCT_STATUS_INPUT, "'%s': %s is not as in the other parts", h5->path, object);
        OCT_TRY(oct_h5_get_rows((char *)array->data + p->to * element, h5, object, H5T_NATIVE_UINT8,
                                (oct_h5_rows){p->first, p->count}, element));
    }
}

static oct_status check_part(const char *file, const oct_checkpoint_part *part, const char *path)
{
    char kind[16], hash[OCT_SEAL_HASH];
    OCT_TRY(oct_seal_check(kind, file));
    OCT_TRY(oct_seal_hash(hash, file));
    OCT_CHECK(strcmp(kind, kind_of_part) == 0 && strcmp(hash, part->hash) == 0, OCT_STATUS_INPUT,
              "'%s' is not the part of '%s' that it was", file, path);
    return OCT_STATUS_OK;
}

oct_status oct_checkpoint_read_rows(oct_state *state, const char *path,
                                    const oct_checkpoint_part *parts, uint32_t n,
                                    oct_checkpoint_share share)
{
    uint64_t all = 0, at = 0, first, end;
    for (uint32_t p = 0; p < n; p++)
        all += parts[p].rows;
    first = all * share.rank / share.size;
    end = all * (share.rank + 1) / share.size;
    state->own = share.size > 1;
    state->as_saved = share.size == n;
    state->n_all = all;
    for (uint32_t p = 0; p < n && state->as_saved; at += parts[p++].rows)
        if (p == share.rank) {
            first = at;
            end = at + parts[p].rows;
        }
    at = 0;
    for (uint32_t p = 0; p < n; at += parts[p++].rows) {
        char file[PATH_BYTES];
        uint64_t from = first > at ? first : at;
        uint64_t to = end < at + parts[p].rows ? end : at + parts[p].rows;
        piece some = {state, (size_t)(from - at), (size_t)(to - from), (size_t)(from - first),
                      (size_t)(end - first)};
        if (from >= to)
            continue;
        beside(file, path, parts[p].file);
        OCT_TRY(check_part(file, &parts[p], path));
        OCT_TRY(oct_h5_load(file, read_piece, &some));
    }
    return state->own ? OCT_STATUS_OK : oct_owners_settle(state);
}

/* The parts of two checkpoints. */
typedef struct needed {
    oct_checkpoint_part *parts;
    uint32_t n;
} needed;

static oct_status read_parts(const oct_h5 *h5, void *context)
{
    needed *parts = context;
    return oct_checkpoint_list_parts(&parts->parts, &parts->n, h5);
}

static bool is_needed(const needed *of, const char *file)
{
    for (uint32_t p = 0; p < of->n; p++)
        if (strcmp(of->parts[p].file, file) == 0)
            return true;
    return false;
}

static oct_status remove_others(const needed of[2], const char *path)
{
    char folder[PATH_BYTES], prefix[PATH_BYTES], file[PATH_BYTES];
    oct_status status = OCT_STATUS_OK;
    snprintf(folder, sizeof folder, "%.*s.", folder_of(path), path);
    snprintf(prefix, sizeof prefix, "%s.part-", path + folder_of(path));
    DIR *entries = opendir(folder);
    OCT_CHECK(entries, OCT_STATUS_IO, "cannot look into the folder %s: %s", folder,
              strerror(errno));
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const char *name = entry->d_name;
        if (strncmp(name, prefix, strlen(prefix)) != 0 || is_needed(&of[0], name) ||
            is_needed(&of[1], name))
            continue;
        beside(file, path, name);
        OCT_CHECK_DONE(unlink(file) == 0 || errno == ENOENT, OCT_STATUS_IO, "cannot remove %s: %s",
                       file, strerror(errno));
    }
done:
    (void)closedir(entries);
    return status;
}

oct_status oct_checkpoint_sweep(const char *path)
{
    needed of[2] = {{0}};
    char previous[PATH_BYTES];
    oct_status status = OCT_STATUS_OK;
    snprintf(previous, sizeof previous, "%s.prev", path);
    const char *const files[] = {path, previous};
    /* One that cannot be read may yet be mended: nothing goes then. */
    for (int k = 0; k < 2 && status == OCT_STATUS_OK; k++)
        if (access(files[k], F_OK) == 0)
            status = oct_h5_load(files[k], read_parts, &of[k]);
    if (status == OCT_STATUS_OK)
        status = remove_others(of, path);
    free(of[0].parts);
    free(of[1].parts);
    return status;
}
