/* Celestial's accuracy tests 1 to 6 (Hommeland 2015, figures 4.3 to 4.8) in plain float: prints,
 * for every year, the summed distance in AU between its method and all pairs, and between all pairs
 * and all pairs summed backward, and fails where it does not end up near his. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "celestial_float.h"
#include "scene_sim.h"

typedef struct trial {
    double distance, published; /* in AU; log10 of the summed error in AU */
    int systems, bodies;
} trial;

static const trial trials[] = {
    {100, 1, 10, 2},    {1000, 1, 10, 2},    {10000, 1, 10, 2},
    {10000, 2, 100, 2}, {10000, 2.2, 10, 8}, {10000, 3.2, 100, 8},
};

static void run_trial(int number, const trial *t)
{
    enum { YEARS = 330 };
    const double dt = 40, year = 365.25;
    ref_floats f[3];
    oct_bodies start = {0};
    double apart = 0;
    int steps = 0;
    oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE,
                           "units: solar\n"
                           "models: [galaxy-of-systems: {systems: %d, bodies: %d, distance: %g, "
                           "orbiting: star}]\n"
                           "gravity: {method: direct}\nintegrator: {dt: 40}\nrun: {until: 1 yr}\n",
                           t->systems, t->bodies, t->distance);
    ref_ok(oct_sim_bodies(&start, sim));
    for (int way = 0; way < 3; way++)
        ref_floats_start(&f[way], &start, (size_t)t->bodies, oct_sim_units(sim)->G);
    for (int i = 1; i <= YEARS; i++) {
        for (; (steps + 1) * dt <= i * year; steps++)
            for (int way = 0; way < 3; way++)
                ref_floats_step(&f[way], (ref_float_way)way, (float)dt);
        apart = ref_floats_apart(&f[REF_FLOAT_CENTRES], &f[REF_FLOAT_PAIRS]);
        print_message("%d,%.6g,%.4e,%.4e\n", number, steps * dt / year, apart,
                      ref_floats_apart(&f[REF_FLOAT_PAIRS_BACKWARD], &f[REF_FLOAT_PAIRS]));
    }
    for (int way = 0; way < 3; way++)
        ref_floats_clear(&f[way]);
    oct_bodies_clear(&start);
    oct_sim_free(sim);
    assert_true(fabs(log10(apart) - t->published) < 0.4);
}

static void plain_float_has_his_error(void **state)
{
    (void)state;
    print_message("test,year,centres,backward\n");
    for (int i = 0; i < 6; i++)
        run_trial(i + 1, &trials[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_float_has_his_error)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
