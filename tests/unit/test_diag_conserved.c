/* The energy of a simulation against sums in double here: what rounding in float or a tree would
 * hide must not be hidden. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/readback.h"
#include "diag/diag_pairs.h"
#include "scene_sim.h"

/* Kinetic and potential energy, with Plummer softening. */
static void sum_up(double out[2], oct_sim *sim, double softening)
{
    oct_bodies b = {0};
    ref_ok(oct_sim_bodies(&b, sim));
    out[0] = out[1] = 0;
    for (size_t i = 0; i < b.n; i++) {
        double potential = 0;
        for (size_t k = 0; k < 3; k++)
            out[0] += b.mass[i] * pow(b.velocity[3 * i + k], 2) / 2;
        for (size_t j = 0; j < i; j++) {
            double dx = b.position[3 * j] - b.position[3 * i];
            double dy = b.position[3 * j + 1] - b.position[3 * i + 1];
            double dz = b.position[3 * j + 2] - b.position[3 * i + 2];
            double r2 = dx * dx + dy * dy + dz * dz + softening * softening;
            potential -= r2 > 0 ? b.mass[j] / sqrt(r2) : 0;
        }
        out[1] += oct_sim_units(sim)->G * b.mass[i] * potential;
    }
    oct_bodies_clear(&b);
}

static double check(oct_sim *sim, double softening, double tolerance)
{
    double sums[2], energy;
    sum_up(sums, sim, softening);
    energy = sums[0] + sums[1];
    double error = fabs(ref_measure(sim, "potential") / sums[1] - 1);
    error = fmax(error, fabs(ref_measure(sim, "energy") - energy) / fabs(sums[1]));
    assert_true(error < tolerance);
    return error;
}

/* Two bodies on an eccentric orbit, whose one pair float rounds by 6e-8. */
static void energy_of_two_bodies_has_no_floor(void **state)
{
    (void)state;
    double start[2], now[2], worst = 0, largest = 0;
    oct_sim *sim =
        ref_sim(OCT_PRECISION_MIXED, "units: nbody\nmodels: [two-body: {mass1: 0.75, mass2: 0.25, "
                                     "semi_major_axis: 1, eccentricity: 0.6}]\n"
                                     "gravity: {method: direct}\nintegrator: {dt: 1e-4}\n"
                                     "run: {until: 1}\n");
    sum_up(start, sim, 0);
    for (int i = 0; i < 40; i++) {
        ref_ok(oct_sim_step(sim, 500));
        sum_up(now, sim, 0);
        double change = (now[0] + now[1]) / (start[0] + start[1]) - 1;
        largest = fmax(largest, fabs(change));
        worst = fmax(worst, fabs(-change - ref_measure(sim, "energy_error")));
    }
    print_message("energy error up to %.1e, measured to %.1e\n", largest, worst);
    assert_true(largest > 1e-9 && largest < 2e-7); /* seen: 7.6e-8, that of the step */
    assert_true(worst < 1e-14);                    /* seen: 5.6e-16; with float pairs 3e-7 */
    oct_sim_free(sim);
}

static void energy_of_a_sphere_is_that_of_its_pairs(void **state)
{
    (void)state;
    const char *const methods[] = {"direct", "tree, theta: 0.9"};
    for (int p = OCT_PRECISION_MIXED; p <= OCT_PRECISION_DOUBLE; p++)
        for (int m = 0; m < 2; m++)
            for (int n = 2001; n < 2004; n += 2) {
                double softening = n == 2001 ? 0 : 0.05;
                oct_sim *sim = ref_sim((oct_precision)p,
                                       "units: nbody\nmodels: [plummer: {n: %d}]\n"
                                       "gravity: {method: %s, softening: %g}\n"
                                       "integrator: {dt: 1e-3}\nrun: {until: 1}\n",
                                       n, methods[m], softening);
                double error = check(sim, softening, 1e-13); /* seen: 2.2e-15 */
                print_message("%s, softening %g: %.1e\n", methods[m], softening, error);
                oct_sim_free(sim);
            }
}

/* An orbit that starts at its pericentre has next to no error when it is there again: the
 * largest error is that of the measurements, also of those before a checkpoint. */
static void the_largest_energy_error_is_kept(void **state)
{
    (void)state;
    double largest = 0, last = 0;
    char path[] = "/tmp/octant-energy-error-XXXXXX";
    oct_sim *sim =
        ref_sim(OCT_PRECISION_MIXED, "units: nbody\nmodels: [two-body: {mass1: 0.75, mass2: 0.25, "
                                     "semi_major_axis: 1, eccentricity: 0.6}]\n"
                                     "gravity: {method: direct}\nintegrator: {dt: 0.01}\n"
                                     "run: {until: 1}\n");
    assert_true(ref_measure(sim, "energy_error_max") == 0);
    for (int i = 0; i < 90; i++) {
        ref_ok(oct_sim_step(sim, 7));
        last = fabs(ref_measure(sim, "energy_error"));
        largest = fmax(largest, last);
        assert_true(ref_measure(sim, "energy_error_max") == largest);
    }
    print_message("largest energy error %.1e, the last %.1e\n", largest, last);
    assert_true(last < largest / 4); /* seen: 7.4e-4, 2.8e-6 */
    int file = mkstemp(path);
    assert_true(file >= 0);
    oct_sim *resumed = ref_resume(sim, path, 1);
    assert_true(ref_measure(resumed, "energy_error_max") == largest);
    oct_sim_free(resumed);
    oct_sim_free(sim);
    (void)close(file);
    (void)unlink(path);
}

/* Bodies in one place do not act on each other without softening; with it they do. */
static void bodies_in_one_place(void **state)
{
    (void)state;
    for (int soft = 0; soft < 2; soft++) {
        oct_bodies b = {0};
        oct_sim *sim = ref_sim(OCT_PRECISION_MIXED,
                               "units: nbody\nmodels: [plummer: {n: 21}]\n"
                               "gravity: {method: direct, softening: %g}\n"
                               "integrator: {dt: 1e-3}\nrun: {until: 1}\n",
                               soft ? 0.1 : 0.0);
        ref_ok(oct_sim_bodies(&b, sim));
        for (size_t k = 0; k < 3; k++)
            b.position[3 + k] = b.position[60 + k] = b.position[k];
        ref_ok(oct_sim_set_bodies(sim, &b));
        check(sim, soft ? 0.1 : 0, 1e-13); /* seen: 3e-16 */
        oct_bodies_clear(&b);
        oct_sim_free(sim);
    }
}

/* More bodies than pairs can be afforded: the forces' potentials are as good as the forces. */
static void many_bodies_have_the_potentials_of_the_forces(void **state)
{
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, "units: nbody\nmodels: [plummer: {n: 70000}]\n"
                                                "gravity: {method: tree, theta: 0.9}\n"
                                                "integrator: {dt: 1e-3}\nrun: {until: 1}\n");
    oct_bodies b = {0};
    double potential = 0;
    ref_ok(oct_sim_bodies(&b, sim));
    for (size_t i = 0; i < b.n; i++)
        potential += b.mass[i] * b.potential[i] / 2;
    assert_true(fabs(ref_measure(sim, "potential") / potential - 1) < 1e-12); /* seen: 1e-15 */
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

/* One work-item a row, as on a CPU, or many, as on a GPU; more rows than there are partial sums,
 * and a number that no width divides. */
static void pairs_may_be_shared(void **state)
{
    static const unsigned widths[] = {1, 32, 256};
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, "units: nbody\nmodels: [plummer: {n: 8003}]\n"
                                                "gravity: {method: tree, softening: 0.02}\n"
                                                "integrator: {dt: 1e-3}\nrun: {until: 1}\n");
    double sums[2];
    sum_up(sums, sim, 0.02);
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        oct_pairs pairs = {.softening = 0.02};
        uint32_t place;
        double energy;
        oct_readback_begin(sim->domain);
        ref_ok(oct_pairs_build(&pairs, sim->domain, widths[i]));
        ref_ok(oct_pairs_launch(&place, &pairs, sim->domain));
        ref_ok(oct_pairs_energy(&energy, place, sim->domain));
        print_message("by %u: off by %.1e\n", widths[i], fabs(energy / sums[1] - 1));
        assert_true(fabs(energy / sums[1] - 1) < 1e-13); /* seen: 2.4e-15 */
        oct_pairs_clear(&pairs);
    }
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_of_two_bodies_has_no_floor),
        cmocka_unit_test(the_largest_energy_error_is_kept),
        cmocka_unit_test(energy_of_a_sphere_is_that_of_its_pairs),
        cmocka_unit_test(bodies_in_one_place),
        cmocka_unit_test(pairs_may_be_shared),
        cmocka_unit_test(many_bodies_have_the_potentials_of_the_forces),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
