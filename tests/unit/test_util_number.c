/* Numbers are written with the fewest digits that read back as the same double. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/number.h"

/* As many digits as strtod needs, tried one after the other. */
static void check(double value)
{
    char expected[OCT_NUMBER_BYTES], got[OCT_NUMBER_BYTES];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(expected, sizeof expected, "%.*g", digits, value);
        if (strtod(expected, NULL) == value)
            break;
    }
    oct_number_write(got, value);
    assert_string_equal(got, expected);
}

static void check_around(double value)
{
    check(value);
    check(-value);
    check(nextafter(value, INFINITY));
    check(nextafter(value, 0));
}

static void random_bits_have_their_digits(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        double value;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t bits = seed ^ seed >> 29;
        /* Every other one is of those that measurements have. */
        if (i % 2)
            bits = (bits & UINT64_C(0x800fffffffffffff)) | (uint64_t)(983 + i / 2 % 80) << 52;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            check(value);
    }
}

static void short_decimals_stay_short(void **state)
{
    (void)state;
    for (int power = -30; power <= 40; power++)
        for (int i = 1; i < 1000; i += 7) {
            char text[32];
            snprintf(text, sizeof text, "%de%d", i, power);
            check_around(strtod(text, NULL));
            snprintf(text, sizeof text, "%d.00000000000%de%d", i % 10, i, power);
            check_around(strtod(text, NULL));
        }
}

static void ends_of_the_range_are_written(void **state)
{
    const double values[] = {0.0, DBL_MIN, DBL_TRUE_MIN, 1e15, 1e16, 0x1p53, 0x1p54, 1e22, 1e23};
    char got[OCT_NUMBER_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        check_around(values[i]);
    for (int power = -1074; power < 1024; power++)
        check_around(ldexp(1, power));
    check(DBL_MAX);
    check(-0.0);
    oct_number_write(got, -INFINITY);
    assert_string_equal(got, "-inf");
    oct_number_write(got, NAN);
    assert_non_null(strstr(got, "nan"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bits_have_their_digits),
        cmocka_unit_test(short_decimals_stay_short),
        cmocka_unit_test(ends_of_the_range_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
