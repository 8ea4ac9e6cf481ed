/* Lists of members become launches of all of them. Whatever is at the head of several lists is done
 * at once; the longest list goes first, so that lists whose ends are alike fall into step. */
#include <stdlib.h>
#include <string.h>

#include "device/batch_parts.h"
#include "device/gate.h"

static oct_status make_room(void *inout, size_t *capacity, size_t n, size_t size)
{
    if (n <= *capacity)
        return OCT_STATUS_OK;
    OCT_TRY(oct_realloc(inout, 2 * n, size, "commands of a batch"));
    *capacity = 2 * n;
    return OCT_STATUS_OK;
}

oct_status oct_list_add(oct_command_list *list, const oct_command *command, size_t words)
{
    OCT_TRY(make_room(&list->commands, &list->capacity, list->n + 1, sizeof *list->commands));
    OCT_TRY(make_room(&list->words, &list->most_words, list->n_words + words, sizeof *list->words));
    list->commands[list->n] = *command;
    list->commands[list->n++].word = list->n_words;
    list->n_words += words;
    return OCT_STATUS_OK;
}

void oct_list_clear(oct_command_list *list)
{
    list->n = list->done = list->n_words = 0;
}

void oct_list_free(oct_command_list *list)
{
    free(list->commands);
    free(list->words);
}

/* What is next in a list; NULL at its end. */
static const oct_command *head(const oct_command_list *list)
{
    return list->done < list->n ? &list->commands[list->done] : NULL;
}

static bool are_one(const oct_command *a, const oct_command *b)
{
    return a->kernel == b->kernel && a->group == b->group &&
           (a->groups == b->groups || !a->kernel->same_sizes);
}

static oct_command_list *choose(oct_command_list *const *lists, size_t n)
{
    oct_command_list *longest = lists[0];
    for (size_t i = 1; i < n; i++)
        if (lists[i]->n - lists[i]->done > longest->n - longest->done)
            longest = lists[i];
    return longest;
}

/* What a command takes in the mail: transfers are of whole words. */
static size_t mail_of(const oct_command *command)
{
    return command->kind == OCT_COMMAND_LAUNCH ? 0 : (command->bytes + 7) / 8 * 8;
}

size_t oct_merge_mail(oct_command_list *const *lists, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < lists[i]->n; k++)
            bytes += mail_of(&lists[i]->commands[k]);
    return bytes;
}

/* Launches of several members that are one. */
typedef struct action {
    const oct_command *command;
    size_t groups, members;
    size_t row; /* word of the table */
} action;

/* What has been planned so far. */
typedef struct schedule {
    oct_merge *merge;
    size_t n;
    action *actions;
    size_t rows;             /* words of the table */
    size_t written, mail;    /* bytes of the mail: what is written goes before what is read */
    const oct_command **ask; /* which commands read */
    size_t n_asked;
} schedule;

/* Adds a member's row; what it writes or reads is somewhere in the mail. */
static void add_row(schedule *s, const oct_command_list *list, const oct_command *c)
{
    oct_merge *merge = s->merge;
    uint64_t *row = merge->rows + s->rows;
    memcpy(row, list->words + c->word, c->kernel->words * sizeof *row);
    if (c->kind == OCT_COMMAND_WRITE) {
        memcpy(merge->mail + s->written, list->words + c->word + c->kernel->words, c->bytes);
        row[2] = merge->mail_at + s->written;
        s->written += mail_of(c);
    } else if (c->kind == OCT_COMMAND_READ) {
        row[1] = merge->mail_at + s->mail;
        s->mail += mail_of(c);
        s->ask[s->n_asked++] = c;
    }
    s->rows += c->kernel->words;
}

/* Which launches are one; the longest list goes first. */
static void plan(schedule *s, oct_command_list *const *lists, size_t n)
{
    const oct_command *first;
    while ((first = head(choose(lists, n))) != NULL) {
        action *next = &s->actions[s->n++];
        *next = (action){.command = first, .row = s->rows};
        for (size_t i = 0; i < n; i++) {
            const oct_command *c = head(lists[i]);
            if (!c || !are_one(first, c))
                continue;
            add_row(s, lists[i], c);
            next->groups = c->groups > next->groups ? c->groups : next->groups;
            next->members++;
            lists[i]->done++;
        }
    }
}

static oct_status launch(oct_merge *merge, const action *a)
{
    oct_device *device = merge->device;
    const oct_command *c = a->command;
    cl_kernel kernel = c->kernel->kernel;
    const cl_ulong at = a->row * sizeof *merge->rows;
    OCT_CL(clSetKernelArg, (kernel, 0, sizeof merge->memory, &merge->memory), "kernel '%s'",
           c->kernel->name);
    OCT_CL(clSetKernelArg, (kernel, 1, sizeof merge->table, &merge->table), "kernel '%s'",
           c->kernel->name);
    OCT_CL(clSetKernelArg, (kernel, 2, sizeof at, &at), "kernel '%s'", c->kernel->name);
    return oct_gate_launch(device, kernel, c->kernel->name, &c->kernel->widest,
                           a->groups * c->group, c->group, a->members);
}

/* Room for the table on both sides, and for the mail here. */
static oct_status make_room_for(oct_merge *merge, size_t words, size_t mail)
{
    cl_int code;
    OCT_TRY(make_room(&merge->rows, &merge->n_rows, words, sizeof *merge->rows));
    OCT_TRY(make_room(&merge->mail, &merge->n_mail, mail, 1));
    if (words <= merge->table_words)
        return OCT_STATUS_OK;
    cl_mem table = clCreateBuffer(merge->device->context, CL_MEM_READ_ONLY,
                                  merge->n_rows * sizeof *merge->rows, NULL, &code);
    OCT_CL_CREATED(code, "clCreateBuffer", "the table of a batch, %zu words", merge->n_rows);
    if (merge->table)
        clReleaseMemObject(merge->table);
    merge->table = table;
    merge->table_words = merge->n_rows;
    return OCT_STATUS_OK;
}

static oct_status send(oct_merge *merge, cl_mem to, uint64_t at, const void *data, size_t bytes)
{
    if (bytes == 0)
        return OCT_STATUS_OK;
    merge->device->work.transfers++;
    OCT_CL(clEnqueueWriteBuffer,
           (merge->device->queue, to, CL_FALSE, at, bytes, data, 0, NULL, NULL),
           "%zu bytes of a batch", bytes);
    return OCT_STATUS_OK;
}

/* Brings what was asked for, in the order of the mail. */
static oct_status receive(schedule *s)
{
    oct_merge *merge = s->merge;
    size_t at = s->written;
    if (s->n_asked > 0) {
        merge->device->work.transfers++;
        OCT_CL(clEnqueueReadBuffer,
               (merge->device->queue, merge->memory, CL_TRUE, merge->mail_at + at, s->mail - at,
                merge->mail + at, 0, NULL, NULL),
               "%zu bytes of a batch", s->mail - at);
    }
    for (size_t i = 0; i < s->n_asked; at += mail_of(s->ask[i++]))
        memcpy(s->ask[i]->out, merge->mail + at, s->ask[i]->bytes);
    return OCT_STATUS_OK;
}

static oct_status enqueue(schedule *s)
{
    oct_merge *merge = s->merge;
    OCT_TRY(send(merge, merge->table, 0, merge->rows, s->rows * sizeof *merge->rows));
    OCT_TRY(send(merge, merge->memory, merge->mail_at, merge->mail, s->written));
    for (size_t i = 0; i < s->n; i++)
        OCT_TRY(launch(merge, &s->actions[i]));
    return receive(s);
}

oct_status oct_merge_run(oct_merge *merge, oct_command_list *const *lists, size_t n)
{
    schedule s = {.merge = merge};
    size_t commands = 0, words = 0;
    oct_status status;
    for (size_t i = 0; i < n; i++) {
        commands += lists[i]->n;
        for (size_t k = 0; k < lists[i]->n; k++) {
            const oct_command *c = &lists[i]->commands[k];
            words += c->kernel->words;
            s.mail += c->kind == OCT_COMMAND_WRITE ? mail_of(c) : 0;
        }
    }
    OCT_TRY_DONE(oct_alloc(&s.actions, commands + 1, sizeof *s.actions, "commands of a batch"));
    OCT_TRY_DONE(oct_alloc(&s.ask, commands + 1, sizeof *s.ask, "commands of a batch"));
    OCT_TRY_DONE(make_room_for(merge, words, oct_merge_mail(lists, n)));
    plan(&s, lists, n);
    status = enqueue(&s);
done:;
    /* What was enqueued reads the table and the mail, whatever has failed since. */
    oct_status waited = oct_device_wait(merge->device);
    free(s.actions);
    free(s.ask);
    return status == OCT_STATUS_OK ? waited : status;
}

void oct_merge_free(oct_merge *merge)
{
    if (merge->table)
        clReleaseMemObject(merge->table);
    free(merge->rows);
    free(merge->mail);
}
