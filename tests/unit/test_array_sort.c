/* The radix sort against a merge sort: any size, any keys, any range of bits, stable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "array/sort.h"
#include "arrays.h"
#include "scene_sim.h"

typedef struct pair {
    uint64_t key;
    uint32_t value;
} pair;

/* Merges the sorted halves of [0, n); of equal keys the left one comes first. */
static void merge_sort(pair *pairs, pair *scratch, size_t n, uint64_t mask)
{
    size_t half = n / 2, a = 0, b = half;
    if (n < 2)
        return;
    merge_sort(pairs, scratch, half, mask);
    merge_sort(pairs + half, scratch, n - half, mask);
    for (size_t i = 0; i < n; i++) {
        bool left = b == n || (a < half && (pairs[a].key & mask) <= (pairs[b].key & mask));
        scratch[i] = pairs[left ? a++ : b++];
    }
    memcpy(pairs, scratch, n * sizeof *pairs);
}

static uint64_t bit_mask(unsigned first, unsigned last)
{
    uint64_t below_last = last == 64 ? UINT64_MAX : ((uint64_t)1 << last) - 1;
    return below_last & ~(((uint64_t)1 << first) - 1);
}

typedef struct device_pairs {
    oct_buffer *keys, *values;
    uint64_t *host_keys;
    uint32_t *host_values;
} device_pairs;

static void upload(device_pairs *d, const pair *pairs, size_t n)
{
    d->host_keys = array_alloc(n, sizeof *d->host_keys);
    d->host_values = array_alloc(n, sizeof *d->host_values);
    for (size_t i = 0; i < n; i++) {
        d->host_keys[i] = pairs[i].key;
        d->host_values[i] = pairs[i].value;
    }
    d->keys = array_upload(d->host_keys, sizeof(uint64_t), n);
    d->values = array_upload(d->host_values, sizeof(uint32_t), n);
}

static void clear(device_pairs *d)
{
    oct_buffer_free(d->keys);
    oct_buffer_free(d->values);
    free(d->host_keys);
    free(d->host_values);
}

static void assert_sorted(device_pairs *d, const pair *expected, size_t n)
{
    ref_ok(oct_buffer_read(d->host_keys, d->keys, 0, n));
    ref_ok(oct_buffer_read(d->host_values, d->values, 0, n));
    for (size_t i = 0; i < n; i++)
        if (d->host_keys[i] != expected[i].key || d->host_values[i] != expected[i].value)
            fail_msg("pair %zu of %zu is %llx, %u instead of %llx, %u", i, n,
                     (unsigned long long)d->host_keys[i], d->host_values[i],
                     (unsigned long long)expected[i].key, expected[i].value);
}

static oct_status make_sort(oct_sort **out, size_t capacity)
{
    return oct_sort_create(out, ref_device(), capacity, OCT_PRECISION_SINGLE, OCT_VARIANT_AUTO);
}

static void check_pairs(oct_variant variant, pair *pairs, size_t n, unsigned first, unsigned last)
{
    oct_sort *sort = NULL;
    device_pairs d;
    pair *scratch = array_alloc(n, sizeof *scratch);
    ref_ok(oct_sort_create(&sort, ref_device(), n, OCT_PRECISION_SINGLE, variant));
    upload(&d, pairs, n);
    ref_ok(oct_sort_run(sort, &d.keys, &d.values, n, first, last));
    merge_sort(pairs, scratch, n, bit_mask(first, last));
    assert_sorted(&d, pairs, n);
    clear(&d);
    free(scratch);
    oct_sort_free(sort);
}

/* Sorts n keys of a kind, numbered by their values. */
static void check(oct_variant variant, array_kind kind, size_t n, unsigned first, unsigned last)
{
    pair *pairs = array_alloc(n, sizeof *pairs);
    for (size_t i = 0; i < n; i++)
        pairs[i] = (pair){array_key(kind, i, n), (uint32_t)i};
    check_pairs(variant, pairs, n, first, last);
    free(pairs);
}

static void every_size_is_sorted(void **state)
{
    (void)state;
    for (int i = 0; i < ARRAY_SIZES; i++)
        check(OCT_VARIANT_AUTO, ARRAY_RANDOM, array_sizes[i], 0, 64);
}

static void every_size_is_sorted_by_groups(void **state)
{
    (void)state;
    for (int i = 0; i < ARRAY_SMALL_SIZES; i++)
        check(OCT_VARIANT_GROUPS, ARRAY_RANDOM, array_sizes[i], 0, 64);
}

static void ten_million_are_sorted(void **state)
{
    (void)state;
    check(OCT_VARIANT_AUTO, ARRAY_RANDOM, 10000000, 21, 63);
}

static void every_kind_of_keys_is_sorted(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; variant++)
        for (int kind = 0; kind < ARRAY_KINDS; kind++)
            check((oct_variant)variant, (array_kind)kind, 20000, 0, 63);
}

static void only_the_bits_asked_for_decide(void **state)
{
    static const unsigned ranges[][2] = {{0, 0},   {0, 1},   {5, 8},   {0, 8},   {3, 12},
                                         {21, 63}, {63, 64}, {30, 47}, {60, 64}, {0, 9}};
    (void)state;
    for (int variant = 0; variant < 3; variant++)
        for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
            check((oct_variant)variant, ARRAY_RANDOM, 10001, ranges[i][0], ranges[i][1]);
}

/* Whether more than 64 pairs agree in the bits [first, 63) and are not in order by those below. */
static bool has_long_run(const pair *pairs, size_t n, unsigned first)
{
    bool inverted = false;
    for (size_t i = 0, start = 0; i < n; i++) {
        if (i == 0 || (pairs[i].key ^ pairs[start].key) & bit_mask(first, 63)) {
            start = i;
            inverted = false;
        } else
            inverted =
                inverted || (pairs[i].key & bit_mask(0, 63)) < (pairs[i - 1].key & bit_mask(0, 63));
        bool ends = i + 1 == n || (pairs[i + 1].key ^ pairs[i].key) & bit_mask(first, 63);
        if (ends && inverted && i + 1 - start > 64)
            return true;
    }
    return false;
}

/* Sorts by the upper bits and settles; whether these were enough is told. */
static bool settles(oct_variant variant, array_kind kind, size_t n, unsigned first)
{
    const uint32_t none = 0;
    uint32_t unsettled;
    oct_sort *sort = NULL;
    device_pairs d;
    pair *pairs = array_alloc(n, sizeof *pairs), *scratch = array_alloc(n, sizeof *scratch);
    for (size_t i = 0; i < n; i++)
        pairs[i] = (pair){array_key(kind, i, n), (uint32_t)i};
    oct_buffer *word = array_upload(&none, sizeof none, 1);
    ref_ok(oct_sort_create(&sort, ref_device(), n, OCT_PRECISION_SINGLE, variant));
    upload(&d, pairs, n);
    ref_ok(oct_sort_run(sort, &d.keys, &d.values, n, first, 63));
    ref_ok(oct_sort_settle(sort, &d.keys, &d.values, word, n, first, 63));
    ref_ok(oct_buffer_read(&unsettled, word, 0, 1));
    merge_sort(pairs, scratch, n, bit_mask(first, 63));
    assert_true((unsettled != 0) == has_long_run(pairs, n, first));
    merge_sort(pairs, scratch, n, bit_mask(0, 63));
    if (!unsettled)
        assert_sorted(&d, pairs, n);
    clear(&d);
    oct_buffer_free(word);
    oct_sort_free(sort);
    free(pairs);
    free(scratch);
    return !unsettled;
}

static void upper_bits_and_settling_are_a_sort(void **state)
{
    static const unsigned firsts[] = {1, 20, 40, 49, 54, 60};
    int settled = 0, not_settled = 0;
    (void)state;
    for (int kind = 0; kind < ARRAY_KINDS; kind++)
        for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++)
            for (int variant = 0; variant < 3; variant++)
                if (settles((oct_variant)variant, (array_kind)kind, 20000, firsts[i]))
                    settled++;
                else
                    not_settled++;
    print_message("%d sorts settled, %d had to be told\n", settled, not_settled);
    assert_true(settled > 10 && not_settled > 10);
    assert_true(settles(OCT_VARIANT_AUTO, ARRAY_RANDOM, 1, 30));
    assert_true(settles(OCT_VARIANT_AUTO, ARRAY_RANDOM, 2, 62));
}

static void pairs_past_n_stay_as_they_are(void **state)
{
    enum { N = 5000, KEPT = 3 };
    static const uint64_t expected[KEPT] = {7, 6, 5};
    uint64_t keys[N + KEPT], kept[KEPT] = {0};
    uint32_t values[N + KEPT] = {0};
    (void)state;
    for (size_t i = 0; i < N; i++)
        keys[i] = array_key(ARRAY_RANDOM, i, N);
    memcpy(keys + N, expected, sizeof expected);
    oct_buffer *key_buffer = array_upload(keys, sizeof *keys, N + KEPT);
    oct_buffer *value_buffer = array_upload(values, sizeof *values, N + KEPT);
    oct_sort *sort = NULL;
    ref_ok(make_sort(&sort, N + KEPT));
    ref_ok(oct_sort_run(sort, &key_buffer, &value_buffer, N, 0, 16));
    ref_ok(oct_buffer_read(kept, key_buffer, N, KEPT));
    assert_memory_equal(kept, expected, sizeof kept);
    oct_sort_free(sort);
    oct_buffer_free(key_buffer);
    oct_buffer_free(value_buffer);
}

/* The scratch changes hands after an odd number of digits, and is used again. */
static void a_sort_runs_again_and_again(void **state)
{
    enum { N = 3000 };
    oct_sort *sort = NULL;
    device_pairs d;
    pair pairs[N], scratch[N];
    (void)state;
    for (size_t i = 0; i < N; i++)
        pairs[i] = (pair){array_key(ARRAY_RANDOM, i, N), (uint32_t)i};
    ref_ok(make_sort(&sort, N));
    upload(&d, pairs, N);
    for (unsigned first = 0; first < 64; first += 8) {
        ref_ok(oct_sort_run(sort, &d.keys, &d.values, N, first, first + 8));
        merge_sort(pairs, scratch, N, bit_mask(first, first + 8));
        assert_sorted(&d, pairs, N);
    }
    clear(&d);
    oct_sort_free(sort);
}

static void what_does_not_fit_is_refused(void **state)
{
    uint64_t keys[4] = {0};
    uint32_t values[4] = {0};
    oct_buffer *key_buffer = array_upload(keys, sizeof *keys, 4);
    oct_buffer *value_buffer = array_upload(values, sizeof *values, 4);
    oct_sort *sort = NULL;
    (void)state;
    ref_ok(make_sort(&sort, 4));
    assert_int_equal(oct_sort_run(sort, &key_buffer, &value_buffer, 5, 0, 64), OCT_STATUS_INTERNAL);
    assert_int_equal(oct_sort_run(sort, &key_buffer, &value_buffer, 4, 0, 65), OCT_STATUS_INTERNAL);
    assert_int_equal(oct_sort_run(sort, &value_buffer, &key_buffer, 4, 0, 64), OCT_STATUS_INTERNAL);
    oct_sort_free(sort);
    ref_ok(make_sort(&sort, 5));
    assert_int_equal(oct_sort_run(sort, &key_buffer, &value_buffer, 4, 0, 64), OCT_STATUS_INTERNAL);
    oct_sort_free(sort);
    oct_buffer_free(key_buffer);
    oct_buffer_free(value_buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_is_sorted),
        cmocka_unit_test(every_size_is_sorted_by_groups),
        cmocka_unit_test(ten_million_are_sorted),
        cmocka_unit_test(every_kind_of_keys_is_sorted),
        cmocka_unit_test(only_the_bits_asked_for_decide),
        cmocka_unit_test(upper_bits_and_settling_are_a_sort),
        cmocka_unit_test(pairs_past_n_stay_as_they_are),
        cmocka_unit_test(a_sort_runs_again_and_again),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
