/* What is fresh: made from the versions that there are, of the very arrays that there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/fresh.h"
#include "device/device.h"
#include "scene_sim.h"

static oct_buffer *make_array(void)
{
    oct_buffer *array = NULL;
    ref_ok(oct_buffer_create(&array, ref_device(), "array", sizeof(int), 2));
    ref_ok(oct_buffer_fill(array, 0));
    return array;
}

static bool is_fresh(const oct_made *made, const oct_buffer *a, const oct_buffer *b)
{
    oct_made now = OCT_MADE(a, b);
    return oct_made_fresh(made, &now);
}

static void until_a_source_is_written(void **state)
{
    const int numbers[] = {1, 2};
    oct_buffer *a = make_array(), *b = make_array();
    (void)state;
    for (int which = 0; which < 2; which++) {
        oct_made made = OCT_MADE(a, b);
        assert_true(is_fresh(&made, a, b));
        ref_ok(oct_buffer_write(which ? b : a, numbers, 1, 1));
        assert_false(is_fresh(&made, a, b));
    }
    oct_buffer_free(a);
    oct_buffer_free(b);
}

static void what_was_not_made_never_is(void **state)
{
    const oct_made none = {0};
    oct_buffer *a = make_array();
    (void)state;
    assert_false(is_fresh(&none, a, NULL));
    assert_false(is_fresh(&none, NULL, NULL));
    oct_buffer_free(a);
}

/* Versions of two arrays may be equal; they are others. */
static void another_array_is_another_source(void **state)
{
    oct_buffer *a = make_array(), *b = make_array();
    (void)state;
    oct_made made = OCT_MADE(a), both = OCT_MADE(a, b);
    assert_int_equal(a->version, b->version);
    assert_false(is_fresh(&made, b, NULL));
    assert_false(is_fresh(&made, a, b));
    assert_false(is_fresh(&both, a, NULL));
    /* Each has what the other had, its version and who it is included. */
    oct_buffer_exchange(a, b);
    assert_true(is_fresh(&made, b, NULL));
    assert_true(is_fresh(&both, b, a));
    oct_buffer_free(a);
    oct_buffer_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(until_a_source_is_written),
        cmocka_unit_test(what_was_not_made_never_is),
        cmocka_unit_test(another_array_is_another_source),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
