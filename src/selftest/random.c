/* The device draws the same random numbers as the host, bit for bit. */
#include <string.h>

#include "selftest/selftest.h"
#include "util/random.h"

enum { N = 1000 };

static const uint64_t seed = 0x123456789abcdef0u;

static oct_status draw(uint32_t (*out)[4], oct_selftest_run *test)
{
    oct_status status;
    oct_program *program = NULL;
    oct_kernel *kernel = NULL;
    oct_buffer *bits = NULL;
    const oct_build build = {.file = "selftest_random.cl", .precision = OCT_PRECISION_SINGLE};
    OCT_TRY_DONE(oct_program_create(&program, test->device, &build));
    OCT_TRY_DONE(OCT_KERNEL(&kernel, program, "selftest_random_draw", OCT_BIND_OUT("out", &bits),
                            OCT_BIND_ULONG("seed", &seed), OCT_FIX_UINT("stream", 7),
                            OCT_FIX_UINT("draw", 3), OCT_FIX_UINT("n", N)));
    OCT_TRY_DONE(oct_buffer_create(&bits, test->device, "random bits", sizeof *out, N));
    OCT_TRY_DONE(oct_kernel_launch(kernel, N, 0));
    status = oct_buffer_read(out, bits, 0, N);
done:
    oct_buffer_free(bits);
    oct_kernel_free(kernel);
    oct_program_free(program);
    return status;
}

static oct_status random_run(oct_selftest_run *test)
{
    uint32_t got[N][4], expected[4];
    int wrong = 0;
    /* No kernel of a scene draws. */
    if (test->setup || !oct_selftest_due(test, "random numbers"))
        return OCT_STATUS_OK;
    OCT_TRY(draw(got, test));
    for (uint32_t i = 0; i < N; i++) {
        oct_random random = oct_random_start(seed, 7, i);
        random.draw = 3;
        oct_random_bits(expected, &random);
        wrong += memcmp(got[i], expected, sizeof expected) != 0;
    }
    oct_selftest_check(test, "random numbers, wrong ones", wrong, 0);
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_random = {
    .name = "random",
    .doc = "Random numbers on the device against those of the host.",
    .cost = 7,
    .run = random_run,
};
