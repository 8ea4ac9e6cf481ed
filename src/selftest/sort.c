/* What the octree does with arrays: the radix sort and the scan against the host. */
#include <stdlib.h>

#include "array/primitives.h"
#include "array/sort.h"
#include "selftest/selftest.h"
#include "util/random.h"

enum { N = 20001, FIRST_BIT = 21, LAST_BIT = 63 };

typedef struct pair {
    uint64_t key;
    uint32_t value;
} pair;

typedef struct arrays {
    uint64_t keys[N];
    uint32_t values[N], scan[N], total;
    pair pairs[N];
} arrays;

static uint64_t sorted_bits(uint64_t key)
{
    return key >> FIRST_BIT & (((uint64_t)1 << (LAST_BIT - FIRST_BIT)) - 1);
}

/* By the bits that are sorted, then by the order before: a stable sort has one result. */
static int compare(const void *left, const void *right)
{
    const pair *a = left, *b = right;
    uint64_t x = sorted_bits(a->key), y = sorted_bits(b->key);
    if (x != y)
        return x < y ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

/* Keys of which a third differ only in bits that do not count. */
static void fill(arrays *a)
{
    for (uint32_t i = 0; i < N; i++) {
        oct_random random = oct_random_start(1, 11, i);
        uint32_t bits[4];
        oct_random_bits(bits, &random);
        a->keys[i] = (uint64_t)bits[0] << 32 | bits[1];
        if (i % 3 == 0)
            a->keys[i] &= ~(uint64_t)0 >> (64 - FIRST_BIT);
        a->values[i] = i;
        a->pairs[i] = (pair){a->keys[i], i};
    }
    qsort(a->pairs, N, sizeof *a->pairs, compare);
}

static oct_status run_device(arrays *a, oct_device *device, oct_precision precision)
{
    oct_status status;
    oct_sort *sort = NULL;
    oct_primitives *primitives = NULL;
    oct_buffer *keys = NULL, *values = NULL, *sums = NULL, *total = NULL;
    OCT_TRY_DONE(oct_buffer_create(&keys, device, "keys", sizeof *a->keys, N));
    OCT_TRY_DONE(oct_buffer_create(&values, device, "values", sizeof *a->values, N));
    OCT_TRY_DONE(oct_buffer_create(&sums, device, "sums", sizeof *a->scan, N));
    OCT_TRY_DONE(oct_buffer_create(&total, device, "total", sizeof a->total, 1));
    OCT_TRY_DONE(oct_sort_create(&sort, device, N, precision, OCT_VARIANT_AUTO));
    OCT_TRY_DONE(oct_primitives_create(&primitives, device, precision, OCT_VARIANT_AUTO));
    OCT_TRY_DONE(oct_buffer_write(keys, a->keys, 0, N));
    OCT_TRY_DONE(oct_buffer_write(values, a->values, 0, N));
    OCT_TRY_DONE(oct_sort_run(sort, &keys, &values, N, FIRST_BIT, LAST_BIT));
    OCT_TRY_DONE(oct_array_scan(primitives, sums, total, values, N));
    OCT_TRY_DONE(oct_buffer_read(a->keys, keys, 0, N));
    OCT_TRY_DONE(oct_buffer_read(a->values, values, 0, N));
    OCT_TRY_DONE(oct_buffer_read(a->scan, sums, 0, N));
    status = oct_buffer_read(&a->total, total, 0, 1);
done:
    oct_primitives_free(primitives);
    oct_sort_free(sort);
    oct_buffer_free(keys);
    oct_buffer_free(values);
    oct_buffer_free(sums);
    oct_buffer_free(total);
    return status;
}

static oct_status sort_run(oct_selftest_run *test)
{
    arrays *a;
    oct_precision precision; /* whose program sorts; the numbers are all integers */
    uint32_t sum = 0;
    int wrong_pairs = 0, wrong_sums = 0;
    if (!oct_selftest_has(test, "gravity", "tree") && !oct_selftest_has(test, "collisions", "tree"))
        return OCT_STATUS_OK;
    oct_selftest_precision(&precision, test, 0);
    if (!oct_selftest_due(test, "sort and scan %s", oct_precision_name(precision)))
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&a, 1, sizeof *a, "arrays"));
    fill(a);
    oct_status status = run_device(a, test->device, precision);
    for (size_t i = 0; i < N; i++) {
        wrong_pairs += a->keys[i] != a->pairs[i].key || a->values[i] != a->pairs[i].value;
        wrong_sums += a->scan[i] != sum;
        sum += a->pairs[i].value;
    }
    wrong_sums += a->total != sum;
    free(a);
    OCT_TRY(status);
    oct_selftest_check(test, "radix sort, wrong pairs", wrong_pairs, 0);
    oct_selftest_check(test, "scan, wrong sums", wrong_sums, 0);
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_sort = {
    .name = "sort",
    .doc = "Radix sort and scan on the device against those of the host.",
    .cost = 9,
    .run = sort_run,
};
