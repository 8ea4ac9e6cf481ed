/* Integrators that split the force of solar systems: orders, reversal, and what they refuse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "order.h"
#include "systems_ref.h"

static const double origin[3] = {0, 0, 0};

/* Two systems of a star and two planets that circle each other, and a body alone. */
static oct_sim *sample(const char *integrator, double dt, oct_precision precision)
{
    oct_bodies b = {0};
    const double radii[] = {1, 1.8}, left[3] = {-6, 0, 0}, right[3] = {6, 0, 1};
    const double up[3] = {0, 0.2, 0}, down[3] = {0.1, -0.2, 0}, above[3] = {0, 20, 0};
    ref_add_system(&b, 1, left, up, 1, 1e-3, radii, 2);
    ref_add_system(&b, 2, right, down, 1, 1e-3, radii, 2);
    ref_add(&b, 0, 0.5, above, origin, OCT_TYPE_BLACK_HOLE);
    oct_sim *sim = ref_bodies_sim(&b, precision,
                                  "gravity: {method: systems}\n"
                                  "integrator: {method: %s, dt: %.17g}\nrun: {until: 100}\n",
                                  integrator, dt);
    oct_bodies_clear(&b);
    return sim;
}

static const double span = 4;

static oct_sim *after(const char *integrator, double steps)
{
    oct_sim *sim = sample(integrator, span / steps, OCT_PRECISION_DOUBLE);
    ref_ok(oct_sim_step(sim, (uint64_t)steps));
    return sim;
}

static double error_after(const char *integrator, double steps, void *truth)
{
    oct_sim *sim = after(integrator, steps);
    double error = ref_apart(sim, truth);
    oct_sim_free(sim);
    return error;
}

/* The truth is wh with short steps, 1.5e-8 off; that the others converge to it tells that all of
 * them solve the same equations. */
static void orders_of_convergence(void **state)
{
    (void)state;
    oct_sim *truth = after("wh", 1024);
    /* Seen: 0.986 and 0.959, 1.999 and 1.999, 2.021. */
    assert_float_equal(ref_order("two-rate, substeps: 4", 64, 4, error_after, truth), 1, 0.05);
    assert_float_equal(
        ref_order("two-rate, substeps: 4, inner: explicit", 64, 4, error_after, truth), 1, 0.1);
    assert_float_equal(ref_order("respa, substeps: 4", 32, 4, error_after, truth), 2, 0.02);
    assert_float_equal(ref_order("respa, substeps: 3", 32, 4, error_after, truth), 2, 0.02);
    assert_float_equal(ref_order("wh", 8, 4, error_after, truth), 2, 0.05);
    oct_sim_free(truth);
}

static void respa_and_wh_run_back(void **state)
{
    static const char *const integrators[] = {"respa, substeps: 4", "respa, substeps: 3", "wh"};
    (void)state;
    for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; i++) {
        oct_sim *sim = sample(integrators[i], 0.1, OCT_PRECISION_DOUBLE);
        double error = ref_return_error(sim, 300);
        print_message("%s: back within %.1e of the start\n", integrators[i], error);
        assert_true(error < 1e-10); /* seen: 7.8e-13 */
        oct_sim_free(sim);
    }
}

/* Whoever looks at forces between steps leaves no trace in the next one. */
static void onlookers_change_nothing(void **state)
{
    static const char *const integrators[] = {"respa", "two-rate", "wh"};
    (void)state;
    for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; i++) {
        oct_sim *alone = sample(integrators[i], 0.05, OCT_PRECISION_MIXED);
        oct_sim *watched = sample(integrators[i], 0.05, OCT_PRECISION_MIXED);
        ref_ok(oct_sim_step(alone, 20));
        for (int step = 0; step < 20; step++) {
            ref_ok(oct_sim_step(watched, 1));
            assert_true(isfinite(ref_measure(watched, "energy")));
        }
        assert_true(ref_hash(alone) == ref_hash(watched));
        oct_sim_free(alone);
        oct_sim_free(watched);
    }
}

/* A lone body is a system without planets: for such bodies wh and respa with one substep are the
 * drift-kick-drift leapfrog. */
static void without_planets_they_are_leapfrog(void **state)
{
    oct_bodies b = {0};
    oct_sim *sims[2];
    const double here[3] = {1, 0, 0}, there[3] = {-1, 0, 0}, v[3] = {0, 0.4, 0},
                 w[3] = {0, -0.4, 0};
    (void)state;
    ref_add(&b, 1, 1, here, v, OCT_TYPE_STAR);
    ref_add(&b, 2, 1, there, w, OCT_TYPE_STAR);
    for (int i = 0; i < 2; i++) {
        sims[i] = ref_bodies_sim(&b, OCT_PRECISION_DOUBLE,
                                 "gravity: {method: systems}\n"
                                 "integrator: {method: %s, dt: 0.02}\nrun: {until: 1}\n",
                                 i ? "wh" : "respa, substeps: 1");
        ref_ok(oct_sim_step(sims[i], 200));
    }
    print_message("apart by %.1e\n", ref_apart(sims[0], sims[1]));
    assert_true(ref_apart(sims[0], sims[1]) < 1e-13); /* seen: 3.0e-16 */
    oct_sim_free(sims[0]);
    oct_sim_free(sims[1]);
    oct_bodies_clear(&b);
}

static void refuses(oct_precision precision, const char *sections, const char *part)
{
    assert_int_equal(ref_sim_status(precision,
                                    "units: nbody\nmodels: [two-body: {mass1: 1, mass2: 0.1, "
                                    "semi_major_axis: 1}]\n%s\nrun: {until: 1}\n",
                                    sections),
                     OCT_STATUS_INPUT);
    ref_says(part);
}

static void refuse_what_they_cannot_do(void **state)
{
    static const char *const names[] = {"respa", "two-rate", "wh"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char sections[128];
        snprintf(sections, sizeof sections,
                 "gravity: {method: direct}\nintegrator: {method: %s, dt: 1}", names[i]);
        refuses(OCT_PRECISION_DOUBLE, sections, "expected gravity.method: systems");
        ref_says(names[i]);
    }
    refuses(OCT_PRECISION_SINGLE, "gravity: {method: systems}\nintegrator: {method: wh, dt: 1}",
            "state in double");
    refuses(OCT_PRECISION_DOUBLE,
            "gravity: {method: systems, softening: 0.1}\nintegrator: {method: wh, dt: 1}",
            "gravity.softening: 0");
    refuses(OCT_PRECISION_DOUBLE,
            "gravity: {method: systems}\nintegrator: {method: respa, substeps: 0, dt: 1}",
            "substeps");
    refuses(OCT_PRECISION_DOUBLE,
            "gravity: {method: systems}\nintegrator: {method: two-rate, inner: verlet, dt: 1}",
            "symplectic");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_convergence),
        cmocka_unit_test(respa_and_wh_run_back),
        cmocka_unit_test(onlookers_change_nothing),
        cmocka_unit_test(without_planets_they_are_leapfrog),
        cmocka_unit_test(refuse_what_they_cannot_do),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
