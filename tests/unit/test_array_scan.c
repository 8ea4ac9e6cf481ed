/* The exclusive scan against a loop: any size, in place and not, sums modulo 2^32. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "array/primitives.h"
#include "arrays.h"
#include "scene_sim.h"

static void assert_scanned(oct_buffer *result, oct_buffer *total, const uint32_t *values, size_t n)
{
    uint32_t *got = array_alloc(n, sizeof *got), sum = 0, got_total = 1;
    ref_ok(oct_buffer_read(got, result, 0, n));
    ref_ok(oct_buffer_read(&got_total, total, 0, 1));
    for (size_t i = 0; i < n; i++) {
        if (got[i] != sum)
            fail_msg("sum %zu of %zu is %u instead of %u", i, n, got[i], sum);
        sum += values[i];
    }
    assert_int_equal(got_total, sum);
    free(got);
}

static void check(oct_variant variant, array_kind kind, size_t n)
{
    oct_primitives *primitives = array_primitives(variant);
    uint32_t *values = array_alloc(n, sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = (uint32_t)array_key(kind, i, n);
    oct_buffer *given = array_upload(values, sizeof *values, n);
    oct_buffer *result = array_buffer(sizeof *values, n), *total = array_buffer(sizeof *values, 1);
    ref_ok(oct_array_scan(primitives, result, total, given, n));
    assert_scanned(result, total, values, n);
    ref_ok(oct_array_scan(primitives, given, total, given, n));
    assert_scanned(given, total, values, n);
    oct_primitives_free(primitives);
    oct_buffer_free(given);
    oct_buffer_free(result);
    oct_buffer_free(total);
    free(values);
}

static void every_size_is_scanned(void **state)
{
    (void)state;
    for (int i = 0; i < ARRAY_SIZES; i++)
        check(OCT_VARIANT_AUTO, ARRAY_RANDOM, array_sizes[i]);
}

static void every_size_is_scanned_by_groups(void **state)
{
    (void)state;
    for (int i = 0; i < ARRAY_SMALL_SIZES; i++)
        check(OCT_VARIANT_GROUPS, ARRAY_RANDOM, array_sizes[i]);
}

static void ten_million_are_scanned(void **state)
{
    (void)state;
    check(OCT_VARIANT_AUTO, ARRAY_RANDOM, 10000000);
}

static void every_remainder_is_scanned(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; variant++)
        for (size_t n = 9000; n < 9005; n++)
            check((oct_variant)variant, ARRAY_FEW_DISTINCT, n);
}

static void too_short_buffers_are_refused(void **state)
{
    uint32_t values[4] = {0};
    oct_primitives *primitives = array_primitives(OCT_VARIANT_AUTO);
    oct_buffer *buffer = array_upload(values, sizeof *values, 4);
    (void)state;
    assert_int_equal(oct_array_scan(primitives, buffer, buffer, buffer, 5), OCT_STATUS_INTERNAL);
    oct_primitives_free(primitives);
    oct_buffer_free(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_is_scanned),
        cmocka_unit_test(every_size_is_scanned_by_groups),
        cmocka_unit_test(ten_million_are_scanned),
        cmocka_unit_test(every_remainder_is_scanned),
        cmocka_unit_test(too_short_buffers_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
