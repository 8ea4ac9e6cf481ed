/* A close binary in a star cluster keeps its axis (tests/slow/accuracy_binary.c: for longer). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "binary.h"
#include "scene_sim.h"

static void a_binary_keeps_its_axis(void **state)
{
    (void)state;
    double drift = ref_binary_drift(2048, "method: tree", 1e-5, 20, 64);
    print_message("axis changed by %.1e\n", drift);
    assert_true(drift < 1e-5); /* seen: 1.6e-7; 5.6e-2 where differences are rounded first */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_binary_keeps_its_axis)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
