/* Members of a batch: what they list, and how they meet. */
#include "device/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/batch_parts.h"

/* Commands that a member lists before it meets the others, whether it waits for them or not. */
enum { LONGEST_LIST = 1 << 14, LEAST_PATIENCE_NS = 10000000 };

/* Lists that are so many times shorter than the longest go before it, and how often they may. */
enum { MUCH_SHORTER = 8, MOST_PASSED = 64 };

/* `lock` guards all but the lists of members that do not wait. Who is `busy` does the lists of
 * those that wait, without the lock, and has the memory and the queue for that time. */
struct oct_batch {
    oct_device *device;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool busy;
    int64_t patience_ns;
    uint64_t meetings;
    size_t n, n_kernels;
    oct_mate *mates[OCT_BATCH_MEMBERS];
    oct_batch_kernel **kernels;
    oct_arena arena;
    oct_merge merge;
    oct_device *clerk; /* a member that waits for nobody: it has the mail and these */
    oct_kernel *move, *fill;
    uint64_t mail_bytes;
};

/* A guest without a queue of its own. */
static oct_status open_member(oct_device **out, oct_batch *batch)
{
    const oct_device *host = batch->device;
    oct_mate *mate;
    OCT_TRY(oct_alloc(&mate, 1, sizeof *mate, "member of a batch"));
    oct_status status = oct_alloc(out, 1, sizeof **out, "member of a batch");
    if (status != OCT_STATUS_OK) {
        free(mate);
        return status;
    }
    *mate = (oct_mate){.batch = batch, .expected = true};
    (*out)->platform = host->platform;
    (*out)->id = host->id;
    (*out)->context = host->context;
    (*out)->info = host->info;
    (*out)->native = host->native;
    (*out)->programs = host->programs;
    (*out)->guest = true;
    (*out)->mate = mate;
    return OCT_STATUS_OK;
}

static oct_status begin(oct_batch *batch, const oct_device *device)
{
    const oct_build build = {.file = "device_batch.cl", .precision = OCT_PRECISION_SINGLE};
    oct_program *program = NULL;
    OCT_TRY(oct_device_share(&batch->device, device));
    batch->arena.device = batch->merge.device = batch->device;
    OCT_TRY(open_member(&batch->clerk, batch));
    OCT_TRY(oct_program_create(&program, batch->clerk, &build));
    oct_status status = oct_kernel_create(&batch->move, program, "device_batch_move");
    if (status == OCT_STATUS_OK)
        status = oct_kernel_create(&batch->fill, program, "device_batch_fill");
    oct_program_free(program);
    return status;
}

oct_status oct_batch_create(oct_batch **out, const oct_device *device)
{
    oct_batch *batch;
    *out = NULL;
    OCT_TRY(oct_alloc(&batch, 1, sizeof *batch, "batch"));
    pthread_mutex_init(&batch->lock, NULL);
    pthread_cond_init(&batch->changed, NULL);
    batch->patience_ns = LEAST_PATIENCE_NS;
    oct_status status = begin(batch, device);
    if (status != OCT_STATUS_OK) {
        oct_batch_free(batch);
        return status;
    }
    *out = batch;
    return OCT_STATUS_OK;
}

void oct_batch_free(oct_batch *batch)
{
    if (!batch)
        return;
    oct_kernel_free(batch->move);
    oct_kernel_free(batch->fill);
    oct_device_free(batch->clerk);
    for (size_t i = 0; i < batch->n_kernels; i++) {
        clReleaseKernel(batch->kernels[i]->kernel);
        free(batch->kernels[i]);
    }
    free(batch->kernels);
    oct_merge_free(&batch->merge);
    oct_arena_free(&batch->arena);
    oct_device_free(batch->device);
    pthread_mutex_destroy(&batch->lock);
    pthread_cond_destroy(&batch->changed);
    free(batch);
}

oct_device *oct_batch_device(oct_batch *batch)
{
    return batch->device;
}

/* Kernels ----------------------------------------------------------------------------------- */

static oct_batch_kernel *find_kernel(const oct_batch *batch, cl_program program, const char *name)
{
    for (size_t i = 0; i < batch->n_kernels; i++)
        if (batch->kernels[i]->program == program && strcmp(batch->kernels[i]->name, name) == 0)
            return batch->kernels[i];
    return NULL;
}

static oct_status add_kernel(oct_batch_kernel **out, oct_batch *batch, const oct_program *program,
                             const oct_signature *signature)
{
    cl_int code;
    oct_batch_kernel *kernel;
    OCT_TRY(oct_realloc(&batch->kernels, batch->n_kernels + 1, sizeof(oct_batch_kernel *),
                        "kernels of a batch"));
    OCT_TRY(oct_alloc(&kernel, 1, sizeof *kernel, "kernel"));
    *kernel = (oct_batch_kernel){.program = program->built.program,
                                 .words = signature->n + 1,
                                 .same_sizes = program->built.same_sizes};
    snprintf(kernel->name, sizeof kernel->name, "%s", signature->name);
    kernel->kernel = clCreateKernel(program->built.program, kernel->name, &code);
    if (code != CL_SUCCESS) {
        free(kernel);
        return oct_cl_fail(code, "clCreateKernel", __FILE__, __LINE__, "kernel '%s' of %s",
                           signature->name, program->file);
    }
    *out = batch->kernels[batch->n_kernels++] = kernel;
    return OCT_STATUS_OK;
}

oct_status oct_batch_find_kernel(oct_batch_kernel **out, oct_mate *mate, const oct_program *program,
                                 const oct_signature *signature)
{
    oct_batch *batch = mate->batch;
    pthread_mutex_lock(&batch->lock);
    *out = find_kernel(batch, program->built.program, signature->name);
    oct_status status = *out ? OCT_STATUS_OK : add_kernel(out, batch, program, signature);
    pthread_mutex_unlock(&batch->lock);
    return status;
}

/* Meeting ----------------------------------------------------------------------------------- */

/* Whether all have come who did not miss the last meeting. */
static bool all_are_here(const oct_batch *batch)
{
    for (size_t i = 0; i < batch->n; i++)
        if (batch->mates[i]->expected && !batch->mates[i]->waits)
            return false;
    return true;
}

/* Makes the mail as large as what is written and read now. */
static oct_status make_mail(oct_batch *batch, size_t bytes)
{
    oct_merge *merge = &batch->merge;
    if (bytes <= batch->mail_bytes)
        return OCT_STATUS_OK;
    if (batch->mail_bytes > 0)
        oct_arena_give_back(&batch->arena, merge->mail_at, true);
    batch->mail_bytes = 0;
    OCT_TRY(oct_arena_take(&merge->mail_at, &batch->arena, batch->clerk->mate, bytes, "mail"));
    batch->mail_bytes = bytes;
    return OCT_STATUS_OK;
}

/* The length from which on lists are left for a later meeting. Who measures lists little at a time,
 * who makes steps much: members that are out of step would take as long as if each was alone. So
 * those with little go first, until all have much. */
static size_t left_from(const oct_batch *batch)
{
    size_t longest = 0, shortest = SIZE_MAX;
    uint32_t passed = 0;
    for (size_t i = 0; i < batch->n; i++) {
        const oct_mate *mate = batch->mates[i];
        if (!mate->waits)
            continue;
        longest = mate->list.n > longest ? mate->list.n : longest;
        shortest = mate->list.n < shortest ? mate->list.n : shortest;
        passed = mate->passed > passed ? mate->passed : passed;
    }
    return shortest < longest / MUCH_SHORTER && passed < MOST_PASSED ? longest / MUCH_SHORTER
                                                                     : SIZE_MAX;
}

/* Does lists of those who wait; called with the lock held, which is given up meanwhile. Who has not
 * come is not waited for again before it has. */
static void do_lists(oct_batch *batch)
{
    oct_mate *here[OCT_BATCH_MEMBERS];
    oct_command_list *lists[OCT_BATCH_MEMBERS];
    oct_error error;
    size_t n = 0, left = left_from(batch);
    for (size_t i = 0; i < batch->n; i++) {
        oct_mate *mate = batch->mates[i];
        bool goes = mate->waits && mate->list.n < left;
        mate->expected = mate->waits;
        mate->passed = mate->waits && !goes ? mate->passed + 1 : 0;
        if (goes) {
            here[n] = mate;
            lists[n++] = &mate->list;
        }
    }
    oct_status status = make_mail(batch, oct_merge_mail(lists, n));
    batch->busy = true;
    batch->merge.memory = batch->arena.memory;
    pthread_mutex_unlock(&batch->lock);
    int64_t start = oct_profile_clock();
    if (status == OCT_STATUS_OK)
        status = oct_merge_run(&batch->merge, lists, n);
    if (status != OCT_STATUS_OK)
        oct_error_save(&error);
    int64_t took = oct_profile_clock() - start;
    pthread_mutex_lock(&batch->lock);
    batch->busy = false;
    batch->meetings++;
    /* The longest of late, since a short list may follow long ones. */
    int64_t patience_ns = batch->patience_ns - batch->patience_ns / 4;
    patience_ns = took > patience_ns ? took : patience_ns;
    batch->patience_ns = patience_ns > LEAST_PATIENCE_NS ? patience_ns : LEAST_PATIENCE_NS;
    for (size_t i = 0; i < n; i++) {
        oct_list_clear(&here[i]->list);
        oct_arena_settle(&batch->arena, here[i], false);
        here[i]->waits = false;
        here[i]->status = status;
        if (status != OCT_STATUS_OK)
            here[i]->error = error;
    }
    pthread_cond_broadcast(&batch->changed);
}

static struct timespec patience_ends(const oct_batch *batch)
{
    const int64_t second_ns = 1000000000;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    int64_t ns = until.tv_nsec + batch->patience_ns;
    until.tv_sec += (time_t)(ns / second_ns);
    until.tv_nsec = (long)(ns % second_ns);
    return until;
}

/* Waits for the others, but no longer than lists took of late: who writes files or makes bodies
 * comes to a later meeting. Who was left out of one waits anew. */
oct_status oct_mate_wait(oct_mate *mate)
{
    oct_batch *batch = mate->batch;
    if (mate->list.n == 0)
        return OCT_STATUS_OK;
    pthread_mutex_lock(&batch->lock);
    mate->waits = true;
    struct timespec until = patience_ends(batch);
    uint64_t meetings = batch->meetings;
    for (bool late = false; mate->waits;) {
        if (meetings != batch->meetings) {
            meetings = batch->meetings;
            until = patience_ends(batch);
            late = false;
        }
        if (!batch->busy && (late || all_are_here(batch)))
            do_lists(batch);
        else if (late)
            pthread_cond_wait(&batch->changed, &batch->lock);
        else
            late = pthread_cond_timedwait(&batch->changed, &batch->lock, &until) != 0;
    }
    oct_status status = mate->status;
    pthread_mutex_unlock(&batch->lock);
    if (status != OCT_STATUS_OK)
        oct_error_restore(&mate->error);
    return status;
}

/* Members ----------------------------------------------------------------------------------- */

oct_status oct_batch_join(oct_device **out, oct_batch *batch)
{
    OCT_TRY(open_member(out, batch));
    pthread_mutex_lock(&batch->lock);
    bool room = batch->n < OCT_BATCH_MEMBERS;
    if (room)
        batch->mates[batch->n++] = (*out)->mate;
    pthread_mutex_unlock(&batch->lock);
    if (room)
        return OCT_STATUS_OK;
    oct_device_free(*out);
    *out = NULL;
    return OCT_FAIL(OCT_STATUS_SPACE, "a batch has room for %d members", OCT_BATCH_MEMBERS);
}

void oct_mate_leave(oct_mate *mate)
{
    oct_batch *batch = mate->batch;
    size_t kept = 0;
    pthread_mutex_lock(&batch->lock);
    for (size_t i = 0; i < batch->n; i++)
        if (batch->mates[i] != mate)
            batch->mates[kept++] = batch->mates[i];
    batch->n = kept;
    oct_arena_settle(&batch->arena, mate, true);
    /* Perhaps it was the one whom all others wait for. */
    pthread_cond_broadcast(&batch->changed);
    pthread_mutex_unlock(&batch->lock);
    oct_list_free(&mate->list);
    free(mate);
}

oct_status oct_mate_take(uint64_t *at, oct_mate *mate, uint64_t bytes, const char *name)
{
    oct_batch *batch = mate->batch;
    pthread_mutex_lock(&batch->lock);
    while (batch->busy && !oct_arena_fits(&batch->arena, bytes))
        pthread_cond_wait(&batch->changed, &batch->lock);
    oct_status status = oct_arena_take(at, &batch->arena, mate, bytes, name);
    pthread_mutex_unlock(&batch->lock);
    return status;
}

void oct_mate_give_back(oct_mate *mate, uint64_t at)
{
    oct_batch *batch = mate->batch;
    pthread_mutex_lock(&batch->lock);
    oct_arena_give_back(&batch->arena, at, mate->list.n == 0);
    pthread_mutex_unlock(&batch->lock);
}

/* Adds a command with its row, and room for what follows it; a list that is long enough is done
 * before. */
static oct_status add(uint64_t **row, oct_mate *mate, const oct_command *command, size_t more)
{
    oct_command_list *list = &mate->list;
    if (list->n >= LONGEST_LIST)
        OCT_TRY(oct_mate_wait(mate));
    OCT_TRY(oct_list_add(list, command, command->kernel->words + more));
    *row = list->words + list->commands[list->n - 1].word;
    (*row)[0] = command->groups;
    return OCT_STATUS_OK;
}

oct_status oct_mate_launch(uint64_t **arguments, oct_mate *mate, oct_batch_kernel *kernel,
                           size_t groups, size_t group)
{
    const oct_command command = {.kernel = kernel, .groups = groups, .group = group};
    uint64_t *row;
    OCT_TRY(add(&row, mate, &command, 0));
    *arguments = row + 1;
    return OCT_STATUS_OK;
}

/* A launch that goes through so many bytes. */
static oct_command transfer(oct_command_kind kind, const oct_kernel *kernel, uint64_t bytes)
{
    enum { GROUP = 128, BYTES_OF_GROUP = 4096, MOST_GROUPS = 64 };
    size_t groups = (size_t)(bytes / BYTES_OF_GROUP + 1);
    return (oct_command){.kind = kind,
                         .kernel = kernel->shared,
                         .group = GROUP,
                         .groups = groups < MOST_GROUPS ? groups : MOST_GROUPS,
                         .bytes = (size_t)bytes};
}

oct_status oct_mate_write(oct_mate *mate, uint64_t to, const void *data, uint64_t bytes)
{
    const oct_command command = transfer(OCT_COMMAND_WRITE, mate->batch->move, bytes);
    uint64_t *row;
    OCT_TRY(add(&row, mate, &command, (size_t)(bytes + 7) / 8));
    row[1] = to;
    row[3] = bytes;
    memcpy(row + command.kernel->words, data, bytes);
    return OCT_STATUS_OK;
}

oct_status oct_mate_read(oct_mate *mate, void *out, uint64_t from, uint64_t bytes)
{
    oct_command command = transfer(OCT_COMMAND_READ, mate->batch->move, bytes);
    uint64_t *row;
    command.out = out;
    OCT_TRY(add(&row, mate, &command, 0));
    row[2] = from;
    row[3] = bytes;
    return oct_mate_wait(mate);
}

oct_status oct_mate_copy(oct_mate *mate, uint64_t to, uint64_t from, uint64_t bytes)
{
    const oct_command command = transfer(OCT_COMMAND_LAUNCH, mate->batch->move, bytes);
    uint64_t *row;
    OCT_TRY(add(&row, mate, &command, 0));
    row[1] = to;
    row[2] = from;
    row[3] = bytes;
    return OCT_STATUS_OK;
}

oct_status oct_mate_fill(oct_mate *mate, uint64_t to, unsigned char byte, uint64_t bytes)
{
    const oct_command command = transfer(OCT_COMMAND_LAUNCH, mate->batch->fill, bytes);
    uint64_t *row;
    OCT_TRY(add(&row, mate, &command, 0));
    row[1] = to;
    row[2] = byte;
    row[3] = bytes;
    return OCT_STATUS_OK;
}
