/* Overlaps against brute force over images. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "diag_ref.h"
#include "scene_sim.h"

extern const oct_diag oct_diag_overlap;

enum { N = 2000 };

static void compare(ref_patch *patch, double time, double tolerance)
{
    double got[2];
    ref_patch_put(patch, time);
    const oct_oracle_patch now = ref_patch_now(patch);
    oct_oracle_overlaps want = oct_oracle_overlap(&patch->bodies, &now);
    ref_measure_with(got, &oct_diag_overlap, patch->sim);
    print_message("%zu pairs, %zu across an edge: mean %.7f (%.7f), largest %.7f (%.7f)\n",
                  want.pairs, want.across, got[0], want.mean, got[1], want.largest);
    assert_true(want.across > 20);
    assert_true(fabs(got[0] - want.mean) < tolerance);
    assert_true(fabs(got[1] - want.largest) < tolerance);
}

static void overlaps_are_those_of_brute_force(void **state)
{
    static const struct {
        oct_precision precision;
        double tolerance;
    } rows[] = {
        {OCT_PRECISION_SINGLE, 1e-5}, /* seen: 1e-6 */
        {OCT_PRECISION_MIXED, 1e-6},  /* seen: 6e-8, the largest being a float */
        {OCT_PRECISION_DOUBLE, 1e-6},
    };
    (void)state;
    for (int i = 0; i < 3; i++) {
        ref_patch patch;
        ref_patch_start(&patch, rows[i].precision, N, "gravity: {method: none}\n");
        /* A giant among pebbles, on the edge of the box. */
        patch.bodies.radius[7] = 4;
        patch.bodies.position[21] = REF_PATCH_X / 2 - 1;
        compare(&patch, 0, rows[i].tolerance);
        compare(&patch, 0.37, rows[i].tolerance);
        ref_patch_end(&patch);
    }
}

static void bodies_apart_do_not_overlap(void **state)
{
    ref_patch patch;
    double got[2];
    (void)state;
    ref_patch_start(&patch, OCT_PRECISION_MIXED, N, "gravity: {method: none}\n");
    for (size_t i = 0; i < N; i++)
        patch.bodies.radius[i] = 1e-9;
    ref_patch_put(&patch, 0);
    ref_measure_with(got, &oct_diag_overlap, patch.sim);
    assert_true(got[0] == 0 && got[1] == 0);
    ref_patch_end(&patch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_are_those_of_brute_force),
        cmocka_unit_test(bodies_apart_do_not_overlap),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
