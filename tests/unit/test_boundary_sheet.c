/* A uniform sheet in a sheared box: it must not feel where the box or its images end. */
#include <math.h>

#include "files.h"
#include "scene_sim.h"

enum { SIDE = 48, PROBES = 60 };

static const double size[3] = {5, 4, 6};

typedef struct forces {
    double along;    /* the largest in the plane, in units of 2 pi G sigma */
    double vertical; /* the largest error of the vertical one of massless bodies above */
} forces;

/* A grid of bodies in the plane and massless ones above and below, when the next box outward lags
 * behind by a part of a side that is a whole number of the grid's steps. */
static forces feel(oct_precision precision, const char *gravity, const char *box, double lag)
{
    double omega = 0.5, dt = lag * size[1] / (1.5 * omega * size[0]);
    forces f = {0, 0};
    oct_bodies b = {0}, got = {0};
    oct_sim *sim = ref_sim(precision,
                           "units: nbody\nbox: {boundary: shear, size: [%g, %g, %g], omega: %g%s}\n"
                           "models: [cold-sphere: {n: %d}]\ngravity: {%s}\n"
                           "integrator: {method: sei, dt: %.17g}\nrun: {until: 1}\n",
                           size[0], size[1], size[2], omega, box, SIDE * SIDE + PROBES, gravity,
                           dt > 0 ? dt : 1);
    ref_ok(oct_sim_step(sim, dt > 0));
    ref_ok(oct_sim_bodies(&b, sim));
    for (size_t i = 0; i < b.n; i++) {
        bool probe = i >= SIDE * SIDE;
        double x = ((double)(i % SIDE) + 0.5) / SIDE, y = ((double)(i / SIDE) + 0.5) / SIDE;
        double at[3] = {(x - 0.5) * size[0], (y - 0.5) * size[1], 0};
        if (probe) {
            double phase = (double)(i - SIDE * SIDE);
            at[0] = (fmod(phase * 0.618, 1) - 0.5) * size[0];
            at[1] = (fmod(phase * 0.414, 1) - 0.5) * size[1];
            at[2] = (i % 2 ? 1 : -1) * (0.5 + 1.4 * fmod(phase * 0.732, 1));
        }
        memcpy(b.position + 3 * i, at, sizeof at);
        b.mass[i] = probe ? 0 : 1.0 / (SIDE * SIDE);
    }
    ref_ok(oct_sim_set_bodies(sim, &b));
    ref_ok(oct_sim_bodies(&got, sim));
    double unit = 2 * acos(-1) / (size[0] * size[1]);
    for (size_t i = 0; i < got.n; i++) {
        const double *a = got.acceleration + 3 * i;
        f.along = fmax(f.along, hypot(a[0], a[1]) / unit);
        if (i >= SIDE * SIDE)
            f.vertical = fmax(f.vertical, fabs(a[2] / unit + copysign(1, got.position[3 * i + 2])));
    }
    print_message("%s %s%s, lag %.3f: %.1e along, %.1e vertically\n", oct_precision_name(precision),
                  gravity, box, lag, f.along, f.vertical);
    oct_bodies_clear(&b);
    oct_bodies_clear(&got);
    oct_sim_free(sim);
    return f;
}

static void a_uniform_sheet_is_pulled_nowhere(void **state)
{
    static const double lags[] = {0,           4.0 / SIDE,  12.0 / SIDE,
                                  23.0 / SIDE, 24.0 / SIDE, 40.0 / SIDE};
    (void)state;
    for (size_t i = 0; i < sizeof lags / sizeof lags[0]; i++) {
        forces f = feel(OCT_PRECISION_DOUBLE, "method: direct", "", lags[i]);
        assert_true(f.along < 2e-3);    /* seen: 2.3e-4 */
        assert_true(f.vertical < 2e-3); /* seen: 3.9e-4 */
    }
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_MIXED; p++) {
        forces f = feel((oct_precision)p, "method: direct", "", 12.0 / SIDE);
        assert_true(f.along < 2e-3 && f.vertical < 2e-3);
    }
    forces bare = feel(OCT_PRECISION_DOUBLE, "method: direct", ", beyond: nothing", 0);
    assert_true(bare.along > 0.1); /* seen: 0.21 */
}

/* In the middle of the box the potential is that of the images. */
static void the_potential_is_zero_in_the_middle(void **state)
{
    double potential[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        oct_bodies b = {0};
        oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE,
                               "units: nbody\nbox: {boundary: shear, size: [5, 4, 6], omega: 0.5, "
                               "beyond: %s}\nmodels: [body: {mass: 1}]\n"
                               "gravity: {method: direct}\nintegrator: {method: sei, dt: 1}\n"
                               "run: {until: 1}\n",
                               i ? "sheet" : "nothing");
        ref_ok(oct_sim_step(sim, 1));
        ref_ok(oct_sim_bodies(&b, sim));
        potential[i] = b.potential[0];
        oct_bodies_clear(&b);
        oct_sim_free(sim);
    }
    print_message("potentials differ by %.1e\n", fabs(potential[1] - potential[0]));
    assert_true(fabs(potential[1] - potential[0]) < 1e-12); /* seen: 2.2e-16 */
}

static void any_number_of_images_will_do(void **state)
{
    static const char *const ghosts[] = {", ghosts: [2, 1, 0]", ", ghosts: [1, 3, 0]",
                                         ", ghosts: [2, 2, 0]"};
    (void)state;
    for (size_t i = 0; i < sizeof ghosts / sizeof ghosts[0]; i++) {
        forces f = feel(OCT_PRECISION_DOUBLE, "method: direct", ghosts[i], 12.0 / SIDE);
        assert_true(f.along < 2e-3 && f.vertical < 2e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_uniform_sheet_is_pulled_nowhere),
        cmocka_unit_test(any_number_of_images_will_do),
        cmocka_unit_test(the_potential_is_zero_in_the_middle),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
