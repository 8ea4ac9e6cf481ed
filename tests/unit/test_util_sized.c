/* A struct that grows, between programs and libraries of two versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "util/sized.h"

/* What version 1 had, and what version 2 has. */
typedef struct old_options {
    size_t size;
    double extent;
    const char *title;
} old_options;

typedef struct new_options {
    size_t size;
    double extent;
    const char *title;
    int rings;
    double light[2];
} new_options;

static oct_status take_new(new_options *own, const void *given)
{
    return OCT_SIZED_TAKE(new_options, title, own, given);
}

static oct_status take_old(old_options *own, const void *given)
{
    return OCT_SIZED_TAKE(old_options, title, own, given);
}

static void test_an_older_program_gets_defaults(void **state)
{
    (void)state;
    const old_options given = {.size = sizeof given, .extent = 3, .title = "old"};
    new_options own;
    memset(&own, 0x55, sizeof own);
    assert_int_equal(take_new(&own, &given), OCT_STATUS_OK);
    assert_int_equal(own.size, sizeof own);
    assert_true(own.extent == 3 && own.title == given.title);
    assert_true(own.rings == 0 && own.light[0] == 0 && own.light[1] == 0);
}

static void test_a_newer_program_may_ask_for_what_is_known_only(void **state)
{
    (void)state;
    new_options given = {.size = sizeof given, .extent = 3};
    old_options own;
    assert_int_equal(take_old(&own, &given), OCT_STATUS_OK);
    assert_true(own.size == sizeof own && own.extent == 3);
    given.light[1] = 1;
    memset(&own, 0x55, sizeof own);
    assert_int_equal(take_old(&own, &given), OCT_STATUS_INPUT);
    assert_non_null(strstr(oct_last_error(), "old_options asks for what Octant"));
    assert_int_equal(own.size, 0x5555555555555555); /* nothing has changed */
}

static void test_what_is_no_size_is_refused(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,
                                   1,
                                   sizeof(size_t), /* of a pointer */
                                   offsetof(old_options, title),
                                   sizeof(new_options) + 4097,
                                   SIZE_MAX};
    new_options own;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        /* No more than the size may be read. */
        size_t *given = malloc(sizeof *given);
        assert_non_null(given);
        *given = sizes[i];
        assert_int_equal(take_new(&own, given), OCT_STATUS_INPUT);
        assert_non_null(strstr(oct_last_error(), "{.size = sizeof(new_options)}"));
        free(given);
    }
}

static void test_as_much_is_filled_in_as_there_is(void **state)
{
    (void)state;
    struct {
        old_options options;
        char beyond[16];
    } old = {.options = {.size = sizeof old.options}};
    const new_options made = {.extent = 4, .title = "made", .rings = 5};
    memset(old.beyond, 0x55, sizeof old.beyond);
    assert_int_equal(OCT_SIZED_CHECK(new_options, title, &old.options), OCT_STATUS_OK);
    oct_sized_give(&old.options, &made, sizeof made);
    assert_true(old.options.extent == 4 && old.options.title == made.title);
    assert_int_equal(old.options.size, sizeof old.options);
    for (size_t i = 0; i < sizeof old.beyond; i++)
        assert_int_equal(old.beyond[i], 0x55);

    new_options wide = {.size = sizeof wide, .rings = 7, .light = {1, 2}};
    oct_sized_give(&wide, &(old_options){.extent = 6}, sizeof(old_options));
    assert_true(wide.size == sizeof wide && wide.extent == 6);
    assert_true(wide.rings == 0 && wide.light[0] == 0 && wide.light[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_older_program_gets_defaults),
        cmocka_unit_test(test_a_newer_program_may_ask_for_what_is_known_only),
        cmocka_unit_test(test_what_is_no_size_is_refused),
        cmocka_unit_test(test_as_much_is_filled_in_as_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
