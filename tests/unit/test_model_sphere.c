/* Profiles, isotropy and virial ratios of the spherical models. */
#include "model/model_sphere.h"
#include "model_ref.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const oct_model oct_model_plummer, oct_model_hernquist, oct_model_uniform_sphere,
    oct_model_cold_sphere;

static const double pi = 3.14159265358979323846;

typedef const char *const *values;

static void make(oct_bodies *out, const oct_model *table, uint64_t seed, values fields)
{
    ref_model model;
    ref_model_init(&model, table, "nbody", seed, fields);
    *out = (oct_bodies){0};
    ref_model_bodies(out, &model);
    ref_model_clear(&model);
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The radii that hold 10, 50 and 90 % of the mass: the share of the particles inside each of them
 * is right within 3 standard errors (N = 20000: 0.64, 1.06, 0.64 %). */
static void check_lagrange_radii(const oct_bodies *bodies, const double radii[3])
{
    const double shares[] = {0.1, 0.5, 0.9};
    for (int i = 0; i < 3; i++) {
        double inside = 0, n = (double)bodies->n;
        for (size_t j = 0; j < bodies->n; j++)
            inside += length(bodies->position + 3 * j) < radii[i];
        double error = (inside / n - shares[i]) / sqrt(shares[i] * (1 - shares[i]) / n);
        print_message("%2.0f %%: %+.2f standard errors\n", 100 * shares[i], error);
        assert_true(fabs(error) < 3);
    }
}

/* No direction is preferred, in position or in velocity, radially or tangentially. */
static void check_isotropy(const oct_bodies *bodies)
{
    double n = (double)bodies->n, cosine2 = 0, along[3] = {0};
    for (size_t i = 0; i < bodies->n; i++) {
        const double *x = bodies->position + 3 * i, *v = bodies->velocity + 3 * i;
        double c = (x[0] * v[0] + x[1] * v[1] + x[2] * v[2]) / (length(x) * length(v));
        cosine2 += c * c / n;
        for (int k = 0; k < 3; k++)
            along[k] += x[k] * x[k] / (length(x) * length(x)) / n;
    }
    double error = sqrt(4.0 / 45 / n);
    print_message("anisotropy %+.2f %+.2f %+.2f %+.2f standard errors\n",
                  (cosine2 - 1.0 / 3) / error, (along[0] - 1.0 / 3) / error,
                  (along[1] - 1.0 / 3) / error, (along[2] - 1.0 / 3) / error);
    assert_true(fabs(cosine2 - 1.0 / 3) < 3 * error);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(along[k] - 1.0 / 3) < 3 * error);
}

static void check_virial(const oct_bodies *bodies, double expected, double tolerance)
{
    double kinetic = ref_kinetic(bodies), potential = ref_potential(bodies, 1);
    double ratio = 2 * kinetic / fabs(potential);
    print_message("virial ratio %.4f, energy %.4f\n", ratio, kinetic + potential);
    assert_true(fabs(ratio - expected) < tolerance);
}

static void plummer_has_its_profile(void **state)
{
    (void)state;
    oct_bodies bodies;
    make(&bodies, &oct_model_plummer, 1,
         (const char *[]){"n", "20000", "scale", "2", "truncation", "inf", NULL});
    double radii[3], shares[] = {0.1, 0.5, 0.9};
    for (int i = 0; i < 3; i++)
        radii[i] = 2 / sqrt(pow(shares[i], -2.0 / 3) - 1);
    check_lagrange_radii(&bodies, radii);
    check_isotropy(&bodies);
    /* (v / v_escape)^2 has the moments 1/4 and 5/56 whatever the radius is. */
    double second = 0, fourth = 0, n = (double)bodies.n;
    for (size_t i = 0; i < bodies.n; i++) {
        double r = length(bodies.position + 3 * i), v = length(bodies.velocity + 3 * i);
        double q2 = v * v * sqrt(r * r + 4) / 2;
        second += q2 / n;
        fourth += q2 * q2 / n;
    }
    double errors[] = {(second - 0.25) / sqrt((5.0 / 56 - 0.0625) / n),
                       (fourth - 5.0 / 56) / sqrt((5.0 / 128 - 25.0 / 3136) / n)};
    print_message("speed %+.2f %+.2f standard errors\n", errors[0], errors[1]);
    assert_true(fabs(errors[0]) < 3 && fabs(errors[1]) < 3);
    oct_bodies_clear(&bodies);
}

static void plummer_is_in_equilibrium(void **state)
{
    (void)state;
    oct_bodies bodies;
    char scale[32];
    snprintf(scale, sizeof scale, "%.17g", 3 * pi / 16);
    make(&bodies, &oct_model_plummer, 1, (const char *[]){"n", "4000", "scale", scale, NULL});
    check_virial(&bodies, 1, 0.03); /* measured 1.0098 */
    double energy = ref_kinetic(&bodies) + ref_potential(&bodies, 1);
    assert_true(fabs(energy + 0.25) < 0.006); /* measured -0.2496 */
    oct_bodies_clear(&bodies);
}

static void plummer_is_truncated(void **state)
{
    (void)state;
    oct_bodies bodies;
    make(&bodies, &oct_model_plummer, 1,
         (const char *[]){"n", "20000", "scale", "2", "truncation", "1.5", NULL});
    double largest = 0, total = 0;
    for (size_t i = 0; i < bodies.n; i++) {
        largest = fmax(largest, length(bodies.position + 3 * i));
        total += bodies.mass[i];
    }
    /* 3, give or take the move to the centre of mass. */
    assert_true(largest > 2.9 && largest < 3.05);
    assert_true(fabs(total - 1) < 1e-12);
    double fraction = pow(1 + 1 / 2.25, -1.5), radii[3], shares[] = {0.1, 0.5, 0.9};
    for (int i = 0; i < 3; i++)
        radii[i] = 2 / sqrt(pow(shares[i] * fraction, -2.0 / 3) - 1);
    check_lagrange_radii(&bodies, radii);
    oct_bodies_clear(&bodies);
}

static void hernquist_has_its_profile(void **state)
{
    (void)state;
    oct_bodies bodies;
    make(&bodies, &oct_model_hernquist, 1, (const char *[]){"n", "20000", "scale", "0.5", NULL});
    double root = 100.0 / 101, radii[3], shares[] = {0.1, 0.5, 0.9};
    for (int i = 0; i < 3; i++) {
        double s = root * sqrt(shares[i]);
        radii[i] = 0.5 * s / (1 - s);
    }
    check_lagrange_radii(&bodies, radii);
    check_isotropy(&bodies);
    oct_bodies_clear(&bodies);
}

/* Hernquist (1990), equation 10: the velocity dispersion in one direction, G M = a = 1. */
static double hernquist_dispersion2(double r)
{
    return (12 * r * pow(1 + r, 3) * log(1 + 1 / r) -
            r / (1 + r) * (25 + 52 * r + 42 * r * r + 12 * r * r * r)) /
           12;
}

/* The velocities obey Jeans's equation at every radius, and none escapes. Particles are sorted
 * into shells by radius; bounds are 4 standard errors, measured 1.2 at most. */
static void hernquist_velocities_obey_jeans(void **state)
{
    (void)state;
    enum { SHELLS = 8 };
    oct_bodies bodies;
    make(&bodies, &oct_model_hernquist, 2,
         (const char *[]){"n", "100000", "truncation", "20", NULL});
    double gm = 441.0 / 400; /* of the untruncated model */
    double sum[SHELLS] = {0}, square[SHELLS] = {0}, number[SHELLS] = {0};
    for (size_t i = 0; i < bodies.n; i++) {
        double r = length(bodies.position + 3 * i), v = length(bodies.velocity + 3 * i);
        /* Moving to the centre of mass adds a little to the speeds. */
        assert_true(v * v / 2 < 1.01 * gm / (1 + r));
        int shell = (int)floor(log2(r) + 4);
        if (shell >= 0 && shell < SHELLS) {
            double ratio = v * v / (3 * gm * hernquist_dispersion2(r));
            sum[shell] += ratio;
            square[shell] += ratio * ratio;
            number[shell]++;
        }
    }
    for (int i = 0; i < SHELLS; i++) {
        double mean = sum[i] / number[i];
        double error = sqrt((square[i] / number[i] - mean * mean) / number[i]);
        print_message("r = %7.4f, %5.0f particles: %+.2f standard errors of %.4f\n", exp2(i - 3.5),
                      number[i], (mean - 1) / error, error);
        assert_true(fabs(mean - 1) < 4 * error);
    }
    oct_bodies_clear(&bodies);
}

static void hernquist_is_in_equilibrium(void **state)
{
    (void)state;
    oct_bodies bodies;
    make(&bodies, &oct_model_hernquist, 1, (const char *[]){"n", "4000", NULL});
    check_virial(&bodies, 1, 0.04); /* measured 1.0041 */
    oct_bodies_clear(&bodies);
}

static void uniform_sphere_has_its_profile(void **state)
{
    (void)state;
    oct_bodies bodies;
    make(&bodies, &oct_model_uniform_sphere, 1,
         (const char *[]){"n", "20000", "radius", "3", NULL});
    check_lagrange_radii(&bodies, (double[]){3 * cbrt(0.1), 3 * cbrt(0.5), 3 * cbrt(0.9)});
    check_isotropy(&bodies);
    oct_bodies_clear(&bodies);
}

/* The kinetic energy is exact; the sum over pairs has the noise of N = 4000. */
static void uniform_sphere_has_its_virial_ratio(void **state)
{
    (void)state;
    const char *const ratios[] = {"0", "0.5", "1", "2"};
    for (size_t i = 0; i < 4; i++) {
        oct_bodies bodies;
        double ratio = strtod(ratios[i], NULL);
        make(&bodies, &oct_model_uniform_sphere, 4,
             (const char *[]){"n", "4000", "mass", "2", "radius", "3", "virial", ratios[i], NULL});
        assert_true(fabs(2 * ref_kinetic(&bodies) - ratio * 0.8) < 1e-14);
        check_virial(&bodies, ratio, 0.02 * ratio + 1e-12); /* measured 0.3 % */
        oct_bodies_clear(&bodies);
    }
}

static void cold_sphere_is_at_rest(void **state)
{
    (void)state;
    oct_bodies bodies;
    make(&bodies, &oct_model_cold_sphere, 1, (const char *[]){"n", "20000", NULL});
    check_lagrange_radii(&bodies, (double[]){cbrt(0.1), cbrt(0.5), cbrt(0.9)});
    assert_true(ref_kinetic(&bodies) == 0);
    oct_bodies_clear(&bodies);
    make(&bodies, &oct_model_cold_sphere, 1,
         (const char *[]){"n", "20000", "density", "inverse", NULL});
    check_lagrange_radii(&bodies, (double[]){sqrt(0.1), sqrt(0.5), sqrt(0.9)});
    assert_true(ref_kinetic(&bodies) == 0);
    oct_bodies_clear(&bodies);
}

static const oct_model *const spheres[] = {&oct_model_plummer, &oct_model_hernquist,
                                           &oct_model_uniform_sphere, &oct_model_cold_sphere};

static void all_are_centred_stars_of_equal_mass(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        oct_bodies bodies;
        make(&bodies, spheres[i], 1, (const char *[]){"n", "5000", "mass", "10", NULL});
        print_message("%s: %.1e %.1e\n", spheres[i]->name, ref_off_centre(&bodies),
                      ref_drift(&bodies));
        assert_true(ref_off_centre(&bodies) < 1e-15); /* measured 4.2e-17 */
        assert_true(ref_drift(&bodies) < 1e-15);      /* measured 3.9e-17 */
        for (size_t j = 0; j < bodies.n; j++) {
            assert_true(bodies.mass[j] == 10.0 / 5000);
            assert_int_equal(bodies.type[j], OCT_TYPE_STAR);
            assert_true(bodies.radius[j] == 0);
        }
        oct_bodies_clear(&bodies);
    }
}

static bool same_positions(const oct_bodies *a, const oct_bodies *b)
{
    return memcmp(a->position, b->position, 3 * a->n * sizeof *a->position) == 0;
}

static void the_seed_decides(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        oct_bodies one, again, other;
        const char *const fields[] = {"n", "100", NULL};
        make(&one, spheres[i], 1, fields);
        make(&again, spheres[i], 1, fields);
        make(&other, spheres[i], 2, fields);
        assert_true(same_positions(&one, &again));
        assert_memory_equal(one.velocity, again.velocity, 300 * sizeof *one.velocity);
        assert_false(same_positions(&one, &other));
        ref_model model;
        ref_model_init(&model, spheres[i], "nbody", 1, fields);
        model.stream++;
        ref_model_bodies(&other, &model);
        assert_false(same_positions(&one, &other));
        ref_model_clear(&model);
        oct_bodies_clear(&one);
        oct_bodies_clear(&again);
        oct_bodies_clear(&other);
    }
}

/* More particles leave the first ones where they are but for the move to the centre of mass. */
static void particles_do_not_depend_on_their_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        oct_bodies few, many;
        make(&few, spheres[i], 1, (const char *[]){"n", "100", NULL});
        make(&many, spheres[i], 1, (const char *[]){"n", "250", NULL});
        for (size_t j = 0; j < 3 * few.n; j++) {
            double shift = few.position[j % 3] - many.position[j % 3];
            assert_true(fabs(few.position[j] - many.position[j] - shift) < 1e-13);
        }
        oct_bodies_clear(&few);
        oct_bodies_clear(&many);
    }
}

static void one_particle_rests_at_the_origin(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        oct_bodies bodies;
        make(&bodies, spheres[i], 1, (const char *[]){"n", "1", NULL});
        assert_true(length(bodies.position) == 0 && length(bodies.velocity) == 0);
        assert_true(bodies.mass[0] == 1);
        oct_bodies_clear(&bodies);
    }
}

/* In other units the same sphere has the same shape, and speeds that go with sqrt(G). */
static void speeds_follow_the_units(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        oct_bodies bodies[2] = {{0}};
        double G[2];
        for (size_t j = 0; j < 2; j++) {
            ref_model model;
            ref_model_init(&model, spheres[i], j ? "galactic" : "nbody", 1,
                           (const char *[]){"n", "50", NULL});
            G[j] = model.setup.units.G;
            ref_model_bodies(&bodies[j], &model);
            ref_model_clear(&model);
        }
        assert_true(same_positions(&bodies[0], &bodies[1]));
        for (size_t k = 0; k < 150; k++) {
            double expected = bodies[0].velocity[k] * sqrt(G[1] / G[0]);
            assert_true(fabs(bodies[1].velocity[k] - expected) < 1e-12 * sqrt(G[1]));
        }
        oct_bodies_clear(&bodies[0]);
        oct_bodies_clear(&bodies[1]);
    }
}

static void sums_are_exact(void **state)
{
    (void)state;
    oct_exact_sum sum = {0};
    const double values_to_add[] = {1, 1e100, 1, -1e100};
    for (size_t i = 0; i < 4; i++)
        oct_exact_sum_add(&sum, values_to_add[i]);
    assert_true(oct_exact_sum_value(&sum) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plummer_has_its_profile),
        cmocka_unit_test(plummer_is_in_equilibrium),
        cmocka_unit_test(plummer_is_truncated),
        cmocka_unit_test(hernquist_has_its_profile),
        cmocka_unit_test(hernquist_velocities_obey_jeans),
        cmocka_unit_test(hernquist_is_in_equilibrium),
        cmocka_unit_test(uniform_sphere_has_its_profile),
        cmocka_unit_test(uniform_sphere_has_its_virial_ratio),
        cmocka_unit_test(cold_sphere_is_at_rest),
        cmocka_unit_test(all_are_centred_stars_of_equal_mass),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(particles_do_not_depend_on_their_number),
        cmocka_unit_test(one_particle_rests_at_the_origin),
        cmocka_unit_test(speeds_follow_the_units),
        cmocka_unit_test(sums_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
