/* Sorted errors and their percentiles. */
#include "force_errors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene_sim.h"

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

ref_errors ref_compare(const oct_bodies *got, const oct_bodies *expected, size_t stride)
{
    ref_errors e = {0};
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

ref_box_errors ref_compare_box(const oct_bodies *got, const oct_bodies *expected, double scale)
{
    ref_box_errors e = {0};
    double rms = 0, energy = 0, exact = 0, *each = malloc(got->n * sizeof *each);
    assert_non_null(each);
    assert_int_equal(got->n, expected->n);
    for (size_t i = 0; i < got->n; i++)
        rms += pow(expected->potential[i], 2) / (double)got->n;
    for (size_t i = 0; i < got->n; i++) {
        double d2 = 0, a2 = 0;
        for (size_t k = 3 * i; k < 3 * i + 3; k++) {
            d2 += pow(got->acceleration[k] - expected->acceleration[k], 2);
            a2 += pow(expected->acceleration[k], 2);
        }
        e.relative = fmax(e.relative, sqrt(d2 / a2));
        each[i] = isnan(d2) ? INFINITY : sqrt(d2 / (scale > 0 ? scale * scale : a2));
        e.potential =
            fmax(e.potential, fabs(got->potential[i] - expected->potential[i]) / sqrt(rms));
        energy += got->mass[i] * got->potential[i];
        exact += expected->mass[i] * expected->potential[i];
    }
    qsort(each, got->n, sizeof *each, ascending);
    e.median = each[got->n / 2];
    e.most = each[got->n - 1];
    e.energy = fabs(energy / exact - 1);
    free(each);
    return e;
}

void ref_sum_some(oct_bodies *out, const oct_bodies *all, size_t stride)
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

void ref_forces(oct_bodies *out, oct_precision precision, const char *model, const char *gravity)
{
    oct_sim *sim = ref_sim(precision,
                           "units: nbody\nmodels: [%s]\ngravity: {%s}\nintegrator: {dt: 1}\n"
                           "run: {until: 1}\n",
                           model, gravity);
    ref_ok(oct_sim_bodies(out, sim));
    oct_sim_free(sim);
}
