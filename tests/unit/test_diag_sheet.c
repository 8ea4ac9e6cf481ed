/* The state of a sheet, against sums on the host. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "diag_ref.h"
#include "scene_sim.h"

extern const oct_diag oct_diag_sheet;

enum { N = 3000 };

#define SECTIONS "gravity: {method: none}\n"

static void compare(ref_patch *patch, double tolerance)
{
    const oct_oracle_patch now = ref_patch_now(patch);
    double want[OCT_ORACLE_SHEET_COLUMNS], got[3];
    int at = 0;
    oct_oracle_sheet_columns(want, &patch->bodies, &now, 1);
    for (const oct_column *column = oct_diag_sheet.columns; column->name; column++) {
        ref_ok(oct_sim_measure_one(got, patch->sim, column->name));
        for (unsigned k = 0; k < column->count; k++, at++) {
            print_message("%s: %.9g, expected %.9g\n", column->name, got[k], want[at]);
            assert_true(fabs(got[k] / want[at] - 1) < tolerance);
        }
    }
    assert_int_equal(at, OCT_ORACLE_SHEET_COLUMNS);
}

static void sums_are_those_of_the_host(void **state)
{
    ref_patch patch;
    (void)state;
    ref_patch_start(&patch, OCT_PRECISION_MIXED, N, SECTIONS);
    compare(&patch, 1e-12); /* seen: 2e-14 */
    ref_patch_end(&patch);
    ref_patch_start(&patch, OCT_PRECISION_SINGLE, N, SECTIONS);
    compare(&patch, 1e-5); /* seen: 1e-6 */
    ref_patch_end(&patch);
}

/* A thin cold sheet that moves as a whole: squares in float would be all rounding. */
static void small_deviations_from_a_large_mean_are_kept(void **state)
{
    ref_patch patch;
    double got[3], want[OCT_ORACLE_SHEET_COLUMNS];
    (void)state;
    ref_patch_start(&patch, OCT_PRECISION_SINGLE, N, SECTIONS);
    for (int i = 0; i < N; i++)
        patch.bodies.velocity[3 * i + 2] = 100 + (double)(i % 64) / 1024;
    ref_patch_put(&patch, 0);
    const oct_oracle_patch now = ref_patch_now(&patch);
    oct_oracle_sheet_columns(want, &patch.bodies, &now, 1);
    ref_ok(oct_sim_measure_one(got, patch.sim, "dispersion"));
    print_message("dispersion %.9g, expected %.9g\n", got[2], want[2]);
    assert_true(fabs(got[2] / want[2] - 1) < 1e-5); /* seen: 1e-7 */
    ref_patch_end(&patch);
}

static void a_box_at_rest_has_no_such_columns(void **state)
{
    double value[3];
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED,
                           "units: nbody\nmodels: [plummer: {n: 20}]\nintegrator: {dt: 1}\n"
                           "run: {until: 1}\n");
    assert_int_equal(oct_sim_measure_one(value, sim, "toomre_q"), OCT_STATUS_MISSING);
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_host),
        cmocka_unit_test(small_deviations_from_a_large_mean_are_kept),
        cmocka_unit_test(a_box_at_rest_has_no_such_columns),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
