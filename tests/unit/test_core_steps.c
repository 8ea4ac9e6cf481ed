/* Steps that differ in length, by an integrator made for it: when outputs come, that a resumed run
 * has the same bits; and what an onlooker sees between steps. */
#include "files.h"

#include <math.h>

#include "core/sim.h"
#include "run/schedule.h"
#include "run/table.h"
#include "scene_sim.h"

/* A narrow ellipse: long steps far out, short ones near the other body. */
#define SCENE                                                                                      \
    "units: nbody\nmodels: [two-body: {mass1: 0.5, mass2: 0.5, semi_major_axis: 1, eccentricity: " \
    "0.9}]\ngravity: {method: direct}\n"                                                           \
    "integrator: {method: leapfrog, dt: 0.01}\nrun: {until: 4}\n"                                  \
    "output: {diagnostics: 0.025, snapshot: 0.5}\n"

enum { SHORTEST = 1 << 10 };

/* The largest power of two of ticks that takes no longer than r^(3/2) dt, from the state alone. */
static oct_status choose(int64_t *ticks, oct_sim *sim, int64_t longest)
{
    double x[2][4], r = 0;
    OCT_TRY(oct_buffer_read(x, sim->domain->position, 0, 2));
    for (int k = 0; k < 3; k++)
        r += (x[0][k] - x[1][k]) * (x[0][k] - x[1][k]);
    double wanted = (double)OCT_CLOCK_DT * pow(r, 0.75);
    for (*ticks = longest; *ticks > SHORTEST && (double)*ticks > wanted;)
        *ticks /= 2;
    return OCT_STATUS_OK;
}

/* As block steps: no longer than dt, from a multiple of their own length. */
static oct_status next_in_blocks(int64_t *ticks, const void *self, oct_sim *sim)
{
    (void)self;
    OCT_TRY(choose(ticks, sim, OCT_CLOCK_DT));
    while (sim->clock.tick % *ticks != 0)
        *ticks /= 2;
    return OCT_STATUS_OK;
}

/* Up to four dt, from anywhere. */
static oct_status next_at_will(int64_t *ticks, const void *self, oct_sim *sim)
{
    (void)self;
    return choose(ticks, sim, 4 * OCT_CLOCK_DT);
}

static oct_status next_of_three(int64_t *ticks, const void *self, oct_sim *sim)
{
    (void)self;
    (void)sim;
    *ticks = 3;
    return OCT_STATUS_OK;
}

typedef oct_status (*chooser)(int64_t *ticks, const void *self, oct_sim *sim);
static oct_integrator toy;

/* Leapfrog whose steps are chosen. */
static oct_sim *with_toy(oct_sim *sim, chooser next)
{
    toy = *(const oct_integrator *)(const void *)oct_module_find(oct_integrators, "leapfrog");
    toy.next = next;
    sim->domain->integrator.module = (const oct_module *)&toy;
    /* The name is in the files. */
    strcpy(sim->run, "0123456789abcdef0123456789abcdef");
    return sim;
}

static void run_in(const char *folder, oct_sim *sim, double until, oct_run_existing existing)
{
    const oct_run_options options = {
        .size = sizeof options, .out = folder, .until = until, .existing = existing};
    ref_ok(oct_run(sim, &options));
}

static void assert_same_file(const char *a, const char *b, const char *name)
{
    char path[256], *one, *other;
    snprintf(path, sizeof path, "%s/%s", a, name);
    size_t bytes = slurp(&one, path);
    snprintf(path, sizeof path, "%s/%s", b, name);
    assert_int_equal(slurp(&other, path), bytes);
    assert_memory_equal(one, other, bytes);
    free(one);
    free(other);
}

static void clear_folder(const char *folder)
{
    strcpy(scratch, folder);
    assert_int_equal(scratch_remove(NULL), 0);
}

/* Walks through a run step by step, with rows as their definition has them: that of k 0.025 comes
 * by the first step that ends at the multiple of dt nearest to it, or later. */
static void check_rows(const char *folder, chooser next)
{
    char path[256];
    oct_table table = {0};
    snprintf(path, sizeof path, "%s/diagnostics.csv", folder);
    ref_ok(oct_table_read(&table, path));
    oct_sim *sim = with_toy(ref_sim(OCT_PRECISION_MIXED, SCENE), next);
    size_t row = 0;
    int64_t shortest = INT64_MAX, longest = 0;
    for (uint64_t k = 0; sim->clock.tick < 400 * OCT_CLOCK_DT; ref_ok(oct_sim_step(sim, 1))) {
        bool due = false;
        for (; (int64_t)((5 * k + 1) / 2) * OCT_CLOCK_DT <= sim->clock.tick; k++)
            due = true;
        if (due) {
            const double *values = table.values + row++ * table.n_columns;
            assert_true(row <= table.n_rows && values[0] == (double)oct_sim_steps(sim));
            assert_true(values[1] == 0.01 / (double)OCT_CLOCK_DT * (double)sim->clock.tick);
        }
        if (sim->clock.step > 0) {
            shortest = sim->clock.length < shortest ? sim->clock.length : shortest;
            longest = sim->clock.length > longest ? sim->clock.length : longest;
        }
    }
    /* The last row is that of the end, with this step. */
    assert_int_equal(row + 1, table.n_rows);
    assert_true(table.values[row * table.n_columns] == (double)oct_sim_steps(sim));
    assert_true(shortest <= OCT_CLOCK_DT / 32 && longest >= OCT_CLOCK_DT);
    oct_table_clear(&table);
    oct_sim_free(sim);
}

static void runs_resume_to_the_same_bits(chooser next)
{
    char straight[] = "scratch-XXXXXX", broken[] = "scratch-XXXXXX", checkpoint[64], name[48];
    assert_true(mkdtemp(straight) && mkdtemp(broken));
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint.hdf5", broken);
    oct_sim *sim = with_toy(ref_sim(OCT_PRECISION_MIXED, SCENE), next);
    run_in(straight, sim, 0, OCT_RUN_CONTINUE);
    uint64_t hash = ref_hash(sim);
    double end = oct_sim_time(sim);
    oct_sim_free(sim);
    assert_true(end >= 4 && end < 4 + 4 * 0.01);
    /* Ends that no row is due at, and one near the pericentre at pi. */
    sim = with_toy(ref_sim(OCT_PRECISION_MIXED, SCENE), next);
    const double stops[] = {0.33, 3.14, 3.1416, 0};
    for (int i = 0; i < 4; i++) {
        run_in(broken, sim, stops[i], OCT_RUN_CONTINUE);
        if (i < 3) {
            oct_sim_free(sim);
            ref_ok(oct_sim_restore(&sim, ref_device(), checkpoint));
            with_toy(sim, next);
        }
    }
    assert_true(ref_hash(sim) == hash && oct_sim_time(sim) == end);
    oct_sim_free(sim);
    assert_same_file(straight, broken, "diagnostics.csv");
    assert_same_file(straight, broken, "checkpoint.hdf5");
    for (int i = 0; i < 9; i++) {
        snprintf(name, sizeof name, "snapshot_%04d.hdf5", i);
        assert_same_file(straight, broken, name);
    }
    check_rows(straight, next);
    clear_folder(straight);
    clear_folder(broken);
}

static void steps_in_blocks(void **state)
{
    (void)state;
    runs_resume_to_the_same_bits(next_in_blocks);
}

static void steps_at_will(void **state)
{
    (void)state;
    runs_resume_to_the_same_bits(next_at_will);
}

static void a_number_of_steps_is_counted_in_steps(void **state)
{
    (void)state;
    oct_sim *sim = with_toy(ref_sim(OCT_PRECISION_MIXED, SCENE), next_at_will);
    const oct_run_options options = {.size = sizeof options, .steps = 77};
    ref_ok(oct_run(sim, &options));
    assert_int_equal(oct_sim_steps(sim), 77);
    assert_true(sim->clock.tick % OCT_CLOCK_DT != 77 * OCT_CLOCK_DT);
    oct_sim_free(sim);
}

/* Two simulations are compared at times that both have: block steps end there, others need not. */
static void comparisons_need_steps_that_end_there(void **state)
{
    (void)state;
    const oct_compare_options options = {.size = sizeof options, .until = 1, .interval = 0.03};
    for (int i = 0; i < 2; i++) {
        oct_sim *a = ref_sim(OCT_PRECISION_MIXED, SCENE);
        oct_sim *b =
            with_toy(ref_sim(OCT_PRECISION_MIXED, SCENE), i ? next_at_will : next_in_blocks);
        oct_status status = oct_compare(a, b, &options);
        assert_int_equal(status, i ? OCT_STATUS_INPUT : OCT_STATUS_OK);
        assert_true(i || (oct_sim_time(a) == 1 && oct_sim_time(b) == 1));
        if (i)
            ref_says("at which a and b are compared");
        oct_sim_free(a);
        oct_sim_free(b);
    }
}

static void what_cannot_be_stepped_is_refused(void **state)
{
    (void)state;
    oct_sim *sim = with_toy(ref_sim(OCT_PRECISION_MIXED, SCENE), NULL);
    sim->clock.tick = INT64_MAX - OCT_CLOCK_DT;
    uint64_t hash = ref_hash(sim);
    assert_int_equal(oct_sim_step(sim, 2), OCT_STATUS_INPUT);
    ref_says("expected 1 or fewer");
    assert_true(ref_hash(sim) == hash);
    ref_ok(oct_sim_step(sim, 1));
    with_toy(sim, next_of_three);
    sim->clock.tick = 0;
    assert_int_equal(oct_sim_step(sim, 1), OCT_STATUS_INTERNAL);
    ref_says("a step of 3 ticks: expected a power of two");
    oct_sim_free(sim);
}

/* Images of a sheared box are where the time of the step has them, not where the sum of the two
 * drifts has: as after a resume, whose images are made anew. */
static void onlookers_see_images_of_the_time_of_the_step(void **state)
{
    (void)state;
    static const char scene[] =
        "units: nbody\nseed: 3\n"
        "box: {boundary: shear, size: [4, 4, 4], ghosts: [1, 1, 0], omega: 0.7}\n"
        "models: [uniform-sphere: {n: 24, radius: 1}]\ngravity: {method: direct, softening: 0.1}\n"
        "integrator: {method: sei, dt: 0.0137}\nrun: {until: 1}\n";
    oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE, scene);
    oct_sim *other = ref_sim(OCT_PRECISION_DOUBLE, scene);
    uint64_t sums = 0;
    for (int step = 0; step < 40; step++) {
        oct_state now;
        oct_bodies seen = {0}, expected = {0};
        sums += (oct_sim_time(sim) + 0.0137 / 2) + 0.0137 / 2 != 0.0137 * (step + 1);
        ref_ok(oct_sim_step(sim, 1));
        ref_ok(oct_sim_export(&now, sim));
        ref_ok(oct_sim_import(other, &now));
        ref_ok(oct_sim_bodies(&seen, sim));
        ref_ok(oct_sim_bodies(&expected, other));
        assert_memory_equal(seen.acceleration, expected.acceleration,
                            3 * seen.n * sizeof *seen.acceleration);
        assert_true(oct_sim_time(sim) == 0.0137 * (step + 1));
        oct_bodies_clear(&seen);
        oct_bodies_clear(&expected);
        oct_state_clear(&now);
    }
    assert_true(sums > 3);
    oct_sim_free(sim);
    oct_sim_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_in_blocks),
        cmocka_unit_test(steps_at_will),
        cmocka_unit_test(a_number_of_steps_is_counted_in_steps),
        cmocka_unit_test(comparisons_need_steps_that_end_there),
        cmocka_unit_test(what_cannot_be_stepped_is_refused),
        cmocka_unit_test(onlookers_see_images_of_the_time_of_the_step),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
