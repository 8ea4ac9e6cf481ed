/* The thread that writes: beside the caller, in order, within bounds; failures come back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "run/writer.h"

enum { JOBS = 20, IN_FLIGHT = 3 };

/* What all jobs of a test share. */
typedef struct ledger {
    atomic_int gate;              /* how many jobs may pass */
    atomic_int begun, run, freed; /* jobs */
    int order[JOBS], done[JOBS];  /* numbers in the order in which they were run, and told */
    int n_done, watched;
    int failing; /* the number of one that fails; -1: none */
    pthread_t caller;
} ledger;

typedef struct job {
    ledger *ledger;
    int number;
} job;

static bool passed_in_time(ledger *l, int number)
{
    const struct timespec tick = {.tv_nsec = 1000000};
    for (int i = 0; i < 10000 && atomic_load(&l->gate) <= number; i++)
        nanosleep(&tick, NULL);
    return atomic_load(&l->gate) > number;
}

static oct_status run_job(void *context)
{
    job *j = context;
    ledger *l = j->ledger;
    atomic_fetch_add(&l->begun, 1);
    OCT_CHECK(passed_in_time(l, j->number), OCT_STATUS_INTERNAL,
              "job %d was run while its caller waited for it", j->number);
    OCT_CHECK(!pthread_equal(pthread_self(), l->caller), OCT_STATUS_INTERNAL,
              "job %d was run by its caller", j->number);
    OCT_CHECK(j->number != l->failing, OCT_STATUS_IO, "disk %d is full", j->number);
    l->order[atomic_fetch_add(&l->run, 1)] = j->number;
    return OCT_STATUS_OK;
}

static oct_status tell_job(void *context)
{
    job *j = context;
    assert_true(pthread_equal(pthread_self(), j->ledger->caller));
    j->ledger->done[j->ledger->n_done++] = j->number;
    return OCT_STATUS_OK;
}

static void free_job(void *context)
{
    job *j = context;
    atomic_fetch_add(&j->ledger->freed, 1);
}

static oct_writer_job make(job *jobs, ledger *l, int number)
{
    jobs[number] = (job){l, number};
    return (oct_writer_job){"a job", &jobs[number], run_job, tell_job, free_job, .bytes = 0};
}

static oct_status watch_job(void *context, const char *name, double start_s, double end_s)
{
    ledger *l = context;
    assert_string_equal(name, "a job");
    assert_true(start_s > 0 && end_s >= start_s);
    l->watched++;
    return OCT_STATUS_OK;
}

static oct_writer *start(ledger *l, int gate)
{
    oct_writer *writer;
    *l = (ledger){.failing = -1, .caller = pthread_self()};
    atomic_store(&l->gate, gate);
    assert_int_equal(oct_writer_create(&writer, watch_job, l), OCT_STATUS_OK);
    return writer;
}

/* Each job waits for what its caller does after it has handed it over. */
static void jobs_are_done_beside_the_caller_in_order(void **state)
{
    ledger l;
    job jobs[JOBS];
    oct_writer *writer = start(&l, 0);
    (void)state;
    for (int i = 0; i < JOBS; i++) {
        assert_int_equal(oct_writer_add(writer, make(jobs, &l, i)), OCT_STATUS_OK);
        atomic_fetch_add(&l.gate, 1);
    }
    assert_int_equal(oct_writer_wait(writer), OCT_STATUS_OK);
    assert_int_equal(l.n_done, JOBS);
    assert_int_equal(l.watched, JOBS);
    for (int i = 0; i < JOBS; i++)
        assert_true(l.order[i] == i && l.done[i] == i);
    assert_true(oct_writer_seconds(writer) > 0);
    oct_writer_free(writer);
    assert_int_equal(l.freed, JOBS);
}

static void *open_gate(void *context)
{
    ledger *l = context;
    const struct timespec while_ = {.tv_nsec = 50000000};
    nanosleep(&while_, NULL);
    atomic_store(&l->gate, JOBS);
    return NULL;
}

/* No more copies of a simulation are held than that. */
static void no_more_jobs_wait_than_are_allowed(void **state)
{
    ledger l;
    job jobs[JOBS];
    pthread_t opener;
    oct_writer *writer = start(&l, 0);
    (void)state;
    for (int i = 0; i < IN_FLIGHT; i++)
        assert_int_equal(oct_writer_add(writer, make(jobs, &l, i)), OCT_STATUS_OK);
    assert_int_equal(l.run, 0);
    assert_int_equal(pthread_create(&opener, NULL, open_gate, &l), 0);
    assert_int_equal(oct_writer_add(writer, make(jobs, &l, IN_FLIGHT)), OCT_STATUS_OK);
    assert_true(l.run >= 1 && l.freed >= 1); /* the last one has waited for the first */
    assert_int_equal(pthread_join(opener, NULL), 0);
    oct_writer_free(writer);
    assert_int_equal(l.freed, IN_FLIGHT + 1);
}

/* Small ones wait in any number, all together within the bytes of a few large ones. */
static void small_jobs_hold_nobody_up(void **state)
{
    ledger l;
    job jobs[JOBS];
    oct_writer *writer = start(&l, 0);
    (void)state;
    for (int i = 0; i < JOBS; i++) {
        oct_writer_job small = make(jobs, &l, i);
        small.bytes = 1000;
        assert_int_equal(oct_writer_add(writer, small), OCT_STATUS_OK);
    }
    assert_int_equal(l.run, 0);
    atomic_store(&l.gate, JOBS);
    assert_int_equal(oct_writer_wait(writer), OCT_STATUS_OK);
    assert_int_equal(l.n_done, JOBS);
    oct_writer_free(writer);
}

/* A checkpoint that is handed over after a snapshot must not be there without it. */
static void nothing_is_written_after_a_failure(void **state)
{
    ledger l;
    job jobs[JOBS];
    oct_writer *writer = start(&l, 1);
    (void)state;
    l.failing = 1;
    for (int i = 0; i < IN_FLIGHT; i++)
        assert_int_equal(oct_writer_add(writer, make(jobs, &l, i)), OCT_STATUS_OK);
    atomic_store(&l.gate, JOBS);
    assert_int_equal(oct_writer_wait(writer), OCT_STATUS_IO);
    assert_string_equal(oct_last_error(), "disk 1 is full");
    assert_int_equal(l.run, 1);
    oct_clear_error();
    assert_int_equal(oct_writer_add(writer, make(jobs, &l, IN_FLIGHT)), OCT_STATUS_IO);
    assert_string_equal(oct_last_error(), "disk 1 is full");
    assert_int_equal(oct_writer_check(writer), OCT_STATUS_IO);
    oct_writer_free(writer);
    assert_int_equal(l.run, 1);
    assert_int_equal(l.n_done, 1);
    assert_int_equal(l.freed, IN_FLIGHT + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_are_done_beside_the_caller_in_order),
        cmocka_unit_test(no_more_jobs_wait_than_are_allowed),
        cmocka_unit_test(small_jobs_hold_nobody_up),
        cmocka_unit_test(nothing_is_written_after_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
