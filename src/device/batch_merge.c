/* Lists of members become launches of all of them. Whatever is at the head of several lists is done
 * at once; the longest list goes first, so that lists whose ends are alike fall into step. */
#include <stdlib.h>
#include <string.h>

#include "device/batch_parts.h"

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
    return a->kind == OCT_COMMAND_LAUNCH && b->kind == OCT_COMMAND_LAUNCH &&
           a->kernel == b->kernel && a->group == b->group &&
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

/* What is enqueued: a launch with its rows, or a command of one member. */
typedef struct action {
    const oct_command *command;
    const oct_command_list *list;
    size_t groups, members;
    size_t row; /* word of the table */
} action;

/* Adds all launches that are one to the table; returns the words of their rows. */
static size_t gather(action *out, uint64_t *rows, oct_command_list *const *lists, size_t n)
{
    const oct_command *first = out->command;
    const size_t words = first->kernel->words;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const oct_command *next = head(lists[i]);
        if (!next || !are_one(first, next))
            continue;
        memcpy(rows + used, lists[i]->words + next->word, words * sizeof *rows);
        used += words;
        out->groups = next->groups > out->groups ? next->groups : out->groups;
        out->members++;
        lists[i]->done++;
    }
    return used;
}

/* Which launches are one, and the rows of all; there is room for as many actions as commands. */
static size_t plan(action *actions, uint64_t *rows, oct_command_list *const *lists, size_t n)
{
    size_t count = 0, used = 0;
    for (;;) {
        oct_command_list *longest = choose(lists, n);
        action *next = &actions[count];
        *next = (action){.command = head(longest), .list = longest, .row = used};
        if (!next->command)
            return count;
        if (next->command->kind == OCT_COMMAND_LAUNCH)
            used += gather(next, rows + used, lists, n);
        else
            longest->done++;
        count++;
    }
}

static oct_status launch(oct_merge *merge, const action *a)
{
    oct_device *device = merge->device;
    const oct_command *c = a->command;
    cl_kernel kernel = c->kernel->kernel;
    const cl_ulong at = a->row * sizeof *merge->rows;
    const size_t items[2] = {a->groups * c->group, a->members}, group[2] = {c->group, 1};
    cl_event event = NULL;
    OCT_CL(clSetKernelArg, (kernel, 0, sizeof merge->memory, &merge->memory), "kernel '%s'",
           c->kernel->name);
    OCT_CL(clSetKernelArg, (kernel, 1, sizeof merge->table, &merge->table), "kernel '%s'",
           c->kernel->name);
    OCT_CL(clSetKernelArg, (kernel, 2, sizeof at, &at), "kernel '%s'", c->kernel->name);
    device->work.launches++;
    int64_t before = device->profile.on ? oct_profile_clock() : 0;
    OCT_CL(
        clEnqueueNDRangeKernel,
        (device->queue, kernel, 2, NULL, items, group, 0, NULL, device->profile.on ? &event : NULL),
        "kernel '%s' with %zu work-items in groups of %zu for %zu members", c->kernel->name,
        items[0], group[0], a->members);
    return event ? oct_profile_add(device, c->kernel->name, event, before) : OCT_STATUS_OK;
}

/* What takes no kernel. Nothing blocks here: lists stay until all is done. */
static oct_status transfer(oct_merge *merge, const action *a)
{
    cl_command_queue queue = merge->device->queue;
    const oct_command *c = a->command;
    merge->device->work.transfers++;
    if (c->kind == OCT_COMMAND_WRITE)
        OCT_CL(clEnqueueWriteBuffer,
               (queue, merge->memory, CL_FALSE, c->to, c->bytes, a->list->words + c->word, 0, NULL,
                NULL),
               "%llu bytes of a batch", (unsigned long long)c->bytes);
    else if (c->kind == OCT_COMMAND_READ)
        OCT_CL(clEnqueueReadBuffer,
               (queue, merge->memory, CL_FALSE, c->from, c->bytes, c->out, 0, NULL, NULL),
               "%llu bytes of a batch", (unsigned long long)c->bytes);
    else if (c->kind == OCT_COMMAND_COPY)
        OCT_CL(clEnqueueCopyBuffer,
               (queue, merge->memory, merge->memory, c->from, c->to, c->bytes, 0, NULL, NULL),
               "%llu bytes of a batch", (unsigned long long)c->bytes);
    else
        OCT_CL(clEnqueueFillBuffer,
               (queue, merge->memory, &c->byte, 1, c->to, c->bytes, 0, NULL, NULL),
               "%llu bytes of a batch", (unsigned long long)c->bytes);
    return OCT_STATUS_OK;
}

/* Room for the table on both sides. */
static oct_status make_table(oct_merge *merge, size_t words)
{
    cl_int code;
    OCT_TRY(make_room(&merge->rows, &merge->capacity, words, sizeof *merge->rows));
    if (words <= merge->table_words)
        return OCT_STATUS_OK;
    cl_mem table = clCreateBuffer(merge->device->context, CL_MEM_READ_ONLY,
                                  merge->capacity * sizeof *merge->rows, NULL, &code);
    OCT_CL_CREATED(code, "clCreateBuffer", "the table of a batch, %zu words", merge->capacity);
    if (merge->table)
        clReleaseMemObject(merge->table);
    merge->table = table;
    merge->table_words = merge->capacity;
    return OCT_STATUS_OK;
}

static oct_status enqueue(oct_merge *merge, const action *actions, size_t n, size_t words)
{
    if (words > 0) {
        OCT_CL(clEnqueueWriteBuffer,
               (merge->device->queue, merge->table, CL_FALSE, 0, words * sizeof *merge->rows,
                merge->rows, 0, NULL, NULL),
               "the table of a batch, %zu words", words);
        merge->device->work.transfers++;
    }
    for (size_t i = 0; i < n; i++)
        OCT_TRY(actions[i].command->kind == OCT_COMMAND_LAUNCH ? launch(merge, &actions[i])
                                                               : transfer(merge, &actions[i]));
    return OCT_STATUS_OK;
}

oct_status oct_merge_run(oct_merge *merge, oct_command_list *const *lists, size_t n)
{
    size_t commands = 0, words = 0;
    action *actions = NULL;
    for (size_t i = 0; i < n; i++) {
        commands += lists[i]->n;
        for (size_t k = 0; k < lists[i]->n; k++)
            if (lists[i]->commands[k].kind == OCT_COMMAND_LAUNCH)
                words += lists[i]->commands[k].kernel->words;
    }
    oct_status status = oct_alloc(&actions, commands + 1, sizeof *actions, "commands of a batch");
    if (status == OCT_STATUS_OK)
        status = make_table(merge, words);
    if (status == OCT_STATUS_OK)
        status = enqueue(merge, actions, plan(actions, merge->rows, lists, n), words);
    /* What was enqueued reads and writes the lists, whatever has failed since. */
    oct_status waited = oct_device_wait(merge->device);
    for (size_t i = 0; i < n; i++)
        lists[i]->n = lists[i]->done = lists[i]->n_words = 0;
    free(actions);
    return status == OCT_STATUS_OK ? waited : status;
}

void oct_merge_free(oct_merge *merge)
{
    if (merge->table)
        clReleaseMemObject(merge->table);
    free(merge->rows);
}
