/* Tree gravity by the relative criterion, as a run sees it from its second forces on: cells that
 * are far from whole groups go into expansions there, softened like all others. */
#include <string.h>

#include "files.h"
#include "force_errors.h"
#include "scene_sim.h"
#include "selftest/oracle.h"

/* Puts every 16th body beside the one before it, where they pull each other 10^4 times as hard as
 * all others do. */
static void make_pairs(oct_sim *sim)
{
    oct_bodies bodies = {0};
    ref_ok(oct_sim_bodies(&bodies, sim));
    for (size_t i = 1; i < bodies.n; i += 16)
        for (size_t k = 0; k < 3; k++) {
            bodies.position[3 * i + k] = bodies.position[3 * (i - 1) + k] + (k == 0 ? 1e-4 : 0);
            bodies.velocity[3 * i + k] = bodies.velocity[3 * (i - 1) + k];
        }
    ref_ok(oct_sim_set_bodies(sim, &bodies));
    oct_bodies_clear(&bodies);
}

/* The errors of forces after a step against the sum over all pairs. */
static ref_errors errors_with(bool pairs, oct_precision precision, size_t n, const char *criterion,
                              double softening)
{
    oct_bodies got = {0}, expected = {0};
    const oct_oracle_gravity gravity = {.G = 1, .softening = softening};
    oct_sim *sim = ref_sim(precision,
                           "units: nbody\nmodels: [plummer: {n: %zu, truncation: 20}]\n"
                           "gravity: {method: tree, criterion: %s, softening: %g}\n"
                           "integrator: {dt: %g}\nrun: {until: 1}\n",
                           n, criterion, softening, pairs ? 1e-6 : 1e-4);
    if (pairs)
        make_pairs(sim);
    ref_ok(oct_sim_step(sim, 1));
    ref_ok(oct_sim_bodies(&got, sim));
    ref_ok(oct_sim_bodies(&expected, sim));
    oct_oracle_forces(&expected, &gravity);
    ref_errors errors = ref_compare(&got, &expected, 1);
    print_message("%s, %s, softening %g, n %zu: median %.1e, 99 %% %.1e, potential %.1e\n",
                  oct_precision_name(precision), criterion, softening, n, errors.median, errors.p99,
                  errors.potential);
    oct_bodies_clear(&got);
    oct_bodies_clear(&expected);
    oct_sim_free(sim);
    return errors;
}

static ref_errors errors_of(oct_precision precision, size_t n, const char *criterion,
                            double softening)
{
    return errors_with(false, precision, n, criterion, softening);
}

static void far_cells_cost_little_accuracy(void **state)
{
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
        ref_errors e = errors_of((oct_precision)p, 8192, "relative, alpha: 0.01", 0);
        /* seen: 3.9e-4, 2.3e-3, 3.8e-5 */
        assert_true(e.median < 6e-4 && e.p99 < 6e-3 && e.potential < 1e-4);
    }
}

/* By every walk the device has. */
static void all_boxes_of_groups_are_as_accurate(void **state)
{
    char criterion[128];
    (void)state;
    for (size_t w = 0; ref_walk(w); w++) {
        snprintf(criterion, sizeof criterion, "relative, alpha: 0.01, %s", ref_walk(w));
        ref_errors e = errors_of(OCT_PRECISION_MIXED, 8192, criterion, 0);
        /* seen, as portable: 4.3e-4, 2.5e-3, 4.2e-5 */
        assert_true(e.median < 6e-4 && e.p99 < 6e-3 && e.potential < 1e-4);
        snprintf(criterion, sizeof criterion, "offset, theta: 0.75, %s", ref_walk(w));
        e = errors_of(OCT_PRECISION_MIXED, 8192, criterion, 0);
        /* 4.4e-4, 4.2e-3, 4.5e-5 by fine boxes, 4.0e-4, 3.1e-3, 4.2e-5 by coarse ones */
        assert_true(e.median < 6e-4 && e.p99 < 5e-3 && e.potential < 1e-4);
    }
}

static void smaller_alpha_is_more_accurate(void **state)
{
    (void)state;
    ref_errors e = errors_of(OCT_PRECISION_MIXED, 8192, "relative, alpha: 0.0005", 0);
    /* seen: 6.3e-5, 2.9e-4, 8.2e-6 */
    assert_true(e.median < 1.1e-4 && e.p99 < 1e-3 && e.potential < 2e-5);
}

/* An expansion without softening would double the potential's error. */
static void softened_cells_are_expanded_softened(void **state)
{
    (void)state;
    ref_errors e = errors_of(OCT_PRECISION_MIXED, 8192, "relative, alpha: 0.01", 0.3);
    /* seen: 3.3e-4, 1.6e-3, 3.5e-5 */
    assert_true(e.median < 5e-4 && e.p99 < 2e-3 && e.potential < 7e-5);
}

/* By an opening angle, too, there are far cells. */
static void far_cells_are_as_accurate_as_theta(void **state)
{
    (void)state;
    ref_errors wide = errors_of(OCT_PRECISION_MIXED, 8192, "offset, theta: 0.75", 0);
    ref_errors narrow = errors_of(OCT_PRECISION_MIXED, 8192, "offset, theta: 0.3", 0);
    /* seen: 4.5e-4, 3.9e-3, 4.7e-5 and 2.2e-5, 1.8e-4, 2.9e-6 */
    assert_true(wide.median < 6e-4 && wide.p99 < 5e-3 && wide.potential < 1e-4);
    assert_true(narrow.median < 4e-5 && narrow.p99 < 3e-4 && narrow.potential < 1e-5);
}

/* What a close pair does to each other is no measure of what its group may leave out. */
static void close_pairs_cost_their_groups_nothing(void **state)
{
    (void)state;
    ref_errors e = errors_with(true, OCT_PRECISION_MIXED, 8192, "relative, alpha: 0.01", 0);
    /* seen: 3.7e-4, 2.4e-3, 4.1e-5; 1.3e-3, 2.9e-2, 1.4e-4 when the largest counted */
    assert_true(e.median < 6e-4 && e.p99 < 6e-3 && e.potential < 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_cells_cost_little_accuracy),
        cmocka_unit_test(all_boxes_of_groups_are_as_accurate),
        cmocka_unit_test(smaller_alpha_is_more_accurate),
        cmocka_unit_test(softened_cells_are_expanded_softened),
        cmocka_unit_test(far_cells_are_as_accurate_as_theta),
        cmocka_unit_test(close_pairs_cost_their_groups_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
