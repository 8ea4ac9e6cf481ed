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
    oct_model_cold_sphere, oct_model_nfw, oct_model_king;

static const double pi = 3.14159265358979323846;

static void plummer_has_its_profile(void **state)
{
    (void)state;
    oct_bodies bodies;
    ref_model_make(&bodies, &oct_model_plummer, 1,
                   (const char *[]){"n", "20000", "scale", "2", "truncation", "inf", NULL});
    double radii[3], shares[] = {0.1, 0.5, 0.9};
    for (int i = 0; i < 3; i++)
        radii[i] = 2 / sqrt(pow(shares[i], -2.0 / 3) - 1);
    ref_check_lagrange_radii(&bodies, radii);
    ref_check_isotropy(&bodies);
    /* (v / v_escape)^2 has the moments 1/4 and 5/56 whatever the radius is. */
    double second = 0, fourth = 0, n = (double)bodies.n;
    for (size_t i = 0; i < bodies.n; i++) {
        double r = ref_length(bodies.position + 3 * i), v = ref_length(bodies.velocity + 3 * i);
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
    ref_model_make(&bodies, &oct_model_plummer, 1,
                   (const char *[]){"n", "4000", "scale", scale, NULL});
    ref_check_virial(&bodies, 1, 0.03); /* measured 1.0098 */
    double energy = ref_kinetic(&bodies) + ref_potential(&bodies, 1);
    assert_true(fabs(energy + 0.25) < 0.006); /* measured -0.2496 */
    oct_bodies_clear(&bodies);
}

static void plummer_is_truncated(void **state)
{
    (void)state;
    oct_bodies bodies;
    ref_model_make(&bodies, &oct_model_plummer, 1,
                   (const char *[]){"n", "20000", "scale", "2", "truncation", "1.5", NULL});
    double largest = 0, total = 0;
    for (size_t i = 0; i < bodies.n; i++) {
        largest = fmax(largest, ref_length(bodies.position + 3 * i));
        total += bodies.mass[i];
    }
    /* 3, give or take the move to the centre of mass. */
    assert_true(largest > 2.9 && largest < 3.05);
    assert_true(fabs(total - 1) < 1e-12);
    double fraction = pow(1 + 1 / 2.25, -1.5), radii[3], shares[] = {0.1, 0.5, 0.9};
    for (int i = 0; i < 3; i++)
        radii[i] = 2 / sqrt(pow(shares[i] * fraction, -2.0 / 3) - 1);
    ref_check_lagrange_radii(&bodies, radii);
    oct_bodies_clear(&bodies);
}

static void hernquist_has_its_profile(void **state)
{
    (void)state;
    oct_bodies bodies;
    ref_model_make(&bodies, &oct_model_hernquist, 1,
                   (const char *[]){"n", "20000", "scale", "0.5", NULL});
    double root = 100.0 / 101, radii[3], shares[] = {0.1, 0.5, 0.9};
    for (int i = 0; i < 3; i++) {
        double s = root * sqrt(shares[i]);
        radii[i] = 0.5 * s / (1 - s);
    }
    ref_check_lagrange_radii(&bodies, radii);
    ref_check_isotropy(&bodies);
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
    ref_model_make(&bodies, &oct_model_hernquist, 2,
                   (const char *[]){"n", "100000", "truncation", "20", NULL});
    double gm = 441.0 / 400; /* of the untruncated model */
    double sum[SHELLS] = {0}, square[SHELLS] = {0}, number[SHELLS] = {0};
    for (size_t i = 0; i < bodies.n; i++) {
        double r = ref_length(bodies.position + 3 * i), v = ref_length(bodies.velocity + 3 * i);
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
    ref_model_make(&bodies, &oct_model_hernquist, 1, (const char *[]){"n", "4000", NULL});
    ref_check_virial(&bodies, 1, 0.04); /* measured 1.0041 */
    oct_bodies_clear(&bodies);
}

static void uniform_sphere_has_its_profile(void **state)
{
    (void)state;
    oct_bodies bodies;
    ref_model_make(&bodies, &oct_model_uniform_sphere, 1,
                   (const char *[]){"n", "20000", "radius", "3", NULL});
    ref_check_lagrange_radii(&bodies, (double[]){3 * cbrt(0.1), 3 * cbrt(0.5), 3 * cbrt(0.9)});
    ref_check_isotropy(&bodies);
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
        ref_model_make(
            &bodies, &oct_model_uniform_sphere, 4,
            (const char *[]){"n", "4000", "mass", "2", "radius", "3", "virial", ratios[i], NULL});
        assert_true(fabs(2 * ref_kinetic(&bodies) - ratio * 0.8) < 1e-14);
        ref_check_virial(&bodies, ratio, 0.02 * ratio + 1e-12); /* measured 0.3 % */
        oct_bodies_clear(&bodies);
    }
}

static void cold_sphere_is_at_rest(void **state)
{
    (void)state;
    oct_bodies bodies;
    ref_model_make(&bodies, &oct_model_cold_sphere, 1, (const char *[]){"n", "20000", NULL});
    ref_check_lagrange_radii(&bodies, (double[]){cbrt(0.1), cbrt(0.5), cbrt(0.9)});
    assert_true(ref_kinetic(&bodies) == 0);
    oct_bodies_clear(&bodies);
    ref_model_make(&bodies, &oct_model_cold_sphere, 1,
                   (const char *[]){"n", "20000", "density", "inverse", NULL});
    ref_check_lagrange_radii(&bodies, (double[]){sqrt(0.1), sqrt(0.5), sqrt(0.9)});
    assert_true(ref_kinetic(&bodies) == 0);
    oct_bodies_clear(&bodies);
}

static const oct_model *const spheres[] = {&oct_model_plummer,        &oct_model_hernquist,
                                           &oct_model_uniform_sphere, &oct_model_nfw,
                                           &oct_model_king,           &oct_model_cold_sphere};
enum { SPHERES = sizeof spheres / sizeof spheres[0] };

static void all_are_centred_stars_of_equal_mass(void **state)
{
    (void)state;
    for (size_t i = 0; i < SPHERES; i++) {
        oct_bodies bodies;
        ref_model_make(&bodies, spheres[i], 1, (const char *[]){"n", "5000", "mass", "10", NULL});
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
    for (size_t i = 0; i < SPHERES; i++) {
        oct_bodies one, again, other;
        const char *const fields[] = {"n", "100", NULL};
        ref_model_make(&one, spheres[i], 1, fields);
        ref_model_make(&again, spheres[i], 1, fields);
        ref_model_make(&other, spheres[i], 2, fields);
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
    for (size_t i = 0; i < SPHERES; i++) {
        oct_bodies few, many;
        ref_model_make(&few, spheres[i], 1, (const char *[]){"n", "100", NULL});
        ref_model_make(&many, spheres[i], 1, (const char *[]){"n", "250", NULL});
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
    for (size_t i = 0; i < SPHERES; i++) {
        oct_bodies bodies;
        ref_model_make(&bodies, spheres[i], 1, (const char *[]){"n", "1", NULL});
        assert_true(ref_length(bodies.position) == 0 && ref_length(bodies.velocity) == 0);
        assert_true(bodies.mass[0] == 1);
        oct_bodies_clear(&bodies);
    }
}

/* In other units the same sphere has the same shape, and speeds that go with sqrt(G). */
static void speeds_follow_the_units(void **state)
{
    (void)state;
    for (size_t i = 0; i < SPHERES - 1; i++) {
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
