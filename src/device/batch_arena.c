/* The memory of a batch: one buffer, since a row of a table holds places in it and OpenCL 1.2 has
 * no addresses. Pieces are found first fit. */
#include <stdlib.h>
#include <string.h>

#include "device/batch_parts.h"

enum { ALIGNED = 256, FIRST_MIB = 16 };

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* Makes room for one more piece at an index. */
static oct_status insert(oct_arena *arena, size_t index, oct_piece piece)
{
    OCT_TRY(oct_realloc(&arena->pieces, arena->n + 1, sizeof *arena->pieces, "memory of a batch"));
    memmove(&arena->pieces[index + 1], &arena->pieces[index],
            (arena->n - index) * sizeof *arena->pieces);
    arena->pieces[index] = piece;
    arena->n++;
    return OCT_STATUS_OK;
}

/* Pieces of nobody that are neighbours become one. */
static void join_free(oct_arena *arena)
{
    size_t kept = 0;
    for (size_t i = 0; i < arena->n; i++) {
        oct_piece *last = kept > 0 ? &arena->pieces[kept - 1] : NULL;
        if (last && !last->owner && !arena->pieces[i].owner)
            last->bytes += arena->pieces[i].bytes;
        else
            arena->pieces[kept++] = arena->pieces[i];
    }
    arena->n = kept;
}

/* At least doubles the memory; places stay what they are. */
static oct_status grow(oct_arena *arena, uint64_t more, const char *name)
{
    const oct_device_info *info = &arena->device->info;
    uint64_t most = info->max_buffer < OCT_BATCH_BYTES ? info->max_buffer : OCT_BATCH_BYTES;
    uint64_t first = (uint64_t)FIRST_MIB << 20, bytes = 2 * arena->bytes;
    bytes = bytes < first ? first : bytes;
    while (bytes < arena->bytes + more && bytes < most)
        bytes *= 2;
    bytes = (bytes < most ? bytes : most) / ALIGNED * ALIGNED;
    OCT_CHECK(bytes >= arena->bytes + more, OCT_STATUS_SPACE,
              "buffer '%s' needs %llu bytes, but members of a batch share %llu on device '%s': run "
              "fewer at a time",
              name, (unsigned long long)more, (unsigned long long)most, info->name);
    cl_int code;
    cl_mem memory = clCreateBuffer(arena->device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    OCT_CL_CREATED(code, "clCreateBuffer", "the memory of a batch of %llu bytes",
                   (unsigned long long)bytes);
    oct_status status =
        insert(arena, arena->n, (oct_piece){.at = arena->bytes, .bytes = bytes - arena->bytes});
    if (status == OCT_STATUS_OK && arena->memory) {
        code = clEnqueueCopyBuffer(arena->device->queue, arena->memory, memory, 0, 0, arena->bytes,
                                   0, NULL, NULL);
        if (code != CL_SUCCESS) {
            arena->n--;
            status = oct_cl_fail(code, "clEnqueueCopyBuffer", __FILE__, __LINE__,
                                 "the memory of a batch of %llu bytes", (unsigned long long)bytes);
        }
    }
    if (status != OCT_STATUS_OK) {
        clReleaseMemObject(memory);
        return status;
    }
    if (arena->memory)
        clReleaseMemObject(arena->memory);
    arena->memory = memory;
    arena->bytes = bytes;
    join_free(arena);
    return OCT_STATUS_OK;
}

static oct_piece *find_free(const oct_arena *arena, uint64_t bytes)
{
    for (size_t i = 0; i < arena->n; i++)
        if (!arena->pieces[i].owner && arena->pieces[i].bytes >= bytes)
            return &arena->pieces[i];
    return NULL;
}

bool oct_arena_fits(const oct_arena *arena, uint64_t bytes)
{
    return find_free(arena, round_up(bytes)) != NULL;
}

oct_status oct_arena_take(uint64_t *at, oct_arena *arena, const struct oct_mate *owner,
                          uint64_t bytes, const char *name)
{
    bytes = round_up(bytes);
    if (!find_free(arena, bytes))
        OCT_TRY(grow(arena, bytes, name));
    oct_piece *piece = find_free(arena, bytes);
    const oct_piece rest = {.at = piece->at + bytes, .bytes = piece->bytes - bytes};
    size_t index = (size_t)(piece - arena->pieces);
    if (rest.bytes > 0)
        OCT_TRY(insert(arena, index + 1, rest));
    arena->pieces[index] = (oct_piece){.at = rest.at - bytes, .bytes = bytes, .owner = owner};
    *at = arena->pieces[index].at;
    return OCT_STATUS_OK;
}

void oct_arena_give_back(oct_arena *arena, uint64_t at, bool at_once)
{
    for (size_t i = 0; i < arena->n; i++) {
        oct_piece *piece = &arena->pieces[i];
        if (piece->at != at)
            continue;
        piece->given_back = true;
        if (at_once)
            piece->owner = NULL;
    }
    join_free(arena);
}

void oct_arena_settle(oct_arena *arena, const struct oct_mate *owner, bool all)
{
    for (size_t i = 0; i < arena->n; i++)
        if (arena->pieces[i].owner == owner && (all || arena->pieces[i].given_back))
            arena->pieces[i].owner = NULL;
    join_free(arena);
}

void oct_arena_free(oct_arena *arena)
{
    if (arena->memory)
        clReleaseMemObject(arena->memory);
    free(arena->pieces);
}
