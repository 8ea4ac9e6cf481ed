/* Close pairs in a cluster: the tree must know their distance as well as direct summation does. */
#include <math.h>

#include "files.h"
#include "scene_sim.h"
#include "selftest/oracle.h"

enum { BODIES = 4096, PAIRS = 500 };

/* Every body of the first PAIRS gets a companion at this distance, in all directions. */
static void make_pairs(oct_bodies *b, double distance)
{
    for (size_t i = 0; i < PAIRS; i++) {
        double z = 2 * fmod(0.618 * (double)i, 1) - 1, angle = 2.4 * (double)i;
        const double way[3] = {sqrt(1 - z * z) * cos(angle), sqrt(1 - z * z) * sin(angle), z};
        for (size_t k = 0; k < 3; k++)
            b->position[3 * (BODIES - 1 - i) + k] = b->position[3 * i + k] + distance * way[k];
    }
}

/* The largest relative error of the companions' accelerations. */
static double pair_error(const char *gravity, double distance)
{
    oct_bodies b = {0}, got = {0};
    const oct_oracle_gravity exact = {.G = 1};
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED,
                           "units: nbody\nmodels: [plummer: {n: %d}]\ngravity: {%s}\n"
                           "integrator: {dt: 0.01}\nrun: {until: 1}\n",
                           BODIES, gravity);
    ref_ok(oct_sim_bodies(&b, sim));
    make_pairs(&b, distance);
    ref_ok(oct_sim_set_bodies(sim, &b));
    ref_ok(oct_sim_bodies(&got, sim));
    oct_oracle_forces(&b, &exact);
    double error = fmax(oct_oracle_vector_error(got.acceleration, b.acceleration, PAIRS),
                        oct_oracle_vector_error(got.acceleration + 3 * (BODIES - PAIRS),
                                                b.acceleration + 3 * (BODIES - PAIRS), PAIRS));
    print_message("%s, %.0e apart: %.1e\n", gravity, distance, error);
    oct_bodies_clear(&b);
    oct_bodies_clear(&got);
    oct_sim_free(sim);
    return error;
}

static void close_pairs_are_not_lost(void **state)
{
    static const char *const methods[] = {"method: direct", "method: tree",
                                          "method: tree, kernel: lanes",
                                          "method: tree, criterion: min-distance"};
    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
        for (double distance = 1e-5; distance > 1e-8; distance /= 10)
            assert_true(pair_error(methods[m], distance) < 1e-5); /* seen: 4.7e-6 */
}

/* A compiler that crashes would take the program along. */
static void what_crashes_a_compiler_is_refused(void **state)
{
    static const char scene[] = "units: nbody\nmodels: [plummer: {n: 20}]\n"
                                "gravity: {method: tree, kernel: tiles}\n"
                                "integrator: {dt: 1}\nrun: {until: 1}\n";
    (void)state;
    if (!strstr(oct_device_describe(ref_device())->platform, "Portable Computing Language"))
        skip();
    assert_int_equal(ref_sim_status(OCT_PRECISION_MIXED, "%s", scene), OCT_STATUS_INPUT);
    ref_says("expected kernel auto or lanes");
    assert_int_equal(ref_sim_status(OCT_PRECISION_MIXED,
                                    "units: nbody\nmodels: [plummer: {n: 20}]\n"
                                    "collisions: {method: tree, kernel: tiles}\n"
                                    "integrator: {dt: 1}\nrun: {until: 1}\n"),
                     OCT_STATUS_INPUT);
    ref_says("expected kernel auto, lanes or portable");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_pairs_are_not_lost),
        cmocka_unit_test(what_crashes_a_compiler_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
