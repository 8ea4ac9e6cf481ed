/* Puts texts and questions under the lock, and wakes whoever waits for them. */
#include "view/shared.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <microhttpd.h>

oct_status oct_shared_start(oct_shared *shared)
{
    pthread_condattr_t attributes;
    *shared = (oct_shared){.newest = -1};
    /* The clock that is never set. */
    bool made = pthread_condattr_init(&attributes) == 0 &&
                pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(&shared->wake, &attributes) == 0 &&
                pthread_mutex_init(&shared->lock, NULL) == 0;
    OCT_CHECK(made, OCT_STATUS_INTERNAL, "the system has no locks left");
    (void)pthread_condattr_destroy(&attributes);
    return OCT_STATUS_OK;
}

void oct_shared_clear(oct_shared *shared)
{
    for (int i = 0; i < OCT_SHARED_SLOTS; i++)
        free(shared->slots[i].data);
    free(shared->state);
    free(shared->scene);
    free(shared->scenes);
    free(shared->profiles);
    oct_series_clear(&shared->series);
    (void)pthread_cond_destroy(&shared->wake);
    (void)pthread_mutex_destroy(&shared->lock);
}

static struct timespec moment(double seconds)
{
    struct timespec when;
    clock_gettime(CLOCK_MONOTONIC, &when);
    double whole = floor(seconds);
    when.tv_sec += (time_t)whole;
    when.tv_nsec += (long)(1e9 * (seconds - whole));
    if (when.tv_nsec >= 1000000000) {
        when.tv_nsec -= 1000000000;
        when.tv_sec++;
    }
    return when;
}

void oct_shared_end(oct_shared *shared)
{
    (void)pthread_mutex_lock(&shared->lock);
    shared->ending = true;
    for (oct_ask *ask = shared->first_ask; ask; ask = ask->next) {
        ask->done = true;
        MHD_resume_connection(ask->connection);
    }
    shared->first_ask = shared->last_ask = NULL;
    shared->n_asks = 0;
    for (oct_stream *stream = shared->streams; stream; stream = stream->next) {
        if (stream->waiting)
            MHD_resume_connection(stream->connection);
        stream->waiting = false;
    }
    const struct timespec until = moment(0.3);
    while ((shared->n_replies > 0 || shared->n_streams > 0) &&
           pthread_cond_timedwait(&shared->wake, &shared->lock, &until) == 0)
        ;
    (void)pthread_mutex_unlock(&shared->lock);
}

void oct_shared_post(oct_shared *shared, char **place, char *text)
{
    (void)pthread_mutex_lock(&shared->lock);
    char *before = *place;
    *place = text;
    (void)pthread_mutex_unlock(&shared->lock);
    free(before);
}

bool oct_shared_ask(oct_shared *shared, oct_ask *ask)
{
    (void)pthread_mutex_lock(&shared->lock);
    bool taken = shared->n_asks < OCT_SHARED_ASKS && !shared->ending;
    if (taken) {
        if (shared->last_ask)
            shared->last_ask->next = ask;
        else
            shared->first_ask = ask;
        shared->last_ask = ask;
        shared->n_asks++;
        shared->n_replies++;
        /* Under the lock: the answer must not come first. */
        MHD_suspend_connection(ask->connection);
        (void)pthread_cond_signal(&shared->wake);
    }
    (void)pthread_mutex_unlock(&shared->lock);
    return taken;
}

void oct_shared_sent(oct_shared *shared)
{
    (void)pthread_mutex_lock(&shared->lock);
    shared->n_replies--;
    (void)pthread_cond_signal(&shared->wake);
    (void)pthread_mutex_unlock(&shared->lock);
}

oct_ask *oct_shared_next(oct_shared *shared, double seconds)
{
    (void)pthread_mutex_lock(&shared->lock);
    if (!shared->first_ask && seconds > 0) {
        struct timespec until = moment(seconds);
        /* Once is enough: whoever calls looks again. */
        (void)pthread_cond_timedwait(&shared->wake, &shared->lock, &until);
    }
    oct_ask *ask = shared->first_ask;
    if (ask) {
        shared->first_ask = ask->next;
        ask->next = NULL;
        if (!shared->first_ask)
            shared->last_ask = NULL;
        shared->n_asks--;
    }
    (void)pthread_mutex_unlock(&shared->lock);
    return ask;
}

void oct_shared_answer(oct_shared *shared, oct_ask *ask, unsigned code, char *reply)
{
    (void)pthread_mutex_lock(&shared->lock);
    ask->code = code;
    ask->reply = reply;
    ask->done = true;
    MHD_resume_connection(ask->connection);
    (void)pthread_mutex_unlock(&shared->lock);
}
