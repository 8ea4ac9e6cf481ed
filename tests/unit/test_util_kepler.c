#include "util/kepler.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const double two_pi = 6.283185307179586476925;

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* An eccentric orbit that lies in no coordinate plane, mu = 1.3, a = 2. */
static const double mu = 1.3, axis = 2;

static void start(double x[3], double v[3], double eccentricity, double mean_anomaly)
{
    double flat[3], speed[3];
    oct_kepler_state(flat, speed, mu, axis, eccentricity, mean_anomaly);
    const double c = 0.6, s = 0.8;
    memcpy(x, (double[3]){flat[0], c * flat[1], s * flat[1]}, 3 * sizeof *x);
    memcpy(v, (double[3]){speed[0], c * speed[1], s * speed[1]}, 3 * sizeof *v);
}

static void solves_keplers_equation(void **state)
{
    (void)state;
    const double eccentricities[] = {0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 0.999};
    double worst = 0;
    for (size_t i = 0; i < sizeof eccentricities / sizeof *eccentricities; i++) {
        double e = eccentricities[i];
        for (int j = -4000; j <= 4000; j++) {
            double mean = j * (two_pi / 4000) * (j % 7 ? 1 : 1e-3);
            double anomaly = oct_kepler_anomaly(mean, e);
            double residual = anomaly - e * sin(anomaly) - mean;
            worst = fmax(worst, fabs(residual));
            assert_true(fabs(anomaly - mean) <= e + 1e-15);
        }
    }
    print_message("largest residual %.2e\n", worst);
    assert_true(worst < 2e-15); /* measured 8.9e-16 */
}

static void knows_the_apsides(void **state)
{
    (void)state;
    for (double e = 0; e < 1; e += 0.111) {
        assert_true(oct_kepler_anomaly(0, e) == 0);
        assert_true(fabs(oct_kepler_anomaly(two_pi / 2, e) - two_pi / 2) < 1e-15);
        assert_true(fabs(oct_kepler_anomaly(-two_pi / 2, e) + two_pi / 2) < 1e-15);
    }
}

/* Near the pericentre of all but a parabola, the hardest corner for Newton-Raphson. */
static void converges_near_the_parabola(void **state)
{
    (void)state;
    double e = 1 - 1e-12, worst = 0;
    for (double mean = 3; mean > 1e-300; mean *= 0.1) {
        double anomaly = oct_kepler_anomaly(mean, e);
        worst = fmax(worst, fabs(anomaly - e * sin(anomaly) - mean) / fmax(anomaly, mean));
        assert_true(oct_kepler_anomaly(-mean, e) == -anomaly);
    }
    print_message("largest relative residual %.2e\n", worst);
    assert_true(worst < 4e-16); /* measured 1.5e-16 */
}

static void stays_in_its_revolution(void **state)
{
    (void)state;
    double once = oct_kepler_anomaly(1, 0.6), worst = 0;
    for (int turns = -20; turns <= 20; turns++) {
        double many = oct_kepler_anomaly(1 + turns * two_pi, 0.6);
        worst = fmax(worst, fabs(many - turns * two_pi - once));
    }
    print_message("largest difference %.2e\n", worst);
    assert_true(worst < 4e-14); /* measured 8.4e-15 */
}

static void state_has_the_elements(void **state)
{
    (void)state;
    double x[3], v[3];
    oct_kepler_state(x, v, mu, axis, 0.6, 0);
    assert_true(fabs(x[0] - axis * 0.4) < 1e-15 && x[1] == 0 && x[2] == 0);
    assert_true(v[0] == 0 && v[2] == 0);
    assert_true(fabs(v[1] - sqrt(mu / axis * 1.6 / 0.4)) < 1e-15);
    for (int i = 0; i < 50; i++) {
        oct_kepler_state(x, v, mu, axis, 0.6, 0.3 * i);
        double energy = (v[0] * v[0] + v[1] * v[1]) / 2 - mu / hypot(x[0], x[1]);
        assert_true(fabs(energy + mu / (2 * axis)) < 5e-15);
        assert_true(fabs(x[0] * v[1] - x[1] * v[0] - sqrt(mu * axis * 0.64)) < 5e-15);
    }
}

/* Classical fourth-order Runge-Kutta on the same orbit, a third of a period later. */
static void agrees_with_integration(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    double x[3], v[3], y[6], t = two_pi * sqrt(axis * axis * axis / mu) / 3;
    start(x, v, 0.5, 0.4);
    memcpy(y, x, sizeof x);
    memcpy(y + 3, v, sizeof v);
    double h = t / STEPS;
    const double at[4] = {0, h / 2, h / 2, h}, weight[4] = {h / 6, h / 3, h / 3, h / 6};
    for (int i = 0; i < STEPS; i++) {
        double slope[6] = {0}, sum[6] = {0};
        for (int stage = 0; stage < 4; stage++) {
            double z[6];
            for (int k = 0; k < 6; k++)
                z[k] = y[k] + at[stage] * slope[k];
            double r = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
            for (int k = 0; k < 3; k++) {
                slope[k] = z[k + 3];
                slope[k + 3] = -mu * z[k] / (r * r * r);
            }
            for (int k = 0; k < 6; k++)
                sum[k] += weight[stage] * slope[k];
        }
        for (int k = 0; k < 6; k++)
            y[k] += sum[k];
    }
    assert_int_equal(oct_kepler_advance(x, v, mu, t), OCT_STATUS_OK);
    print_message("difference %.2e %.2e\n", distance(x, y), distance(v, y + 3));
    assert_true(distance(x, y) < 5e-14); /* measured 1.1e-14 */
    assert_true(distance(v, y + 3) < 5e-14);
}

static void follows_the_elements(void **state)
{
    (void)state;
    double motion = sqrt(mu / (axis * axis * axis)), worst = 0;
    for (double e = 0; e < 0.95; e += 0.09) {
        for (int i = -20; i <= 20; i++) {
            double x[3], v[3], there[3], fast[3];
            start(x, v, e, 0.7);
            start(there, fast, e, 0.7 + 0.33 * i);
            assert_int_equal(oct_kepler_advance(x, v, mu, 0.33 * i / motion), OCT_STATUS_OK);
            worst = fmax(worst, fmax(distance(x, there), distance(v, fast)));
        }
    }
    print_message("largest difference %.2e\n", worst);
    assert_true(worst < 3e-13); /* measured 8.3e-14 */
}

static void returns_after_whole_periods(void **state)
{
    (void)state;
    double period = two_pi * sqrt(axis * axis * axis / mu);
    double x[3], v[3], there[3], fast[3];
    start(there, fast, 0.6, 1.1);
    start(x, v, 0.6, 1.1);
    assert_int_equal(oct_kepler_advance(x, v, mu, period), OCT_STATUS_OK);
    print_message("after 1: %.2e ", distance(x, there));
    assert_true(distance(x, there) < 2e-14); /* measured 2.2e-15 */
    assert_int_equal(oct_kepler_advance(x, v, mu, 99 * period), OCT_STATUS_OK);
    print_message("after 100: %.2e\n", distance(x, there));
    assert_true(distance(x, there) < 2e-12); /* measured 8.6e-13 */
    assert_true(distance(v, fast) < 2e-12);
}

static void takes_small_steps_without_drift(void **state)
{
    (void)state;
    double x[3], v[3], there[3], fast[3];
    start(x, v, 0.9, 0.1);
    start(there, fast, 0.9, 0.1);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(oct_kepler_advance(x, v, mu, 0.01), OCT_STATUS_OK);
    assert_int_equal(oct_kepler_advance(there, fast, mu, 10), OCT_STATUS_OK);
    print_message("difference %.2e\n", distance(x, there));
    assert_true(distance(x, there) < 1e-12); /* measured 1.0e-13 */
}

static void refuses_what_is_no_ellipse(void **state)
{
    (void)state;
    double x[3] = {1, 0, 0}, fast[3] = {0, 2, 0}, still[3] = {0, 0, 0}, v[3] = {0, 1, 0};
    assert_int_equal(oct_kepler_advance(x, fast, 1, 1), OCT_STATUS_INPUT);
    assert_non_null(strstr(oct_last_error(), "not bound"));
    assert_int_equal(oct_kepler_advance(x, still, 1, 1), OCT_STATUS_INPUT);
    assert_non_null(strstr(oct_last_error(), "straight"));
    assert_int_equal(oct_kepler_advance(still, v, 1, 1), OCT_STATUS_INPUT);
    assert_int_equal(oct_kepler_advance(x, v, 0, 1), OCT_STATUS_INPUT);
    assert_int_equal(oct_kepler_advance(x, v, 1, INFINITY), OCT_STATUS_INPUT);
    assert_int_equal(oct_kepler_advance(x, (double[3]){NAN, 1, 0}, 1, 1), OCT_STATUS_INPUT);
    assert_true(x[0] == 1 && x[1] == 0 && v[1] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_keplers_equation),
        cmocka_unit_test(knows_the_apsides),
        cmocka_unit_test(converges_near_the_parabola),
        cmocka_unit_test(stays_in_its_revolution),
        cmocka_unit_test(state_has_the_elements),
        cmocka_unit_test(agrees_with_integration),
        cmocka_unit_test(follows_the_elements),
        cmocka_unit_test(returns_after_whole_periods),
        cmocka_unit_test(takes_small_steps_without_drift),
        cmocka_unit_test(refuses_what_is_no_ellipse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
