/* Many steps of few bodies in one launch: those of single steps to the bit, in what they leave, in
 * what they say of bodies that are no numbers, and only where nothing else acts. */
#include "files.h"

#include <math.h>

#include "core/sim.h"
#include "scene_sim.h"
#include "selftest/oracle.h"

#define STEPS 90
#define SCENE                                                                                      \
    "units: nbody\nseed: 5\nmodels:\n"                                                             \
    "  - plummer: {n: %u, truncation: 5}\n"                                                        \
    "  - body: {mass: 1, offset: [1, 2, 0], velocity: [0, 0.3, 0.1]}\n"                            \
    "  - body: {mass: 0.1, offset: [-2, 0, 1]}\n%s"                                                \
    "gravity: {method: direct, softening: 0.05%s}\n"                                               \
    "integrator: {method: leapfrog, dt: 0.01, bursts: %s}\nrun: {until: 100}\n"

static const char *const kernels[] = {", kernel: lanes", ", kernel: portable", ", kernel: tiles"};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static uint32_t most_of(size_t kernel)
{
    bool tiles = kernel == 2;
    return tiles && strstr(oct_device_describe(ref_device())->vendor, "NVIDIA") ? 1024 : 256;
}

static uint64_t launches(const oct_sim *sim)
{
    return oct_device_worked(sim->domain->device).launches;
}

static oct_sim *start(oct_precision precision, unsigned n, const char *more, const char *gravity,
                      bool bursts)
{
    oct_bodies bodies = {0};
    oct_sim *sim = ref_sim(precision, SCENE, n - 2, more, gravity, bursts ? "true" : "false");
    ref_ok(oct_sim_bodies(&bodies, sim));
    bodies.mass[n - 2] = 0;
    bodies.type[n - 1] |= OCT_TYPE_HELD;
    ref_ok(oct_sim_set_bodies(sim, &bodies));
    oct_bodies_clear(&bodies);
    return sim;
}

/* Takes steps, measured on the way or not; how many launches that took. */
static uint64_t go(oct_sim *sim, bool looks)
{
    ref_ok(oct_sim_wait(sim));
    uint64_t before = launches(sim);
    for (int i = 0; looks && i < STEPS; i += 30) {
        ref_ok(oct_sim_step(sim, 30));
        assert_true(isfinite(ref_measure(sim, "energy")));
    }
    if (!looks)
        ref_ok(oct_sim_step(sim, STEPS));
    ref_ok(oct_sim_wait(sim));
    return launches(sim) - before;
}

static void compare(oct_precision precision, unsigned n, const char *gravity)
{
    oct_sim *sims[3] = {start(precision, n, "", gravity, false),
                        start(precision, n, "", gravity, true),
                        start(precision, n, "", gravity, true)};
    uint64_t single = go(sims[0], false), many = go(sims[1], false);
    assert_true(single > 2 * STEPS && many < 20);
    go(sims[2], true);
    assert_true(ref_hash(sims[0]) == ref_hash(sims[1]));
    assert_true(ref_hash(sims[0]) == ref_hash(sims[2]));
    for (int i = 0; i < 3; i++)
        oct_sim_free(sims[i]);
}

static void leaps_are_single_steps(void **state)
{
    static const unsigned sizes[] = {3, 15, 16, 17, 33, 100};
    (void)state;
    for (size_t k = 0; k < KERNELS; k++)
        for (oct_precision p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
            char gravity[96];
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
                compare(p, sizes[i], kernels[k]);
            compare(p, most_of(k), kernels[k]);
            snprintf(gravity, sizeof gravity, "%s, softenings: {star: 0.02}", kernels[k]);
            compare(p, 40, gravity);
        }
}

/* With one body more all units of a device take a step. */
static void more_bodies_go_one_by_one(void **state)
{
    (void)state;
    for (size_t k = 0; k < KERNELS; k++) {
        oct_sim *sim = start(OCT_PRECISION_MIXED, most_of(k) + 1, "", kernels[k], true);
        assert_true(go(sim, false) > 2 * STEPS);
        oct_sim_free(sim);
    }
}

/* What others do to bodies is done: the scenes' steps have the launches of single ones. */
static void others_are_not_left_out(void **state)
{
    static const char *const others[] = {
        "box: {removal_radius: 3}\n",
        "box: {boundary: periodic, size: [20, 20, 20]}\n",
        "collisions: {method: tree}\n",
        "forces:\n  - custom: {code: 'real4 octant_force(real3 x, real3 v, real m, ulong id, real "
        "t) { return (real4)(0, 0, 1, 0); }'}\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        oct_sim *sims[2];
        for (int leaps = 0; leaps < 2; leaps++) {
            sims[leaps] = start(OCT_PRECISION_MIXED, 30, others[i], "", leaps);
            assert_true(go(sims[leaps], false) > STEPS);
        }
        assert_true(ref_hash(sims[0]) == ref_hash(sims[1]));
        oct_sim_free(sims[0]);
        oct_sim_free(sims[1]);
    }
}

static void they_are_those_of_the_oracle(void **state)
{
    const oct_oracle_gravity gravity = {.G = 1, .softening = 0.05};
    (void)state;
    for (size_t k = 0; k < KERNELS; k++) {
        oct_bodies expected = {0}, got = {0};
        oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE, SCENE, 58, "", kernels[k], "true");
        ref_ok(oct_sim_bodies(&expected, sim));
        ref_ok(oct_sim_step(sim, STEPS));
        ref_ok(oct_sim_bodies(&got, sim));
        for (int i = 0; i < STEPS; i++)
            oct_oracle_step(&expected, &gravity, "leapfrog", 0.01);
        double error = oct_oracle_vector_error(got.position, expected.position, got.n);
        print_message("%s: %.1e\n", kernels[k], error);
        assert_true(error < 1e-12); /* seen: 1e-14 */
        oct_bodies_clear(&expected);
        oct_bodies_clear(&got);
        oct_sim_free(sim);
    }
}

/* A run that is resumed in the middle, where forces are those that a leap has left. */
static void a_resumed_run_has_the_same_bits(void **state)
{
    char path[128];
    (void)state;
    assert_int_equal(scratch_make(NULL), 0);
    scratch_path(path, "leap.hdf5");
    for (size_t k = 0; k < KERNELS; k++) {
        oct_sim *sim = start(OCT_PRECISION_MIXED, 70, "", kernels[k], true);
        ref_ok(oct_sim_step(sim, 37));
        oct_sim_free(ref_resume(sim, path, 51));
        oct_sim_free(sim);
    }
    assert_int_equal(scratch_remove(NULL), 0);
}

/* The sentence about a body that is no number names the body and the step of single steps. */
static void what_is_no_number_is_told(void **state)
{
    char said[2][200];
    (void)state;
    for (size_t k = 0; k < KERNELS; k++) {
        for (int leaps = 0; leaps < 2; leaps++) {
            oct_sim *sim =
                start(OCT_PRECISION_SINGLE, 20,
                      "  - body: {mass: 1e-9, offset: [9, 0, 0], velocity: [1e38, 0, 0]}\n",
                      kernels[k], leaps);
            ref_ok(oct_sim_set(sim, "integrator.dt=0.3"));
            oct_status status = oct_sim_step(sim, 40);
            if (status == OCT_STATUS_OK)
                status = oct_sim_wait(sim);
            assert_int_equal(status, OCT_STATUS_NUMBER);
            snprintf(said[leaps], sizeof said[leaps], "%s", oct_last_error());
            oct_sim_free(sim);
        }
        print_message("%s\n", said[0]);
        assert_string_equal(said[0], said[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaps_are_single_steps),
        cmocka_unit_test(more_bodies_go_one_by_one),
        cmocka_unit_test(others_are_not_left_out),
        cmocka_unit_test(they_are_those_of_the_oracle),
        cmocka_unit_test(a_resumed_run_has_the_same_bits),
        cmocka_unit_test(what_is_no_number_is_told),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
