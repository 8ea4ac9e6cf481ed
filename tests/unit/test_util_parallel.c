/* Loops on several threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "util/parallel.h"
#include "util/random.h"

static const unsigned thread_counts[] = {0, 1, 2, 3, 16, 100};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof thread_counts[0] };

static oct_status count_visits(void *context, size_t first, size_t end)
{
    unsigned char *visits = context;
    for (size_t i = first; i < end; i++)
        visits[i]++;
    return OCT_STATUS_OK;
}

static void every_element_is_done_once(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 16383, 16384, 16385, 32768, 1000003};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int t = -1; t < THREAD_COUNTS; t++) {
            size_t n = sizes[s];
            unsigned char *visits = calloc(n + 1, 1);
            assert_non_null(visits);
            oct_status status = t < 0 ? oct_parallel(n, count_visits, visits)
                                      : oct_parallel_on(thread_counts[t], n, count_visits, visits);
            assert_int_equal(status, OCT_STATUS_OK);
            for (size_t i = 0; i < n; i++)
                if (visits[i] != 1)
                    fail_msg("element %zu of %zu: %d times", i, n, visits[i]);
            assert_int_equal(visits[n], 0);
            free(visits);
        }
}

static oct_status draw(void *context, size_t first, size_t end)
{
    double *numbers = context;
    for (size_t i = first; i < end; i++) {
        oct_random random = oct_random_start(3, 0, i);
        numbers[i] = oct_random_normal(&random);
    }
    return OCT_STATUS_OK;
}

static void results_do_not_depend_on_the_threads(void **state)
{
    enum { N = 100000 };
    static double expected[N], got[N];
    (void)state;
    assert_int_equal(draw(expected, 0, N), OCT_STATUS_OK);
    for (int t = 0; t < THREAD_COUNTS; t++) {
        memset(got, 0, sizeof got);
        assert_int_equal(oct_parallel_on(thread_counts[t], N, draw, got), OCT_STATUS_OK);
        assert_memory_equal(got, expected, sizeof got);
    }
}

/* Waits until as many are inside as there are threads; gives up after ten seconds. */
static oct_status meet(void *context, size_t first, size_t end)
{
    atomic_int *inside = context;
    (void)first;
    (void)end;
    atomic_fetch_add(inside, 1);
    for (int i = 0; i < 10000 && atomic_load(inside) < 4; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return atomic_load(inside) < 4 ? OCT_FAIL(OCT_STATUS_INTERNAL, "alone") : OCT_STATUS_OK;
}

static void threads_work_at_the_same_time(void **state)
{
    atomic_int inside = 0;
    (void)state;
    assert_int_equal(oct_parallel_on(4, 1000000, meet, &inside), OCT_STATUS_OK);
}

static oct_status refuse_some(void *context, size_t first, size_t end)
{
    const size_t *bad = context;
    for (size_t i = first; i < end; i++)
        for (int k = 0; k < 3; k++)
            OCT_CHECK(i != bad[k], OCT_STATUS_INPUT, "element %zu is bad", i);
    return OCT_STATUS_OK;
}

static void the_first_failure_is_told(void **state)
{
    size_t bad[] = {999999, 20001, 500000};
    (void)state;
    for (int t = 0; t < THREAD_COUNTS; t++)
        for (int repeat = 0; repeat < 20; repeat++) {
            oct_clear_error();
            assert_int_equal(oct_parallel_on(thread_counts[t], 1000000, refuse_some, bad),
                             OCT_STATUS_INPUT);
            assert_string_equal(oct_last_error(), "element 20001 is bad");
        }
}

/* Which pieces were asked for, and one that fails the first time only, as memory may. */
typedef struct trouble {
    size_t at; /* an element */
    atomic_int asked, failed;
} trouble;

static oct_status fail_once(void *context, size_t first, size_t end)
{
    trouble *t = context;
    atomic_fetch_add(&t->asked, 1);
    if (first <= t->at && t->at < end && atomic_exchange(&t->failed, 1) == 0)
        return OCT_FAIL(OCT_STATUS_MEMORY, "no memory for element %zu", t->at);
    return OCT_STATUS_OK;
}

/* Asking again would succeed, and the elements after it would never have been done. */
static void a_failure_that_would_pass_is_one(void **state)
{
    static const size_t places[] = {0, 20001, 999999};
    (void)state;
    for (size_t p = 0; p < 3; p++)
        for (int t = 0; t < THREAD_COUNTS; t++) {
            trouble found = {.at = places[p]};
            oct_clear_error();
            assert_int_equal(oct_parallel_on(thread_counts[t], 1000000, fail_once, &found),
                             OCT_STATUS_MEMORY);
            assert_non_null(strstr(oct_last_error(), "no memory for element"));
            assert_non_null(strstr(oct_last_error_place(), "test_util_parallel.c:"));
            assert_true(found.asked <= 62); /* the pieces of 1,000,000: none of them twice */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_done_once),
        cmocka_unit_test(results_do_not_depend_on_the_threads),
        cmocka_unit_test(threads_work_at_the_same_time),
        cmocka_unit_test(the_first_failure_is_told),
        cmocka_unit_test(a_failure_that_would_pass_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
