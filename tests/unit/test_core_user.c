/* Functions of the user's as texts that scenes hold themselves. */
#include "files.h"

#include "scene_sim.h"

#define FORCE  "real4 octant_force(real3 position, real3 velocity, real mass, ulong id, real time)"
#define BODIES "units: nbody\nmodels: [plummer: {n: 8}]\n"
#define REST   "gravity: {method: none}\nintegrator: {dt: 0.125}\nrun: {until: 1}\n"

static uint64_t hash_of(const char *forces)
{
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO, "%s%s%s", BODIES, forces, REST);
    ref_ok(oct_sim_step(sim, 5));
    uint64_t hash = ref_hash(sim);
    oct_sim_free(sim);
    return hash;
}

static void a_text_is_as_good_as_a_file(void **state)
{
    static const char source[] = FORCE "\n{\n    return (real4)(-2 * position, 0);\n}\n";
    char path[128], named[256];
    (void)state;
    scratch_path(path, "mine.cl");
    spill(path, source, strlen(source));
    snprintf(named, sizeof named, "forces: [custom: {file: %s}]\n", path);
    uint64_t held = hash_of("forces:\n  - custom:\n      code: |\n        " FORCE "\n        {\n"
                            "            return (real4)(-2 * position, 0);\n        }\n");
    assert_true(held == hash_of(named));
    assert_true(held != hash_of(""));
}

static void mistakes_have_the_line_of_the_text(void **state)
{
    const struct {
        const char *code, *says, *also;
    } rows[] = {{"\"\\n\\n" FORCE " { return nothing; }\"", "forces.0.custom.code:3", "nothing"},
                {"\"\\nconstant real other = 1;\"",
                 "'forces.0.custom.code' has no function octant_force", "real4"},
                {"\"\\nreal octant_force(real x) { return x; }\"",
                 "forces.0.custom.code:2: octant_force has another form", "real3 position"},
                {"\"#include \\\"/etc/hostname\\\"\"", "forces.0.custom.code", "/etc/hostname"},
                {"''", "there is no function", "file"},
                {"\"a\\x01b\"", "control character", "forces.0.custom.code"},
                {"[a]", "a text of any number of lines", "forces.0.custom.code"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(ref_sim_status(OCT_PRECISION_AUTO, "%sforces: [custom: {code: %s}]\n%s",
                                        BODIES, rows[i].code, REST),
                         OCT_STATUS_INPUT);
        ref_says(rows[i].says);
        ref_says(rows[i].also);
    }
    assert_int_equal(ref_sim_status(OCT_PRECISION_AUTO,
                                    "%sforces: [custom: {file: a.cl, code: b}]\n%s", BODIES, REST),
                     OCT_STATUS_INPUT);
    ref_says("file and code are both given");
}

static void other_values_are_one_line(void **state)
{
    (void)state;
    assert_int_equal(ref_sim_status(OCT_PRECISION_AUTO, "%stitle: \"a\\nb\"\n%s", BODIES, REST),
                     OCT_STATUS_INPUT);
    ref_says("title: the value has a line break");
    assert_int_equal(ref_sim_status(OCT_PRECISION_AUTO, "%s\"ti\\ntle\": a\n%s", BODIES, REST),
                     OCT_STATUS_INPUT);
    ref_says("line break");
}

/* A head-on meeting of two spheres; the law says what is left of their speed. */
static double speed_after(const char *law)
{
    oct_bodies bodies = {0};
    oct_sim *sim =
        ref_sim(OCT_PRECISION_AUTO,
                "units: nbody\nmodels:\n"
                "  - body: {mass: 1, radius: 1, velocity: [1, 0, 0]}\n"
                "  - body: {mass: 1, radius: 1, offset: [2.5, 0, 0], velocity: [-1, 0, 0]}\n"
                "collisions: {method: direct, restitution: custom, restitution_code: %s}\n" REST,
                law);
    ref_ok(oct_sim_step(sim, 8));
    ref_ok(oct_sim_bodies(&bodies, sim));
    double speed = -bodies.velocity[0];
    oct_bodies_clear(&bodies);
    oct_sim_free(sim);
    return speed;
}

static void restitution_is_a_text_too(void **state)
{
    (void)state;
    assert_true(speed_after("\"real octant_restitution(real speed, real radius_a, real radius_b)\\n"
                            "{\\n    return speed / 8;\\n}\"") == 0.25);
}

static void the_text_travels_with_the_scene(void **state)
{
    char path[128];
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO,
                           "%sforces:\n  - custom:\n      code: |\n        " FORCE
                           "\n        { return (real4)(-position, 0); } // \"\\\n%s",
                           BODIES, REST);
    (void)state;
    scratch_path(path, "checkpoint.hdf5");
    ref_ok(oct_sim_step(sim, 3));
    oct_sim_free(ref_resume(sim, path, 3));
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_text_is_as_good_as_a_file, scratch_make, scratch_remove),
        cmocka_unit_test(mistakes_have_the_line_of_the_text),
        cmocka_unit_test(other_values_are_one_line),
        cmocka_unit_test(restitution_is_a_text_too),
        cmocka_unit_test_setup_teardown(the_text_travels_with_the_scene, scratch_make,
                                        scratch_remove),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
