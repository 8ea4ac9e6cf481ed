/* Stream compaction against a loop: any size, and what is left out may have any value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "array/primitives.h"
#include "arrays.h"
#include "scene_sim.h"

/* Which marks stay. */
typedef enum pattern { NONE, ALL, HALF, FEW, PATTERNS } pattern;

/* Flags are left out where they are 0, types where they are that of removed bodies. */
static const unsigned char skips[] = {0, 255};
enum { SKIPS = sizeof skips / sizeof skips[0] };

/* What stays differs from what does not in one bit, any of eight. */
static unsigned char mark_at(pattern which, size_t i, unsigned char skip)
{
    uint64_t random = array_key(ARRAY_RANDOM, i, 1);
    unsigned bit = 1u << (random >> 32) % 8;
    bool half = random % 2 == 0, few = random % 1000 == 0;
    bool stays = which == ALL || (which == HALF && half) || (which == FEW && few);
    return (unsigned char)(stays ? skip ^ bit : skip);
}

static void assert_compacted(oct_buffer *indices, oct_buffer *count, const unsigned char *marks,
                             unsigned char skip, size_t n)
{
    uint32_t *got = array_alloc(n, sizeof *got), got_count = UINT32_MAX, expected = 0;
    ref_ok(oct_buffer_read(got, indices, 0, n));
    ref_ok(oct_buffer_read(&got_count, count, 0, 1));
    for (size_t i = 0; i < n; i++)
        if (marks[i] != skip && got[expected++] != i)
            fail_msg("index %u of %zu marks is %u instead of %zu", expected - 1, n,
                     got[expected - 1], i);
    assert_int_equal(got_count, expected);
    free(got);
}

static void check(oct_variant variant, pattern which, unsigned char skip, size_t n)
{
    oct_primitives *primitives = array_primitives(variant);
    unsigned char *given = array_alloc(n, sizeof *given);
    for (size_t i = 0; i < n; i++)
        given[i] = mark_at(which, i, skip);
    oct_buffer *marks = array_upload(given, 1, n);
    oct_buffer *indices = array_buffer(sizeof(uint32_t), n),
               *count = array_buffer(sizeof(uint32_t), 1);
    ref_ok(oct_array_compact(primitives, indices, count, marks, skip, n));
    assert_compacted(indices, count, given, skip, n);
    oct_primitives_free(primitives);
    oct_buffer_free(marks);
    oct_buffer_free(indices);
    oct_buffer_free(count);
    free(given);
}

static void every_size_is_compacted(void **state)
{
    (void)state;
    for (int i = 0; i < ARRAY_SIZES; i++)
        for (size_t k = 0; k < SKIPS; k++)
            check(OCT_VARIANT_AUTO, HALF, skips[k], array_sizes[i]);
}

static void every_size_is_compacted_by_groups(void **state)
{
    (void)state;
    for (int i = 0; i < ARRAY_SMALL_SIZES; i++)
        for (size_t k = 0; k < SKIPS; k++)
            check(OCT_VARIANT_GROUPS, HALF, skips[k], array_sizes[i]);
}

static void ten_million_are_compacted(void **state)
{
    (void)state;
    check(OCT_VARIANT_AUTO, FEW, 0, 10000000);
}

static void every_pattern_is_compacted(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; variant++)
        for (int which = 0; which < PATTERNS; which++)
            for (size_t k = 0; k < SKIPS; k++)
                check((oct_variant)variant, (pattern)which, skips[k], 9003);
}

static void marks_of_more_bytes_are_refused(void **state)
{
    uint32_t values[4] = {0};
    oct_primitives *primitives = array_primitives(OCT_VARIANT_AUTO);
    oct_buffer *buffer = array_upload(values, sizeof *values, 4);
    (void)state;
    assert_int_equal(oct_array_compact(primitives, buffer, buffer, buffer, 0, 4),
                     OCT_STATUS_INTERNAL);
    oct_primitives_free(primitives);
    oct_buffer_free(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_is_compacted),
        cmocka_unit_test(every_size_is_compacted_by_groups),
        cmocka_unit_test(ten_million_are_compacted),
        cmocka_unit_test(every_pattern_is_compacted),
        cmocka_unit_test(marks_of_more_bytes_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
