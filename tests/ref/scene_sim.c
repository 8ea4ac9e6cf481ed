/* Opens the device that OCTANT_TEST_DEVICE names, and fails a test with the library's sentence. */
#include "scene_sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static oct_device *device;

/* Whether this build does without a library. */
static bool lacks_something(void)
{
    const char *name;
    bool lacks = false;
    for (size_t i = 0; (name = oct_feature_name(i)) != NULL; i++)
        lacks = lacks || !oct_feature_present(name);
    return lacks;
}

void ref_ok(oct_status status)
{
    if (status == OCT_STATUS_ABSENT && lacks_something()) {
        print_message("%s\n", oct_last_error());
        skip();
    }
    if (status != OCT_STATUS_OK)
        fail_msg("%s [%s]", oct_last_error(), oct_last_error_place());
}

oct_device *ref_device(void)
{
    if (!device)
        ref_ok(oct_device_open(&device, getenv("OCTANT_TEST_DEVICE")));
    return device;
}

bool ref_is_other_cpu(void)
{
    const oct_device_info *info = oct_device_describe(ref_device());
    return strcmp(info->kind, "cpu") == 0 && !strstr(info->platform, "Portable Computing Language");
}

const char *ref_walk(size_t index)
{
    static const char *const walks[] = {"kernel: auto, boxes: fine", "boxes: coarse",
                                        "kernel: portable, boxes: fine",
                                        "kernel: portable, boxes: coarse"};
    bool gpu = strcmp(oct_device_describe(ref_device())->kind, "cpu") != 0;
    size_t n = gpu || ref_is_other_cpu() ? 4 : 1;
    if (!gpu && index > 0)
        index++;
    return index < n ? walks[index] : NULL;
}

void ref_device_close(void)
{
    oct_device_free(device);
    device = NULL;
}

static oct_status create(oct_sim **out, oct_precision precision, const char *format,
                         va_list arguments)
{
    char text[4096];
    oct_scene *scene = NULL;
    vsnprintf(text, sizeof text, format, arguments);
    oct_status status = oct_scene_parse(&scene, text, strlen(text), "test");
    if (status == OCT_STATUS_OK)
        status = oct_sim_create(out, ref_device(), scene, precision);
    oct_scene_free(scene);
    return status;
}

oct_sim *ref_sim(oct_precision precision, const char *format, ...)
{
    oct_sim *sim = NULL;
    va_list arguments;
    va_start(arguments, format);
    oct_status status = create(&sim, precision, format, arguments);
    va_end(arguments);
    ref_ok(status);
    return sim;
}

oct_status ref_sim_status(oct_precision precision, const char *format, ...)
{
    oct_sim *sim = NULL;
    va_list arguments;
    va_start(arguments, format);
    oct_status status = create(&sim, precision, format, arguments);
    va_end(arguments);
    oct_sim_free(sim);
    return status;
}

double ref_measure(oct_sim *sim, const char *name)
{
    double value[3];
    ref_ok(oct_sim_measure_one(value, sim, name));
    return value[0];
}

void ref_says(const char *part)
{
    if (!strstr(oct_last_error(), part))
        fail_msg("'%s' is not in: %s", part, oct_last_error());
}

uint64_t ref_hash(oct_sim *sim)
{
    uint64_t hash = 0;
    ref_ok(oct_sim_hash(&hash, sim));
    return hash;
}

oct_sim *ref_resume(oct_sim *sim, const char *path, uint64_t steps)
{
    oct_sim *resumed = NULL;
    ref_ok(oct_sim_checkpoint(sim, path));
    ref_ok(oct_sim_restore(&resumed, ref_device(), path));
    ref_ok(oct_sim_step(sim, steps));
    ref_ok(oct_sim_step(resumed, steps));
    assert_true(ref_hash(resumed) == ref_hash(sim));
    return resumed;
}
