#include "selftest/selftest.h"

#include <stdio.h>
#include <string.h>

#include "io/scene.h"

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

static oct_status run_all(oct_selftest_run *test)
{
    const oct_device_info *info = oct_device_describe(test->device);
    for (size_t i = 0; oct_selftests[i]; i++) {
        oct_status status = oct_selftests[i]->run(test);
        if (status != OCT_STATUS_OK)
            return oct_fail_within(status, "self-test '%s'", oct_selftests[i]->name);
    }
    OCT_CHECK(!test->failed, OCT_STATUS_DEVICE,
              "device '%s' with driver %s does not compute what it should (%s): update the driver "
              "or use another device",
              info->name, info->driver, test->first_failure);
    return OCT_STATUS_OK;
}

oct_status oct_selftest(oct_device *device, oct_selftest_report report, void *context)
{
    oct_selftest_run test = {.device = device, .report = report, .context = context};
    return run_all(&test);
}

/* That a device passed is a file in the cache, named after all that matters. */
oct_status oct_device_trust(oct_device *device, oct_precision precision, oct_log log, void *context)
{
    char fingerprint[33], name[64], path[4096];
    if (log && precision == OCT_PRECISION_AUTO && !oct_device_describe(device)->fp64)
        log(context, "this device has no double precision: single with compensated sums is used");
    OCT_TRY(oct_device_precision(&precision, device));
    OCT_TRY(oct_device_fingerprint(fingerprint, device, NULL));
    snprintf(name, sizeof name, "%s.%s", fingerprint, oct_precision_name(precision));
    oct_cache_path(path, sizeof path, name);
    FILE *file = path[0] ? fopen(path, "r") : NULL;
    if (file) {
        fclose(file);
        return OCT_STATUS_OK;
    }
    if (log)
        log(context, "first use of this device and driver: checking its kernels, this once");
    oct_selftest_run test = {.device = device, .only = precision, .used = true};
    OCT_TRY(run_all(&test));
    file = path[0] ? fopen(path, "w") : NULL;
    if (file)
        fclose(file);
    return OCT_STATUS_OK;
}
