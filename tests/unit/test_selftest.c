/* The self-tests pass here, and a wrong result does not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "scene_sim.h"
#include "selftest/selftest.h"

static void print_case(void *context, const char *name, bool passed, double error, double tolerance)
{
    int *cases = context;
    (*cases)++;
    if (!passed)
        print_message("%s: error %.3g, tolerance %.3g\n", name, error, tolerance);
}

static void every_kernel_agrees_with_its_oracle(void **state)
{
    int cases = 0;
    (void)state;
    ref_ok(oct_selftest(ref_device(), print_case, &cases));
    assert_true(cases > 10);
}

static void a_wrong_result_is_no_pass(void **state)
{
    const double errors[] = {2e-6, NAN, INFINITY};
    (void)state;
    for (int i = 0; i < 3; i++) {
        oct_selftest_run test = {0};
        oct_selftest_check(&test, "good", 1e-6, 1e-6);
        assert_false(test.failed);
        oct_selftest_check(&test, "bad", errors[i], 1e-6);
        assert_true(test.failed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_agrees_with_its_oracle),
        cmocka_unit_test(a_wrong_result_is_no_pass),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
