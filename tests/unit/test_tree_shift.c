/* A tree whose cells are elsewhere each time it is built: where they are, and what it is good for.
 */
#include <math.h>

#include "core/sim.h"
#include "files.h"
#include "scene_sim.h"
#include "tree/tree.h"

enum { N = 2000, TIMES = 16 };
#define SCENE                                                                                      \
    "units: nbody\nmodels: [plummer: {n: 2000}]\n"                                                 \
    "gravity: {method: tree, theta: 1, softening: 0.05, shift: %s}\n"                              \
    "integrator: {method: %s, dt: 0.01}\nrun: {until: 1}\n"

static void read_box(double out[8], oct_buffer *box)
{
    float narrow[8];
    if (box->element == 4 * sizeof(double)) {
        ref_ok(oct_buffer_read(out, box, 0, 2));
        return;
    }
    ref_ok(oct_buffer_read(narrow, box, 0, 2));
    for (int k = 0; k < 8; k++)
        out[k] = (double)narrow[k];
}

/* Moves all bodies by as little as does not change their forces, and finds these. */
static void nudge(oct_bodies *found, oct_sim *sim, oct_bodies *b, int time)
{
    for (size_t i = 0; i < 3 * b->n; i++)
        b->position[i] += 1e-6 * sin((double)(i + 1) * (time + 1));
    ref_ok(oct_sim_set_bodies(sim, b));
    ref_ok(oct_sim_bodies(found, sim));
}

/* Around all bodies, an eighth larger than the box around them, with any part of that below. */
static void cells_are_elsewhere_each_time(void **state)
{
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
        oct_bodies b = {0}, found = {0};
        oct_sim *sim = ref_sim((oct_precision)p, SCENE, "true", "leapfrog");
        double rounding = p == OCT_PRECISION_SINGLE ? 1e-6 : 1e-14;
        double low[3] = {1, 1, 1}, high[3] = {0}, mean = 0;
        ref_ok(oct_sim_bodies(&b, sim));
        for (int time = 0; time < TIMES; time++) {
            double around[8], bounds[8];
            nudge(&found, sim, &b, time);
            read_box(around, sim->domain->tree->around);
            read_box(bounds, sim->domain->tree->bounds);
            for (int k = 0; k < 3; k++) {
                double extent = around[4 + k] - around[k];
                double share = (around[k] - bounds[k]) / extent * 8;
                assert_true(fabs((bounds[4 + k] - bounds[k]) / extent - 1.125) < rounding);
                assert_true(share >= 0 && share <= 1 + 8 * rounding);
                low[k] = fmin(low[k], share);
                high[k] = fmax(high[k], share);
                mean += share / (3 * TIMES);
            }
        }
        print_message("shares below: mean %.2f, from %.2f to %.2f along x\n", mean, low[0],
                      high[0]);
        for (int k = 0; k < 3; k++)
            assert_true(low[k] < 0.25 && high[k] > 0.75);
        assert_true(fabs(mean - 0.5) < 0.15); /* 4 standard errors are 0.17 */
        oct_bodies_clear(&b);
        oct_bodies_clear(&found);
        oct_sim_free(sim);
    }
}

static void add_direct(double a[3], const oct_bodies *b, size_t i)
{
    for (size_t j = 0; j < b->n; j++) {
        double d[3], r2 = 0.05 * 0.05;
        for (size_t k = 0; k < 3; k++) {
            d[k] = b->position[3 * j + k] - b->position[3 * i + k];
            r2 += d[k] * d[k];
        }
        for (size_t k = 0; k < 3; k++)
            a[k] += b->mass[j] * d[k] / (r2 * sqrt(r2));
    }
}

/* The root mean square, over bodies, of what the mean of some forces errs by. */
static double mean_error(const char *shift)
{
    static double mean[3 * N];
    oct_bodies b = {0}, found = {0};
    double sum = 0;
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, SCENE, shift, "leapfrog");
    memset(mean, 0, sizeof mean);
    ref_ok(oct_sim_bodies(&b, sim));
    for (int time = 0; time < TIMES; time++) {
        nudge(&found, sim, &b, time);
        for (size_t i = 0; i < 3 * N; i++)
            mean[i] += found.acceleration[i] / TIMES;
    }
    for (size_t i = 0; i < N; i++) {
        double right[3] = {0}, off = 0, all = 0;
        add_direct(right, &b, i);
        for (size_t k = 0; k < 3; k++) {
            off += pow(mean[3 * i + k] - right[k], 2);
            all += right[k] * right[k];
        }
        sum += off / all / N;
    }
    oct_bodies_clear(&b);
    oct_bodies_clear(&found);
    oct_sim_free(sim);
    return sqrt(sum);
}

static void errors_do_not_add_up(void **state)
{
    (void)state;
    double still = mean_error("false"), moved = mean_error("true");
    print_message("error of the mean of %d forces: %.1e, shifted %.1e\n", TIMES, still, moved);
    assert_true(moved < still / 2);
}

static void bits_are_the_same_again(void **state)
{
    static const char *const methods[] = {"leapfrog", "block-leapfrog"};
    char path[128];
    (void)state;
    scratch_path(path, "checkpoint.hdf5");
    for (int i = 0; i < 2; i++) {
        oct_sim *through = ref_sim(OCT_PRECISION_MIXED, SCENE, "true", methods[i]);
        oct_sim *looked_at = ref_sim(OCT_PRECISION_MIXED, SCENE, "true", methods[i]);
        for (int k = 0; k < 7; k++) {
            ref_ok(oct_sim_step(looked_at, 1));
            ref_measure(looked_at, "energy");
        }
        ref_ok(oct_sim_step(through, 7));
        assert_true(ref_hash(through) == ref_hash(looked_at));
        oct_sim_free(ref_resume(through, path, 8));
        oct_sim_free(through);
        oct_sim_free(looked_at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_elsewhere_each_time),
        cmocka_unit_test(errors_do_not_add_up),
        cmocka_unit_test_setup_teardown(bits_are_the_same_again, scratch_make, scratch_remove),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
