/* Gravity in a periodic box against Ewald's sums, and what an infinite universe must do. */
#include <math.h>

#include "core/sim.h"
#include "files.h"
#include "force_errors.h"
#include "scene_sim.h"
#include "selftest/oracle.h"

static ref_box_errors force_errors(const char *model, const double size[3], const char *gravity,
                                   oct_precision precision)
{
    const oct_oracle_gravity exact = {.G = 1, .size = {size[0], size[1], size[2]}};
    oct_bodies got = {0}, expected = {0};
    oct_sim *sim = ref_sim(precision,
                           "units: nbody\nbox: {boundary: periodic, size: [%g, %g, %g]}\n"
                           "models: [%s]\ngravity: {%s}\nintegrator: {dt: 1}\nrun: {until: 1}\n",
                           size[0], size[1], size[2], model, gravity);
    ref_ok(oct_sim_bodies(&got, sim));
    ref_ok(oct_sim_bodies(&expected, sim));
    oct_oracle_ewald(&expected, &exact);
    ref_box_errors e = ref_compare_box(&got, &expected, 0);
    print_message("%s, %g by %g by %g, %s: median %.1e, most %.1e, potential %.1e, energy %.1e\n",
                  oct_precision_name(precision), size[0], size[1], size[2], gravity, e.median,
                  e.most, e.potential, e.energy);
    oct_bodies_clear(&got);
    oct_bodies_clear(&expected);
    oct_sim_free(sim);
    return e;
}

static void forces_are_those_of_ewalds_sum(void **state)
{
    static const double boxes[][3] = {{2, 2, 2}, {2, 3, 5}, {4, 4, 1}, {8, 1, 1}};
    (void)state;
    for (size_t b = 0; b < sizeof boxes / sizeof boxes[0]; b++)
        for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
            /* Many of them start outside, where they stand for their images inside. */
            ref_box_errors e = force_errors("uniform-sphere: {n: 216, radius: 5}", boxes[b],
                                            "method: direct", (oct_precision)p);
            double most = p == OCT_PRECISION_DOUBLE ? 1e-5 : 1e-4;
            assert_true(e.median < most / 20);   /* seen: 1.5e-6 and 2.8e-8 */
            assert_true(e.most < most);          /* 2.7e-5 and 1.0e-6 */
            assert_true(e.potential < 2 * most); /* 8.0e-5 and 1.1e-7 */
            assert_true(e.energy < most);        /* 4.3e-5 and 8.1e-9 */
        }
}

static void the_tree_is_as_good_as_its_cells(void **state)
{
    (void)state;
    ref_box_errors fine = force_errors("plummer: {n: 1000}", (const double[]){6, 5, 4},
                                       "method: tree, theta: 0.02", OCT_PRECISION_MIXED);
    ref_box_errors usual = force_errors("plummer: {n: 1000}", (const double[]){6, 5, 4},
                                        "method: tree, theta: 0.5", OCT_PRECISION_MIXED);
    assert_true(fine.median < 1e-5 && fine.most < 1e-4); /* seen: 2.5e-7 and 5.1e-6 */
    assert_true(usual.median < 3e-4);                    /* seen: 2.5e-4 */
}

/* A grid of equal bodies at rest in a unit box of mass 1, each moved along x by A sin(2 pi x). */
static oct_sim *wave(size_t side, double amplitude, const char *gravity, double dt)
{
    oct_bodies b = {0};
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED,
                           "units: nbody\nbox: {boundary: periodic, size: [1, 1, 1]}\n"
                           "models: [cold-sphere: {n: %zu}]\ngravity: {%s}\n"
                           "integrator: {dt: %.17g}\nrun: {until: 1}\n",
                           side * side * side, gravity, dt);
    ref_ok(oct_sim_bodies(&b, sim));
    for (size_t i = 0; i < b.n; i++) {
        const size_t cell[3] = {i % side, i / side % side, i / side / side};
        for (size_t k = 0; k < 3; k++)
            b.position[3 * i + k] = ((double)cell[k] + 0.5) / (double)side - 0.5;
        b.position[3 * i] += amplitude * sin(2 * acos(-1) * b.position[3 * i]);
    }
    ref_ok(oct_sim_set_bodies(sim, &b));
    oct_bodies_clear(&b);
    return sim;
}

/* The amplitude of such a wave now, and the largest way of a body from where it should be. */
static double amplitude_of(double *off, oct_sim *sim, size_t side)
{
    oct_bodies b = {0};
    double sum = 0, most = 0;
    ref_ok(oct_sim_bodies(&b, sim));
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < b.n; i++) {
            const size_t cell[3] = {i % side, i / side % side, i / side / side};
            for (size_t k = 0; k < 3; k++) {
                double grid = ((double)cell[k] + 0.5) / (double)side - 0.5;
                double way = b.position[3 * i + k] - grid;
                double phase = k ? 0 : sin(2 * acos(-1) * grid);
                if (pass == 0)
                    sum += 2 * way * phase / (double)b.n;
                else
                    most = fmax(most, fabs(way - sum * phase));
            }
        }
    oct_bodies_clear(&b);
    *off = most;
    return sum;
}

/* Before shells cross, a sheet is pulled by what it has moved past: x'' = 4 pi G rho (x - q). */
static void a_plane_wave_grows_as_it_should(void **state)
{
    double off, rate = sqrt(4 * acos(-1)), dt = 0.01;
    (void)state;
    oct_sim *sim = wave(12, 1e-3, "method: direct", dt);
    for (int k = 1; k <= 4; k++) {
        ref_ok(oct_sim_step(sim, 20));
        double grown = amplitude_of(&off, sim, 12) / 1e-3, expected = cosh(rate * 20 * k * dt);
        print_message("t = %.1f: grown by %.4f, expected %.4f, off the wave by %.1e\n", 0.2 * k,
                      grown, expected, off);
        assert_true(fabs(grown / expected - 1) < 0.02); /* seen: 9.8e-3 */
        assert_true(off < 1e-4);                        /* seen: 4.0e-6 */
    }
    oct_sim_free(sim);
}

static void a_lattice_at_rest_stays(void **state)
{
    static const char *const methods[] = {"method: direct", "method: tree, theta: 0.3"};
    double off;
    (void)state;
    for (int m = 0; m < 2; m++) {
        oct_sim *sim = wave(8, 0, methods[m], 0.02);
        ref_ok(oct_sim_step(sim, 50));
        double amplitude = amplitude_of(&off, sim, 8);
        print_message("%s: moved by %.1e and %.1e\n", methods[m], amplitude, off);
        assert_true(fabs(amplitude) < 1e-4 && off < 1e-3); /* seen: 9.5e-6 and 2.0e-4 */
        oct_sim_free(sim);
    }
}

static void boxes_that_cannot_be_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {"size: [1, 1, 40]", "factor of 32"},
        {"size: [1, 1, 0]", "box.size"},
        {"size: [1, 1, 1], ghosts: [1, 1, 1]", "ghosts"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(ref_sim_status(OCT_PRECISION_MIXED,
                                        "units: nbody\nbox: {boundary: periodic, %s}\n"
                                        "models: [plummer: {n: 20}]\ngravity: {method: tree}\n"
                                        "integrator: {dt: 1}\nrun: {until: 1}\n",
                                        cases[i][0]),
                         OCT_STATUS_INPUT);
        ref_says(cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_of_ewalds_sum),
        cmocka_unit_test(the_tree_is_as_good_as_its_cells),
        cmocka_unit_test(a_plane_wave_grows_as_it_should),
        cmocka_unit_test(a_lattice_at_rest_stays),
        cmocka_unit_test(boxes_that_cannot_be_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
