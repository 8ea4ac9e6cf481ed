/* Ranks that are threads of one process. Who receives copies out of the sender's memory; nobody
 * leaves an exchange before all have what they came for. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"

/* What all ranks see, under one lock. */
typedef struct shared {
    uint32_t size;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t copying; /* ranks that read the memory of others right now */
    bool failed;
    uint32_t who; /* has failed first */
    char sentence[4096];
} shared;

typedef struct local {
    oct_comm base;
    shared *shared;
    struct local *all;    /* the ranks, in order */
    oct_parcel *out, *in; /* of the exchange under way, one for each rank */
    oct_visitor look;     /* instead of a copy */
    void *context;
    oct_status looked;
    uint64_t posted, served; /* exchanges that this rank has begun, and has all it wanted of */
} local;

static local *local_of(oct_comm *comm)
{
    return (local *)(void *)comm;
}

/* Waits, with the lock, until a rank has got so far; false: one has failed. */
static bool wait_for(shared *s, const uint64_t *progress, uint64_t number)
{
    while (*progress < number && !s->failed)
        pthread_cond_wait(&s->changed, &s->lock);
    return !s->failed;
}

/* Nobody begins to copy any more; what a rank has may be freed when all have ended. */
static void let_copy(shared *s)
{
    while (s->copying > 0)
        pthread_cond_wait(&s->changed, &s->lock);
}

static oct_status broken(local *self)
{
    let_copy(self->shared);
    return oct_comm_broken(&self->base, self->shared->who, self->shared->sentence);
}

static oct_status local_start(oct_comm *comm, const oct_parcel *out, const oct_parcel *in)
{
    local *self = local_of(comm);
    pthread_mutex_lock(&self->shared->lock);
    memcpy(self->out, out, comm->size * sizeof *out);
    memcpy(self->in, in, comm->size * sizeof *in);
    self->posted++;
    pthread_cond_broadcast(&self->shared->changed);
    pthread_mutex_unlock(&self->shared->lock);
    return OCT_STATUS_OK;
}

/* Takes what a rank has for this one; false: they do not agree on how much that is. */
static bool take(local *self, const local *from)
{
    oct_parcel theirs = from->out[self->base.rank], mine = self->in[from->base.rank];
    if (theirs.bytes != mine.bytes)
        return false;
    if (self->look && self->looked == OCT_STATUS_OK && from != self)
        self->looked = self->look(self->context, from->base.rank, theirs.data);
    if (mine.bytes > 0 && mine.data != theirs.data)
        memcpy(mine.data, theirs.data, mine.bytes);
    return true;
}

static oct_status local_wait(oct_comm *comm)
{
    local *self = local_of(comm);
    shared *s = self->shared;
    bool good = true, agreed = true;
    pthread_mutex_lock(&s->lock);
    /* The next rank first, so that not all read the same memory. */
    for (uint32_t k = 1; good && k <= s->size; k++) {
        const local *from = &self->all[(comm->rank + k) % s->size];
        good = wait_for(s, &from->posted, self->posted);
        if (!good)
            break;
        s->copying++;
        pthread_mutex_unlock(&s->lock);
        agreed = take(self, from) && agreed;
        pthread_mutex_lock(&s->lock);
        s->copying--;
        pthread_cond_broadcast(&s->changed);
    }
    self->served = self->posted;
    pthread_cond_broadcast(&s->changed);
    for (uint32_t r = 0; good && r < s->size; r++)
        good = wait_for(s, &self->all[r].served, self->posted);
    oct_status status = good ? OCT_STATUS_OK : broken(self);
    pthread_mutex_unlock(&s->lock);
    OCT_TRY(status);
    OCT_CHECK(agreed, OCT_STATUS_INTERNAL, "ranks do not agree on the size of a message");
    return OCT_STATUS_OK;
}

/* The same for all ranks: `mine` goes to each, and what rank r has to out + r * bytes. */
static oct_status exchange_same(oct_comm *comm, void *out, void *mine, size_t bytes)
{
    oct_parcel *to, *from;
    OCT_TRY(oct_alloc(&to, 2 * (size_t)comm->size, sizeof *to, "messages"));
    from = to + comm->size;
    for (uint32_t r = 0; r < comm->size; r++) {
        to[r] = (oct_parcel){mine, bytes};
        from[r] = (oct_parcel){bytes ? (char *)out + r * bytes : NULL, bytes};
    }
    oct_status status = local_start(comm, to, from);
    if (status == OCT_STATUS_OK)
        status = local_wait(comm);
    free(to);
    return status;
}

static oct_status local_gather(oct_comm *comm, void *out, const void *mine, size_t bytes)
{
    void *sent = NULL;
    memcpy(&sent, &mine, sizeof sent);
    return exchange_same(comm, out, sent, bytes);
}

/* A rank that fails to look has all others wait until they have looked themselves. */
static oct_status local_visit(oct_comm *comm, void *mine, oct_visitor look, void *context)
{
    local *self = local_of(comm);
    self->look = look;
    self->context = context;
    self->looked = OCT_STATUS_OK;
    oct_status status = exchange_same(comm, NULL, mine, 0);
    self->look = NULL;
    return status == OCT_STATUS_OK ? self->looked : status;
}

static void local_fail(oct_comm *comm, const char *sentence)
{
    shared *s = local_of(comm)->shared;
    pthread_mutex_lock(&s->lock);
    if (!s->failed) {
        s->failed = true;
        s->who = comm->rank;
        snprintf(s->sentence, sizeof s->sentence, "%s", sentence);
    }
    pthread_cond_broadcast(&s->changed);
    let_copy(s);
    pthread_mutex_unlock(&s->lock);
}

/* They are freed together. */
static void local_close(oct_comm *comm)
{
    (void)comm;
}

static const oct_transport transport = {
    .name = "local",
    .gather = local_gather,
    .start = local_start,
    .wait = local_wait,
    .visit = local_visit,
    .fail = local_fail,
    .close = local_close,
};

static oct_status make_rank(local *all, uint32_t rank, shared *s)
{
    local *self = &all[rank];
    *self = (local){.base = {.transport = &transport, .rank = rank, .size = s->size, .place = rank},
                    .shared = s,
                    .all = all};
    OCT_TRY(oct_alloc(&self->out, s->size, sizeof *self->out, "messages"));
    return oct_alloc(&self->in, s->size, sizeof *self->in, "messages");
}

oct_status oct_local_create(oct_comm **out[], uint32_t ranks)
{
    oct_comm **list = NULL;
    local *all = NULL;
    shared *s = NULL;
    oct_status status;
    *out = NULL;
    OCT_TRY_DONE(oct_alloc(&list, ranks, sizeof *list, "ranks"));
    OCT_TRY_DONE(oct_alloc(&all, ranks, sizeof *all, "ranks"));
    OCT_TRY_DONE(oct_alloc(&s, 1, sizeof *s, "ranks"));
    s->size = ranks;
    OCT_CHECK_DONE(pthread_mutex_init(&s->lock, NULL) == 0, OCT_STATUS_MEMORY, "no lock for ranks");
    if (pthread_cond_init(&s->changed, NULL) != 0) {
        pthread_mutex_destroy(&s->lock);
        status = OCT_FAIL(OCT_STATUS_MEMORY, "no lock for ranks");
        goto done;
    }
    for (uint32_t r = 0; r < ranks; r++) {
        list[r] = &all[r].base;
        oct_status made = make_rank(all, r, s);
        status = status == OCT_STATUS_OK ? made : status;
    }
    if (status == OCT_STATUS_OK)
        *out = list;
    else
        oct_local_free(list);
    return status;
done:
    free(s);
    free(all);
    free(list);
    return status;
}

void oct_local_free(oct_comm *comms[])
{
    if (!comms)
        return;
    local *all = local_of(comms[0]);
    shared *s = all->shared;
    for (uint32_t r = 0; r < s->size; r++) {
        free(all[r].out);
        free(all[r].in);
    }
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
    free(all);
    free(comms);
}
