/* Stream compaction against a loop: any size, flags of one byte and of four. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arrays.h"
#include "scene_sim.h"
#include "tree/compact.h"

/* Which flags are set. */
typedef enum pattern { NONE, ALL, HALF, FEW, PATTERNS } pattern;

/* A set flag may have any value but zero, in any of its bytes. */
static uint32_t flag_at(pattern which, size_t i, size_t bytes)
{
    uint64_t random = array_key(ARRAY_RANDOM, i, 1);
    uint32_t value = 1u << (random >> 32) % (8 * bytes);
    bool half = random % 2 == 0, few = random % 1000 == 0;
    return which == ALL || (which == HALF && half) || (which == FEW && few) ? value : 0;
}

static void assert_compacted(oct_buffer *indices, oct_buffer *count, pattern which, size_t bytes,
                             size_t n)
{
    uint32_t *got = array_alloc(n, sizeof *got), got_count = UINT32_MAX, expected = 0;
    ref_ok(oct_buffer_read(got, indices, 0, n));
    ref_ok(oct_buffer_read(&got_count, count, 0, 1));
    for (size_t i = 0; i < n; i++)
        if (flag_at(which, i, bytes) != 0 && got[expected++] != i)
            fail_msg("index %u of %zu flags is %u instead of %zu", expected - 1, n,
                     got[expected - 1], i);
    assert_int_equal(got_count, expected);
    free(got);
}

static void check(oct_variant variant, pattern which, size_t bytes, size_t n)
{
    oct_compact *compact = NULL;
    oct_buffer *indices = NULL, *count = NULL;
    unsigned char *small = array_alloc(n, sizeof *small);
    uint32_t *large = array_alloc(n, sizeof *large);
    for (size_t i = 0; i < n; i++) {
        large[i] = flag_at(which, i, bytes);
        small[i] = (unsigned char)large[i];
    }
    oct_buffer *flags = array_upload(bytes == 1 ? (void *)small : large, bytes, n);
    ref_ok(oct_buffer_create(&indices, ref_device(), "indices", sizeof(uint32_t), n));
    ref_ok(oct_buffer_create(&count, ref_device(), "count", sizeof(uint32_t), 1));
    ref_ok(oct_compact_create(&compact, ref_device(), bytes, variant));
    ref_ok(oct_compact_run(compact, indices, count, flags, n));
    assert_compacted(indices, count, which, bytes, n);
    oct_compact_free(compact);
    oct_buffer_free(flags);
    oct_buffer_free(indices);
    oct_buffer_free(count);
    free(small);
    free(large);
}

static void every_size_is_compacted(void **state)
{
    (void)state;
    for (int i = 0; i < ARRAY_SIZES; i++)
        for (size_t bytes = 1; bytes <= 4; bytes += 3)
            check(OCT_VARIANT_AUTO, HALF, bytes, array_sizes[i]);
}

static void every_size_is_compacted_by_groups(void **state)
{
    (void)state;
    for (int i = 0; i < ARRAY_SMALL_SIZES; i++)
        for (size_t bytes = 1; bytes <= 4; bytes += 3)
            check(OCT_VARIANT_GROUPS, HALF, bytes, array_sizes[i]);
}

static void ten_million_are_compacted(void **state)
{
    (void)state;
    check(OCT_VARIANT_AUTO, FEW, 1, 10000000);
}

static void every_pattern_is_compacted(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; variant++)
        for (int which = 0; which < PATTERNS; which++)
            for (size_t bytes = 1; bytes <= 4; bytes += 3)
                check((oct_variant)variant, (pattern)which, bytes, 9003);
}

static void other_flags_are_refused(void **state)
{
    uint32_t values[4] = {0};
    oct_compact *compact = NULL;
    oct_buffer *buffer = array_upload(values, sizeof *values, 4);
    (void)state;
    assert_int_equal(oct_compact_create(&compact, ref_device(), 2, OCT_VARIANT_AUTO),
                     OCT_STATUS_INTERNAL);
    assert_null(compact);
    ref_ok(oct_compact_create(&compact, ref_device(), 1, OCT_VARIANT_AUTO));
    assert_int_equal(oct_compact_run(compact, buffer, buffer, buffer, 4), OCT_STATUS_INTERNAL);
    oct_compact_free(compact);
    oct_buffer_free(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_is_compacted),
        cmocka_unit_test(every_size_is_compacted_by_groups),
        cmocka_unit_test(ten_million_are_compacted),
        cmocka_unit_test(every_pattern_is_compacted),
        cmocka_unit_test(other_flags_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
