/* Steps that differ from body to body: order of convergence, energy by forces found, what a
 * symmetric choice of steps does for an eccentric orbit, and patience and potentials for many. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "block_cluster.h"
#include "order.h"
#include "scene_sim.h"

static const double period = 6.283185307179586;

/* G M = 1 and a semi-major axis of 1, without softening: steps go by a length of their own. */
static oct_sim *orbit(double mass, double eccentricity, double dt, const char *rest)
{
    return ref_sim(OCT_PRECISION_DOUBLE,
                   "units: nbody\n"
                   "models: [two-body: {mass1: %.17g, mass2: %.17g, semi_major_axis: 1, "
                   "eccentricity: %.17g}]\ngravity: {method: direct}\n"
                   "integrator: {method: block-leapfrog, dt: %.17g, %s}\nrun: {until: 1}\n",
                   1 - mass, mass, eccentricity, dt, rest);
}

/* Distance from the analytic place after a quarter of a period. */
static double error_at_quarter(oct_sim *sim, double eccentricity)
{
    oct_bodies b = {0};
    double x[3] = {1 - eccentricity, 0, 0}, v[3] = {0, 0, 0}, d2 = 0;
    v[1] = sqrt((1 + eccentricity) / (1 - eccentricity));
    ref_step_to(sim, period / 4);
    ref_ok(oct_sim_bodies(&b, sim));
    ref_ok(oct_kepler_advance(x, v, 1, oct_sim_time(sim)));
    for (int k = 0; k < 3; k++)
        d2 += pow(b.position[3 + k] - b.position[k] - x[k], 2);
    oct_bodies_clear(&b);
    oct_sim_free(sim);
    return sqrt(d2);
}

/* On a circle both keep their levels, the planet's four below the star's. */
static double error_on_circle(const char *integrator, double steps, void *context)
{
    char rest[64];
    (void)integrator;
    (void)context;
    snprintf(rest, sizeof rest, "length: 0.01, eta: %.17g", 10.5 * period / steps);
    oct_sim *sim = orbit(0.1, 0, period / steps, rest);
    ref_ok(oct_sim_step(sim, 16));
    assert_true(oct_sim_time(sim) == period / steps);
    assert_true(ref_measure(sim, "level") == 2 && ref_measure(sim, "deepest_level") == 4);
    return error_at_quarter(sim, 0);
}

/* On an ellipse levels change on the way, with both bodies; patience is a part of the orbit. */
static double error_on_ellipse(const char *integrator, double steps, void *context)
{
    const double *patience = context;
    char rest[96];
    (void)integrator;
    snprintf(rest, sizeof rest, "length: 0.1, eta: %.17g, patience: %.17g", 4 * period / steps,
             *patience * steps);
    return error_at_quarter(orbit(0.3, 0.6, period / steps, rest), 0.6);
}

/* There by potentials, which are twice as deep at one end as at the other. */
static double error_by_potential(const char *integrator, double steps, void *context)
{
    char rest[96];
    (void)integrator;
    (void)context;
    snprintf(rest, sizeof rest, "length: 0.1, criterion: escape, symmetric: true, eta: %.17g",
             4 * period / steps);
    return error_at_quarter(orbit(0.3, 0.6, period / steps, rest), 0.6);
}

static void order_is_two(void **state)
{
    double none = 0, some = 1 / 64.0;
    (void)state;
    assert_float_equal(ref_order("circle", 64, 5, error_on_circle, NULL), 2,
                       0.05); /* seen: 2.000 */
    assert_float_equal(ref_order("ellipse", 256, 5, error_on_ellipse, &none), 2,
                       0.1); /* seen: 2.004 */
    assert_float_equal(ref_order("patient ellipse", 256, 5, error_on_ellipse, &some), 2,
                       0.1); /* seen: 2.001 */
    assert_float_equal(ref_order("by potentials", 256, 5, error_by_potential, NULL), 2,
                       0.1); /* seen: 2.000 */
}

static void own_steps_take_fewer_forces(void **state)
{
    (void)state;
#define BY_PULL "dt: 0.0625, levels: 12, criterion: gadget, "
    ref_block_cost own = ref_block_cluster(500, 0.003, BY_PULL "eta: 0.01", 3);
    ref_block_cost shared = ref_block_cluster(500, 0.003, BY_PULL "eta: 0.04, steps: shared", 3);
#undef BY_PULL
    assert_true(shared.forces > 3 * own.forces); /* seen: 3.56 times */
    assert_true(own.largest < shared.largest);   /* seen: 2.1e-4 and 6.3e-4 */
}

/* Steps that go by the orbits about the black hole, against one step for all. The table of
 * docs/galaxies.md has 100 dynamical times of it. */
static void orbits_about_a_hole_take_fewer_forces(void **state)
{
    (void)state;
#define OWN "dt: 0.00390625, levels: 12, eta: 2, symmetric: true"
    const double until = 2 * REF_BLOCK_DYNAMICAL_TIME;
    ref_block_cost own = ref_block_cluster(500, 0.003, OWN ", orbit: 0.1", until);
    ref_block_cost unaware = ref_block_cluster(500, 0.003, OWN, until);
    ref_block_cost fixed = ref_block_cluster(500, 0.003, "dt: 0.0009765625, levels: 0", until);
#undef OWN
    assert_true(fixed.forces > 3.5 * own.forces);     /* seen: 3.88 times */
    assert_true(own.largest < 0.5 * fixed.largest);   /* seen: 1.5e-3 and 1.2e-2 */
    assert_true(own.largest < 0.3 * unaware.largest); /* seen: 2.2e-2 */
}

static double energy_after(const char *rest, int orbits)
{
    oct_sim *sim = orbit(0.5, 0.9, period / 32, rest);
    ref_measure(sim, "energy_error");
    ref_step_to(sim, orbits * period);
    double error = fabs(ref_measure(sim, "energy_error"));
    print_message("%s: energy error %.2e after %d orbits, %.0f forces a body\n", rest, error,
                  orbits, ref_measure(sim, "forces_found"));
    oct_sim_free(sim);
    return error;
}

/* Steps that are chosen where they begin are longer on the way in than on the way out. */
static void a_symmetric_choice_ends_the_drift(void **state)
{
    (void)state;
    double plain = energy_after("levels: 14, eta: 0.05, length: 1", 100);
    double symmetric = energy_after("levels: 14, eta: 0.05, length: 1, symmetric: true", 100);
    assert_true(plain > 0.3);              /* seen: 0.556 */
    assert_true(symmetric < 0.25 * plain); /* seen: 0.095 */
}

/* Of 300 bodies with a large softening, after a dozen crossing times. */
static double energy_of_sphere(const char *criterion, double *forces)
{
    oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE,
                           "units: nbody\nseed: 3\nmodels: [plummer: {n: 300}]\n"
                           "gravity: {method: direct, softening: 0.2}\n"
                           "integrator: {method: block-leapfrog, dt: 0.25, levels: 2, criterion: "
                           "%s}\nrun: {until: 1}\n",
                           criterion);
    ref_measure(sim, "energy_error");
    ref_step_to(sim, 30);
    double error = ref_measure(sim, "energy_error");
    *forces = ref_measure(sim, "forces_found");
    print_message("%s: energy error %.2e with %.0f forces a body\n", criterion, error, *forces);
    oct_sim_free(sim);
    return fabs(error);
}

/* Steps that go up and down as others pass make energy drift; potentials do not see them pass. */
static void patience_or_potentials_end_the_drift(void **state)
{
    (void)state;
    double before, after, smooth;
    double hasty = energy_of_sphere("gadget, eta: 0.025", &before);
    double patient = energy_of_sphere("gadget, eta: 0.025, patience: 40", &after);
    double escape = energy_of_sphere("escape, eta: 1.2, symmetric: true", &smooth);
    assert_true(hasty > 2e-3);           /* seen: 2.7e-3 */
    assert_true(patient < 0.25 * hasty); /* seen: 4.1e-4 */
    assert_true(after < 1.2 * before);   /* seen: 1.11 times */
    assert_true(escape < 0.2 * hasty);   /* seen: 1.2e-4 */
    assert_true(smooth < before);        /* seen: 0.99 times */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_two),
        cmocka_unit_test(own_steps_take_fewer_forces),
        cmocka_unit_test(orbits_about_a_hole_take_fewer_forces),
        cmocka_unit_test(a_symmetric_choice_ends_the_drift),
        cmocka_unit_test(patience_or_potentials_end_the_drift),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
