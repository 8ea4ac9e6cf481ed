/* Threads, and processes, take parts from one list, the dearest first. */
#include "selftest/selftest_plan.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "selftest/selftest_record.h"

enum { MOST_THREADS = 8 };
/* A part that another process has is asked for this often, and so many times: that process may have
 * been stopped in the middle of it. */
enum { TURN_MS = 10, MOST_TURNS = 6000 };
/* Parts that a second process is worth while for: PoCL takes 1.7 s for three, and such a process
 * 0.7 s before its first kernel. */
enum { WORTH_HELP = 4 };

typedef struct part {
    char name[96];
    const oct_selftest_table *of;
    bool claimed; /* by this process, or by one that has passed it */
} part;

struct oct_selftest_plan {
    const oct_selftest_run *what;
    bool assists; /* another process, which has the rest */
    bool alone;   /* no other process may have a part */
    part *parts;
    size_t n, capacity, threads;
    const oct_selftest_table *counted; /* of which parts are listed and none is run; NULL: run */
    /* Shared by the threads, under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    oct_selftest_record record;
    size_t done;
    unsigned running;
    char latest[96];
    oct_status status; /* of the first failure, with its sentence */
    char sentence[1024];
};

/* Adds a part behind those that are as dear. That it cannot be noted is found later: the plan is
 * short then, and nothing is trusted. */
static void note_part(oct_selftest_plan *plan, const char *name)
{
    size_t i = plan->n;
    if (plan->n == plan->capacity) {
        plan->capacity = 2 * plan->capacity + 16;
        plan->status = oct_realloc(&plan->parts, plan->capacity, sizeof *plan->parts, "parts");
    }
    if (plan->status != OCT_STATUS_OK)
        return;
    for (; i > 0 && plan->parts[i - 1].of->cost < plan->counted->cost; i--)
        plan->parts[i] = plan->parts[i - 1];
    plan->parts[i] = (part){.of = plan->counted};
    snprintf(plan->parts[i].name, sizeof plan->parts[i].name, "%s", name);
    plan->n++;
}

bool oct_selftest_claim(oct_selftest_run *test, const char *name)
{
    oct_selftest_plan *plan = test->plan;
    if (!plan->counted)
        return strcmp(test->part, name) == 0;
    if (!oct_selftest_record_has(&plan->record, name))
        note_part(plan, name);
    return false;
}

static void count_done(oct_selftest_plan *plan, const part *p)
{
    plan->done++;
    memcpy(plan->latest, p->name, sizeof plan->latest);
    pthread_cond_signal(&plan->changed);
}

/* The next part that nobody has, from this process's end of the list. *busy: another process has
 * one that is not done. */
static part *find_part(oct_selftest_plan *plan, bool *busy)
{
    *busy = false;
    for (size_t i = 0; i < plan->n && plan->status == OCT_STATUS_OK; i++) {
        part *p = &plan->parts[plan->assists ? plan->n - 1 - i : i];
        if (p->claimed)
            continue;
        if (!plan->alone && !oct_selftest_record_lock(&plan->record, p->name)) {
            *busy = true;
            continue;
        }
        p->claimed = true;
        if (!plan->alone)
            oct_selftest_record_refresh(&plan->record);
        if (!oct_selftest_record_has(&plan->record, p->name))
            return p;
        oct_selftest_record_unlock(&plan->record, p->name);
        count_done(plan, p);
    }
    return NULL;
}

/* The same, once it is there; NULL where no part is left. */
static part *take_part(oct_selftest_plan *plan)
{
    const struct timespec turn = {.tv_nsec = TURN_MS * 1000000L};
    part *found = NULL;
    bool busy = true;
    for (int turns = 0; !found && busy; turns++) {
        pthread_mutex_lock(&plan->lock);
        plan->alone = plan->alone || turns >= MOST_TURNS;
        found = find_part(plan, &busy);
        pthread_mutex_unlock(&plan->lock);
        busy = busy && !plan->assists;
        if (!found && busy)
            nanosleep(&turn, NULL);
    }
    return found;
}

static oct_status run_part(oct_selftest_plan *plan, const part *p, oct_device *device)
{
    oct_selftest_run test = *plan->what;
    test.device = device;
    test.plan = plan;
    memcpy(test.part, p->name, sizeof test.part);
    oct_status status = oct_selftest_run_case(&test, p->of);
    if (status == OCT_STATUS_OK)
        status = oct_selftest_verdict(&test);
    pthread_mutex_lock(&plan->lock);
    if (status == OCT_STATUS_OK)
        oct_selftest_record_add(&plan->record, p->name);
    oct_selftest_record_unlock(&plan->record, p->name);
    count_done(plan, p);
    pthread_mutex_unlock(&plan->lock);
    return status;
}

/* Takes parts until none is left. */
static void *take_parts(void *context)
{
    oct_selftest_plan *plan = context;
    oct_device *device = NULL;
    oct_status status = oct_device_share(&device, plan->what->device);
    for (part *p; status == OCT_STATUS_OK && (p = take_part(plan)) != NULL;)
        status = run_part(plan, p, device);
    oct_device_free(device);
    pthread_mutex_lock(&plan->lock);
    if (status != OCT_STATUS_OK && plan->status == OCT_STATUS_OK) {
        plan->status = status;
        snprintf(plan->sentence, sizeof plan->sentence, "%s", oct_last_error());
    }
    plan->running--;
    pthread_cond_signal(&plan->changed);
    pthread_mutex_unlock(&plan->lock);
    return NULL;
}

/* Progress is told by the thread that asked for the test. */
static void watch_parts(oct_selftest_plan *plan, const oct_trust_watch *watch)
{
    size_t told = 0;
    char latest[96];
    pthread_mutex_lock(&plan->lock);
    while (plan->running > 0) {
        pthread_cond_wait(&plan->changed, &plan->lock);
        size_t done = plan->done;
        memcpy(latest, plan->latest, sizeof latest);
        pthread_mutex_unlock(&plan->lock);
        if (done > told && watch->progress)
            watch->progress(watch->context, done, plan->n, latest);
        told = done;
        pthread_mutex_lock(&plan->lock);
    }
    pthread_mutex_unlock(&plan->lock);
}

static oct_status run_parts(oct_selftest_plan *plan, const oct_trust_watch *watch)
{
    pthread_t threads[MOST_THREADS];
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = online < MOST_THREADS ? (size_t)online : MOST_THREADS;
    unsigned started = 0;
    bool several = oct_device_compiles_together(plan->what->device) && online > 1;
    plan->threads = !several ? 1 : plan->n < most ? plan->n : most;
    pthread_mutex_lock(&plan->lock);
    while (started < plan->threads &&
           pthread_create(&threads[started], NULL, take_parts, plan) == 0)
        started++;
    plan->running = started;
    pthread_mutex_unlock(&plan->lock);
    /* A thread that cannot be had is no failure. */
    if (started == 0) {
        plan->running = 1;
        take_parts(plan);
    }
    watch_parts(plan, watch);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    if (plan->status != OCT_STATUS_OK)
        return OCT_FAIL(plan->status, "%s", plan->sentence);
    return OCT_STATUS_OK;
}

static oct_status make_plan(oct_selftest_plan *plan)
{
    oct_selftest_run test = *plan->what;
    test.plan = plan;
    OCT_TRY(oct_selftest_record_read(&plan->record, test.device));
    for (size_t i = 0; oct_selftests[i]; i++) {
        plan->counted = oct_selftests[i];
        OCT_TRY(oct_selftest_run_case(&test, plan->counted));
    }
    plan->counted = NULL;
    return plan->status;
}

/* Tells what is about to happen, and asks for help where a second process is of use. */
static void announce(const oct_selftest_plan *plan, const oct_trust_watch *watch)
{
    if (watch->log)
        watch->log(watch->context,
                   "first use of this device and driver: checking the kernels, this once");
    bool shared = !plan->alone && plan->record.file >= 0;
    if (watch->help && plan->what->setup && plan->n >= WORTH_HELP && shared)
        watch->help(watch->context, plan->what->setup->resolved, plan->what->only);
}

oct_status oct_selftest_catch_up(const oct_selftest_run *what, const oct_trust_watch *watch)
{
    oct_selftest_plan plan = {.what = what,
                              .assists = watch->assists,
                              .alone = oct_device_compiles_together(what->device),
                              .record.file = -1,
                              .lock = PTHREAD_MUTEX_INITIALIZER,
                              .changed = PTHREAD_COND_INITIALIZER};
    oct_status status = make_plan(&plan);
    if (status == OCT_STATUS_OK && plan.n > 0) {
        oct_selftest_record_open(&plan.record);
        announce(&plan, watch);
        status = run_parts(&plan, watch);
    }
    oct_selftest_record_clear(&plan.record);
    free(plan.parts);
    return status;
}
