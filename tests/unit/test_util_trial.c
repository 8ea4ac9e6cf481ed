/* Crashes and hangs of a child process are survived. */
#include "files.h"

#include "util/trial.h"

static oct_status succeed(void *context)
{
    *(int *)context = 1;
    printf("this must not be seen\n");
    fflush(stdout);
    return OCT_STATUS_OK;
}

static oct_status refuse(void *context)
{
    return OCT_FAIL(OCT_STATUS_INPUT, "refused: %s", (const char *)context);
}

static oct_status crash(void *context)
{
    (void)context;
    abort();
}

static oct_status leave(void *context)
{
    (void)context;
    _exit(0);
}

/* Nobody hears of it: the pipe is closed. */
static oct_status fall_silent(void *context)
{
    for (int file = STDERR_FILENO + 1; file < 64; file++)
        close(file);
    return refuse(context);
}

static oct_status hang(void *context)
{
    const volatile int *wait = context;
    while (*wait)
        continue;
    return OCT_STATUS_OK;
}

static void test_success_leaves_no_trace(void **state)
{
    (void)state;
    bool survived;
    int mark = 0;
    assert_int_equal(oct_trial(&survived, succeed, &mark, 10), OCT_STATUS_OK);
    assert_true(survived);
    assert_int_equal(mark, 0);
}

static void test_a_refusal_comes_with_its_sentence(void **state)
{
    (void)state;
    bool survived;
    assert_int_equal(oct_trial(&survived, refuse, "too big", 10), OCT_STATUS_INPUT);
    assert_true(survived);
    assert_string_equal(oct_last_error(), "refused: too big");
}

/* A disk that is full is no damage of the file that was read. */
static void test_who_is_not_heard_is_not_dead(void **state)
{
    (void)state;
    bool survived;
    assert_int_equal(oct_trial(&survived, fall_silent, "unheard", 10), OCT_STATUS_OK);
    assert_true(survived);
}

static void test_crashes_and_hangs_are_survived(void **state)
{
    (void)state;
    bool survived;
    int wait = 1;
    assert_int_equal(oct_trial(&survived, crash, NULL, 10), OCT_STATUS_OK);
    assert_false(survived);
    assert_int_equal(oct_trial(&survived, leave, NULL, 10), OCT_STATUS_OK);
    assert_false(survived);
    assert_int_equal(oct_trial(&survived, hang, &wait, 1), OCT_STATUS_OK);
    assert_false(survived);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_success_leaves_no_trace),
        cmocka_unit_test(test_a_refusal_comes_with_its_sentence),
        cmocka_unit_test(test_who_is_not_heard_is_not_dead),
        cmocka_unit_test(test_crashes_and_hangs_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
