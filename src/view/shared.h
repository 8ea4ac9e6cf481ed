/* What the thread that simulates and the one that serves have in common, under one lock that
 * nobody holds for long: texts to be read, frames to be streamed, questions to be answered. */
#ifndef OCT_VIEW_SHARED_H
#define OCT_VIEW_SHARED_H

#include <pthread.h>

#include "view/series.h"

struct MHD_Connection;

/* A request that only the simulation can answer, between two steps. Its connection is suspended
 * meanwhile, so that it stays. */
typedef struct oct_ask {
    const char *verb;
    char *text; /* the form */
    struct MHD_Connection *connection;
    double since; /* when the simulation took it up */
    bool done;
    unsigned code; /* of HTTP */
    char *reply;   /* JSON */
    struct oct_ask *next;
} oct_ask;

/* A client of the frames. */
typedef struct oct_stream {
    struct oct_shared *shared;
    struct MHD_Connection *connection;
    bool once;         /* each frame is sent once */
    bool waiting;      /* suspended until there is something to send */
    bool given_up;     /* ends: there is nothing to be had */
    bool again;        /* the frame that was sent last may be sent again */
    uint64_t sequence; /* of the frame it sends or has sent */
    int slot;          /* the frame that it sends; -1: none */
    size_t sent;       /* bytes of it */
    struct oct_stream *next;
} oct_stream;

/* A frame in memory. The sequence is 0 while it is being written. */
typedef struct oct_slot {
    uint64_t sequence;
    char *data;
    size_t bytes, room;
    unsigned readers;
} oct_slot;

enum { OCT_SHARED_SLOTS = 8, OCT_SHARED_ASKS = 32, OCT_SHARED_STREAMS = 256 };

typedef struct oct_shared {
    pthread_mutex_t lock;
    pthread_cond_t wake; /* for the simulation: there is something to do */
    bool ending;
    char *state, *scene, *scenes, *profiles; /* JSON */
    oct_series series;
    oct_ask *first_ask, *last_ask;
    unsigned n_asks, n_streams;
    unsigned n_replies; /* to questions, not sent yet */
    oct_stream *streams;
    oct_slot slots[OCT_SHARED_SLOTS];
    int newest; /* -1: none */
} oct_shared;

oct_status oct_shared_start(oct_shared *shared);
void oct_shared_clear(oct_shared *shared);
/* Nothing will be answered any more: wakes everyone up and gives them a moment to hear the end. */
void oct_shared_end(oct_shared *shared);

/* Puts a text in place of one of these; takes it over. */
void oct_shared_post(oct_shared *shared, char **place, char *text);

/* For the server: hands a question over and suspends its connection. False: too many. */
bool oct_shared_ask(oct_shared *shared, oct_ask *ask);
/* The reply to a question has been sent, or nobody waits for it any more. */
void oct_shared_sent(oct_shared *shared);
/* For the simulation: the next question, or NULL. With seconds > 0 it waits that long for one, or
 * for a stream that wants a frame. */
oct_ask *oct_shared_next(oct_shared *shared, double seconds);
/* Takes the reply over and lets the server send it. */
void oct_shared_answer(oct_shared *shared, oct_ask *ask, unsigned code, char *reply);

#endif
