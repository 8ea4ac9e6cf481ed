/* Epicycles over 1e5 orbits of 17.3 steps: no drift, in any precision. Minutes for each of them;
 * name precisions to run only those. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scene_sim.h"
#include "sheet_ref.h"

static const oct_oracle_sheet sheet = {{1e4, 1e4, 0}, 0.7, 1.1};
static const oct_precision precisions[] = {OCT_PRECISION_SINGLE, OCT_PRECISION_MIXED,
                                           OCT_PRECISION_DOUBLE};

static void no_orbit_drifts(void **state)
{
    const oct_precision *precision = *state;
    double dt = 6.283185307179586 / sheet.omega / 17.3;
    oct_bodies start = {0}, now = {0};
    oct_sim *sim = ref_sheet(&sheet, *precision, 1000, dt);
    ref_ok(oct_sim_bodies(&start, sim));
    for (int orbits = 10000; orbits <= 100000; orbits += 10000) {
        /* Waiting now and then keeps the queue of launches short. */
        for (int part = 0; part < 100; part++) {
            ref_ok(oct_sim_step(sim, 1730));
            ref_ok(oct_sim_wait(sim));
        }
        ref_ok(oct_sim_bodies(&now, sim));
        print_message("after %d orbits:\n", orbits);
        /* Seen: 0.6 or less. */
        assert_true(ref_sheet_drift(&start, &now, &sheet, *precision) < 1);
    }
    oct_bodies_clear(&start);
    oct_bodies_clear(&now);
    oct_sim_free(sim);
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (size_t p = 0; p < sizeof precisions / sizeof precisions[0]; p++) {
        void *state = (void *)(uintptr_t)&precisions[p];
        const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(no_orbit_drifts, state)};
        bool wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], oct_precision_name(precisions[p])) == 0;
        failed += wanted ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
    }
    ref_device_close();
    return failed;
}
