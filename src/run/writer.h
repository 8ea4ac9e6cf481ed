/* One thread that draws and writes what a run leaves, in the order in which it was handed over,
 * while steps go on. Where there is no thread to be had it is all done at once by the caller. */
#ifndef OCT_RUN_WRITER_H
#define OCT_RUN_WRITER_H

#include <stdint.h>

#include "util/status.h"

/* What is handed over, copies and all. */
typedef struct oct_writer_job {
    const char *name; /* what it is, for the watch */
    void *context;
    oct_status (*run)(void *context);  /* in the writer's thread */
    oct_status (*done)(void *context); /* then, in the caller's, when it next asks; may be NULL */
    void (*free)(void *context);
    uint64_t bytes; /* of the copies; 0: not known, which counts as many */
} oct_writer_job;

typedef struct oct_writer oct_writer;

/* Is told in the caller's thread of each job that was run, and when; a failure of its own counts.
 */
typedef oct_status (*oct_writer_watch)(void *context, const char *name, double start_s,
                                       double end_s);

/* watch may be NULL. */
oct_status oct_writer_create(oct_writer **out, oct_writer_watch watch, void *context);
/* Hands a job over; writer NULL: it is done at once. Waits while as many as are allowed wait
 * already. After a failure nothing more is written: the job is given up, and the failure is
 * returned here, as by the two that follow. */
oct_status oct_writer_add(oct_writer *writer, oct_writer_job job);
/* What has failed so far, without a wait. */
oct_status oct_writer_check(oct_writer *writer);
/* The same when all is written. writer may be NULL. */
oct_status oct_writer_wait(oct_writer *writer);
/* Whether nothing that was handed over is left to be done or collected. */
bool oct_writer_idle(oct_writer *writer);
/* Seconds that jobs have taken in the writer's thread. */
double oct_writer_seconds(oct_writer *writer);
/* Waits, and frees. */
void oct_writer_free(oct_writer *writer);

#endif
