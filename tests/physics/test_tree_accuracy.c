/* Errors of tree gravity against summation over all pairs in double: a Plummer sphere against an
 * independent program, a disk galaxy against Nakasato (2012), Tables 6 and 7. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "force_errors.h"
#include "nakasato.h"
#include "scene_sim.h"

/* Plummer's sphere -------------------------------------------------------------------------- */

/* Truncated at 20 scale radii, 32768 particles, leaves of 16, quadrupoles, offset criterion: what
 * an independent program in double gave. */
static const struct plummer_row {
    double theta;
    ref_errors reference;
} plummer_rows[] = {
    {0.3, {2.5e-5, 6.4e-5, 1.5e-4, 0, 3.0e-6}},
    {0.5, {1.3e-4, 3.3e-4, 7.5e-4, 0, 1.4e-5}},
    {0.75, {5.7e-4, 1.4e-3, 3.4e-3, 0, 6.5e-5}},
    {1.0, {1.3e-3, 3.8e-3, 9.1e-3, 0, 1.5e-4}},
};

static void a_plummer_sphere_is_as_accurate_as_it_should_be(void **state)
{
    oct_bodies expected = {0};
    bool passed = true;
    (void)state;
    ref_forces(&expected, OCT_PRECISION_DOUBLE, "plummer: {n: 32768}", "method: direct");
    print_message("theta   median  (ref)       90 %%  (ref)       99 %%  (ref)       potential\n");
    for (size_t i = 0; i < sizeof plummer_rows / sizeof plummer_rows[0]; i++) {
        const ref_errors *r = &plummer_rows[i].reference;
        char gravity[64];
        oct_bodies got = {0};
        snprintf(gravity, sizeof gravity, "method: tree, theta: %g", plummer_rows[i].theta);
        ref_forces(&got, OCT_PRECISION_MIXED, "plummer: {n: 32768}", gravity);
        ref_errors e = ref_compare(&got, &expected, 1);
        print_message("%-5g  %.1e (%.1e)  %.1e (%.1e)  %.1e (%.1e)  %.1e (%.1e)\n",
                      plummer_rows[i].theta, e.median, r->median, e.p90, r->p90, e.p99, r->p99,
                      e.potential, r->potential);
        passed = passed && e.median < 1.3 * r->median && e.p90 < 1.3 * r->p90 &&
                 e.p99 < 1.3 * r->p99 && e.potential < 1.3 * r->potential;
        oct_bodies_clear(&got);
    }
    assert_true(passed);
    oct_bodies_clear(&expected);
}

static void the_error_does_not_grow_with_n(void **state)
{
    oct_bodies got = {0}, expected = {0};
    (void)state;
    ref_forces(&got, OCT_PRECISION_MIXED, "plummer: {n: 131072}", "method: tree, theta: 0.75");
    ref_sum_some(&expected, &got, 128);
    ref_errors e = ref_compare(&got, &expected, 128);
    print_message("131072 particles, theta 0.75: median %.1e (4.8e-4)\n", e.median);
    assert_true(e.median < 1.3 * 4.8e-4);
    oct_bodies_clear(&got);
    oct_bodies_clear(&expected);
}

/* A disk galaxy ----------------------------------------------------------------------------- */

static void a_galaxy_is_more_accurate_than_nakasatos(void **state)
{
    (void)state;
    bool small = nakasato_column(0, 1, 1500, 1), large = nakasato_column(1, 1, 2000, 1);
    assert_true(small && large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plummer_sphere_is_as_accurate_as_it_should_be),
        cmocka_unit_test(the_error_does_not_grow_with_n),
        cmocka_unit_test(a_galaxy_is_more_accurate_than_nakasatos),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
