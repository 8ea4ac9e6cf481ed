/* A driver that does not say its version: this program's clGetPlatformInfo takes the place of the
 * loader's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "device/cl.h"
#include "scene_sim.h"

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t bytes, void *value,
                         size_t *used)
{
    (void)platform;
    if (what == CL_PLATFORM_VERSION)
        return CL_OUT_OF_HOST_MEMORY;
    if (value && bytes > 0)
        strncpy(value, "A platform", bytes);
    if (used)
        *used = sizeof "A platform";
    return CL_SUCCESS;
}

static void a_program_is_refused_with_a_sentence(void **state)
{
    oct_program *program = NULL;
    const oct_build build = {.file = "device_native.cl", .precision = OCT_PRECISION_SINGLE};
    (void)state;
    assert_int_equal(oct_program_create(&program, ref_device(), &build), OCT_STATUS_DEVICE);
    assert_null(program);
    ref_says("clGetPlatformInfo");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_program_is_refused_with_a_sentence)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
