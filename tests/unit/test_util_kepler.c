/* Kepler's problem for every conic. */
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
    assert_true(worst < 3e-13); /* measured 4.9e-14 */
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
    assert_true(distance(x, there) < 2e-14); /* measured 0 */
    assert_int_equal(oct_kepler_advance(x, v, mu, 99 * period), OCT_STATUS_OK);
    print_message("after 100: %.2e\n", distance(x, there));
    assert_true(distance(x, there) < 2e-12); /* measured 9.4e-15 */
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
    assert_true(distance(x, there) < 1e-12); /* measured 1.6e-14 */
}

/* From the pericentre on +x of a conic with e >= 1 to where its own equation puts the body. */
static double conic_error(double e, double anomaly)
{
    double q = 0.7, x[3] = {q, 0, 0}, v[3] = {0, sqrt(mu * (1 + e) / q), 0}, there[3], t;
    if (e == 1) { /* Barker's equation, with the tangent of half the true anomaly */
        t = sqrt(2 * q * q * q / mu) * (anomaly + anomaly * anomaly * anomaly / 3);
        memcpy(there, (double[3]){q * (1 - anomaly * anomaly), 2 * q * anomaly, 0}, sizeof there);
    } else {
        double a = q / (e - 1), b = a * sqrt((e - 1) * (e + 1));
        t = sqrt(a * a * a / mu) * (e * sinh(anomaly) - anomaly);
        memcpy(there, (double[3]){a * (e - cosh(anomaly)), b * sinh(anomaly), 0}, sizeof there);
    }
    assert_int_equal(oct_kepler_advance(x, v, mu, t), OCT_STATUS_OK);
    return distance(x, there) / hypot(there[0], there[1]);
}

static void follows_parabolas_and_hyperbolas(void **state)
{
    (void)state;
    const double eccentricities[] = {1, 1.01, 1.5, 3, 20, 1000};
    double worst = 0;
    for (size_t i = 0; i < sizeof eccentricities / sizeof *eccentricities; i++)
        for (double anomaly = -6; anomaly < 6.1; anomaly += 0.5)
            worst = fmax(worst, conic_error(eccentricities[i], anomaly));
    print_message("largest relative difference %.2e\n", worst);
    assert_true(worst < 5e-14); /* measured 9.6e-15 */
}

/* An orbit turns from ellipse to hyperbola without a jump: what is near the parabola in speed is
 * near it in place. */
static void passes_the_parabola_smoothly(void **state)
{
    (void)state;
    double parabola[3] = {1, 0, 0}, v[3] = {0, sqrt(2 * mu), 0}, worst = 0;
    assert_int_equal(oct_kepler_advance(parabola, v, mu, 7), OCT_STATUS_OK);
    for (double off = 1e-3; off > 1e-16; off *= 0.1)
        for (int sign = -1; sign <= 1; sign += 2) {
            double x[3] = {1, 0, 0}, u[3] = {0, sqrt(2 * mu) * (1 + sign * off), 0};
            assert_int_equal(oct_kepler_advance(x, u, mu, 7), OCT_STATUS_OK);
            worst = fmax(worst, (distance(x, parabola) - 1e-13) / off);
        }
    print_message("largest difference %.1f of that in speed\n", worst);
    assert_true(worst < 30); /* measured 25.0 */
}

/* Comes in from 1e5 pericentre distances, where f and g are small differences of large numbers. */
static void comes_in_from_afar(void **state)
{
    (void)state;
    double worst = 0;
    for (double e = 1.1; e < 200; e *= 1.7) {
        double x[3] = {1, 0, 0}, v[3] = {0, sqrt(mu * (1 + e)), 0};
        double t = 1e5 / sqrt(mu * (e - 1)), there[3] = {1, 0, 0};
        assert_int_equal(oct_kepler_advance(x, v, mu, -t), OCT_STATUS_OK);
        assert_int_equal(oct_kepler_advance(x, v, mu, t), OCT_STATUS_OK);
        worst = fmax(worst, distance(x, there));
    }
    print_message("back within %.2e of 1e5\n", worst);
    assert_true(worst < 1e-9); /* measured 1.7e-10 */
}

static void runs_back(void **state)
{
    (void)state;
    double worst = 0;
    for (double speed = 0; speed < 3; speed += 0.13)
        for (double t = -4; t <= 4; t += 0.5) {
            double x[3] = {1, 0.5, -0.3}, v[3] = {-0.3 * speed, speed, 0.2}, there[3], fast[3];
            memcpy(there, x, sizeof x);
            memcpy(fast, v, sizeof v);
            assert_int_equal(oct_kepler_advance(x, v, mu, t), OCT_STATUS_OK);
            for (int k = 0; k < 3; k++)
                v[k] = -v[k];
            assert_int_equal(oct_kepler_advance(x, v, mu, t), OCT_STATUS_OK);
            for (int k = 0; k < 3; k++)
                v[k] = -v[k];
            worst = fmax(worst, fmax(distance(x, there), distance(v, fast)));
        }
    print_message("back within %.2e\n", worst);
    assert_true(worst < 1e-12); /* measured 5.8e-14 */
}

/* Straight lines: r = a (1 - cos E), n t = E - sin E from the centre outwards, and back the same
 * way; a second fall follows after a period. */
static void falls_along_a_line(void **state)
{
    (void)state;
    double a = 1.7, n = sqrt(mu / (a * a * a)), worst = 0;
    for (double later = 0.05; later < 9; later += 0.31) {
        double x[3] = {0, 0, -2 * a}, v[3] = {0, 0, 0};
        double anomaly = oct_kepler_anomaly(two_pi / 2 + later, 1); /* e = 1 is its limit */
        assert_int_equal(oct_kepler_advance(x, v, mu, later / n), OCT_STATUS_OK);
        worst = fmax(worst, fabs(x[2] + a * (1 - cos(anomaly))));
        assert_true(x[0] == 0 && x[1] == 0 && v[0] == 0 && v[1] == 0);
    }
    print_message("largest difference %.2e\n", worst);
    assert_true(worst < 5e-14);                /* measured 4.5e-15 */
    double x[3] = {1, 0, 0}, v[3] = {2, 0, 0}; /* unbound, away from the centre and towards it */
    for (int k = 0; k < 2; k++) {
        assert_int_equal(oct_kepler_advance(x, v, 1, k ? -2 : 2), OCT_STATUS_OK);
        assert_true(isfinite(x[0]) && fabs(v[0] * v[0] / 2 - 1 / x[0] - 1) < 1e-14);
    }
    assert_true(fabs(x[0] - 1) < 1e-14);
}

static void refuses_what_is_no_orbit(void **state)
{
    (void)state;
    double x[3] = {1, 0, 0}, still[3] = {0, 0, 0}, v[3] = {0, 1, 0};
    oct_elements elements;
    assert_int_equal(oct_kepler_advance(still, v, 1, 1), OCT_STATUS_INPUT);
    assert_non_null(strstr(oct_last_error(), "separation above zero"));
    assert_int_equal(oct_kepler_advance(x, v, 0, 1), OCT_STATUS_INPUT);
    assert_int_equal(oct_kepler_advance(x, v, 1, INFINITY), OCT_STATUS_INPUT);
    assert_non_null(strstr(oct_last_error(), "infinite"));
    assert_int_equal(oct_kepler_advance(x, (double[3]){NAN, 1, 0}, 1, 1), OCT_STATUS_INPUT);
    assert_int_equal(oct_kepler_elements(&elements, still, v, 1), OCT_STATUS_INPUT);
    assert_true(x[0] == 1 && x[1] == 0 && v[1] == 1);
}

/* Position and velocity from elements: the orbit in its own plane, turned by the three angles. */
static void from_elements(double x[3], double v[3], const oct_elements *e)
{
    double p = e->semi_major_axis * (1 - e->eccentricity * e->eccentricity);
    double flat[2][3] = {{p / (1 + e->eccentricity), 0, 0}, {0, 0, 0}};
    flat[1][1] = sqrt(mu / p) * (1 + e->eccentricity);
    double motion = sqrt(mu / fabs(pow(e->semi_major_axis, 3)));
    assert_int_equal(oct_kepler_advance(flat[0], flat[1], mu, e->mean_anomaly / motion),
                     OCT_STATUS_OK);
    double cw = cos(e->pericentre), sw = sin(e->pericentre), cn = cos(e->node), sn = sin(e->node);
    for (int i = 0; i < 2; i++) {
        double *out = i ? v : x;
        double along = cw * flat[i][0] - sw * flat[i][1],
               across = sw * flat[i][0] + cw * flat[i][1];
        out[0] = cn * along - sn * cos(e->inclination) * across;
        out[1] = sn * along + cn * cos(e->inclination) * across;
        out[2] = sin(e->inclination) * across;
    }
}

static double apart(double a, double b)
{
    return fabs(remainder(a - b, two_pi));
}

static void elements_come_back(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < 500; i++) {
        double e = i % 2 ? 0.01 + 0.019 * (i % 50) : 1.05 + 0.1 * (i % 50);
        oct_elements got, wanted = {.semi_major_axis = e < 1 ? 1.9 : -1.9,
                                    .eccentricity = e,
                                    .inclination = 0.05 + 0.031 * (i % 97),
                                    .node = 0.1 + 0.06 * (i % 101),
                                    .pericentre = 0.06 * (i % 103),
                                    .mean_anomaly = 0.06 * (i % 89) - (e < 1 ? 0 : 3)};
        double x[3], v[3];
        from_elements(x, v, &wanted);
        assert_int_equal(oct_kepler_elements(&got, x, v, mu), OCT_STATUS_OK);
        double errors[] = {fabs(got.semi_major_axis / wanted.semi_major_axis - 1),
                           fabs(got.eccentricity - e), fabs(got.inclination - wanted.inclination),
                           apart(got.node, wanted.node),
                           /* of a circle the pericentre is known to 1 / e */
                           e * apart(got.pericentre, wanted.pericentre),
                           e * (e < 1 ? apart(got.mean_anomaly, wanted.mean_anomaly)
                                      : fabs(got.mean_anomaly - wanted.mean_anomaly))};
        for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
            worst = fmax(worst, errors[k]);
        assert_true(got.node >= 0 && got.node < two_pi && got.pericentre >= 0);
    }
    print_message("largest difference %.2e\n", worst);
    assert_true(worst < 3e-13); /* measured 5.5e-14 */
}

/* Orbits whose angles are not all defined have those that octant.h promises. */
static void elements_of_special_orbits(void **state)
{
    (void)state;
    oct_elements e;
    assert_int_equal(oct_kepler_elements(&e, (double[3]){0, 2, 0}, (double[3]){-1, 0, 0}, 2),
                     OCT_STATUS_OK); /* a circle in the x-y plane */
    assert_true(fabs(e.semi_major_axis - 2) < 1e-15 && e.eccentricity < 1e-15);
    assert_true(e.inclination == 0 && e.node == 0 && fabs(e.pericentre - two_pi / 4) < 1e-15);
    assert_int_equal(oct_kepler_elements(&e, (double[3]){1, 0, 0}, (double[3]){0, -2, 0}, 2),
                     OCT_STATUS_OK); /* a parabola, clockwise, at its pericentre */
    assert_true(isinf(e.semi_major_axis) && e.eccentricity == 1 && e.mean_anomaly == 0);
    assert_true(fabs(e.inclination - two_pi / 2) < 1e-15 && e.pericentre == 0);
    assert_int_equal(oct_kepler_elements(&e, (double[3]){-3, 4, 0}, (double[3]){-4, 2, 0}, 50),
                     OCT_STATUS_OK); /* past it: Barker's equation for a tangent of 2 */
    assert_true(isinf(e.semi_major_axis) && fabs(e.eccentricity - 1) < 1e-15);
    assert_true(apart(e.pericentre, 0) < 1e-15);
    assert_true(fabs(e.mean_anomaly - sqrt(2) * (2 + 8.0 / 3)) < 1e-14);
    for (int i = 0; i < 2; i++) { /* straight lines, along z and not, from rest */
        double rest[3] = {0}, there[3] = {i ? 0 : 1, i ? 0 : -1, 2};
        assert_int_equal(oct_kepler_elements(&e, there, rest, mu), OCT_STATUS_OK);
        assert_true(e.eccentricity == 1 && fabs(e.mean_anomaly - two_pi / 2) < 1e-15);
        assert_true(fabs(e.semi_major_axis - (i ? 1 : sqrt(1.5))) < 1e-15);
        assert_true(isfinite(e.inclination + e.node + e.pericentre));
    }
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
        cmocka_unit_test(follows_parabolas_and_hyperbolas),
        cmocka_unit_test(passes_the_parabola_smoothly),
        cmocka_unit_test(comes_in_from_afar),
        cmocka_unit_test(runs_back),
        cmocka_unit_test(falls_along_a_line),
        cmocka_unit_test(refuses_what_is_no_orbit),
        cmocka_unit_test(elements_come_back),
        cmocka_unit_test(elements_of_special_orbits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
