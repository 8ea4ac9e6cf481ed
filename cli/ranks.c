/* One device a domain, in turn; one sentence for all of them. */
#include "ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache.h"

enum { MOST_DEVICES = 64, CHOICE_BYTES = 160 };

/* The share at a place of a list; 0 where it is no number above 0. */
static double share_at(const char *list, size_t place)
{
    for (; place > 0 && *list; place--)
        list += strcspn(list, ",") + (list[strcspn(list, ",")] == ',');
    char *end;
    double share = strtod(list, &end);
    return end > list && (*end == ',' || !*end) && isfinite(share) && share > 0 ? share : 0;
}

/* How many shares a list has; 0 where it is none. */
static size_t count_shares(const char *list)
{
    size_t n = 1;
    for (const char *c = list; *c; c++)
        n += *c == ',';
    for (size_t i = 0; i < n; i++)
        if (share_at(list, i) == 0)
            return 0;
    return n;
}

/* Into how many parts of a CPU a choice as "cpu/4" asks for; 0 where it asks for none. */
static uint32_t count_parts(const char *choice)
{
    const char *slash = choice ? strrchr(choice, '/') : NULL;
    bool number = slash && slash[1] && !slash[1 + strspn(slash + 1, "0123456789")];
    return number ? (uint32_t)strtoul(slash + 1, NULL, 10) : 0;
}

bool oct_ranks_parse(oct_ranks *out, const oct_call *call)
{
    bool bad = false;
    *out = (oct_ranks){0};
    out->domains = (uint32_t)oct_call_count(call, "domains", 0, &bad);
    if (bad)
        return false;
    if (oct_comm_launched() && out->domains > 0) {
        oct_report_usage("--domains is for one process: here mpirun says how many there are");
        return false;
    }
    out->shares = oct_call_option(call, "shares");
    if (out->shares && count_shares(out->shares) == 0) {
        oct_report_usage("--shares '%s' is no list of numbers above 0, as 3,1", out->shares);
        return false;
    }
    return true;
}

/* Devices by name: those of a list, all of them, or, for processes that are to have one each, those
 * like the best. */
typedef struct choices {
    char text[MOST_DEVICES][CHOICE_BYTES];
    size_t n;
} choices;

static void split_list(choices *out, const char *list)
{
    while (out->n < MOST_DEVICES) {
        size_t length = strcspn(list, ",");
        snprintf(out->text[out->n++], CHOICE_BYTES, "%.*s", (int)length, list);
        if (!list[length])
            return;
        list += length + 1;
    }
}

static oct_status list_like(choices *out, const oct_device_info *like)
{
    oct_device_info *all;
    size_t n;
    oct_status status = oct_device_list(&all, &n);
    if (status != OCT_STATUS_OK)
        return status;
    for (size_t i = 0; i < n && out->n < MOST_DEVICES; i++)
        if (!like || (strcmp(all[i].kind, like->kind) == 0 && strcmp(all[i].name, like->name) == 0))
            snprintf(out->text[out->n++], CHOICE_BYTES, "%zu", i);
    oct_device_list_free(all);
    return OCT_STATUS_OK;
}

static oct_status open_device(oct_ranks *ranks, const char *choice)
{
    oct_status status = oct_device_open(&ranks->devices[ranks->n], choice);
    if (status == OCT_STATUS_OK)
        ranks->n++;
    return status;
}

/* All parts, or that of this process's place on the machine. */
static oct_status open_parts(oct_ranks *ranks, const char *choice, uint32_t parts)
{
    char whole[CHOICE_BYTES];
    oct_device *device;
    uint32_t first = ranks->comm ? oct_comm_place(ranks->comm) % parts : 0;
    snprintf(whole, sizeof whole, "%.*s", (int)(strrchr(choice, '/') - choice), choice);
    oct_status status = oct_device_open(&device, whole);
    for (uint32_t part = first; part < (ranks->comm ? first + 1 : parts) && ranks->n < MOST_DEVICES;
         part++) {
        if (status == OCT_STATUS_OK)
            status = oct_device_part(&ranks->devices[ranks->n], device, part, parts);
        ranks->n += status == OCT_STATUS_OK;
    }
    oct_device_free(device);
    return status;
}

/* Of a process among several the device of its place on this machine, else all of the list. */
static oct_status open_devices(oct_ranks *ranks, const char *choice)
{
    choices list = {.n = 0};
    oct_status status = OCT_STATUS_OK;
    if (count_parts(choice) > 0)
        return open_parts(ranks, choice, count_parts(choice));
    /* A kind or a name stands for all that are alike; a number for one. */
    bool alike = !choice || (ranks->comm && !strchr(choice, ',') && strcmp(choice, "all") != 0 &&
                             choice[strspn(choice, "0123456789")]);
    if (alike) {
        status = open_device(ranks, choice);
        if (status != OCT_STATUS_OK || !ranks->comm)
            return status;
        status = list_like(&list, oct_device_describe(ranks->devices[0]));
        if (status != OCT_STATUS_OK || list.n < 2)
            return status;
        oct_device_free(ranks->devices[--ranks->n]);
    } else if (strcmp(choice, "all") == 0) {
        status = list_like(&list, NULL);
    } else {
        split_list(&list, choice);
    }
    if (ranks->comm && status == OCT_STATUS_OK)
        return open_device(ranks, list.text[oct_comm_place(ranks->comm) % list.n]);
    for (size_t i = 0; i < list.n && status == OCT_STATUS_OK; i++)
        status = open_device(ranks, list.text[i]);
    return status;
}

oct_status oct_ranks_open(oct_ranks *ranks, const oct_call *call)
{
    oct_status status = OCT_STATUS_OK;
    oct_cache_prepare(oct_call_option(call, "quiet") != NULL);
    ranks->devices = calloc(MOST_DEVICES, sizeof *ranks->devices);
    if (!ranks->devices)
        return OCT_STATUS_MEMORY;
    if (oct_comm_launched())
        status = oct_comm_open(&ranks->comm);
    if (status == OCT_STATUS_OK)
        status = open_devices(ranks, oct_call_option(call, "device"));
    if (ranks->domains == 0)
        ranks->domains = ranks->comm ? 1 : (uint32_t)ranks->n;
    return status;
}

bool oct_ranks_fit(const oct_ranks *ranks)
{
    uint32_t all = ranks->comm ? oct_comm_size(ranks->comm) : ranks->domains;
    size_t shares = ranks->shares ? count_shares(ranks->shares) : all;
    if (shares != all && (!ranks->comm || oct_comm_rank(ranks->comm) == 0))
        oct_report_usage("--shares has %zu numbers for %u domains", shares, (unsigned)all);
    return shares == all;
}

double oct_ranks_share(const oct_ranks *ranks, const oct_comm *comm)
{
    return comm && ranks->shares ? share_at(ranks->shares, oct_comm_rank(comm)) : 0;
}

bool oct_ranks_several(const oct_ranks *ranks)
{
    return ranks->comm ? oct_comm_size(ranks->comm) > 1 : ranks->domains > 1;
}

/* What a thread of several is to do. */
typedef struct share {
    const oct_ranks *ranks;
    oct_status (*work)(oct_comm *comm, oct_device *device, void *context);
    void *context;
} share;

static oct_status work_in_thread(oct_comm *comm, void *context)
{
    const share *s = context;
    oct_device *own, *base = s->ranks->devices[oct_comm_rank(comm) % s->ranks->n];
    if (oct_comm_rank(comm) == 0)
        return s->work(comm, base, s->context);
    oct_status status = oct_device_share(&own, base);
    if (status != OCT_STATUS_OK)
        return status;
    status = s->work(comm, own, s->context);
    oct_device_free(own);
    return status;
}

oct_status oct_ranks_work(const oct_ranks *ranks,
                          oct_status (*work)(oct_comm *comm, oct_device *device, void *context),
                          void *context)
{
    share s = {ranks, work, context};
    if (!oct_ranks_several(ranks))
        return work(NULL, ranks->devices[0], context);
    return ranks->comm ? work(ranks->comm, ranks->devices[0], context)
                       : oct_comm_threads(ranks->domains, work_in_thread, &s);
}

int oct_ranks_report(const oct_ranks *ranks, oct_status status)
{
    char who[64];
    bool first = ranks->comm && oct_comm_rank(ranks->comm) == 0;
    /* A scene or a body is wrong everywhere. */
    if (!ranks->comm || (first && (status > 0 || status == OCT_STATUS_NUMBER)))
        return oct_report_failure(status);
    /* Where all have failed the first rank says why, and ends all: then a signal comes. */
    const struct timespec some = {.tv_sec = 2};
    if (!first && nanosleep(&some, NULL) != 0)
        return 1;
    snprintf(who, sizeof who, "rank %u of %u: ", (unsigned)oct_comm_rank(ranks->comm),
             (unsigned)oct_comm_size(ranks->comm));
    oct_print_sentence(who, oct_last_error());
    return 1;
}

void oct_ranks_close(oct_ranks *ranks, oct_status status)
{
    for (size_t i = ranks->n; i > 0; i--)
        oct_device_free(ranks->devices[i - 1]);
    free(ranks->devices);
    fflush(stdout);
    oct_comm_fail(ranks->comm, status);
    oct_comm_close(ranks->comm);
    *ranks = (oct_ranks){0};
}
