/* Where no thread can be had: this program's pthread_create takes the place of the system's. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "util/parallel.h"

static int refused;

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*start)(void *), void *restrict context)
{
    (void)thread;
    (void)attributes;
    (void)start;
    (void)context;
    refused++;
    return EAGAIN;
}

typedef struct tally {
    size_t done, bad;
} tally;

static oct_status count(void *context, size_t first, size_t end)
{
    tally *t = context;
    OCT_CHECK(t->bad < first || t->bad >= end, OCT_STATUS_INPUT, "element %zu is bad", t->bad);
    t->done += end - first;
    return OCT_STATUS_OK;
}

static void all_is_done_in_one_thread(void **state)
{
    tally t = {.bad = SIZE_MAX};
    (void)state;
    assert_int_equal(oct_parallel_on(8, 1000003, count, &t), OCT_STATUS_OK);
    assert_int_equal(t.done, 1000003);
    assert_int_equal(refused, 1);
}

static void a_failure_is_told_and_ends_it(void **state)
{
    tally t = {.bad = 50000};
    (void)state;
    assert_int_equal(oct_parallel_on(8, 1000003, count, &t), OCT_STATUS_INPUT);
    assert_string_equal(oct_last_error(), "element 50000 is bad");
    assert_int_equal(t.done, 3 * 16384);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_done_in_one_thread),
        cmocka_unit_test(a_failure_is_told_and_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
