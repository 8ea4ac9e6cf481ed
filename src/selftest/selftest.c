/* Runs cases, reports comparisons, and asks only what a scene needs. */
#include "selftest/selftest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/scene.h"
#include "selftest/oracle.h"
#include "selftest/selftest_plan.h"
#include "util/sized.h"

void oct_selftest_check(oct_selftest_run *test, const char *name, double error, double tolerance)
{
    bool passed = error <= tolerance;
    if (!passed && !test->failed)
        snprintf(test->first_failure, sizeof test->first_failure, "%s: error %.3g, tolerance %.3g",
                 name, error, tolerance);
    test->failed = test->failed || !passed;
    if (test->report)
        test->report(test->context, name, passed, error, tolerance);
}

bool oct_selftest_due(oct_selftest_run *test, const char *format, ...)
{
    char name[sizeof test->part];
    va_list arguments;
    if (!test->plan)
        return true;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    return oct_selftest_claim(test, name);
}

oct_status oct_selftest_sim(oct_sim **out, oct_selftest_run *test, oct_precision precision,
                            const char *text)
{
    oct_scene *scene;
    oct_setup *setup;
    *out = NULL;
    OCT_TRY(oct_scene_parse(&scene, text, strlen(text), "selftest"));
    oct_status status = oct_scene_setup(&setup, scene);
    oct_scene_free(scene);
    OCT_TRY(status);
    return oct_sim_start(out, test->device, setup, precision, NULL);
}

oct_status oct_selftest_begin(oct_selftest_pair *out, oct_selftest_run *test,
                              oct_precision precision, const char *scene)
{
    *out = (oct_selftest_pair){0};
    OCT_TRY(oct_selftest_sim(&out->sim, test, precision, scene));
    return oct_sim_bodies(&out->expected, out->sim);
}

oct_status oct_selftest_step(oct_selftest_pair *pair, uint64_t steps)
{
    OCT_TRY(oct_sim_step(pair->sim, steps));
    return oct_sim_bodies(&pair->got, pair->sim);
}

oct_status oct_selftest_check_steps(oct_selftest_pair *pair, oct_selftest_run *test,
                                    const char *name, uint64_t steps, double tolerance)
{
    OCT_TRY(oct_selftest_step(pair, steps));
    double error =
        oct_oracle_vector_error(pair->got.position, pair->expected.position, pair->got.n);
    oct_selftest_check(test, name, error, tolerance);
    return OCT_STATUS_OK;
}

void oct_selftest_end(oct_selftest_pair *pair)
{
    oct_bodies_clear(&pair->got);
    oct_bodies_clear(&pair->expected);
    oct_sim_free(pair->sim);
}

bool oct_selftest_precision(oct_precision *out, const oct_selftest_run *test, int index)
{
    static const oct_precision all[] = {OCT_PRECISION_SINGLE, OCT_PRECISION_MIXED,
                                        OCT_PRECISION_DOUBLE};
    if (test->only != OCT_PRECISION_AUTO) {
        *out = test->only;
        return index == 0;
    }
    if (index >= (oct_device_describe(test->device)->fp64 ? 3 : 1))
        return false;
    *out = all[index];
    return true;
}

oct_status oct_selftest_run_case(oct_selftest_run *test, const oct_selftest_table *one)
{
    oct_status status = one->run(test);
    return status == OCT_STATUS_OK ? status : oct_fail_within(status, "self-test '%s'", one->name);
}

oct_status oct_selftest_verdict(const oct_selftest_run *test)
{
    const oct_device_info *info = oct_device_describe(test->device);
    OCT_CHECK(!test->failed, OCT_STATUS_DEVICE,
              "device '%s' with driver %s does not compute what it should (%s): update the driver "
              "or use another device",
              info->name, info->driver, test->first_failure);
    return OCT_STATUS_OK;
}

oct_status oct_selftest_run_all(oct_selftest_run *test)
{
    for (size_t i = 0; oct_selftests[i]; i++)
        OCT_TRY(oct_selftest_run_case(test, oct_selftests[i]));
    return oct_selftest_verdict(test);
}

oct_status oct_selftest(oct_device *device, oct_selftest_report report, void *context)
{
    oct_selftest_run test = {.device = device, .report = report, .context = context};
    return oct_selftest_run_all(&test);
}

oct_status oct_setup_trust(oct_device *device, const oct_setup *setup, oct_precision precision,
                           bool shared, const oct_trust_watch *watch)
{
    const oct_trust_watch none = {0};
    watch = watch ? watch : &none;
    if (watch->log && precision == OCT_PRECISION_AUTO && !oct_device_describe(device)->fp64)
        watch->log(watch->context,
                   "this device has no double precision: single with compensated sums is used");
    OCT_TRY(oct_device_precision(&precision, device));
    const oct_selftest_run what = {
        .device = device, .only = precision, .used = true, .setup = setup, .shared = shared};
    return oct_selftest_catch_up(&what, watch);
}

oct_status oct_sim_trust(const oct_sim *sim, const oct_trust_watch *watch)
{
    const oct_trust_watch none = {0};
    const oct_selftest_run what = {.device = sim->domain->device,
                                   .only = sim->precision,
                                   .used = true,
                                   .setup = sim->setup,
                                   .softened = true};
    return sim->softened ? oct_selftest_catch_up(&what, watch ? watch : &none) : OCT_STATUS_OK;
}

oct_status oct_device_trust(oct_device *device, oct_precision precision, oct_log log, void *context)
{
    return oct_setup_trust(device, NULL, precision, false,
                           &(oct_trust_watch){.log = log, .context = context});
}

oct_status oct_scene_trust(oct_device *device, const oct_scene *scene, oct_precision precision,
                           const oct_trust_watch *watch)
{
    oct_setup *setup;
    oct_trust_watch own = {0};
    if (watch)
        OCT_TRY(OCT_SIZED_TAKE(oct_trust_watch, context, &own, watch));
    OCT_TRY(oct_scene_setup(&setup, scene));
    oct_status status = oct_setup_trust(device, setup, precision, false, &own);
    oct_setup_free(setup);
    return status;
}
