/* Starts a thread for each rank, and tells which of them failed first. */
#include <pthread.h>
#include <stdlib.h>

#include "cluster/comm.h"

enum { MOST_RANKS = 256 };

typedef struct rank_thread {
    pthread_t thread;
    bool started;
    oct_comm *comm;
    oct_status (*work)(oct_comm *comm, void *context);
    void *context;
    oct_status status;
    bool told; /* it ended because another one had */
    oct_error error;
} rank_thread;

static void *run_rank(void *context)
{
    rank_thread *self = context;
    self->status = self->work(self->comm, self->context);
    self->told = self->comm->told;
    if (self->status == OCT_STATUS_OK)
        return NULL;
    oct_comm_fail(self->comm, self->status);
    /* What is wrong with a scene or a body is wrong everywhere; a device or a disk has a place. */
    if (self->status < 0 && self->status != OCT_STATUS_NUMBER && !self->told)
        oct_fail_within(self->status, "rank %u of %u", (unsigned)self->comm->rank,
                        (unsigned)self->comm->size);
    oct_error_save(&self->error);
    return NULL;
}

/* The rank that failed by itself, or the first that failed at all. */
static const rank_thread *first_failed(const rank_thread *ranks, uint32_t n)
{
    const rank_thread *found = NULL;
    for (uint32_t r = 0; r < n; r++)
        if (ranks[r].status != OCT_STATUS_OK && (!found || (found->told && !ranks[r].told)))
            found = &ranks[r];
    return found;
}

oct_status oct_comm_threads(uint32_t ranks, oct_status (*work)(oct_comm *comm, void *context),
                            void *context)
{
    rank_thread *threads = NULL;
    oct_comm **comms = NULL;
    oct_status status;
    OCT_CHECK(ranks > 0 && ranks <= MOST_RANKS, OCT_STATUS_INPUT,
              "%u are no number of ranks in a process; expected 1 to %d", (unsigned)ranks,
              MOST_RANKS);
    OCT_TRY_DONE(oct_local_create(&comms, ranks));
    OCT_TRY_DONE(oct_alloc(&threads, ranks, sizeof *threads, "ranks"));
    for (uint32_t r = 0; r < ranks; r++)
        threads[r] = (rank_thread){.comm = comms[r], .work = work, .context = context};
    for (uint32_t r = 1; r < ranks && status == OCT_STATUS_OK; r++) {
        threads[r].started = pthread_create(&threads[r].thread, NULL, run_rank, &threads[r]) == 0;
        if (!threads[r].started)
            status = oct_comm_fail(comms[0], OCT_FAIL(OCT_STATUS_MEMORY,
                                                      "no thread can be had for rank %u of %u",
                                                      (unsigned)r, (unsigned)ranks));
    }
    if (status == OCT_STATUS_OK)
        run_rank(&threads[0]);
    for (uint32_t r = 1; r < ranks; r++)
        if (threads[r].started)
            pthread_join(threads[r].thread, NULL);
    const rank_thread *failed = first_failed(threads, ranks);
    if (status == OCT_STATUS_OK && failed) {
        status = failed->status;
        oct_error_restore(&failed->error);
    }
done:
    free(threads);
    oct_local_free(comms);
    return status;
}
