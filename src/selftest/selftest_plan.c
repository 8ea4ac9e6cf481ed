/* Threads take parts from one list; what has passed is appended to a file. */
#include "selftest/selftest_plan.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "util/text.h"

enum { MOST_THREADS = 8 };

typedef struct part {
    char name[96];
    bool claimed;
} part;

struct oct_selftest_plan {
    const oct_selftest_run *what;
    char path[4096], *passed; /* the file of parts that have passed, a line each, and its text */
    bool counting;            /* parts are listed, none is run */
    part *parts;
    size_t n, capacity, threads;
    /* Shared by the threads, under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t done;
    unsigned running;
    char latest[96];
    oct_status status; /* of the first failure, with its sentence */
    char sentence[1024];
};

static bool has_passed(const oct_selftest_plan *plan, const char *name)
{
    size_t length = strlen(name);
    /* Where there is a file it decides: it may have been removed on purpose. */
    if (!plan->path[0] && oct_device_recalls(plan->what->device, name))
        return true;
    for (const char *line = plan->passed; line && *line;) {
        const char *end = strchr(line, '\n');
        if (end && (size_t)(end - line) == length && memcmp(line, name, length) == 0)
            return true;
        line = end ? end + 1 : NULL;
    }
    return false;
}

/* That a part cannot be noted is found later: the plan is short then, and nothing is trusted. */
static void note_part(oct_selftest_plan *plan, const char *name)
{
    if (plan->n == plan->capacity) {
        plan->capacity = 2 * plan->capacity + 16;
        plan->status = oct_realloc(&plan->parts, plan->capacity, sizeof *plan->parts, "parts");
    }
    if (plan->status != OCT_STATUS_OK)
        return;
    part *added = &plan->parts[plan->n++];
    *added = (part){0};
    snprintf(added->name, sizeof added->name, "%s", name);
}

/* The part that ran last is over; one line is one write, so that several runs may append. */
static void finish_part(oct_selftest_run *test, bool passed)
{
    oct_selftest_plan *plan = test->plan;
    if (!test->part[0])
        return;
    pthread_mutex_lock(&plan->lock);
    plan->done++;
    memcpy(plan->latest, test->part, sizeof plan->latest);
    if (passed)
        oct_device_note(plan->what->device, test->part);
    FILE *file = passed && plan->path[0] ? fopen(plan->path, "a") : NULL;
    if (file) {
        fprintf(file, "%s\n", test->part);
        fclose(file);
    }
    pthread_cond_signal(&plan->changed);
    pthread_mutex_unlock(&plan->lock);
    test->part[0] = '\0';
}

bool oct_selftest_claim(oct_selftest_run *test, const char *name)
{
    oct_selftest_plan *plan = test->plan;
    if (plan->counting) {
        if (!has_passed(plan, name))
            note_part(plan, name);
        return false;
    }
    finish_part(test, !test->failed);
    pthread_mutex_lock(&plan->lock);
    bool mine = false;
    for (size_t i = 0; i < plan->n && !mine; i++)
        if (!plan->parts[i].claimed && strcmp(plan->parts[i].name, name) == 0)
            mine = plan->parts[i].claimed = plan->status == OCT_STATUS_OK;
    pthread_mutex_unlock(&plan->lock);
    if (mine)
        snprintf(test->part, sizeof test->part, "%s", name);
    return mine;
}

/* Takes parts until none is left. */
static void *take_parts(void *context)
{
    oct_selftest_plan *plan = context;
    oct_selftest_run test = *plan->what;
    test.plan = plan;
    oct_status status = oct_device_share(&test.device, plan->what->device);
    if (status == OCT_STATUS_OK)
        status = oct_selftest_run_all(&test);
    finish_part(&test, status == OCT_STATUS_OK);
    oct_device_free(test.device);
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
    char fingerprint[33], name[64];
    oct_selftest_run test = *plan->what;
    OCT_TRY(oct_device_fingerprint(fingerprint, test.device, NULL));
    snprintf(name, sizeof name, "%s.passed", fingerprint);
    oct_cache_path(plan->path, sizeof plan->path, name);
    if (plan->path[0] && access(plan->path, R_OK) == 0)
        OCT_TRY(oct_file_read(&plan->passed, NULL, plan->path, 1 << 24));
    test.plan = plan;
    plan->counting = true;
    OCT_TRY(oct_selftest_run_all(&test));
    plan->counting = false;
    return plan->status;
}

oct_status oct_selftest_catch_up(const oct_selftest_run *what, const oct_trust_watch *watch)
{
    oct_selftest_plan plan = {
        .what = what, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    oct_status status = make_plan(&plan);
    if (status == OCT_STATUS_OK && plan.n > 0) {
        if (watch->log)
            watch->log(watch->context,
                       "first use of this device and driver: checking the kernels, this once");
        status = run_parts(&plan, watch);
    }
    oct_text_free(plan.passed);
    free(plan.parts);
    return status;
}
