/* The state of a sheet, against sums on the host. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "diag_ref.h"
#include "scene_sim.h"

enum { N = 3000 };

#define SECTIONS "gravity: {method: none}\n"

static double mean(const double *weights, const double *values)
{
    double sum = 0, weight = 0;
    for (int i = 0; i < N; i++) {
        sum += weights[i] * values[i];
        weight += weights[i];
    }
    return sum / weight;
}

static double deviation(const double *weights, const double *values)
{
    double squares[N], centre = mean(weights, values);
    for (int i = 0; i < N; i++)
        squares[i] = pow(values[i] - centre, 2);
    return sqrt(mean(weights, squares));
}

static void check(ref_patch *patch, const char *name, double expected, double tolerance)
{
    double got = ref_measure(patch->sim, name);
    print_message("%s: %.9g, expected %.9g\n", name, got, expected);
    assert_true(fabs(got / expected - 1) < tolerance);
}

static void compare(ref_patch *patch, double tolerance)
{
    static double u[3][N], z[N], ones[N], product[N], disc[N], cut[N];
    const oct_bodies *b = &patch->bodies;
    double area = REF_PATCH_X * REF_PATCH_Y, pi = acos(-1.0), surface = 0, got[3];
    for (int i = 0; i < N; i++) {
        const double *x = b->position + 3 * i, *v = b->velocity + 3 * i;
        for (int k = 0; k < 3; k++)
            u[k][i] = v[k] + (k == 1 ? 1.5 * REF_PATCH_OMEGA * x[0] : 0);
        z[i] = x[2];
        ones[i] = 1;
        product[i] = u[0][i] * u[1][i];
        disc[i] = pi * pow(b->radius[i], 2) / area;
        cut[i] = pi * fmax(pow(b->radius[i], 2) - z[i] * z[i], 0) / area;
        surface += b->mass[i] / area;
    }
    ref_ok(oct_sim_measure_one(got, patch->sim, "dispersion"));
    for (int k = 0; k < 3; k++)
        assert_true(fabs(got[k] / deviation(ones, u[k]) - 1) < tolerance);
    ref_ok(oct_sim_measure_one(got, patch->sim, "dispersion_mass"));
    for (int k = 0; k < 3; k++)
        assert_true(fabs(got[k] / deviation(b->mass, u[k]) - 1) < tolerance);
    check(patch, "thickness", deviation(ones, z), tolerance);
    check(patch, "filling", N * mean(ones, cut), tolerance);
    check(patch, "tau", N * mean(ones, disc), tolerance);
    check(patch, "surface_density", surface, tolerance);
    check(patch, "toomre_q", deviation(b->mass, u[0]) * REF_PATCH_OMEGA / (3.36 * surface),
          tolerance);
    check(patch, "toomre_wavelength", 4 * pi * pi * surface / pow(REF_PATCH_OMEGA, 2), tolerance);
    check(patch, "viscosity_local", 2 / (3 * REF_PATCH_OMEGA) * mean(b->mass, product), tolerance);
}

static void sums_are_those_of_the_host(void **state)
{
    ref_patch patch;
    (void)state;
    ref_patch_start(&patch, OCT_PRECISION_MIXED, N, SECTIONS);
    compare(&patch, 1e-12); /* seen: 2e-14 */
    ref_patch_end(&patch);
    ref_patch_start(&patch, OCT_PRECISION_SINGLE, N, SECTIONS);
    compare(&patch, 1e-5); /* seen: 1e-6 */
    ref_patch_end(&patch);
}

/* A thin cold sheet that moves as a whole: squares in float would be all rounding. */
static void small_deviations_from_a_large_mean_are_kept(void **state)
{
    ref_patch patch;
    double got[3], ones[N], up[N];
    (void)state;
    ref_patch_start(&patch, OCT_PRECISION_SINGLE, N, SECTIONS);
    for (int i = 0; i < N; i++) {
        patch.bodies.velocity[3 * i + 2] = 100 + (double)(i % 64) / 1024;
        up[i] = patch.bodies.velocity[3 * i + 2];
        ones[i] = 1;
    }
    ref_patch_put(&patch, 0);
    ref_ok(oct_sim_measure_one(got, patch.sim, "dispersion"));
    print_message("dispersion %.9g, expected %.9g\n", got[2], deviation(ones, up));
    assert_true(fabs(got[2] / deviation(ones, up) - 1) < 1e-5); /* seen: 1e-7 */
    ref_patch_end(&patch);
}

static void a_box_at_rest_has_no_such_columns(void **state)
{
    double value[3];
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED,
                           "units: nbody\nmodels: [plummer: {n: 20}]\nintegrator: {dt: 1}\n"
                           "run: {until: 1}\n");
    assert_int_equal(oct_sim_measure_one(value, sim, "toomre_q"), OCT_STATUS_MISSING);
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_host),
        cmocka_unit_test(small_deviations_from_a_large_mean_are_kept),
        cmocka_unit_test(a_box_at_rest_has_no_such_columns),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
