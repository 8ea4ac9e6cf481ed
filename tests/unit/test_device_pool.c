/* Buffers in the same memory: those in use at the same time never overlap, and what is in them
 * stays; pools larger than an allocation may be are divided. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/pool.h"
#include "scene_sim.h"
#include "util/random.h"

enum { STAGES = 6, MOST = 20 };

/* Some buffers at random, of up to so many bytes. */
static size_t draw(oct_pooled *out, oct_random *random, double most)
{
    size_t n = 1 + (size_t)(oct_random_uniform(random) * (MOST - 1));
    for (size_t i = 0; i < n; i++) {
        unsigned a = (unsigned)(oct_random_uniform(random) * STAGES);
        unsigned b = (unsigned)(oct_random_uniform(random) * STAGES);
        out[i] = (oct_pooled){.name = "test",
                              .element = (size_t)1 << (unsigned)(oct_random_uniform(random) * 5),
                              .count = (size_t)(oct_random_uniform(random) * most / 16),
                              .first = a < b ? a : b,
                              .last = a < b ? b : a};
    }
    return n;
}

static uint64_t bytes_of(const oct_pooled *buffer)
{
    return buffer->element * (buffer->count ? buffer->count : 1);
}

static uint64_t in_use(const oct_pooled *buffers, size_t n, unsigned stage)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += stage >= buffers[i].first && stage <= buffers[i].last ? bytes_of(&buffers[i]) : 0;
    return sum;
}

static void check_places(const oct_pooled *buffers, size_t n, uint64_t allowed)
{
    uint64_t begins[OCT_POOL_MOST], limit = allowed, most = 0, sum = 0;
    uint64_t end = oct_pool_lay_out(begins, &limit, buffers, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t behind = begins[i] + bytes_of(&buffers[i]);
        sum += bytes_of(&buffers[i]) + 4096;
        assert_true(begins[i] % 4096 == 0 && behind <= end);
        assert_true(begins[i] / limit == (behind - 1) / limit);
        for (size_t j = 0; j < i; j++) {
            bool together =
                buffers[i].first <= buffers[j].last && buffers[j].first <= buffers[i].last;
            bool apart = behind <= begins[j] || begins[j] + bytes_of(&buffers[j]) <= begins[i];
            assert_true(apart || !together);
        }
    }
    for (unsigned stage = 0; stage < STAGES; stage++) {
        uint64_t now = in_use(buffers, n, stage);
        most = now > most ? now : most;
    }
    assert_true(end >= most);
    if (end <= limit)
        assert_true(end <= sum);
}

static void nothing_in_use_overlaps(void **state)
{
    oct_pooled buffers[OCT_POOL_MOST];
    (void)state;
    for (uint64_t k = 0; k < 300; k++) {
        oct_random random = oct_random_start(3, 0, k);
        size_t n = draw(buffers, &random, 1e6);
        check_places(buffers, n, UINT64_C(1) << 40);
        check_places(buffers, n, 1 << 20);
    }
}

/* Counts in thousandths of a body, of the octree of a GPU in single precision: what it takes at
 * most at once is what it takes. */
static void a_tree_takes_what_it_uses_at_once(void **state)
{
    enum { N = 1000000, C = 276000 };
    const oct_pooled tree[] = {
        {.element = 8, .count = N, .first = 0, .last = 0},
        {.element = 4, .count = N, .first = 0, .last = 0},
        {.element = 8, .count = N, .first = 0, .last = 2},
        {.element = 4, .count = N, .first = 0, .last = 5},
        {.element = 16, .count = N, .first = 1, .last = 5},
        {.element = 4, .count = N, .first = 1, .last = 2},
        {.element = 4, .count = N, .first = 1, .last = 2},
        {.element = 1, .count = N, .first = 1, .last = 2},
        {.element = 16, .count = C, .first = 2, .last = 4},
        {.element = 1, .count = C, .first = 2, .last = 3},
        {.element = 4, .count = C, .first = 2, .last = 4},
        {.element = 16, .count = C, .first = 3, .last = 5},
        {.element = 32, .count = C, .first = 3, .last = 5},
        {.element = 32, .count = C, .first = 3, .last = 3},
        {.element = 16, .count = C, .first = 4, .last = 5},
        {.element = 16, .count = C, .first = 4, .last = 5},
        {.element = 6, .count = N, .first = 5, .last = 5},
    };
    uint64_t begins[OCT_POOL_MOST], limit = UINT64_C(1) << 40, most = 0;
    size_t n = sizeof tree / sizeof tree[0];
    (void)state;
    uint64_t end = oct_pool_lay_out(begins, &limit, tree, n);
    for (unsigned stage = 0; stage < STAGES; stage++)
        most = in_use(tree, n, stage) > most ? in_use(tree, n, stage) : most;
    print_message("%.3f bytes a body, in use at once %.3f\n", (double)end / N, (double)most / N);
    assert_true((double)end <= 1.01 * (double)most); /* seen: 1.001 */
}

static unsigned char mark(size_t buffer, unsigned stage)
{
    return (unsigned char)(16 * stage + buffer + 1);
}

static void check_contents(oct_buffer *buffer, unsigned char expected)
{
    size_t bytes = buffer->element * buffer->count;
    unsigned char *read = malloc(bytes + 1);
    assert_non_null(read);
    ref_ok(oct_buffer_read(read, buffer, 0, buffer->count));
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(read[i], expected);
    free(read);
}

static void contents_stay_while_in_use(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 20; k++) {
        oct_pooled wanted[OCT_POOL_MOST];
        oct_buffer *buffers[OCT_POOL_MOST];
        oct_pool *pool;
        oct_memory before = oct_device_memory(ref_device()), counted = {0};
        oct_random random = oct_random_start(4, 0, k);
        size_t n = draw(wanted, &random, 1e5);
        for (size_t i = 0; i < n; i++)
            wanted[i].at = &buffers[i];
        oct_pool_memory(&counted, oct_device_describe(ref_device()), wanted, n);
        ref_ok(oct_pool_create(&pool, ref_device(), "test", wanted, n));
        assert_int_equal(oct_device_memory(ref_device()).now - before.now, counted.now);
        for (unsigned stage = 0; stage < STAGES; stage++) {
            for (size_t i = 0; i < n; i++)
                if (wanted[i].first == stage)
                    ref_ok(oct_buffer_fill(buffers[i], mark(i, stage)));
            for (size_t i = 0; i < n; i++)
                if (stage >= wanted[i].first && stage <= wanted[i].last)
                    check_contents(buffers[i], mark(i, wanted[i].first));
        }
        oct_pool_free(pool);
        assert_int_equal(oct_device_memory(ref_device()).now, before.now);
    }
}

/* A device that allows little at once gets several allocations, none larger than that. */
static void large_pools_are_divided(void **state)
{
    const oct_pooled wanted[] = {{.element = 16, .count = 40000, .first = 0, .last = 3},
                                 {.element = 16, .count = 50000, .first = 0, .last = 1},
                                 {.element = 4, .count = 90000, .first = 1, .last = 3},
                                 {.element = 8, .count = 60000, .first = 2, .last = 2}};
    oct_device_info info = *oct_device_describe(ref_device());
    oct_memory whole = {0}, divided = {0};
    (void)state;
    oct_pool_memory(&whole, &info, wanted, 4);
    info.max_buffer = 1000000;
    oct_pool_memory(&divided, &info, wanted, 4);
    assert_int_equal(whole.largest, whole.now);
    assert_true(divided.largest <= info.max_buffer && divided.now >= in_use(wanted, 4, 1));
    /* One that no allocation holds is said to be that large. */
    info.max_buffer = 500000;
    divided = (oct_memory){0};
    oct_pool_memory(&divided, &info, wanted, 4);
    assert_true(divided.largest >= 16 * 50000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_in_use_overlaps),
        cmocka_unit_test(a_tree_takes_what_it_uses_at_once),
        cmocka_unit_test(contents_stay_while_in_use),
        cmocka_unit_test(large_pools_are_divided),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
