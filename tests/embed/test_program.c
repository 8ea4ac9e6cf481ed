/* A program from beginning to end: bodies in memory, settings by calls, and no file touched. */
#include "files.h"

#include "fault.h"
#include "scene_sim.h"

#include <math.h>

enum { FIRST = 200, MORE = 100, FEWER = 10, STEPS = 6 };

static char notes[2048];

static void take_note(void *context, const char *sentence)
{
    (void)context;
    strncat(notes, sentence, sizeof notes - strlen(notes) - 1);
}

/* Points that fill a sphere evenly, at rest. */
static void fill(oct_bodies *bodies, size_t n, double radius)
{
    ref_ok(oct_bodies_resize(bodies, n));
    for (size_t i = 0; i < n; i++) {
        double turn = 2.399963229728653 * (double)i, z = 1 - (2 * (double)i + 1) / (double)n;
        double r = radius *
                   cbrt(((double)i * 0.618033988749895) - floor((double)i * 0.618033988749895)),
               flat = sqrt(1 - z * z);
        bodies->position[3 * i] = r * flat * cos(turn);
        bodies->position[3 * i + 1] = r * flat * sin(turn);
        bodies->position[3 * i + 2] = r * z;
        bodies->mass[i] = 1.0 / (double)n;
    }
}

static void make(oct_sim **out, oct_device *device)
{
    static const char *const settings[] = {"units=nbody", "gravity.method=tree",
                                           "gravity.theta=0.7", "gravity.softening=0.05",
                                           "integrator.dt=0.01"};
    oct_scene *scene = NULL;
    oct_bodies bodies = {0};
    ref_ok(oct_scene_create(&scene));
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        ref_ok(oct_scene_set(scene, settings[i]));
    ref_ok(oct_scene_set_text(scene, "forces.+.custom.code",
                              "real4 octant_force(real3 x, real3 v, real m, ulong id, real t)\n"
                              "{\n    return (real4)(-0.1 * x, 0.05 * dot(x, x));\n}\n"));
    fill(&bodies, FIRST, 1);
    const oct_sim_options options = {.size = sizeof options, .bodies = &bodies, .log = take_note};
    ref_ok(oct_sim_create_with(out, device, scene, &options));
    oct_bodies_clear(&bodies);
    oct_scene_free(scene);
}

/* Each body moves, and none moves far in a step. */
static void step_and_look(oct_sim *sim, size_t expected)
{
    static double before[3 * (FIRST + MORE)], after[3 * (FIRST + MORE)];
    assert_int_equal(oct_sim_size(sim), expected);
    ref_ok(oct_sim_read(before, OCT_ELEMENT_DOUBLE, sim, "position", NULL));
    for (int s = 0; s < STEPS; s++) {
        ref_ok(oct_sim_step(sim, 1));
        ref_ok(oct_sim_read(after, OCT_ELEMENT_DOUBLE, sim, "position", NULL));
        for (size_t i = 0; i < 3 * expected; i++)
            assert_true(fabs(after[i] - before[i]) < 0.02);
        assert_true(memcmp(after, before, 3 * expected * sizeof *after) != 0);
        memcpy(before, after, 3 * expected * sizeof *after);
    }
}

static uint64_t play(oct_device *device)
{
    oct_bodies more = {0};
    oct_sim *sim = NULL;
    uint64_t leave[FEWER];
    make(&sim, device);
    step_and_look(sim, FIRST);
    fill(&more, MORE, 2);
    ref_ok(oct_sim_add(sim, &more));
    step_and_look(sim, FIRST + MORE);
    for (size_t i = 0; i < FEWER; i++)
        leave[i] = more.id[7 * i];
    ref_ok(oct_sim_remove(sim, leave, FEWER));
    step_and_look(sim, FIRST + MORE - FEWER);
    ref_ok(oct_sim_set(sim, "gravity.theta=0.3"));
    step_and_look(sim, FIRST + MORE - FEWER);
    uint64_t hash = ref_hash(sim);
    oct_bodies_clear(&more);
    oct_sim_free(sim);
    return hash;
}

static void no_file_is_touched(void **state)
{
    static const char *const kinds[] = {"open",   "stat", "mkdir", "rename",
                                        "unlink", "link", "fsync", "spawn"};
    oct_device *device = NULL;
    (void)state;
    ref_ok(oct_device_open(&device, getenv("OCTANT_TEST_DEVICE")));
    assert_true(fault_entries() > 0);
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        fault_arm(kinds[i], 0);
        uint64_t now = play(device);
        assert_int_equal(fault_disarm(), 0);
        assert_true(i == 0 || now == hash);
        hash = now;
        /* What has passed once is not tested again, though there is no file to say so. */
        if (i == 0)
            assert_non_null(strstr(notes, "first use of this device"));
        else
            assert_string_equal(notes, "");
        notes[0] = '\0';
    }
    oct_device_free(device);
}

/* The count sees what there is to see. */
static void a_file_would_be_seen(void **state)
{
    oct_scene *scene = NULL;
    (void)state;
    fault_arm("open", 0);
    assert_int_equal(oct_scene_load(&scene, "/dev/null"), OCT_STATUS_INPUT);
    assert_true(fault_disarm() > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_file_is_touched),
        cmocka_unit_test(a_file_would_be_seen),
    };
    /* Without a home there is no folder for what could be remembered. */
    unsetenv("HOME");
    unsetenv("XDG_CACHE_HOME");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
