/* Errors of tree gravity against summation over all pairs in double: a Plummer sphere against an
 * independent program, a disk galaxy against Nakasato (2012), Tables 6 and 7. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "scene_sim.h"
#include "util/random.h"

typedef struct errors {
    double median, p90, p99, mean; /* |a - a_direct| / |a_direct| */
    double potential;              /* mean |phi / phi_direct - 1| */
} errors;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Every stride-th body of `got` against those of `expected`, which are those bodies only. */
static errors compare(const oct_bodies *got, const oct_bodies *expected, size_t stride)
{
    errors e = {0};
    size_t n = expected->n;
    double *error = malloc(n * sizeof *error);
    assert_non_null(error);
    for (size_t i = 0; i < n; i++) {
        const double *a = got->acceleration + 3 * i * stride, *b = expected->acceleration + 3 * i;
        double off = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
        error[i] = off / sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        assert_true(isfinite(error[i]));
        e.mean += error[i] / (double)n;
        e.potential += fabs(got->potential[i * stride] / expected->potential[i] - 1) / (double)n;
    }
    qsort(error, n, sizeof *error, ascending);
    e.median = error[n / 2];
    e.p90 = error[n * 9 / 10];
    e.p99 = error[n * 99 / 100];
    free(error);
    return e;
}

/* Every stride-th body with the pull of all of them, G = 1, without softening. */
static void sum_some(oct_bodies *out, const oct_bodies *all, size_t stride)
{
    size_t n = all->n / stride;
    ref_ok(oct_bodies_resize(out, n));
    for (size_t i = 0; i < n; i++) {
        const double *x = all->position + 3 * i * stride;
        double a[3] = {0}, phi = 0;
        for (size_t j = 0; j < all->n; j++) {
            const double *y = all->position + 3 * j;
            double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
            double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            double inverse = r2 > 0 ? 1 / sqrt(r2) : 0, p = all->mass[j] * inverse;
            phi -= p;
            for (int k = 0; k < 3; k++)
                a[k] += p * inverse * inverse * d[k];
        }
        for (size_t k = 0; k < 3; k++)
            out->acceleration[3 * i + k] = a[k];
        out->potential[i] = phi;
    }
}

/* Bodies with the forces of one method. */
static void forces(oct_bodies *out, oct_precision precision, const char *model, const char *gravity)
{
    oct_sim *sim = ref_sim(precision,
                           "units: nbody\nmodels: [%s]\ngravity: {%s}\nintegrator: {dt: 1}\n"
                           "run: {until: 1}\n",
                           model, gravity);
    ref_ok(oct_sim_bodies(out, sim));
    oct_sim_free(sim);
}

/* Plummer's sphere -------------------------------------------------------------------------- */

/* Truncated at 20 scale radii, 32768 particles, leaves of 16, quadrupoles, offset criterion: what
 * an independent program in double gave. */
static const struct plummer_row {
    double theta;
    errors reference;
} plummer_rows[] = {
    {0.3, {2.5e-5, 6.4e-5, 1.5e-4, 0, 3.0e-6}},
    {0.5, {1.3e-4, 3.3e-4, 7.5e-4, 0, 1.4e-5}},
    {0.75, {5.7e-4, 1.4e-3, 3.4e-3, 0, 6.5e-5}},
    {1.0, {1.3e-3, 3.8e-3, 9.1e-3, 0, 1.5e-4}},
};

static void a_plummer_sphere_is_as_accurate_as_it_should_be(void **state)
{
    oct_bodies expected = {0};
    bool passed = true;
    (void)state;
    forces(&expected, OCT_PRECISION_DOUBLE, "plummer: {n: 32768}", "method: direct");
    print_message("theta   median  (ref)       90 %%  (ref)       99 %%  (ref)       potential\n");
    for (size_t i = 0; i < sizeof plummer_rows / sizeof plummer_rows[0]; i++) {
        const errors *r = &plummer_rows[i].reference;
        char gravity[64];
        oct_bodies got = {0};
        snprintf(gravity, sizeof gravity, "method: tree, theta: %g", plummer_rows[i].theta);
        forces(&got, OCT_PRECISION_MIXED, "plummer: {n: 32768}", gravity);
        errors e = compare(&got, &expected, 1);
        print_message("%-5g  %.1e (%.1e)  %.1e (%.1e)  %.1e (%.1e)  %.1e (%.1e)\n",
                      plummer_rows[i].theta, e.median, r->median, e.p90, r->p90, e.p99, r->p99,
                      e.potential, r->potential);
        passed = passed && e.median < 1.3 * r->median && e.p90 < 1.3 * r->p90 &&
                 e.p99 < 1.3 * r->p99 && e.potential < 1.3 * r->potential;
        oct_bodies_clear(&got);
    }
    assert_true(passed);
    oct_bodies_clear(&expected);
}

static void the_error_does_not_grow_with_n(void **state)
{
    oct_bodies got = {0}, expected = {0};
    (void)state;
    forces(&got, OCT_PRECISION_MIXED, "plummer: {n: 131072}", "method: tree, theta: 0.75");
    sum_some(&expected, &got, 128);
    errors e = compare(&got, &expected, 128);
    print_message("131072 particles, theta 0.75: median %.1e (4.8e-4)\n", e.median);
    assert_true(e.median < 1.3 * 4.8e-4);
    oct_bodies_clear(&got);
    oct_bodies_clear(&expected);
}

/* A disk galaxy ----------------------------------------------------------------------------- */

/* The radius of a Hernquist sphere of scale a, cut off at `most`. */
static double hernquist_radius(oct_random *random, double a, double most)
{
    double edge = most / (most + a), root = edge * sqrt(oct_random_uniform(random));
    return a * root / (1 - root);
}

/* Surface density exp(-R), cut off at 5: the enclosed mass is 1 - (1 + R) exp(-R). */
static double disk_radius(oct_random *random)
{
    double low = 0, high = 5, wanted = oct_random_uniform(random) * (1 - 6 * exp(-5));
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        if (1 - (1 + middle) * exp(-middle) < wanted)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Bulge, disk and halo with masses 1:2:12, in units of the disk's scale length; particles of equal
 * mass. The disk's height follows sech^2(z / 0.1). */
static void make_galaxy(oct_bodies *out, size_t n)
{
    const double pi = 3.14159265358979323846;
    ref_ok(oct_bodies_resize(out, n));
    for (size_t i = 0; i < n; i++) {
        oct_random random = oct_random_start(11, 0, i);
        double *x = out->position + 3 * i;
        out->mass[i] = 1 / (double)n;
        out->id[i] = i + 1;
        out->type[i] = OCT_TYPE_BODY;
        if (i % 15 == 1 || i % 15 == 2) {
            double radius = disk_radius(&random), angle = 2 * pi * oct_random_uniform(&random);
            x[0] = radius * cos(angle);
            x[1] = radius * sin(angle);
            x[2] = 0.1 * atanh(2 * oct_random_uniform(&random) - 1);
        } else {
            bool bulge = i % 15 == 0;
            double radius = hernquist_radius(&random, bulge ? 0.2 : 4, bulge ? 2 : 20);
            oct_random_direction(x, &random);
            for (int k = 0; k < 3; k++)
                x[k] *= radius;
        }
    }
}

/* Mean errors of acceleration and potential for 10 K and 50 K particles (K = 1024). */
static const struct nakasato_row {
    double theta, acceleration[2], potential[2];
} nakasato_rows[] = {
    {0.2, {2.93e-4, 1.69e-4}, {4.46e-5, 4.39e-5}}, {0.3, {6.37e-4, 4.42e-4}, {9.87e-5, 1.07e-4}},
    {0.4, {1.23e-3, 8.86e-4}, {1.84e-4, 1.90e-4}}, {0.5, {2.04e-3, 1.50e-3}, {2.98e-4, 2.96e-4}},
    {0.6, {3.15e-3, 2.31e-3}, {4.42e-4, 4.34e-4}}, {0.7, {4.39e-3, 3.35e-3}, {6.05e-4, 5.82e-4}},
    {0.8, {5.94e-3, 4.51e-3}, {7.71e-4, 7.29e-4}}, {0.9, {7.85e-3, 5.95e-3}, {9.57e-4, 8.99e-4}},
    {1.0, {9.95e-3, 7.69e-3}, {1.15e-3, 1.09e-3}},
};

static void a_galaxy_is_more_accurate_than_nakasatos(void **state)
{
    static const size_t sizes[] = {10240, 51200}, strides[] = {7, 26};
    const oct_file_info info = {.units = *oct_units_find("nbody")};
    bool passed = true;
    (void)state;
    for (int s = 0; s < 2; s++) {
        char folder[] = "galaxy-XXXXXX", path[32], model[64], gravity[96];
        oct_bodies galaxy = {0}, expected = {0};
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof path, "%s/bodies.csv", folder);
        make_galaxy(&galaxy, sizes[s]);
        sum_some(&expected, &galaxy, strides[s]);
        ref_ok(oct_bodies_write(&galaxy, &info, path));
        snprintf(model, sizeof model, "file: {path: %s}", path);
        print_message("%zu particles\ntheta  acceleration (his)         potential (his)\n",
                      sizes[s]);
        for (size_t i = 0; i < sizeof nakasato_rows / sizeof nakasato_rows[0]; i++) {
            const struct nakasato_row *row = &nakasato_rows[i];
            oct_bodies got = {0};
            snprintf(gravity, sizeof gravity,
                     "method: tree, criterion: geometric, order: monopole, theta: %g", row->theta);
            forces(&got, OCT_PRECISION_MIXED, model, gravity);
            errors e = compare(&got, &expected, strides[s]);
            print_message("%-5g  %.2e (%.2e)  %.2e (%.2e)\n", row->theta, e.mean,
                          row->acceleration[s], e.potential, row->potential[s]);
            passed = passed && e.mean <= row->acceleration[s] && e.potential <= row->potential[s];
            oct_bodies_clear(&got);
        }
        unlink(path);
        rmdir(folder);
        oct_bodies_clear(&galaxy);
        oct_bodies_clear(&expected);
    }
    assert_true(passed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plummer_sphere_is_as_accurate_as_it_should_be),
        cmocka_unit_test(the_error_does_not_grow_with_n),
        cmocka_unit_test(a_galaxy_is_more_accurate_than_nakasatos),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
