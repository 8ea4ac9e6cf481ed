/* Simulations through the public interface: state, precision, failures, boundaries, forces. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/sim.h"
#include "device/cl.h"
#include "scene_sim.h"

#define PLUMMER                                                                                    \
    "units: nbody\nmodels: [plummer: {n: 100}]\ngravity: {method: direct, softening: 0.05}\n"      \
    "integrator: {method: leapfrog, dt: 0.01}\nrun: {until: 1}\n"

static void two_runs_give_the_same_bits(void **state)
{
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
        uint64_t hashes[2];
        for (int i = 0; i < 2; i++) {
            oct_sim *sim = ref_sim((oct_precision)p, PLUMMER);
            ref_ok(oct_sim_step(sim, 20));
            hashes[i] = ref_hash(sim);
            oct_sim_free(sim);
        }
        assert_true(hashes[0] == hashes[1]);
    }
}

static void looking_does_not_change_the_trajectory(void **state)
{
    static const char *const integrators[] = {"leapfrog", "euler", "symplectic-euler"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        uint64_t hashes[2];
        for (int look = 0; look < 2; look++) {
            oct_sim *sim = ref_sim(OCT_PRECISION_MIXED,
                                   "units: nbody\nmodels: [plummer: {n: 100}]\n"
                                   "gravity: {method: direct}\n"
                                   "integrator: {method: %s, dt: 0.01}\nrun: {until: 1}\n",
                                   integrators[i]);
            for (int s = 0; s < 10; s++) {
                ref_ok(oct_sim_step(sim, 1));
                if (look)
                    ref_measure(sim, "energy");
            }
            hashes[look] = ref_hash(sim);
            oct_sim_free(sim);
        }
        assert_true(hashes[0] == hashes[1]);
    }
}

static void time_is_a_product_of_steps(void **state)
{
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, PLUMMER);
    for (int i = 0; i < 7; i++)
        ref_ok(oct_sim_step(sim, 11));
    assert_true(oct_sim_time(sim) == 77 * 0.01);
    assert_true(oct_sim_steps(sim) == 77);
    oct_sim_free(sim);
}

/* A force that is no number after a while, for one particle. */
static const char blow_up[] = "real4 octant_force(real3 x, real3 v, real m, ulong id, real t)\n"
                              "{ return (real4)(id == 42 && t > 0.065 ? NAN : 0, 0, 0, 0); }\n";

/* Quadratic potential: a = -k x, exactly a harmonic oscillator. */
static const char spring[] = "real4 octant_force(real3 x, real3 v, real m, ulong id, real t)\n"
                             "{ return (real4)(-4 * x, 2 * dot(x, x)); }\n";

static oct_sim *with_force(const char *text, const char *model, double dt, oct_precision precision)
{
    char path[] = "/tmp/octant-force-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    oct_sim *sim = ref_sim(precision,
                           "units: nbody\nmodels: [%s]\ngravity: {method: none}\n"
                           "forces: [custom: {file: %s}]\nintegrator: {dt: %.17g}\n"
                           "run: {until: 1}\n",
                           model, path, dt);
    unlink(path);
    return sim;
}

static void a_bad_number_is_named_with_particle_and_step(void **state)
{
    (void)state;
    oct_sim *sim = with_force(blow_up, "plummer: {n: 100}", 0.01, OCT_PRECISION_MIXED);
    ref_ok(oct_sim_step(sim, 5));
    ref_ok(oct_sim_wait(sim));
    ref_ok(oct_sim_step(sim, 20));
    assert_int_equal(oct_sim_wait(sim), OCT_STATUS_NUMBER);
    ref_says("particle 42");
    /* The force at t = 0.07 is the one at the end of step 7. */
    ref_says("step 7");
    oct_sim_free(sim);
}

static void a_users_force_is_what_it_says(void **state)
{
    (void)state;
    /* omega = 2: after half a period every body is at minus its place. */
    const double half = 3.14159265358979323846 / 2;
    oct_bodies before = {0}, after = {0};
    oct_sim *sim = with_force(spring, "cold-sphere: {n: 50}", half / 2000, OCT_PRECISION_DOUBLE);
    ref_ok(oct_sim_bodies(&before, sim));
    double energy = 0;
    for (size_t i = 0; i < before.n; i++)
        for (size_t k = 3 * i; k < 3 * i + 3; k++)
            energy += 2 * before.mass[i] * before.position[k] * before.position[k];
    double energy_error = fabs(ref_measure(sim, "potential") / energy - 1), worst = 0;
    ref_ok(oct_sim_step(sim, 2000));
    ref_ok(oct_sim_bodies(&after, sim));
    for (size_t i = 0; i < 3 * before.n; i++)
        worst = fmax(worst, fabs(before.position[i] + after.position[i]));
    print_message("spring: energy %.1e, place %.1e\n", energy_error, worst);
    assert_true(energy_error < 1e-13); /* seen: 5.6e-16 */
    assert_true(worst < 1e-11);        /* seen: 5.2e-14 */
    assert_true(fabs(ref_measure(sim, "energy_error")) < 1e-5);
    oct_bodies_clear(&before);
    oct_bodies_clear(&after);
    oct_sim_free(sim);
}

static void a_users_force_that_does_not_compile_is_shown(void **state)
{
    char path[] = "/tmp/octant-force-XXXXXX", expected[64];
    const char text[] = "\nreal4 octant_force(real3 x, real3 v, real m, ulong id, real t)\n"
                        "{ return x * undefined_thing; }\n";
    (void)state;
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    close(file);
    assert_int_equal(ref_sim_status(OCT_PRECISION_MIXED,
                                    "units: nbody\nmodels: [plummer: {n: 10}]\n"
                                    "forces: [custom: {file: %s}]\nintegrator: {dt: 1}\n"
                                    "run: {until: 1}\n",
                                    path),
                     OCT_STATUS_INPUT);
    unlink(path);
    snprintf(expected, sizeof expected, "%s:3", path);
    ref_says(expected);
    ref_says("undefined_thing");
}

static void count_notes(void *context, const char *sentence)
{
    int *notes = context;
    *notes += strstr(sentence, "was removed in step") != NULL;
}

static void removed_particles_are_counted_and_logged(void **state)
{
    int notes = 0;
    oct_bodies bodies = {0};
    (void)state;
    oct_sim *sim =
        ref_sim(OCT_PRECISION_MIXED, "units: nbody\nbox: {boundary: open, removal_radius: 3}\n"
                                     "models: [plummer: {n: 300}]\ngravity: {method: none}\n"
                                     "integrator: {dt: 0.1}\nrun: {until: 1}\n");
    oct_sim_set_log(sim, count_notes, &notes);
    for (int i = 0; i < 5; i++) {
        ref_ok(oct_sim_step(sim, 4));
        ref_ok(oct_sim_wait(sim));
    }
    ref_ok(oct_sim_bodies(&bodies, sim));
    assert_true(notes > 10 && notes < 300);
    assert_int_equal(notes, 300 - (int)bodies.n);
    assert_int_equal(oct_sim_count(sim), bodies.n);
    assert_true(ref_measure(sim, "removed") == notes);
    assert_true(ref_measure(sim, "n") == (double)bodies.n);
    oct_bodies_clear(&bodies);
    oct_sim_free(sim);
}

static void images_of_the_box_change_the_force(void **state)
{
    static const char *const boxes[] = {"{boundary: open}",
                                        "{boundary: periodic, size: [4, 4, 4]}"};
    double potential[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        oct_sim *sim = ref_sim(OCT_PRECISION_MIXED,
                               "units: nbody\nbox: %s\nmodels: [cold-sphere: {n: 100}]\n"
                               "gravity: {method: direct}\nintegrator: {dt: 1}\nrun: {until: 1}\n",
                               boxes[i]);
        potential[i] = ref_measure(sim, "potential");
        oct_sim_free(sim);
    }
    /* As if all were in one place, and the potential of the background about it: the energy of a
     * point in a cube of side L is that of its images, +2.837297 / 2L, and the background's pull on
     * a ball of radius 1, (2 pi / 3 L^3) (3/5) more. */
    double expected = potential[0] + 2.837297 / 8 - 2 * acos(-1) / 3 / 64 * 3 / 5;
    assert_true(fabs(potential[1] - expected) < 0.01);
}

static void what_does_not_fit_is_refused_before_it_is_made(void **state)
{
    (void)state;
    assert_int_equal(ref_sim_status(OCT_PRECISION_MIXED,
                                    "units: nbody\nmodels: [plummer: {n: 2000000000}]\n"
                                    "integrator: {dt: 1}\nrun: {until: 1}\n"),
                     OCT_STATUS_SPACE);
    ref_says("particles would fit");
}

static void foreign_bodies_are_refused(void **state)
{
    oct_bodies bodies = {0};
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, PLUMMER);
    ref_ok(oct_sim_bodies(&bodies, sim));
    bodies.id[3] = 1234567;
    uint64_t before = ref_hash(sim);
    assert_int_equal(oct_sim_set_bodies(sim, &bodies), OCT_STATUS_INPUT);
    assert_true(ref_hash(sim) == before);
    oct_bodies_clear(&bodies);
    oct_sim_free(sim);
}

/* Float sums of a million tiny increments lose their last digits; compensated ones do not. */
static void single_precision_keeps_what_rounding_takes_off(void **state)
{
    oct_bodies before = {0}, after = {0};
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_SINGLE,
                           "units: nbody\nmodels: [plummer: {n: 20, offset: [100, 0, 0]}]\n"
                           "gravity: {method: none}\nintegrator: {dt: 1e-5}\nrun: {until: 1}\n");
    ref_ok(oct_sim_bodies(&before, sim));
    ref_ok(oct_sim_step(sim, 20000));
    ref_ok(oct_sim_bodies(&after, sim));
    double worst = 0;
    for (size_t i = 0; i < 3 * before.n; i++)
        worst =
            fmax(worst, fabs(after.position[i] - before.position[i] - before.velocity[i] * 0.2));
    print_message("compensated drift: %.1e\n", worst);
    /* An ulp of 100 is 7.6e-6, more than an increment. */
    assert_true(worst < 1e-5); /* seen: 3.6e-6 */
    oct_bodies_clear(&before);
    oct_bodies_clear(&after);
    oct_sim_free(sim);
}

/* Far from the origin a float has no digits left for distances; two floats do. */
static void mixed_precision_does_not_mind_the_distance(void **state)
{
    double error[2];
    (void)state;
    for (int far = 0; far < 2; far++) {
        oct_bodies got[2] = {{0}, {0}};
        static const oct_precision precisions[] = {OCT_PRECISION_MIXED, OCT_PRECISION_DOUBLE};
        for (int p = 0; p < 2; p++) {
            oct_sim *sim = ref_sim(precisions[p],
                                   "units: nbody\nmodels: [plummer: {n: 200, offset: [%d, 0, 0]}]\n"
                                   "gravity: {method: direct}\nintegrator: {dt: 1}\n"
                                   "run: {until: 1}\n",
                                   far ? 1000000 : 0);
            ref_ok(oct_sim_bodies(&got[p], sim));
            oct_sim_free(sim);
        }
        error[far] = 0;
        for (size_t i = 0; i < got[0].n; i++)
            error[far] = fmax(error[far], fabs(got[0].potential[i] / got[1].potential[i] - 1));
        oct_bodies_clear(&got[0]);
        oct_bodies_clear(&got[1]);
    }
    print_message("potential error: %.1e at the origin, %.1e far from it\n", error[0], error[1]);
    assert_true(error[0] < 2e-6 && error[1] < 2e-6); /* seen: 5.7e-7, both */
}

static void count_any(void *context, const char *sentence)
{
    *(int *)context += strstr(sentence, "no double precision") != NULL;
}

/* A device that says it has no double gets kernels without, whose sums are pairs of floats. */
static void without_double_precision_sums_are_compensated(void **state)
{
    oct_device *device = NULL;
    oct_scene *scene = NULL;
    oct_sim *sim = NULL;
    const char text[] = "units: nbody\nmodels: [plummer: {n: 3000, offset: [5, 0, 0]}]\n"
                        "gravity: {method: direct, softening: 0.05}\nintegrator: {dt: 0.01}\n"
                        "run: {until: 1}\n";
    double narrow[2], wide[2], centre[3];
    int notes = 0;
    (void)state;
    oct_sim *reference = ref_sim(OCT_PRECISION_DOUBLE, "%s", text);
    wide[0] = ref_measure(reference, "kinetic");
    wide[1] = ref_measure(reference, "potential");
    oct_sim_free(reference);
    ref_ok(oct_device_open(&device, getenv("OCTANT_TEST_DEVICE")));
    device->info.fp64 = false;
    ref_ok(oct_scene_parse(&scene, text, strlen(text), "test"));
    assert_int_equal(oct_sim_create(&sim, device, scene, OCT_PRECISION_MIXED), OCT_STATUS_INPUT);
    ref_says("no double precision");
    ref_ok(oct_device_trust(device, OCT_PRECISION_AUTO, count_any, &notes));
    assert_int_equal(notes, 1);
    ref_ok(oct_sim_create(&sim, device, scene, OCT_PRECISION_AUTO));
    assert_int_equal(oct_sim_precision(sim), OCT_PRECISION_SINGLE);
    narrow[0] = ref_measure(sim, "kinetic");
    narrow[1] = ref_measure(sim, "potential");
    ref_ok(oct_sim_measure_one(centre, sim, "centre"));
    print_message("without double: kinetic %.1e, potential %.1e, centre %.1e off\n",
                  fabs(narrow[0] / wide[0] - 1), fabs(narrow[1] / wide[1] - 1),
                  fabs(centre[0] / 5 - 1));
    assert_true(fabs(narrow[0] / wide[0] - 1) < 1e-6); /* seen: 8.5e-9 */
    assert_true(fabs(narrow[1] / wide[1] - 1) < 1e-6); /* seen: 2.0e-8 */
    assert_true(fabs(centre[0] / 5 - 1) < 1e-6);       /* seen: 1.5e-9 */
    oct_sim_free(sim);
    oct_scene_free(scene);
    oct_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_give_the_same_bits),
        cmocka_unit_test(looking_does_not_change_the_trajectory),
        cmocka_unit_test(time_is_a_product_of_steps),
        cmocka_unit_test(a_bad_number_is_named_with_particle_and_step),
        cmocka_unit_test(a_users_force_is_what_it_says),
        cmocka_unit_test(a_users_force_that_does_not_compile_is_shown),
        cmocka_unit_test(removed_particles_are_counted_and_logged),
        cmocka_unit_test(images_of_the_box_change_the_force),
        cmocka_unit_test(what_does_not_fit_is_refused_before_it_is_made),
        cmocka_unit_test(foreign_bodies_are_refused),
        cmocka_unit_test(single_precision_keeps_what_rounding_takes_off),
        cmocka_unit_test(mixed_precision_does_not_mind_the_distance),
        cmocka_unit_test(without_double_precision_sums_are_compensated),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
