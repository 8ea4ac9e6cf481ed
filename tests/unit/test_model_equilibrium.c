/* Spheres from tables: Eddington's inversion against closed forms, Jeans's equation and published
 * figures. */
#include "model/model_equilibrium.h"
#include "model_ref.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

extern const oct_model oct_model_nfw, oct_model_king, oct_model_uniform_cube;

static const double pi = 3.14159265358979323846;

/* Hernquist's sphere with M = a = 1. */
static double hernquist_density(double r, const void *model)
{
    (void)model;
    return 1 / (2 * pi * r * pow(1 + r, 3));
}

/* Hernquist (1990), equation 17. */
static double hernquist_frequency(double energy)
{
    double q = sqrt(energy);
    return (3 * asin(q) + q * sqrt(1 - q * q) * (1 - 2 * q * q) * (8 * pow(q, 4) - 8 * q * q - 3)) /
           (8 * sqrt(2) * pow(pi, 3) * pow(1 - q * q, 2.5));
}

static void eddington_gives_hernquists_function(void **state)
{
    (void)state;
    oct_equilibrium *profile = oct_equilibrium_create(1e-5, 1e6, hernquist_density, NULL);
    assert_non_null(profile);
    assert_int_equal(oct_equilibrium_solve(profile, "hernquist"), OCT_STATUS_OK);
    double potential = 0, mass = 0, frequency = 0;
    for (int i = 0; i < OCT_EQUILIBRIUM_NODES; i++) {
        double r = profile->radius[i], depth = 1 / (1 + r);
        potential = fmax(potential, fabs(profile->potential[i] / depth - 1));
        mass = fmax(mass, fabs(profile->enclosed[i] / pow(r / (1 + r), 2) - 1));
        if (r > 1e-4 && r < 1e3)
            frequency =
                fmax(frequency, fabs(profile->frequency[i] / hernquist_frequency(depth) - 1));
    }
    print_message("mass %.1e, potential %.1e, function %.1e\n", mass, potential, frequency);
    assert_true(mass < 1e-5);      /* measured 5.0e-6 */
    assert_true(potential < 1e-5); /* measured 2.6e-6 */
    assert_true(frequency < 1e-3); /* measured 4.9e-4 */
    oct_equilibrium_free(profile);
}

static double point_mass(double r, const void *model)
{
    (void)r;
    return *(const double *)model;
}

static double shell_density(double r, const void *model)
{
    (void)model;
    return r * r * exp(-r * r);
}

/* A hollow sphere has no isotropic speeds that keep it hollow. */
static void impossible_spheres_are_refused(void **state)
{
    (void)state;
    oct_equilibrium *profile = oct_equilibrium_create(1e-3, 10, shell_density, NULL);
    assert_non_null(profile);
    assert_int_equal(oct_equilibrium_solve(profile, "shell"), OCT_STATUS_INPUT);
    oct_equilibrium_free(profile);
}

/* Jeans: rho sigma^2 = integral from r to infinity of rho M(r) / r^2, by Simpson's rule. */
static double jeans(double r, oct_equilibrium_at density, oct_equilibrium_at mass,
                    const void *model)
{
    enum { INTERVALS = 600 };
    double sum = 0, width = log(1e3) / INTERVALS;
    for (int i = 0; i <= INTERVALS; i++) {
        double s = r * exp(i * width);
        double weight = i == 0 || i == INTERVALS ? 1 : i % 2 ? 4 : 2;
        sum += weight * density(s, model) * mass(s, model) / s;
    }
    return sum * width / 3 / density(r, model);
}

enum { SHELLS = 8 };

/* The mean of v^2 / (3 sigma^2) is 1 in shells of radii that double; within 4 standard errors. */
static void check_jeans(const oct_bodies *bodies, double innermost, oct_equilibrium_at density,
                        oct_equilibrium_at mass, const void *model)
{
    double sum[SHELLS] = {0}, square[SHELLS] = {0}, number[SHELLS] = {0};
    for (size_t i = 0; i < bodies->n; i++) {
        double r = ref_length(bodies->position + 3 * i), v = ref_length(bodies->velocity + 3 * i);
        int shell = (int)floor(log2(r / innermost));
        if (shell >= 0 && shell < SHELLS) {
            double ratio = v * v / (3 * jeans(r, density, mass, model));
            sum[shell] += ratio;
            square[shell] += ratio * ratio;
            number[shell]++;
        }
    }
    for (int i = 0; i < SHELLS; i++) {
        double mean = sum[i] / number[i];
        double error = sqrt((square[i] / number[i] - mean * mean) / number[i]);
        print_message("r = %7.4f, %5.0f particles: %+.2f standard errors of %.4f\n",
                      innermost * exp2(i + 0.5), number[i], (mean - 1) / error, error);
        assert_true(number[i] > 25);
        assert_true(fabs(mean - 1) < 4 * error);
    }
}

/* A bulge around a black hole of its own mass: speeds are those of both. */
static double with_hole(double r, const void *model)
{
    return pow(r / (1 + r), 2) + *(const double *)model;
}

static void speeds_feel_other_matter(void **state)
{
    (void)state;
    enum { PARTICLES = 4000 };
    double hole = 1;
    oct_equilibrium *profile = oct_equilibrium_create(1e-5, 1e6, hernquist_density, NULL);
    assert_non_null(profile);
    oct_equilibrium_add(profile, point_mass, &hole);
    assert_int_equal(oct_equilibrium_solve(profile, "bulge"), OCT_STATUS_OK);
    oct_bodies bodies = {0};
    assert_int_equal(oct_bodies_resize(&bodies, PARTICLES), OCT_STATUS_OK);
    for (size_t i = 0; i < PARTICLES; i++) {
        oct_random random = oct_random_start(1, 0, i);
        oct_equilibrium_draw(bodies.position + 3 * i, bodies.velocity + 3 * i, &random, profile);
    }
    check_jeans(&bodies, 1.0 / 16, hernquist_density, with_hole, &hole);
    oct_bodies_clear(&bodies);
    oct_equilibrium_free(profile);
}

/* The halo with r_t = 10 a and without a factor. */
static double nfw_density(double r, const void *model)
{
    (void)model;
    return 1 / (r * (1 + r) * (1 + r) * cosh(r / 10));
}

typedef struct masses {
    double inside[4001], total;
} masses;

/* By the midpoint rule in r^(1/3). */
static void add_masses(masses *m)
{
    double sum = 0, width = cbrt(400) / 4000;
    for (int i = 0; i < 4000; i++) {
        double u = (i + 0.5) * width, r = u * u * u;
        m->inside[i] = sum;
        sum += 4 * pi * r * r * nfw_density(r, NULL) * 3 * u * u * width;
    }
    m->inside[4000] = m->total = sum;
}

/* With a total of 1. */
static double nfw_mass(double r, const void *model)
{
    const masses *m = model;
    double u = cbrt(r / 400) * 4000;
    if (u >= 4000)
        return 1;
    int i = (int)u;
    return (m->inside[i] + (u - i) * (m->inside[i + 1] - m->inside[i])) / m->total;
}

static void nfw_has_its_profile(void **state)
{
    (void)state;
    oct_bodies bodies;
    masses m;
    add_masses(&m);
    ref_model_make(&bodies, &oct_model_nfw, 1, (const char *[]){"n", "40000", NULL});
    double radii[3], shares[] = {0.1, 0.5, 0.9};
    for (int k = 0; k < 3; k++) {
        double low = 0, high = 400;
        while (high - low > 1e-9)
            *(nfw_mass((low + high) / 2, &m) < shares[k] ? &low : &high) = (low + high) / 2;
        radii[k] = low;
    }
    print_message("radii %.4f %.4f %.4f\n", radii[0], radii[1], radii[2]);
    ref_check_lagrange_radii(&bodies, radii);
    ref_check_isotropy(&bodies);
    check_jeans(&bodies, 0.125, nfw_density, nfw_mass, &m);
    oct_bodies_clear(&bodies);
    ref_model_make(&bodies, &oct_model_nfw, 2, (const char *[]){"n", "4000", NULL});
    ref_check_virial(&bodies, 1, 0.04); /* measured 0.9815 */
    oct_bodies_clear(&bodies);
}

/* King (1966), table II: the edge in core radii, as a logarithm. */
static void king_ends_at_kings_edge(void **state)
{
    (void)state;
    const struct {
        const char *depth;
        double edge;
    } known[] = {{"3", 0.672}, {"6", 1.255}, {"9", 2.119}, {"12", 2.739}};
    for (size_t i = 0; i < 4; i++) {
        oct_bodies bodies;
        ref_model_make(&bodies, &oct_model_king, 1,
                       (const char *[]){"n", "20000", "depth", known[i].depth, NULL});
        double largest = 0;
        for (size_t j = 0; j < bodies.n; j++)
            largest = fmax(largest, ref_length(bodies.position + 3 * j));
        print_message("W %s: outermost at %.4f, edge at %.3f\n", known[i].depth, log10(largest),
                      known[i].edge);
        /* The density goes to zero there, so the outermost particle is somewhat inside. */
        assert_true(log10(largest) < known[i].edge + 0.01);
        assert_true(log10(largest) > known[i].edge - 0.15);
        ref_check_isotropy(&bodies);
        oct_bodies_clear(&bodies);
    }
}

/* Equilibrium, and the mean square speed at the centre: sigma^2 of a lowered Maxwellian, by sums.
 */
static void king_is_in_equilibrium(void **state)
{
    (void)state;
    oct_bodies bodies;
    ref_model_make(&bodies, &oct_model_king, 1, (const char *[]){"n", "4000", NULL});
    ref_check_virial(&bodies, 1, 0.03); /* measured 1.0151 */
    oct_bodies_clear(&bodies);

    /* Where W is w the density of v^2 (exp(w - v^2/2) - 1) has this mean square. */
    double numerator = 0, denominator = 0, w = 6;
    for (int i = 0; i < 10000; i++) {
        double v = (i + 0.5) / 10000 * sqrt(2 * w), f = v * v * (exp(w - v * v / 2) - 1);
        numerator += v * v * f;
        denominator += f;
    }
    double central = numerator / denominator;
    /* King's units: sigma^2 = G M / (9 mu r_0), and 4 pi rho_0 / 9 = sigma^2 with G = r_0 = 1. */
    ref_model_make(&bodies, &oct_model_king, 3, (const char *[]){"n", "400000", NULL});
    double inside = 0, square = 0, fourth = 0, radius = 0.15;
    for (size_t i = 0; i < bodies.n; i++)
        if (ref_length(bodies.position + 3 * i) < radius) {
            double v = ref_length(bodies.velocity + 3 * i);
            inside++;
            square += v * v;
            fourth += v * v * v * v;
        }
    double rho = inside / (double)bodies.n / (4 * pi / 3 * pow(radius, 3));
    double sigma2 = 4 * pi * rho / 9, mean = square / inside;
    double error = sqrt((fourth / inside - mean * mean) / inside) / mean + 1 / sqrt(inside);
    print_message("%.0f inside: v^2 %.4f, expected %.4f, error %.4f\n", inside, mean / sigma2,
                  central, error);
    /* The density falls by 2 % from the centre to 0.15 r_0. */
    assert_true(fabs(mean / sigma2 / central - 1) < 3 * error + 0.02);
    oct_bodies_clear(&bodies);
}

static void cube_is_uniform(void **state)
{
    (void)state;
    oct_bodies bodies;
    ref_model_make(
        &bodies, &oct_model_uniform_cube, 1,
        (const char *[]){"n", "20000", "side", "4", "dispersion", "0.5", "mass", "3", NULL});
    double n = (double)bodies.n, mean[3] = {0}, square[3] = {0}, speed[3] = {0}, mass = 0;
    for (size_t i = 0; i < bodies.n; i++) {
        mass += bodies.mass[i];
        for (int k = 0; k < 3; k++) {
            double x = bodies.position[3 * i + (size_t)k], v = bodies.velocity[3 * i + (size_t)k];
            assert_true(fabs(x) < 2);
            mean[k] += x / n;
            square[k] += x * x / n;
            speed[k] += v * v / n;
        }
    }
    assert_true(fabs(mass - 3) < 1e-11);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(mean[k]) < 3 * sqrt(4.0 / 3 / n));
        assert_true(fabs(square[k] - 4.0 / 3) < 3 * sqrt((16.0 / 5 - 16.0 / 9) / n));
        assert_true(fabs(speed[k] - 0.25) < 3 * 0.25 * sqrt(2 / n));
    }
    oct_bodies_clear(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eddington_gives_hernquists_function),
        cmocka_unit_test(impossible_spheres_are_refused),
        cmocka_unit_test(speeds_feel_other_matter),
        cmocka_unit_test(nfw_has_its_profile),
        cmocka_unit_test(king_ends_at_kings_edge),
        cmocka_unit_test(king_is_in_equilibrium),
        cmocka_unit_test(cube_is_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
