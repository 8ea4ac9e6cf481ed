/* The built-in disk galaxy of 200,000 particles over 20 rotations: accuracy_galaxy [ROTATIONS].
 * Circular speeds within 5 %, the height growing no more than by two-body heating. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "disk_ref.h"
#include "scene_sim.h"

static double rotations = 20;

static void stays_what_it_is(void **state)
{
    (void)state;
    oct_scene *scene = NULL;
    oct_sim *sim = NULL;
    ref_ok(oct_scene_load(&scene, "disk-galaxy"));
    ref_ok(oct_sim_create(&sim, ref_device(), scene, OCT_PRECISION_AUTO));
    ref_disk_stays(sim, 3, 0.3, 0.1, 1.0 / 32, rotations);
    oct_sim_free(sim);
    oct_scene_free(scene);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rotations = atof(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(stays_what_it_is)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
