/* Threads take pieces of a loop; the first failure is kept and told. */
#include "util/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { PIECE = 1 << 14, MOST_THREADS = 16 };

typedef struct loop {
    size_t n;
    oct_parallel_body body;
    void *context;
    atomic_size_t next, failed; /* first elements: of the next piece, of the first that failed */
    pthread_mutex_t lock;       /* around a failure, which is said in another thread */
    oct_status status;
    oct_error error;
} loop;

/* What failed may succeed another time (memory may be free again), so it is not asked twice. */
static void keep_failure(loop *work, size_t first, oct_status status)
{
    pthread_mutex_lock(&work->lock);
    if (first < atomic_load(&work->failed)) {
        atomic_store(&work->failed, first);
        work->status = status;
        oct_error_save(&work->error);
    }
    pthread_mutex_unlock(&work->lock);
}

/* Pieces are taken in ascending order, so all before one that failed are done in any case. */
static void *take_pieces(void *context)
{
    loop *work = context;
    size_t first;
    while ((first = atomic_fetch_add(&work->next, PIECE)) < atomic_load(&work->failed)) {
        size_t end = work->n - first < PIECE ? work->n : first + PIECE;
        oct_status status = work->body(work->context, first, end);
        if (status != OCT_STATUS_OK)
            keep_failure(work, first, status);
    }
    return NULL;
}

oct_status oct_parallel_on(unsigned threads, size_t n, oct_parallel_body body, void *context)
{
    loop work = {
        .n = n, .body = body, .context = context, .failed = n, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t others[MOST_THREADS - 1];
    size_t started = 0, pieces = n / PIECE + (n % PIECE > 0);
    /* A thread that cannot be had is no failure: the pieces are done by those there are. */
    while (started + 1 < threads && started + 1 < MOST_THREADS && started + 1 < pieces &&
           pthread_create(&others[started], NULL, take_pieces, &work) == 0)
        started++;
    take_pieces(&work);
    bool joined = true;
    for (size_t i = 0; i < started; i++)
        joined = pthread_join(others[i], NULL) == 0 && joined;
    OCT_CHECK(joined, OCT_STATUS_INTERNAL, "a thread cannot be waited for");
    if (work.status != OCT_STATUS_OK)
        oct_error_restore(&work.error);
    return work.status;
}

oct_status oct_parallel(size_t n, oct_parallel_body body, void *context)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return oct_parallel_on(online > 0 ? (unsigned)online : 1, n, body, context);
}
