/* Random numbers: known answers, uniform, independent. */
#include "util/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SAMPLES = 100000 };

/* The number that the first two words of a Philox block stand for. */
static double number_of(uint32_t low, uint32_t high)
{
    return ((double)(((uint64_t)high << 32 | low) >> 12) + 0.5) / 4503599627370496.0;
}

/* The known answers that come with Random123 for philox4x32-10: counter words 0 to 3 are the
 * particle (low, high), the draw and the stream; the key is the seed. */
static void gives_the_known_answers(void **state)
{
    (void)state;
    oct_random zero = oct_random_start(0, 0, 0);
    assert_true(oct_random_uniform(&zero) == number_of(0x6627e8d5, 0xe169c58d));

    oct_random ones = oct_random_start(UINT64_MAX, UINT32_MAX, UINT64_MAX);
    ones.draw = UINT32_MAX;
    assert_true(oct_random_uniform(&ones) == number_of(0x408f276d, 0x41c83b0e));

    oct_random pi = oct_random_start(0x299f31d0a4093822, 0x03707344, 0x85a308d3243f6a88);
    pi.draw = 0x13198a2e;
    assert_true(oct_random_uniform(&pi) == number_of(0xd16cfe09, 0x94fdcceb));
}

static void counts_its_draws(void **state)
{
    (void)state;
    oct_random random = oct_random_start(7, 1, 42);
    double first = oct_random_uniform(&random), second = oct_random_uniform(&random);
    assert_true(first != second);
    oct_random again = oct_random_start(7, 1, 42);
    assert_true(oct_random_uniform(&again) == first);
    again.draw = 1;
    assert_true(oct_random_uniform(&again) == second);
}

static double by_draw(int i)
{
    static oct_random random;
    if (i == 0)
        random = oct_random_start(11, 0, 5);
    return oct_random_uniform(&random);
}

static double by_particle(int i)
{
    oct_random random = oct_random_start(11, 0, (uint64_t)i);
    return oct_random_uniform(&random);
}

static double by_stream(int i)
{
    oct_random random = oct_random_start(11, (uint32_t)i, 5);
    return oct_random_uniform(&random);
}

static double by_seed(int i)
{
    oct_random random = oct_random_start((uint64_t)i, 0, 5);
    return oct_random_uniform(&random);
}

/* Moments and the correlation with the number before, whichever index is counted up; bounds are
 * 4 standard errors, measured values are below 2.9. */
static void is_uniform_and_independent(void **state)
{
    (void)state;
    double (*const orders[])(int) = {by_draw, by_particle, by_stream, by_seed};
    double root = sqrt((double)SAMPLES);
    for (size_t order = 0; order < 4; order++) {
        double mean = 0, square = 0, cube = 0, product = 0, before = 0;
        int tenths[10] = {0};
        for (int i = 0; i < SAMPLES; i++) {
            double u = orders[order](i), x = u - 0.5;
            assert_true(u > 0 && u < 1);
            mean += x / SAMPLES;
            square += x * x / SAMPLES;
            cube += x * x * x / SAMPLES;
            product += x * before / SAMPLES;
            before = x;
            tenths[(int)(10 * u)]++;
        }
        double errors[] = {mean * root * sqrt(12), (square - 1.0 / 12) * root * sqrt(180),
                           cube * root * sqrt(448), product * root * 12};
        double chi2 = 0;
        for (int i = 0; i < 10; i++)
            chi2 += (tenths[i] - SAMPLES / 10) * (tenths[i] - SAMPLES / 10) / (SAMPLES / 10.0);
        print_message("standard errors %.2f %.2f %.2f %.2f, chi2 of 9: %.2f\n", errors[0],
                      errors[1], errors[2], errors[3], chi2);
        for (size_t i = 0; i < 4; i++)
            assert_true(fabs(errors[i]) < 4);
        assert_true(chi2 < 28); /* 0.1 % */
    }
}

static void normal_has_its_moments(void **state)
{
    (void)state;
    oct_random random = oct_random_start(2, 0, 0);
    double root = sqrt((double)SAMPLES), mean = 0, square = 0, fourth = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double x = oct_random_normal(&random);
        assert_true(isfinite(x));
        mean += x / SAMPLES;
        square += x * x / SAMPLES;
        fourth += x * x * x * x / SAMPLES;
    }
    double errors[] = {mean * root, (square - 1) * root / sqrt(2), (fourth - 3) * root / sqrt(96)};
    print_message("standard errors %.2f %.2f %.2f\n", errors[0], errors[1], errors[2]);
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(errors[i]) < 4);
}

static void directions_are_isotropic(void **state)
{
    (void)state;
    oct_random random = oct_random_start(3, 0, 0);
    double root = sqrt((double)SAMPLES), mean[3] = {0}, product[3] = {0}, square[3] = {0};
    for (int i = 0; i < SAMPLES; i++) {
        double d[3];
        oct_random_direction(d, &random);
        assert_true(fabs(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - 1) < 1e-15);
        for (int k = 0; k < 3; k++) {
            mean[k] += d[k] / SAMPLES;
            square[k] += d[k] * d[k] / SAMPLES;
            product[k] += d[k] * d[(k + 1) % 3] / SAMPLES;
        }
    }
    for (int k = 0; k < 3; k++) {
        double errors[] = {mean[k] * root * sqrt(3), (square[k] - 1.0 / 3) * root * sqrt(45.0 / 4),
                           product[k] * root * sqrt(15)};
        print_message("standard errors %.2f %.2f %.2f\n", errors[0], errors[1], errors[2]);
        for (size_t i = 0; i < 3; i++)
            assert_true(fabs(errors[i]) < 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_known_answers),    cmocka_unit_test(counts_its_draws),
        cmocka_unit_test(is_uniform_and_independent), cmocka_unit_test(normal_has_its_moments),
        cmocka_unit_test(directions_are_isotropic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
