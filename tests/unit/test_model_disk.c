/* Disk galaxies: the disk's field against Freeman's, its moments against Jeans's equations, the
 * whole against the virial theorem. */
#include "model/model_disk.h"
#include "model_ref.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

extern const oct_model oct_model_disk_galaxy;

static const double pi = 3.14159265358979323846;

/* Modified Bessel functions from their integrals. */
static double bessel_i(int order, double x)
{
    double sum = 0;
    for (int i = 0; i < 2000; i++) {
        double t = pi * (i + 0.5) / 2000;
        sum += exp(x * cos(t)) * cos(order * t) / 2000;
    }
    return sum;
}

static double bessel_k(int order, double x)
{
    double sum = 0, step = 0.005;
    for (int i = 0; i < 4000; i++) {
        double t = (i + 0.5) * step;
        sum += step * exp(-x * cosh(t)) * cosh(order * t);
    }
    return sum;
}

static double nothing(double radius, const void *model)
{
    (void)radius;
    (void)model;
    return 0;
}

static double constant_speed(double radius, const void *model)
{
    return radius * *(const double *)model;
}

/* Freeman (1970): v^2 = 4 pi G Sigma_0 a y^2 (I_0 K_0 - I_1 K_1), y = R / 2a, of a thin disk. */
static void a_thin_disk_turns_as_freemans(void **state)
{
    (void)state;
    oct_disk disk = {.mass = 3, .scale = 2, .height = 2e-3, .spheres = nothing};
    oct_disk_solve(&disk, 1);
    double worst = 0;
    for (double x = 0.25; x < 12; x *= 1.3) {
        double y = x / 2;
        double v2 = 2 * disk.mass / disk.scale * y * y *
                    (bessel_i(0, y) * bessel_k(0, y) - bessel_i(1, y) * bessel_k(1, y));
        worst = fmax(worst, fabs(oct_disk_circular(&disk, x * disk.scale) / v2 - 1));
    }
    print_message("off by %.1e\n", worst);
    assert_true(worst < 0.01); /* measured 1.8e-3 */
}

/* A thick disk's pull in the plane by a sum over points in it, M = a = 1. Radii are multiples of
 * twice the step, so that the nearest points are as near on both sides. */
static double sum_pull(double at, double height)
{
    enum { RADII = 600, ANGLES = 300, HEIGHTS = 40 };
    double sum = 0, step = 12.0 / RADII;
    for (int i = 0; i < RADII; i++) {
        double radius = (i + 0.5) * step, mass = radius * exp(-radius) * step;
        for (int j = 0; j < ANGLES; j++) {
            double along = radius * cos(pi * (j + 0.5) / ANGLES);
            for (int k = 0; k < HEIGHTS; k++) {
                double z = height * atanh((k + 0.5) / HEIGHTS);
                double d2 = at * at + radius * radius - 2 * at * along + z * z;
                sum += mass * (at - along) / (d2 * sqrt(d2)) / (ANGLES * HEIGHTS);
            }
        }
    }
    return sum;
}

static void a_thick_disk_pulls_as_its_parts(void **state)
{
    (void)state;
    oct_disk disk = {.mass = 1, .scale = 1, .height = 0.3, .spheres = nothing};
    oct_disk_solve(&disk, 1);
    for (double at = 0.5; at < 5; at *= 2) {
        double ratio = oct_disk_circular(&disk, at) / (at * sum_pull(at, 0.3));
        print_message("R %.1f: %.5f\n", at, ratio);
        assert_true(fabs(ratio - 1) < 0.002); /* measured 4.9e-4 */
    }
}

enum { RINGS = 5 };

/* Surface density, scale height, Toomre's Q and both Jeans equations in rings, with a flat curve of
 * rotation around the disk. */
static void the_disk_obeys_jeans(void **state)
{
    (void)state;
    enum { PARTICLES = 200000 };
    double speed2 = 0.6;
    oct_disk disk = {
        .mass = 1, .scale = 1, .height = 0.1, .spheres = constant_speed, .others = &speed2};
    oct_disk_solve(&disk, 1.5);
    double least = INFINITY;
    for (double r = 0.1; r < 10; r += 0.05)
        least = fmin(least, oct_disk_toomre(&disk, r));
    print_message("least Q %.4f\n", least);
    assert_true(fabs(least - 1.5) < 0.01);

    double n[RINGS] = {0}, radial[RINGS] = {0}, along[RINGS] = {0}, square[RINGS] = {0};
    double vertical[RINGS] = {0}, height[RINGS] = {0};
    for (size_t i = 0; i < PARTICLES; i++) {
        oct_random random = oct_random_start(2, 0, i);
        double x[3], v[3];
        oct_disk_draw(x, v, &random, &disk);
        double r = hypot(x[0], x[1]);
        int ring = (int)floor(r / 0.5 - 1.5); /* centred on 1, 1.5, 2, 2.5, 3 */
        if (ring < 0 || ring >= RINGS)
            continue;
        double vr = (x[0] * v[0] + x[1] * v[1]) / r, vphi = (x[0] * v[1] - x[1] * v[0]) / r;
        n[ring]++;
        radial[ring] += vr * vr;
        along[ring] += vphi;
        square[ring] += vphi * vphi;
        vertical[ring] += v[2] * v[2];
        height[ring] += x[2] * x[2];
    }
    for (int k = 0; k < RINGS; k++) {
        double inner = 0.75 + 0.5 * k, outer = inner + 0.5, r = inner + 0.25;
        double mass = (1 + inner) * exp(-inner) - (1 + outer) * exp(-outer);
        double sigma = exp(-r) / (2 * pi), sr2 = radial[k] / n[k], mean2 = square[k] / n[k];
        double expected = oct_disk_circular(&disk, r) + sr2 * (1 - 2 * r);
        /* Slab and spheres: sigma_z^2 = pi G Sigma h + <z dPhi/dz>, by moments: mean z K_z. */
        double vertical2 = pi * sigma * 0.1 + speed2 / (r * r) * height[k] / n[k];
        print_message("R %.2f: mass %.4f, z %.4f, sigma_R %.4f, v_phi^2 %.4f, sigma_z^2 %.4f\n", r,
                      n[k] / PARTICLES / mass, sqrt(height[k] / n[k]) / (0.1 * pi / sqrt(12)),
                      sqrt(sr2 / disk.dispersion / exp(-r)), mean2 / expected,
                      vertical[k] / n[k] / vertical2);
        assert_true(fabs(n[k] / PARTICLES / mass - 1) < 0.02);
        assert_true(fabs(sqrt(height[k] / n[k]) / (0.1 * pi / sqrt(12)) - 1) < 0.02);
        assert_true(fabs(sr2 / disk.dispersion / exp(-r) - 1) < 0.05);
        assert_true(fabs(mean2 / expected - 1) < 0.02);
        assert_true(fabs(vertical[k] / n[k] / vertical2 - 1) < 0.05);
    }
}

static void a_galaxy_is_in_equilibrium(void **state)
{
    (void)state;
    oct_bodies bodies;
    ref_model_make(&bodies, &oct_model_disk_galaxy, 1,
                   (const char *[]){"disk.n", "2000", "bulge.n", "500", "halo.n", "5000",
                                    "black_hole", "0.01", NULL});
    size_t n[6] = {0};
    double mass[6] = {0};
    for (size_t i = 0; i < bodies.n; i++) {
        n[bodies.type[i]]++;
        mass[bodies.type[i]] += bodies.mass[i];
    }
    assert_int_equal(bodies.n, 7501);
    assert_true(n[OCT_TYPE_DISK] == 2000 && n[OCT_TYPE_BULGE] == 500 && n[OCT_TYPE_BODY] == 5000);
    assert_true(n[OCT_TYPE_BLACK_HOLE] == 1 && bodies.type[0] == OCT_TYPE_BLACK_HOLE);
    assert_true(fabs(mass[OCT_TYPE_DISK] - 1) < 1e-9 && fabs(mass[OCT_TYPE_BODY] - 25) < 1e-9);
    assert_true(fabs(mass[OCT_TYPE_BULGE] - 0.2) < 1e-9 && bodies.mass[0] == 0.01);
    assert_true(ref_off_centre(&bodies) < 1e-13 && ref_drift(&bodies) < 1e-13);
    ref_check_virial(&bodies, 1, 0.04); /* measured 1.0118 */
    oct_bodies_clear(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thin_disk_turns_as_freemans),
        cmocka_unit_test(a_thick_disk_pulls_as_its_parts),
        cmocka_unit_test(the_disk_obeys_jeans),
        cmocka_unit_test(a_galaxy_is_in_equilibrium),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
