/* Counts of keys, from which runs of the curve are cut, by both ways of counting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "device/device.h"
#include "scene_sim.h"

enum { N = 5000, BITS = 6, BINS = (1 << BITS) + 1, HEADS = 2, BLOCKS = 3 };

typedef struct head {
    uint64_t key, shift;
} head;

/* The first is in the middle of them, the second begins before all. */
static const head heads[HEADS] = {{UINT64_C(3) << 61, 55}, {0, 57}};

/* Keys all over, some of them alike, and one in eleven that belongs to nobody. */
static void make_keys(uint64_t keys[N])
{
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < N; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        keys[i] = i % 11 == 5  ? UINT64_MAX
                  : i % 7 == 2 ? keys[i - 1] & ~(UINT64_C(1) << 63)
                               : x >> 1;
    }
}

static void count(uint32_t bins[HEADS][BINS], const uint64_t keys[N])
{
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < N; i++) {
            if (keys[i] > INT64_MAX)
                continue;
            if (keys[i] < heads[h].key)
                bins[h][BINS - 1]++;
            else if ((keys[i] - heads[h].key) / (UINT64_C(1) << heads[h].shift) < BINS - 1)
                bins[h][(keys[i] - heads[h].key) / (UINT64_C(1) << heads[h].shift)]++;
        }
}

static void counts_are_right(uint32_t counters)
{
    static uint64_t keys[N];
    uint32_t expected[HEADS][BINS] = {{0}}, got[HEADS][BINS], n = N, blocks = BLOCKS, listed = 7;
    char options[48];
    oct_program *program;
    oct_kernel *kernel;
    oct_buffer *of, *begin, *bins, *strays;
    const oct_build build = {
        .file = "trade.cl", .precision = OCT_PRECISION_SINGLE, .options = options};
    snprintf(options, sizeof options, "-D BITS=%d -D COUNTERS=%u", BITS, (unsigned)counters);
    make_keys(keys);
    count(expected, keys);
    assert_true(expected[0][0] > 0 && expected[0][BINS - 1] > N / 2 && expected[1][9] > 0);
    ref_ok(oct_program_create(&program, ref_device(), &build));
    ref_ok(oct_kernel_create(&kernel, program, "trade_count"));
    ref_ok(oct_buffer_create(&of, ref_device(), "keys", sizeof *keys, N));
    ref_ok(oct_buffer_create(&begin, ref_device(), "heads", sizeof *heads, HEADS));
    ref_ok(oct_buffer_create(&bins, ref_device(), "bins", sizeof **got, HEADS * BINS));
    ref_ok(oct_buffer_create(&strays, ref_device(), "strays", sizeof listed, 1));
    ref_ok(oct_buffer_write(of, keys, 0, N));
    ref_ok(oct_buffer_write(begin, heads, 0, HEADS));
    ref_ok(oct_buffer_write(strays, &listed, 0, 1));
    ref_ok(oct_buffer_fill(bins, 0));
    ref_ok(OCT_BIND(kernel, OCT_BIND_IN("keys", &of), OCT_BIND_IN("heads", &begin),
                    OCT_BIND_OUT("bins", &bins), OCT_BIND_OUT("strays", &strays),
                    OCT_BIND_UINT("n", &n), OCT_BIND_UINT("blocks", &blocks)));
    ref_ok(oct_kernel_launch(kernel, (size_t)HEADS * BLOCKS * counters, counters));
    ref_ok(oct_buffer_read(got, bins, 0, HEADS * BINS));
    ref_ok(oct_buffer_read(&listed, strays, 0, 1));
    for (int h = 0; h < HEADS; h++)
        for (int b = 0; b < BINS; b++)
            assert_int_equal(got[h][b], expected[h][b]);
    assert_int_equal(listed, 0);
    oct_buffer *const buffers[] = {of, begin, bins, strays};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
    oct_kernel_free(kernel);
    oct_program_free(program);
}

static void by_one_work_item(void **state)
{
    (void)state;
    counts_are_right(1);
}

static void by_a_work_group(void **state)
{
    (void)state;
    counts_are_right(64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_one_work_item),
        cmocka_unit_test(by_a_work_group),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
