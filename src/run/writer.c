/* A ring of jobs between two threads: the caller fills it, the writer empties it. */
#include "run/writer.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "run/burst.h"

/* Jobs that hold copies of all bodies at a time, one that is written while the others wait; more of
 * them where they are small: a disk may take longer for a file than few bodies for all steps up to
 * the next. */
enum { USUAL_JOBS = 3, MOST_JOBS = 64 };
static const uint64_t most_bytes = UINT64_C(1) << 28;

struct oct_writer {
    oct_writer_watch watch;
    void *watcher;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* around all that follows */
    pthread_cond_t changed;
    bool ending;
    oct_writer_job jobs[MOST_JOBS];
    double start[MOST_JOBS], end[MOST_JOBS]; /* when they were run, */
    bool good[MOST_JOBS];                    /* and whether that went well */
    unsigned first, n; /* that are not collected yet; the first n_run of them have been run */
    unsigned n_run;
    oct_status status; /* the first failure, */
    oct_error error;   /* and its sentence */
    double seconds;
};

static oct_writer_job *job_at(oct_writer *writer, unsigned index)
{
    return &writer->jobs[(writer->first + index) % MOST_JOBS];
}

/* With the lock held. A sentence belongs to the thread that said it. */
static void keep_failure(oct_writer *writer, oct_status status)
{
    if (status == OCT_STATUS_OK || writer->status != OCT_STATUS_OK)
        return;
    writer->status = status;
    oct_error_save(&writer->error);
}

/* After a failure nothing is written: a checkpoint would say that what came before it is there. */
static void run_next(oct_writer *writer)
{
    oct_writer_job job = *job_at(writer, writer->n_run);
    bool skip = writer->status != OCT_STATUS_OK;
    pthread_mutex_unlock(&writer->lock);
    double start = oct_burst_clock();
    oct_status status = skip ? OCT_STATUS_OK : job.run(job.context);
    double end = oct_burst_clock();
    pthread_mutex_lock(&writer->lock);
    unsigned at = (writer->first + writer->n_run) % MOST_JOBS;
    keep_failure(writer, status);
    writer->good[at] = !skip && status == OCT_STATUS_OK;
    writer->start[at] = start;
    writer->end[at] = end;
    writer->seconds += end - start;
    writer->n_run++;
    pthread_cond_broadcast(&writer->changed);
}

static void *write_jobs(void *context)
{
    oct_writer *writer = context;
    pthread_mutex_lock(&writer->lock);
    while (!writer->ending || writer->n_run < writer->n) {
        if (writer->n_run < writer->n)
            run_next(writer);
        else
            pthread_cond_wait(&writer->changed, &writer->lock);
    }
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

/* Signals are for the thread that takes the steps. */
static bool start_thread(oct_writer *writer)
{
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return false;
    bool started = pthread_create(&writer->thread, NULL, write_jobs, writer) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

oct_status oct_writer_create(oct_writer **out, oct_writer_watch watch, void *context)
{
    oct_writer *writer;
    OCT_TRY(oct_alloc(&writer, 1, sizeof *writer, "a writer"));
    writer->watch = watch;
    writer->watcher = context;
    bool locked = pthread_mutex_init(&writer->lock, NULL) == 0;
    if (!locked || pthread_cond_init(&writer->changed, NULL) != 0) {
        if (locked)
            pthread_mutex_destroy(&writer->lock);
        free(writer);
        return OCT_FAIL(OCT_STATUS_MEMORY, "no memory for a lock");
    }
    *out = writer;
    return OCT_STATUS_OK;
}

/* Takes jobs that were run off the ring, in the caller's thread; with the lock held. */
static void collect(oct_writer *writer)
{
    while (writer->n_run > 0) {
        oct_writer_job job = *job_at(writer, 0);
        double start = writer->start[writer->first], end = writer->end[writer->first];
        bool good = writer->good[writer->first];
        writer->first = (writer->first + 1) % MOST_JOBS;
        writer->n--;
        writer->n_run--;
        pthread_mutex_unlock(&writer->lock);
        oct_status status = good && job.done ? job.done(job.context) : OCT_STATUS_OK;
        if (status == OCT_STATUS_OK && good && writer->watch)
            status = writer->watch(writer->watcher, job.name, start, end);
        job.free(job.context);
        pthread_mutex_lock(&writer->lock);
        keep_failure(writer, status);
    }
}

/* The failure there is, in the words of the thread that saw it; with the lock held. */
static oct_status failure_of(const oct_writer *writer)
{
    if (writer->status != OCT_STATUS_OK)
        oct_error_restore(&writer->error);
    return writer->status;
}

static uint64_t bytes_of(const oct_writer_job *job)
{
    return job->bytes > 0 ? job->bytes : most_bytes;
}

/* Whether there is room for one more; with the lock held. */
static bool has_room(oct_writer *writer, const oct_writer_job *job)
{
    uint64_t bytes = bytes_of(job);
    for (unsigned i = 0; i < writer->n; i++)
        bytes += bytes_of(job_at(writer, i));
    return writer->n < USUAL_JOBS || (writer->n < MOST_JOBS && bytes <= most_bytes);
}

/* Waits until there is room for a job; until none is left where it is NULL. */
static oct_status wait_for(oct_writer *writer, const oct_writer_job *job)
{
    pthread_mutex_lock(&writer->lock);
    collect(writer);
    while (job ? !has_room(writer, job) : writer->n > 0) {
        if (writer->n_run == 0)
            pthread_cond_wait(&writer->changed, &writer->lock);
        collect(writer);
    }
    oct_status status = failure_of(writer);
    pthread_mutex_unlock(&writer->lock);
    return status;
}

static oct_status run_here(oct_writer_job job)
{
    oct_status status = job.run(job.context);
    if (status == OCT_STATUS_OK && job.done)
        status = job.done(job.context);
    job.free(job.context);
    return status;
}

oct_status oct_writer_add(oct_writer *writer, oct_writer_job job)
{
    if (!writer)
        return run_here(job);
    oct_status status = wait_for(writer, &job);
    if (status != OCT_STATUS_OK) {
        job.free(job.context);
        return status;
    }
    if (!writer->started)
        writer->started = start_thread(writer);
    if (!writer->started)
        return run_here(job);
    pthread_mutex_lock(&writer->lock);
    *job_at(writer, writer->n++) = job;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    return OCT_STATUS_OK;
}

oct_status oct_writer_check(oct_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    collect(writer);
    oct_status status = failure_of(writer);
    pthread_mutex_unlock(&writer->lock);
    return status;
}

oct_status oct_writer_wait(oct_writer *writer)
{
    return writer ? wait_for(writer, NULL) : OCT_STATUS_OK;
}

bool oct_writer_idle(oct_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    bool idle = writer->n == 0;
    pthread_mutex_unlock(&writer->lock);
    return idle;
}

double oct_writer_seconds(oct_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    double seconds = writer->seconds;
    pthread_mutex_unlock(&writer->lock);
    return seconds;
}

void oct_writer_free(oct_writer *writer)
{
    if (!writer)
        return;
    (void)wait_for(writer, NULL);
    pthread_mutex_lock(&writer->lock);
    writer->ending = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    if (writer->started)
        pthread_join(writer->thread, NULL);
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->lock);
    free(writer);
}
