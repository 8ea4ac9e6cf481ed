/* Puts texts and questions under the lock, and wakes whoever waits for them. */
#include "view/board.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <microhttpd.h>

oct_status oct_board_start(oct_board *board)
{
    pthread_condattr_t attributes;
    *board = (oct_board){.newest = -1};
    /* The clock that is never set. */
    bool made = pthread_condattr_init(&attributes) == 0 &&
                pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(&board->wake, &attributes) == 0 &&
                pthread_mutex_init(&board->lock, NULL) == 0;
    OCT_CHECK(made, OCT_STATUS_INTERNAL, "the system has no locks left");
    (void)pthread_condattr_destroy(&attributes);
    return OCT_STATUS_OK;
}

void oct_board_clear(oct_board *board)
{
    for (int i = 0; i < OCT_BOARD_SLOTS; i++)
        free(board->slots[i].data);
    free(board->state);
    free(board->scene);
    oct_series_clear(&board->series);
    (void)pthread_cond_destroy(&board->wake);
    (void)pthread_mutex_destroy(&board->lock);
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

void oct_board_end(oct_board *board)
{
    (void)pthread_mutex_lock(&board->lock);
    board->ending = true;
    for (oct_ask *ask = board->first_ask; ask; ask = ask->next) {
        ask->done = true;
        MHD_resume_connection(ask->connection);
    }
    board->first_ask = board->last_ask = NULL;
    board->n_asks = 0;
    for (oct_stream *stream = board->streams; stream; stream = stream->next) {
        if (stream->waiting)
            MHD_resume_connection(stream->connection);
        stream->waiting = false;
    }
    const struct timespec until = moment(0.3);
    while ((board->n_replies > 0 || board->n_streams > 0) &&
           pthread_cond_timedwait(&board->wake, &board->lock, &until) == 0)
        ;
    (void)pthread_mutex_unlock(&board->lock);
}

void oct_board_post(oct_board *board, char **place, char *text)
{
    (void)pthread_mutex_lock(&board->lock);
    char *before = *place;
    *place = text;
    (void)pthread_mutex_unlock(&board->lock);
    free(before);
}

bool oct_board_ask(oct_board *board, oct_ask *ask)
{
    (void)pthread_mutex_lock(&board->lock);
    bool taken = board->n_asks < OCT_BOARD_ASKS && !board->ending;
    if (taken) {
        if (board->last_ask)
            board->last_ask->next = ask;
        else
            board->first_ask = ask;
        board->last_ask = ask;
        board->n_asks++;
        board->n_replies++;
        /* Under the lock: the answer must not come first. */
        MHD_suspend_connection(ask->connection);
        (void)pthread_cond_signal(&board->wake);
    }
    (void)pthread_mutex_unlock(&board->lock);
    return taken;
}

void oct_board_sent(oct_board *board)
{
    (void)pthread_mutex_lock(&board->lock);
    board->n_replies--;
    (void)pthread_cond_signal(&board->wake);
    (void)pthread_mutex_unlock(&board->lock);
}

oct_ask *oct_board_next(oct_board *board, double seconds)
{
    (void)pthread_mutex_lock(&board->lock);
    if (!board->first_ask && seconds > 0) {
        struct timespec until = moment(seconds);
        /* Once is enough: whoever calls looks again. */
        (void)pthread_cond_timedwait(&board->wake, &board->lock, &until);
    }
    oct_ask *ask = board->first_ask;
    if (ask) {
        board->first_ask = ask->next;
        ask->next = NULL;
        if (!board->first_ask)
            board->last_ask = NULL;
        board->n_asks--;
    }
    (void)pthread_mutex_unlock(&board->lock);
    return ask;
}

void oct_board_answer(oct_board *board, oct_ask *ask, unsigned code, char *reply)
{
    (void)pthread_mutex_lock(&board->lock);
    ask->code = code;
    ask->reply = reply;
    ask->done = true;
    MHD_resume_connection(ask->connection);
    (void)pthread_mutex_unlock(&board->lock);
}
