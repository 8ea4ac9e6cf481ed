/* One lock for all; a rank waits for its turn by a condition of its own, so that nobody else is
 * woken. */
#include "turns.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

typedef struct seat {
    oct_comm base;
    turns *all;
    oct_parcel *out, *in;
    pthread_t thread;
    pthread_cond_t called;
} seat;

struct turns {
    uint32_t size, turn, arrived;
    pthread_mutex_t lock;
    seat *seats;
    oct_status (*work)(oct_comm *comm, turns *t);
    uint64_t *bytes[OCT_TRAFFIC_KINDS];    /* from a rank to a rank */
    uint64_t *messages[OCT_TRAFFIC_KINDS]; /* of a rank */
};

static seat *seat_of(oct_comm *comm)
{
    return (seat *)(void *)comm;
}

static void wait_for_turn(seat *self)
{
    while (self->all->turn != self->base.rank)
        pthread_cond_wait(&self->called, &self->all->lock);
}

static void pass_on(seat *self)
{
    turns *t = self->all;
    t->turn = (self->base.rank + 1) % t->size;
    pthread_cond_signal(&t->seats[t->turn].called);
}

static void deliver(turns *t, const seat *from, const seat *to)
{
    oct_parcel sent = from->out[to->base.rank], wanted = to->in[from->base.rank];
    oct_traffic_kind kind = from->base.traffic.started;
    if (sent.bytes != wanted.bytes) {
        fprintf(stderr, "ranks %u and %u do not agree on the size of a message\n",
                (unsigned)from->base.rank, (unsigned)to->base.rank);
        exit(1);
    }
    if (sent.bytes == 0)
        return;
    if (sent.data != wanted.data)
        memcpy(wanted.data, sent.data, sent.bytes);
    if (from == to)
        return;
    t->bytes[kind][(size_t)from->base.rank * t->size + to->base.rank] += sent.bytes;
    t->messages[kind][from->base.rank]++;
}

static oct_status turns_start(oct_comm *comm, const oct_parcel *out, const oct_parcel *in)
{
    seat *self = seat_of(comm);
    memcpy(self->out, out, comm->size * sizeof *out);
    memcpy(self->in, in, comm->size * sizeof *in);
    return OCT_STATUS_OK;
}

static oct_status turns_wait(oct_comm *comm)
{
    seat *self = seat_of(comm);
    turns *t = self->all;
    pthread_mutex_lock(&t->lock);
    if (++t->arrived < t->size) {
        pass_on(self);
        wait_for_turn(self);
    } else {
        t->arrived = 0;
        for (uint32_t from = 0; from < t->size; from++)
            for (uint32_t to = 0; to < t->size; to++)
                deliver(t, &t->seats[from], &t->seats[to]);
    }
    pthread_mutex_unlock(&t->lock);
    return OCT_STATUS_OK;
}

static oct_status turns_gather(oct_comm *comm, void *out, const void *mine, size_t bytes)
{
    seat *self = seat_of(comm);
    void *sent = NULL;
    memcpy(&sent, &mine, sizeof sent);
    for (uint32_t r = 0; r < comm->size; r++) {
        self->out[r] = (oct_parcel){sent, bytes};
        self->in[r] = (oct_parcel){(char *)out + r * bytes, bytes};
    }
    comm->traffic.started = comm->traffic.kind;
    return turns_wait(comm);
}

static void turns_fail(oct_comm *comm, const char *sentence)
{
    fprintf(stderr, "rank %u: %s\n", (unsigned)comm->rank, sentence);
    exit(1);
}

static void turns_close(oct_comm *comm)
{
    (void)comm;
}

static const oct_transport transport = {
    .name = "turns",
    .gather = turns_gather,
    .start = turns_start,
    .wait = turns_wait,
    .fail = turns_fail,
    .close = turns_close,
};

uint64_t turns_bytes(const turns *t, oct_traffic_kind kind, uint32_t from, uint32_t to)
{
    return t->bytes[kind][(size_t)from * t->size + to];
}

uint64_t turns_messages(const turns *t, oct_traffic_kind kind, uint32_t rank)
{
    return t->messages[kind][rank];
}

void turns_forget(turns *t)
{
    for (size_t k = 0; k < OCT_TRAFFIC_KINDS; k++) {
        memset(t->bytes[k], 0, (size_t)t->size * t->size * sizeof *t->bytes[k]);
        memset(t->messages[k], 0, t->size * sizeof *t->messages[k]);
    }
}

static void *sit(void *context)
{
    seat *self = context;
    pthread_mutex_lock(&self->all->lock);
    wait_for_turn(self);
    pthread_mutex_unlock(&self->all->lock);
    ok(self->all->work(&self->base, self->all));
    pthread_mutex_lock(&self->all->lock);
    pass_on(self);
    pthread_mutex_unlock(&self->all->lock);
    return NULL;
}

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return memory;
}

void turns_run(uint32_t ranks, oct_status (*work)(oct_comm *comm, turns *t))
{
    turns t = {.size = ranks, .seats = need(ranks, sizeof *t.seats), .work = work};
    pthread_mutex_init(&t.lock, NULL);
    for (size_t k = 0; k < OCT_TRAFFIC_KINDS; k++) {
        t.bytes[k] = need((size_t)ranks * ranks, sizeof *t.bytes[k]);
        t.messages[k] = need(ranks, sizeof *t.messages[k]);
    }
    for (uint32_t r = 0; r < ranks; r++) {
        t.seats[r] = (seat){.base = {.transport = &transport, .rank = r, .size = ranks, .place = r},
                            .all = &t,
                            .out = need(ranks, sizeof *t.seats[r].out),
                            .in = need(ranks, sizeof *t.seats[r].in)};
        pthread_cond_init(&t.seats[r].called, NULL);
    }
    for (uint32_t r = 0; r < ranks; r++)
        if (pthread_create(&t.seats[r].thread, NULL, sit, &t.seats[r]) != 0) {
            fprintf(stderr, "no thread can be had for rank %u\n", (unsigned)r);
            exit(1);
        }
    for (uint32_t r = 0; r < ranks; r++)
        pthread_join(t.seats[r].thread, NULL);
    for (size_t k = 0; k < OCT_TRAFFIC_KINDS; k++) {
        free(t.bytes[k]);
        free(t.messages[k]);
    }
    for (uint32_t r = 0; r < ranks; r++) {
        pthread_cond_destroy(&t.seats[r].called);
        free(t.seats[r].out);
        free(t.seats[r].in);
    }
    pthread_mutex_destroy(&t.lock);
    free(t.seats);
}
