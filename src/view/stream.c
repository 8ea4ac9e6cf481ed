/* A few slots for frames, with counts of who is reading them. */
#include "view/stream.h"

#include <stdlib.h>
#include <string.h>

#include <microhttpd.h>

bool oct_stream_open(oct_stream **out, oct_shared *shared, struct MHD_Connection *connection,
                     bool once)
{
    oct_stream *stream = calloc(1, sizeof *stream);
    *out = stream;
    if (!stream)
        return false;
    *stream = (oct_stream){.shared = shared, .connection = connection, .once = once, .slot = -1};
    (void)pthread_mutex_lock(&shared->lock);
    bool taken = shared->n_streams < OCT_SHARED_STREAMS && !shared->ending;
    if (taken) {
        stream->next = shared->streams;
        shared->streams = stream;
        shared->n_streams++;
        (void)pthread_cond_signal(&shared->wake);
    }
    (void)pthread_mutex_unlock(&shared->lock);
    if (!taken) {
        free(stream);
        *out = NULL;
    }
    return taken;
}

/* Lets go of the frame, unless it has been taken away. */
static void release(oct_stream *stream)
{
    oct_slot *slot = &stream->shared->slots[stream->slot];
    if (slot->sequence == stream->sequence)
        slot->readers--;
    stream->slot = -1;
}

void oct_stream_close(void *context)
{
    oct_stream *stream = context;
    oct_shared *shared = stream->shared;
    (void)pthread_mutex_lock(&shared->lock);
    for (oct_stream **at = &shared->streams; *at; at = &(*at)->next)
        if (*at == stream) {
            *at = stream->next;
            break;
        }
    if (stream->slot >= 0)
        release(stream);
    /* Whoever comes next wants to see what is going on then. */
    if (--shared->n_streams == 0)
        shared->newest = -1;
    (void)pthread_cond_signal(&shared->wake);
    (void)pthread_mutex_unlock(&shared->lock);
    free(stream);
}

/* Begins with the newest frame; false where there is nothing to send. */
static bool take_newest(oct_stream *stream)
{
    oct_shared *shared = stream->shared;
    if (shared->newest < 0)
        return false;
    oct_slot *slot = &shared->slots[shared->newest];
    if (slot->sequence == stream->sequence && !stream->again)
        return false;
    stream->slot = shared->newest;
    stream->sequence = slot->sequence;
    stream->sent = 0;
    stream->again = false;
    slot->readers++;
    return true;
}

static ssize_t read_some(oct_stream *stream, char *out, size_t most)
{
    oct_shared *shared = stream->shared;
    if (shared->ending)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (stream->given_up)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (stream->slot < 0 && !take_newest(stream)) {
        stream->waiting = true;
        MHD_suspend_connection(stream->connection);
        (void)pthread_cond_signal(&shared->wake);
        return 0;
    }
    const oct_slot *slot = &shared->slots[stream->slot];
    if (slot->sequence != stream->sequence)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    size_t left = slot->bytes - stream->sent, n = left < most ? left : most;
    memcpy(out, slot->data + stream->sent, n);
    stream->sent += n;
    if (n == left)
        release(stream);
    return (ssize_t)n;
}

ssize_t oct_stream_read(void *context, uint64_t position, char *out, size_t most)
{
    oct_stream *stream = context;
    (void)position;
    (void)pthread_mutex_lock(&stream->shared->lock);
    ssize_t n = read_some(stream, out, most);
    (void)pthread_mutex_unlock(&stream->shared->lock);
    return n;
}

bool oct_stream_wanted(oct_shared *shared, bool *none)
{
    bool wanted = false;
    (void)pthread_mutex_lock(&shared->lock);
    *none = shared->newest < 0;
    for (const oct_stream *stream = shared->streams; stream; stream = stream->next)
        wanted = wanted || stream->waiting;
    (void)pthread_mutex_unlock(&shared->lock);
    return wanted;
}

/* One that nobody reads, or else the oldest; never the newest. */
static oct_slot *choose_slot(oct_shared *shared)
{
    oct_slot *oldest = NULL;
    for (int i = 0; i < OCT_SHARED_SLOTS; i++) {
        oct_slot *slot = &shared->slots[i];
        if (i == shared->newest)
            continue;
        if (slot->readers == 0)
            return slot;
        if (!oldest || slot->sequence < oldest->sequence)
            oldest = slot;
    }
    return oldest;
}

oct_status oct_stream_begin(oct_slot **out, oct_shared *shared, size_t bytes)
{
    (void)pthread_mutex_lock(&shared->lock);
    oct_slot *slot = choose_slot(shared);
    slot->sequence = 0;
    slot->readers = 0;
    (void)pthread_mutex_unlock(&shared->lock);
    *out = slot;
    /* From here on nobody else touches the slot. */
    if (slot->room < bytes) {
        slot->room = 0;
        OCT_TRY(oct_realloc(&slot->data, bytes, 1, "bytes of a frame"));
        slot->room = bytes;
    }
    slot->bytes = bytes;
    return OCT_STATUS_OK;
}

static void wake(oct_stream *stream)
{
    stream->waiting = false;
    MHD_resume_connection(stream->connection);
}

void oct_stream_publish(oct_shared *shared, oct_slot *slot, uint64_t sequence)
{
    (void)pthread_mutex_lock(&shared->lock);
    slot->sequence = sequence;
    shared->newest = (int)(slot - shared->slots);
    for (oct_stream *stream = shared->streams; stream; stream = stream->next)
        if (stream->waiting)
            wake(stream);
    (void)pthread_mutex_unlock(&shared->lock);
}

void oct_stream_give_up(oct_shared *shared)
{
    (void)pthread_mutex_lock(&shared->lock);
    for (oct_stream *stream = shared->streams; stream; stream = stream->next)
        if (stream->waiting && stream->once) {
            stream->given_up = true;
            wake(stream);
        }
    (void)pthread_mutex_unlock(&shared->lock);
}

void oct_stream_repeat(oct_shared *shared)
{
    (void)pthread_mutex_lock(&shared->lock);
    for (oct_stream *stream = shared->streams; stream; stream = stream->next)
        if (stream->waiting && !stream->once && shared->newest >= 0) {
            stream->again = true;
            wake(stream);
        }
    (void)pthread_mutex_unlock(&shared->lock);
}
