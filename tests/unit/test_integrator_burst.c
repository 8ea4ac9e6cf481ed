/* Steps in bursts: those of single steps to the bit, those of the oracle, and only where nothing
 * but its own bodies acts on a system. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/sim.h"
#include "selftest/oracle.h"
#include "selftest/oracle_parts.h"
#include "systems_ref.h"

static const double origin[3] = {0, 0, 0};
static const char *const kernels[] = {"auto", "lanes", "whole", "tiles"};
enum { KERNELS = sizeof kernels / sizeof kernels[0], MOST_PLANETS = 64 };

/* Without tiles on Intel's CPU runtime, which computes them wrongly (orbits of kepler_drift in a
 * kernel with barriers); its self-test refuses them there. */
static size_t count_kernels(void)
{
    return ref_is_other_cpu() ? KERNELS - 1 : KERNELS;
}

static oct_sim *start(const oct_bodies *b, const char *kernel, double dt, const char *more)
{
    return ref_bodies_sim(b, OCT_PRECISION_MIXED,
                          "gravity: {method: systems, far: none}\n"
                          "integrator: {method: wh, kernel: %s, dt: %.17g}\nrun: {until: 1e9}\n%s",
                          kernel, dt, more);
}

/* Systems of one body to `largest`, all in one place: they do not know of each other. The last
 * planet has no mass, and orbits lean. */
static void make_systems(oct_bodies *b, size_t largest)
{
    double radii[MOST_PLANETS];
    const double drift[3] = {0.1, -0.05, 0.02};
    for (size_t i = 0; i < largest; i++)
        radii[i] = 0.3 * pow(1.31, (double)i);
    for (size_t n = 1; n <= largest; n++) {
        ref_add_system(b, (unsigned)n, origin, drift, 1, 1e-4, radii, n - 1);
        if (n > 3)
            b->mass[b->n - 1] = 0;
    }
}

/* Systems of more bodies than that are not taken whole. */
static size_t most_bodies(const char *kernel, size_t most)
{
    return strcmp(kernel, "whole") == 0 && most > 9 ? 9 : most;
}

static void bursts_are_single_steps(void **state)
{
    (void)state;
    for (size_t k = 0; k < count_kernels(); k++) {
        oct_bodies b = {0};
        make_systems(&b, most_bodies(kernels[k], 12));
        oct_sim *sims[3];
        for (size_t i = 0; i < 3; i++)
            sims[i] = start(&b, kernels[k], 0.03, "");
        ref_ok(oct_sim_step(sims[0], 60));
        for (int i = 0; i < 60; i++) {
            ref_ok(oct_sim_step(sims[1], 1));
            assert_true(isfinite(ref_measure(sims[1], "energy")));
        }
        /* Saved in the middle, and gone on with from there. */
        oct_state saved = {0};
        oct_sim *other = start(&b, kernels[k], 0.03, "");
        ref_ok(oct_sim_step(other, 23));
        ref_ok(oct_sim_export(&saved, other));
        ref_ok(oct_sim_import(sims[2], &saved));
        ref_ok(oct_sim_step(sims[2], 37));
        assert_true(ref_hash(sims[0]) == ref_hash(sims[1]));
        assert_true(ref_hash(sims[0]) == ref_hash(sims[2]));
        for (size_t i = 0; i < 3; i++)
            oct_sim_free(sims[i]);
        oct_sim_free(other);
        oct_state_clear(&saved);
        oct_bodies_clear(&b);
    }
}

/* The largest distance from the oracle's places after some steps, in units of the typical one. */
static double oracle_error(oct_bodies *b, const char *kernel, double dt, int steps)
{
    oct_bodies got = {0};
    const oct_oracle_parts step = {.integrator = "wh", .G = 1, .dt = dt, .alone = true};
    oct_sim *sim = start(b, kernel, dt, "");
    ref_ok(oct_sim_step(sim, (uint64_t)steps));
    ref_ok(oct_sim_bodies(&got, sim));
    for (int i = 0; i < steps; i++)
        ref_ok(oct_oracle_parts_step(b, &step));
    double error = oct_oracle_vector_error(got.position, b->position, b->n);
    oct_sim_free(sim);
    oct_bodies_clear(&got);
    return error;
}

static void steps_are_those_of_the_oracle(void **state)
{
    (void)state;
    for (size_t k = 0; k < count_kernels(); k++) {
        oct_bodies b = {0};
        make_systems(&b, most_bodies(kernels[k], 20));
        double error = oracle_error(&b, kernels[k], 0.03, 100);
        print_message("%s, systems of 1 to %zu bodies: %.1e\n", kernels[k],
                      most_bodies(kernels[k], 20), error);
        assert_true(error < 1e-11); /* seen: 1.4e-13 */
        oct_bodies_clear(&b);
    }
}

/* Orbits that kepler_quick leaves to kepler_drift, among others that it does not: hardly bound, not
 * bound, and many revolutions in a step. */
static void any_orbit_is_followed(void **state)
{
    static const double speeds[] = {0.05, 0.3, 1, 1.41421356, 1.6, 5};
    (void)state;
    for (size_t k = 0; k < count_kernels(); k++)
        for (double dt = 0.01; dt < 100; dt *= 20) {
            oct_bodies b = {0};
            ref_add(&b, 1, 1, origin, origin, OCT_TYPE_STAR);
            for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
                const double x[3] = {1 + (double)i, 0.1, 0}, v[3] = {0.01, speeds[i], 0.02};
                ref_add(&b, 1, 0, x, v, OCT_TYPE_BODY);
            }
            double error = oracle_error(&b, kernels[k], dt, 3);
            print_message("%s, dt %.2f: %.1e\n", kernels[k], dt, error);
            assert_true(error < 1e-9); /* seen: 5.1e-11 */
            oct_bodies_clear(&b);
        }
}

/* Systems too large for bursts: planets among many bodies without mass, so that vectors begin and
 * end anywhere in them: one begins with a first planet. */
static void many_bodies_are_those_of_the_oracle(void **state)
{
    (void)state;
    for (size_t k = 0; k < count_kernels(); k++) {
        oct_bodies b = {0};
        double radii[90];
        const double aside[3] = {5, 5, 5}, slow[3] = {0, 0.01, 0};
        for (size_t i = 0; i < 90; i++)
            radii[i] = 0.5 + 0.07 * (double)i;
        for (unsigned s = 0; s < 3; s++) {
            size_t first = b.n;
            ref_add_system(&b, s + 1, origin, slow, 1, 1e-4, radii, s == 1 ? 5 : 80 + s);
            for (size_t i = first + 1; i < b.n; i++)
                b.mass[i] = (i - first) % 13 == 3 ? 1e-4 : 0;
        }
        ref_add(&b, 0, 1, aside, slow, OCT_TYPE_BODY);
        double error = oracle_error(&b, kernels[k], 0.05, 40);
        print_message("%s, many bodies: %.1e\n", kernels[k], error);
        assert_true(error < 1e-11); /* seen: 2.0e-14 */
        oct_bodies_clear(&b);
    }
}

/* With something else to do in a step, one after another; it is the same map. */
static void other_steps_are_the_same_map(void **state)
{
    static const char *const more[] = {"collisions: {method: direct}\n",
                                       "box: {boundary: open, removal_radius: 1e6}\n"};
    (void)state;
    oct_bodies b = {0};
    make_systems(&b, 9);
    oct_sim *burst = start(&b, "auto", 0.03, "");
    ref_ok(oct_sim_step(burst, 100));
    for (size_t i = 0; i < 2; i++) {
        oct_sim *sim = start(&b, "auto", 0.03, more[i]);
        ref_ok(oct_sim_step(sim, 100));
        double apart = ref_apart(sim, burst);
        print_message("apart by %.1e\n", apart);
        assert_true(apart < 1e-10); /* seen: 6.5e-14 */
        oct_sim_free(sim);
    }
    oct_sim_free(burst);
    oct_bodies_clear(&b);
}

/* A body whose type says that it is held, from some time on, does not answer any more. */
static void who_is_held_later_is_held(void **state)
{
    const uint8_t held = OCT_TYPE_BODY | OCT_TYPE_HELD;
    const double radii[] = {1, 2};
    (void)state;
    oct_bodies b = {0}, got = {0};
    ref_add_system(&b, 1, origin, origin, 1, 0.01, radii, 2);
    oct_sim *sim = start(&b, "auto", 0.1, "");
    ref_ok(oct_sim_step(sim, 10));
    ref_ok(
        oct_sim_write(sim, "type", &(oct_selection){.first = 1, .n = 1}, &held, OCT_ELEMENT_UINT8));
    ref_ok(oct_sim_bodies(&b, sim));
    ref_ok(oct_sim_step(sim, 10));
    ref_ok(oct_sim_bodies(&got, sim));
    assert_memory_equal(got.velocity + 3, b.velocity + 3, 3 * sizeof(double));
    assert_true(got.velocity[6] != b.velocity[6]);
    oct_sim_free(sim);
    oct_bodies_clear(&b);
    oct_bodies_clear(&got);
}

static void what_is_no_number_is_named(void **state)
{
    (void)state;
    for (size_t k = 0; k < count_kernels(); k++) {
        oct_bodies b = {0};
        const double radii[] = {1, 2}, fast[3] = {2e307, 0, 0}, far[3] = {1e307, 0, 0};
        ref_add_system(&b, 1, origin, origin, 1, 1e-3, radii, 2);
        ref_add(&b, 0, 1, far, fast, OCT_TYPE_BODY);
        oct_sim *sim = start(&b, kernels[k], 1, "");
        ref_ok(oct_sim_step(sim, 20));
        assert_int_equal(oct_sim_wait(sim), OCT_STATUS_NUMBER);
        ref_says("particle 4 is no number any more (NaN or infinity) in step 9");
        oct_sim_free(sim);
        oct_bodies_clear(&b);
    }
}

static void far_none_refuses(void **state)
{
    static const char *const refused[] = {"box: {boundary: periodic, size: [9, 9, 9]}\n", ""};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(ref_sim_status(OCT_PRECISION_MIXED,
                                        "units: solar\nmodels: [solar-system: {}]\n%s"
                                        "gravity: {method: systems, far: none%s}\n"
                                        "integrator: {method: wh, dt: 1}\nrun: {until: 9}\n",
                                        refused[i], i ? ", threshold: 1" : ""),
                         OCT_STATUS_INPUT);
        ref_says(i ? "expected gravity.threshold: 0" : "expected box.boundary: open");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts_are_single_steps),
        cmocka_unit_test(steps_are_those_of_the_oracle),
        cmocka_unit_test(any_orbit_is_followed),
        cmocka_unit_test(other_steps_are_the_same_map),
        cmocka_unit_test(who_is_held_later_is_held),
        cmocka_unit_test(what_is_no_number_is_named),
        cmocka_unit_test(far_none_refuses),
        cmocka_unit_test(many_bodies_are_those_of_the_oracle),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
