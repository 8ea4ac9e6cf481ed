/* Wakes of known pitch, drawn at random from densities with stripes. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "diag/diag_fft.h"
#include "diag_ref.h"
#include "scene_sim.h"

extern const oct_diag oct_diag_wakes;

enum { N = 20000 };

/* A time at which stripes of this pitch, five to the box along x, two along y, fit the sheared
 * box: phases are 2 pi (a x + b y) with b Ly = 2 and a Lx + b offset = 5. */
static double fitting_time(double pitch, double *a, double *b)
{
    *b = 2 / REF_PATCH_Y;
    *a = *b / tan(pitch * acos(-1.0) / 180);
    double offset = (5 - *a * REF_PATCH_X) / *b;
    return -offset / (1.5 * REF_PATCH_OMEGA * REF_PATCH_X);
}

/* Density exp(strength cos(phase)): a sinusoid where it is weak, narrow ridges where strong. */
static void draw_stripes(ref_patch *patch, double pitch, double strength)
{
    double a, b, time = fitting_time(pitch, &a, &b);
    uint64_t random = 5;
    for (size_t i = 0; i < N; i++) {
        double *x = patch->bodies.position + 3 * i, density;
        do {
            x[0] = REF_PATCH_X * (ref_uniform(&random) - 0.5);
            x[1] = REF_PATCH_Y * (ref_uniform(&random) - 0.5);
            density = exp(strength * (cos(2 * acos(-1.0) * (a * x[0] + b * x[1])) - 1));
        } while (ref_uniform(&random) > density);
    }
    ref_patch_put(patch, time);
}

static void the_pitch_of_stripes_is_found(void **state)
{
    static const struct {
        double pitch, strength;
    } rows[] = {{10, 0.5}, {20, 0.5}, {30, 0.5}, {10, 3}, {20, 3}, {30, 3}, {-20, 3}, {50, 1}};
    ref_patch patch;
    double got[2];
    (void)state;
    ref_patch_start(&patch, OCT_PRECISION_MIXED, N, "gravity: {method: none}\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        draw_stripes(&patch, rows[i].pitch, rows[i].strength);
        ref_measure_with(got, &oct_diag_wakes, patch.sim);
        print_message("pitch %g, strength %g: %.2f, amplitude %.3f\n", rows[i].pitch,
                      rows[i].strength, got[0], got[1]);
        assert_true(fabs(got[0] - rows[i].pitch) < 0.5); /* seen: 0.08 */
    }
    ref_patch_end(&patch);
}

/* A density 1 + c cos(phase) varies by c / sqrt(2); masses differ, which must not count. */
static void the_amplitude_is_the_variation_of_the_density(void **state)
{
    ref_patch patch;
    double got[2];
    (void)state;
    ref_patch_start(&patch, OCT_PRECISION_MIXED, N, "gravity: {method: none}\n");
    ref_measure_with(got, &oct_diag_wakes, patch.sim);
    print_message("bodies at random: %.4f, angle %g\n", got[1], got[0]);
    assert_true(got[1] < 0.1 && isnan(got[0])); /* seen: 0 */
    draw_stripes(&patch, 20, 0.5);
    ref_measure_with(got, &oct_diag_wakes, patch.sim);
    /* Means of exp(s cos) and its square over a period are Bessel's I_0(s) and I_0(2 s). */
    double expected = sqrt(1.2660658778 / pow(1.0634833707, 2) - 1);
    print_message("stripes: %.4f, expected %.4f\n", got[1], expected);
    assert_true(fabs(got[1] / expected - 1) < 0.1); /* seen: 0.04, cells being wide */
    ref_patch_end(&patch);
}

static void nothing_changes_when_all_moves_across_the_edges(void **state)
{
    static const oct_precision precisions[] = {OCT_PRECISION_MIXED, OCT_PRECISION_SINGLE};
    ref_patch patch;
    double before[2], after[2];
    (void)state;
    for (int p = 0; p < 2; p++) {
        ref_patch_start(&patch, precisions[p], N, "gravity: {method: none}\n");
        draw_stripes(&patch, 20, 1);
        ref_measure_with(before, &oct_diag_wakes, patch.sim);
        for (size_t i = 0; i < N; i++) {
            patch.bodies.position[3 * i] += 0.43 * REF_PATCH_X;
            patch.bodies.position[3 * i + 1] += 0.29 * REF_PATCH_Y;
        }
        ref_patch_put(&patch, patch.sim->time);
        ref_measure_with(after, &oct_diag_wakes, patch.sim);
        print_message("%.2f, %.4f; moved: %.2f, %.4f\n", before[0], before[1], after[0], after[1]);
        assert_true(fabs(after[0] - before[0]) < 0.1);      /* seen: 0.01 */
        assert_true(fabs(after[1] / before[1] - 1) < 0.01); /* seen: 0.002 */
        ref_patch_end(&patch);
    }
}

static void transforms_are_sums_of_waves(void **state)
{
    enum { POINTS = 32, STRIDE = 3 };
    double complex data[POINTS * STRIDE] = {0}, start[POINTS];
    uint64_t random = 9;
    double worst = 0;
    (void)state;
    for (int i = 0; i < POINTS; i++)
        data[i * STRIDE] = start[i] = ref_uniform(&random) + I * ref_uniform(&random);
    oct_fft(data, POINTS, STRIDE, -1);
    for (int k = 0; k < POINTS; k++) {
        double complex sum = 0;
        for (int j = 0; j < POINTS; j++)
            sum += start[j] * cexp(-I * (2 * acos(-1.0) * j * k / POINTS));
        worst = fmax(worst, cabs(sum - data[k * STRIDE]));
    }
    oct_fft(data, POINTS, STRIDE, 1);
    for (int i = 0; i < POINTS; i++)
        worst = fmax(worst, cabs(data[i * STRIDE] / POINTS - start[i]));
    print_message("largest error: %.1e\n", worst);
    assert_true(worst < 1e-12); /* seen: 5.7e-14 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_are_sums_of_waves),
        cmocka_unit_test(the_pitch_of_stripes_is_found),
        cmocka_unit_test(the_amplitude_is_the_variation_of_the_density),
        cmocka_unit_test(nothing_changes_when_all_moves_across_the_edges),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
