/* Tree gravity with images of the box and with every acceptance criterion, against direct sums. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scene_sim.h"

#define OPEN   "{boundary: open}"
#define GHOSTS "{boundary: shear, size: [8, 9, 10], ghosts: [2, 1, 1], omega: 1, beyond: nothing}"

/* The forces after a number of steps that are too short to move anything. */
static oct_bodies forces(const char *gravity, const char *box, oct_precision precision, int steps)
{
    oct_bodies b = {0};
    oct_sim *sim = ref_sim(precision,
                           "units: nbody\nbox: %s\nmodels: [plummer: {n: 2000, truncation: 4}]\n"
                           "gravity: %s\nintegrator: {method: %s, dt: 1e-14}\nrun: {until: 1}\n",
                           box, gravity, strcmp(box, OPEN) == 0 ? "leapfrog" : "sei");
    ref_ok(oct_sim_step(sim, (uint64_t)steps));
    ref_ok(oct_sim_bodies(&b, sim));
    oct_sim_free(sim);
    return b;
}

/* Mean relative error of the accelerations. */
static double mean_error(const char *gravity, const char *box, oct_precision precision, int steps)
{
    double mean = 0;
    oct_bodies exact = forces("{method: direct, softening: 0.01}", box, OCT_PRECISION_DOUBLE, 0);
    oct_bodies got = forces(gravity, box, precision, steps);
    for (size_t i = 0; i < got.n; i++) {
        double d2 = 0, a2 = 0;
        for (size_t k = 3 * i; k < 3 * i + 3; k++) {
            d2 += pow(got.acceleration[k] - exact.acceleration[k], 2);
            a2 += pow(exact.acceleration[k], 2);
        }
        mean += sqrt(d2 / a2) / (double)got.n;
    }
    oct_bodies_clear(&exact);
    oct_bodies_clear(&got);
    print_message("%s in %s: %.2e\n", gravity, box, mean);
    return mean;
}

static void images_are_summed_over(void **state)
{
    (void)state;
    /* Without the images the mean error would be 2.9e-2. */
    assert_true(mean_error("{method: tree, theta: 0.5, softening: 0.01}", GHOSTS,
                           OCT_PRECISION_MIXED, 0) < 3e-4); /* seen: 1.6e-4 */
    assert_true(mean_error("{method: tree, theta: 0.02, softening: 0.01}", GHOSTS,
                           OCT_PRECISION_DOUBLE, 0) < 1e-8); /* seen: 1.9e-9 */
    assert_true(mean_error("{method: tree, criterion: min-distance, softening: 0.01}", GHOSTS,
                           OCT_PRECISION_MIXED, 0) < 2e-4); /* seen: 9.2e-5 */
}

static void every_criterion_accepts_what_is_far(void **state)
{
    (void)state;
    assert_true(mean_error("{method: tree, theta: 0.5, criterion: geometric, softening: 0.01}",
                           OPEN, OCT_PRECISION_MIXED, 0) < 2e-4); /* seen: 8.5e-5 */
    assert_true(mean_error("{method: tree, theta: 0.5, criterion: min-distance, softening: 0.01}",
                           OPEN, OCT_PRECISION_MIXED, 0) < 2e-4); /* seen: 8.4e-5 */
}

/* It has no acceleration to go by at first and takes the offset criterion; then alpha counts. */
static void relative_goes_by_the_last_acceleration(void **state)
{
    (void)state;
    double first = mean_error("{method: tree, criterion: relative, alpha: 0.03, softening: 0.01}",
                              OPEN, OCT_PRECISION_MIXED, 0);
    double loose = mean_error("{method: tree, criterion: relative, alpha: 0.03, softening: 0.01}",
                              OPEN, OCT_PRECISION_MIXED, 1);
    double tight = mean_error("{method: tree, criterion: relative, alpha: 0.0003, softening: 0.01}",
                              OPEN, OCT_PRECISION_MIXED, 1);
    assert_true(first < 3e-4);                 /* seen: 1.4e-4 */
    assert_true(loose > 2 * first);            /* seen: 5.6 */
    assert_true(loose < 2e-3 && tight < 1e-4); /* seen: 8.0e-4, 3.4e-5 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_are_summed_over),
        cmocka_unit_test(every_criterion_accepts_what_is_far),
        cmocka_unit_test(relative_goes_by_the_last_acceleration),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
