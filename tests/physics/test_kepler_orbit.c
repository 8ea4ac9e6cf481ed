/* An eccentric Kepler orbit, e = 0.6: orders of convergence, conservation, reversal. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "order.h"
#include "scene_sim.h"

static const double period = 6.283185307179586;

/* Two bodies of mass 1/2, semi-major axis 1: G M = 1, so the period is 2 pi. */
static oct_sim *orbit(const char *integrator, double steps_per_orbit, oct_precision precision)
{
    return ref_sim(precision,
                   "units: nbody\n"
                   "models: [two-body: {mass1: 0.5, mass2: 0.5, semi_major_axis: 1, "
                   "eccentricity: 0.6}]\n"
                   "gravity: {method: direct}\nintegrator: {method: %s, dt: %.17g}\n"
                   "run: {until: 1}\n",
                   integrator, period / steps_per_orbit);
}

static void relative(double out[3], oct_sim *sim)
{
    oct_bodies b = {0};
    ref_ok(oct_sim_bodies(&b, sim));
    for (int k = 0; k < 3; k++)
        out[k] = b.position[3 + k] - b.position[k];
    oct_bodies_clear(&b);
}

static double distance(const double a[3], const double b[3])
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* Distance from the analytic place after a quarter of the orbit. */
static double error_after(const char *integrator, double steps_per_orbit, void *context)
{
    (void)context;
    double start[3] = {0.4, 0, 0}, velocity[3] = {0, 2, 0}, got[3];
    oct_sim *sim = orbit(integrator, steps_per_orbit, OCT_PRECISION_DOUBLE);
    uint64_t steps = (uint64_t)(steps_per_orbit / 4);
    ref_ok(oct_sim_step(sim, steps));
    relative(got, sim);
    ref_ok(oct_kepler_advance(start, velocity, 1, oct_sim_time(sim)));
    oct_sim_free(sim);
    return distance(got, start);
}

static void leapfrog_is_second_order(void **state)
{
    (void)state;
    assert_float_equal(ref_order("leapfrog", 256, 5, error_after, NULL), 2, 0.02); /* seen: 2.000 */
}

static void symplectic_euler_is_first_order(void **state)
{
    (void)state;
    assert_float_equal(ref_order("symplectic-euler", 1024, 5, error_after, NULL), 1,
                       0.05); /* seen: 0.994 */
}

static void euler_is_first_order(void **state)
{
    (void)state;
    assert_float_equal(ref_order("euler", 1024, 5, error_after, NULL), 1, 0.05); /* seen: 0.985 */
}

/* Largest |energy error| in the first and in the last ten of 100 periods. */
static void energy_errors(double out[2], const char *integrator, double steps_per_orbit)
{
    oct_sim *sim = orbit(integrator, steps_per_orbit, OCT_PRECISION_DOUBLE);
    out[0] = out[1] = 0;
    for (int i = 0; i < 100 * 16; i++) {
        ref_ok(oct_sim_step(sim, (uint64_t)(steps_per_orbit / 16)));
        double error = fabs(ref_measure(sim, "energy_error"));
        if (i < 10 * 16)
            out[0] = fmax(out[0], error);
        if (i >= 90 * 16)
            out[1] = fmax(out[1], error);
    }
    print_message("%s: energy error %.2e in the first ten periods, %.2e in the last ten\n",
                  integrator, out[0], out[1]);
    oct_sim_free(sim);
}

static void leapfrog_energy_is_bounded(void **state)
{
    double errors[2];
    (void)state;
    energy_errors(errors, "leapfrog", 256);
    assert_true(errors[0] < 6e-3);            /* seen: 4.5e-3 */
    assert_true(errors[1] < 1.1 * errors[0]); /* seen: 1.00 */
}

static void symplectic_euler_energy_is_bounded(void **state)
{
    double errors[2];
    (void)state;
    energy_errors(errors, "symplectic-euler", 512);
    assert_true(errors[0] < 6e-2);            /* seen: 3.6e-2 */
    assert_true(errors[1] < 1.5 * errors[0]); /* seen: 0.99; it samples other phases of the orbit */
}

static void euler_energy_grows(void **state)
{
    double errors[2];
    (void)state;
    energy_errors(errors, "euler", 512);
    assert_true(errors[1] > 1.1 * errors[0]); /* seen: 1.20 */
    assert_true(errors[1] > 0.5);             /* seen: 0.96 */
}

/* Forward, velocities turned round, and back to the start. */
static double return_error(oct_precision precision)
{
    double start[3], end[3];
    oct_bodies b = {0};
    oct_sim *sim = orbit("leapfrog", 200, precision);
    relative(start, sim);
    ref_ok(oct_sim_step(sim, 10 * 200 + 37));
    ref_ok(oct_sim_bodies(&b, sim));
    for (size_t i = 0; i < 3 * b.n; i++)
        b.velocity[i] = -b.velocity[i];
    ref_ok(oct_sim_set_bodies(sim, &b));
    ref_ok(oct_sim_step(sim, 10 * 200 + 37));
    relative(end, sim);
    oct_bodies_clear(&b);
    oct_sim_free(sim);
    print_message("%s: back within %.1e of the start\n", oct_precision_name(precision),
                  distance(start, end));
    return distance(start, end);
}

static void leapfrog_runs_back(void **state)
{
    (void)state;
    assert_true(return_error(OCT_PRECISION_DOUBLE) < 1e-11); /* seen: 8.6e-14 */
    assert_true(return_error(OCT_PRECISION_MIXED) < 1e-11);  /* seen: 4.6e-14 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leapfrog_is_second_order),
        cmocka_unit_test(symplectic_euler_is_first_order),
        cmocka_unit_test(euler_is_first_order),
        cmocka_unit_test(leapfrog_energy_is_bounded),
        cmocka_unit_test(symplectic_euler_energy_is_bounded),
        cmocka_unit_test(euler_energy_grows),
        cmocka_unit_test(leapfrog_runs_back),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
