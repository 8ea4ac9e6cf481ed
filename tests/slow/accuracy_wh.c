/* Energy of the giant planets with wh over 10^4 orbits of Jupiter, 20 steps in each: prints the
 * largest error in every thousand orbits and fails where the last is larger than the first. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scene_sim.h"

static void energy_stays_bounded(void **state)
{
    enum { ORBITS = 10000, THOUSANDS = 10 };
    double first = 0, error = 0;
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE,
                           "units: solar\n"
                           "models: [solar-system: {planets: [jupiter, saturn, uranus, neptune]}]\n"
                           "gravity: {method: systems}\n"
                           "integrator: {method: wh, dt: 216.7}\nrun: {until: 1 yr}\n");
    for (int part = 0; part < THOUSANDS; part++) {
        error = 0;
        for (int i = 0; i < ORBITS / THOUSANDS * 20 / 7; i++) {
            ref_ok(oct_sim_step(sim, 7));
            error = fmax(error, fabs(ref_measure(sim, "energy_error")));
        }
        print_message("orbits up to %d: energy error at most %.3e\n", 1000 * (part + 1), error);
        first = part == 0 ? error : first;
    }
    assert_true(error < 1.2 * first);
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(energy_stays_bounded)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
