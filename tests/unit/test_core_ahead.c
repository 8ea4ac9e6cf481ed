/* Rows and copies that are enqueued with the steps: they have the bits of those that somebody waits
 * for, whatever the device did in between. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/ahead.h"
#include "core/diagnose.h"
#include "scene_sim.h"
#include "tree/tree.h"

#define RING                                                                                       \
    "units: si\nbox: {boundary: shear, size: [90 m, 90 m, 90 m], ghosts: [1, 1, 0],"               \
    " omega: 1.3143527e-4 /s}\n"                                                                   \
    "models: [ring: {surface_density: 400 kg/m^2, density: 400 kg/m^3, radius: {law: power,"       \
    " slope: -3, min: 1 m, max: 4 m}, spread: 1 m}]\n"                                             \
    "gravity: {method: tree, softening: 0.1 m}\ncollisions: {method: tree}\n"                      \
    "integrator: {method: sei, dt: 1e-3 orbit}\nrun: {until: 1 orbit}\n"                           \
    "output: {every: {potential: 2, wakes: 2, stress: 4, sight: 4, overlap: 4}}\n"

static oct_sim *start(const char *scene)
{
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, "%s", scene);
    oct_fetch_always(sim->domain->device);
    assert_true(oct_ahead_can_copy(sim));
    return sim;
}

/* A row, and a copy, as somebody has them who waits, */
typedef struct outputs {
    double *values;
    oct_state copy;
    oct_fetch *fetch;
} outputs;

static void take(outputs *out, oct_sim *sim, uint64_t row)
{
    *out = (outputs){.values = calloc(sim->n_values, sizeof(double))};
    assert_non_null(out->values);
    ref_ok(oct_diagnose_row(out->values, sim, row));
    ref_ok(oct_sim_copy(&out->copy, sim));
}

/* and as steps have them that go on. */
static void send(outputs *out, oct_sim *sim, uint64_t row)
{
    *out = (outputs){.values = calloc(sim->n_values, sizeof(double))};
    assert_non_null(out->values);
    assert_true(oct_ahead_can_measure(sim, row));
    ref_ok(oct_ahead_measure(sim, row));
    ref_ok(oct_ahead_copy(&out->copy, &out->fetch, sim));
}

static void receive(outputs *out, oct_sim *sim)
{
    oct_later later = {0};
    ref_ok(oct_ahead_finish(&later, out->values, sim));
    ref_ok(oct_later_finish(&later, out->values));
    ref_ok(oct_fetch_finish(out->fetch));
}

static void compare(outputs *a, outputs *b, const oct_sim *sim)
{
    assert_memory_equal(a->values, b->values, sim->n_values * sizeof(double));
    assert_int_equal(a->copy.n_arrays, b->copy.n_arrays);
    for (uint32_t k = 0; k < a->copy.n_arrays; k++) {
        const oct_state_array *one = &a->copy.arrays[k], *other = &b->copy.arrays[k];
        assert_int_equal(one->element * one->count, other->element * other->count);
        /* Rates are of a row that is not measured yet when bodies are copied behind it. */
        if (strcmp(one->name, "collision_window") != 0)
            assert_memory_equal(one->data, other->data, one->element * one->count);
    }
    outputs *both[] = {a, b};
    for (int i = 0; i < 2; i++) {
        free(both[i]->values);
        oct_fetch_free(both[i]->fetch);
        oct_state_clear(&both[i]->copy);
    }
}

/* The tree has room for no more than so many cells from the second row on, before its steps, or
 * after them, so that the row itself finds none; 0: for all. */
static void compare_rows(const char *scene, uint32_t before, uint32_t after)
{
    enum { ROWS = 5 };
    oct_sim *waits = start(scene), *goes = start(scene);
    for (uint64_t row = 0; row < ROWS; row++) {
        outputs now, later;
        bool little = row > 0 && row < ROWS - 1;
        if (little && before)
            goes->domain->tree->capacity = before;
        ref_ok(oct_sim_step(waits, 7));
        ref_ok(oct_sim_step(goes, 7));
        if (little && after)
            goes->domain->tree->capacity = after;
        take(&now, waits, row);
        send(&later, goes, row);
        uint64_t waited = oct_device_worked(goes->domain->device).waits;
        ref_ok(oct_sim_step(goes, row % 2 ? 3 : 0));
        assert_int_equal(oct_device_worked(goes->domain->device).waits, waited);
        receive(&later, goes);
        assert_true(!little || goes->domain->tree->capacity > before + after);
        ref_ok(oct_sim_step(waits, row % 2 ? 3 : 0));
        compare(&now, &later, waits);
        assert_true(goes->clock.tick == waits->clock.tick);
    }
    assert_true(ref_hash(waits) == ref_hash(goes));
    oct_sim_free(waits);
    oct_sim_free(goes);
}

static void rows_of_a_ring_are_the_same(void **state)
{
    (void)state;
    compare_rows(RING, 0, 0);
}

static void rows_of_a_device_that_halts_are_the_same(void **state)
{
    (void)state;
    compare_rows(RING, 20, 0);
}

static void rows_that_find_no_room_are_the_same(void **state)
{
    (void)state;
    compare_rows(RING, 0, 20);
}

static void rows_with_forces_of_the_step_are_the_same(void **state)
{
    (void)state;
    compare_rows("models: [plummer: {n: 700}]\ngravity: {method: tree, softening: 0.05}\n"
                 "integrator: {dt: 0.01}\nrun: {until: 1}\n",
                 20, 0);
}

static void what_is_no_number_is_not_shown(void **state)
{
    oct_sim *sim = start("models: [plummer: {n: 300}]\ngravity: {softening: 0.05}\n"
                         "integrator: {dt: 0.01}\nrun: {until: 1}\n");
    oct_later later = {0};
    double *values = calloc(sim->n_values, sizeof *values), bad[4] = {NAN, 0, 0, 0};
    (void)state;
    assert_non_null(values);
    ref_ok(oct_sim_step(sim, 2));
    ref_ok(oct_buffer_write(sim->domain->velocity, bad, 7, 1));
    ref_ok(oct_sim_step(sim, 1));
    ref_ok(oct_ahead_measure(sim, 1));
    ref_ok(oct_sim_step(sim, 2));
    assert_true(oct_ahead_finish(&later, values, sim) == OCT_STATUS_NUMBER);
    ref_says("is no number any more (NaN or infinity) in step 3");
    assert_true(oct_sim_step(sim, 1) != OCT_STATUS_OK);
    free(values);
    oct_sim_free(sim);
}

/* Where bodies may go, or steps wait, nobody runs ahead. */
static void others_wait(void **state)
{
    static const char *const scenes[] = {
        "models: [plummer: {n: 50}]\nintegrator: {dt: 0.01}\nrun: {until: 1}\n"
        "collisions: {method: direct, outcome: merge}\n",
        "models: [plummer: {n: 50}]\nintegrator: {method: block-leapfrog, dt: 0.01}\n"
        "gravity: {softening: 0.05}\nrun: {until: 1}\n"};
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, "%s", scenes[i]);
        oct_fetch_always(sim->domain->device);
        assert_false(oct_ahead_can_copy(sim));
        assert_false(oct_ahead_can_measure(sim, 1));
        oct_sim_free(sim);
    }
}

/* Few bodies of a CPU: the wait for the row is that for the steps. */
static void check_joined_rows(const char *scene, uint32_t capacity)
{
    oct_sim *waits = ref_sim(OCT_PRECISION_MIXED, "%s", scene);
    oct_sim *joins = ref_sim(OCT_PRECISION_MIXED, "%s", scene);
    size_t bytes = waits->n_values * sizeof(double);
    double *one = malloc(bytes), *other = malloc(bytes);
    assert_true(one && other);
    for (uint64_t row = 0; row < 4; row++) {
        oct_later later = {0};
        if (capacity && row > 0)
            joins->domain->tree->capacity = capacity;
        ref_ok(oct_sim_step(waits, 7));
        ref_ok(oct_sim_step(joins, 7));
        ref_ok(oct_diagnose_row(one, waits, row));
        uint64_t before = oct_device_worked(joins->domain->device).waits;
        assert_true(oct_ahead_can_measure(joins, row) && oct_ahead_at_once(joins));
        ref_ok(oct_ahead_measure(joins, row));
        ref_ok(oct_ahead_finish(&later, other, joins));
        uint64_t after = oct_device_worked(joins->domain->device).waits;
        ref_ok(oct_later_finish(&later, other));
        ref_ok(oct_sim_wait(joins));
        if (!capacity) {
            assert_int_equal(after - before, 1);
            assert_int_equal(oct_device_worked(joins->domain->device).waits, after);
        }
        assert_memory_equal(one, other, bytes);
    }
    free(one);
    free(other);
    oct_sim_free(waits);
    oct_sim_free(joins);
}

static void rows_of_few_bodies_wait_once(void **state)
{
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, "models: [plummer: {n: 2}]\n"
                                                "integrator: {dt: 1}\nrun: {until: 1}\n");
    bool cpu = oct_device_is_cpu(oct_device_describe(sim->domain->device));
    (void)state;
    oct_sim_free(sim);
    if (!cpu)
        skip();
    check_joined_rows("models: [two-body: {mass1: 0.75, mass2: 0.25, semi_major_axis: "
                      "1}]\ngravity: {method: direct}\n"
                      "integrator: {method: leapfrog, dt: 0.005}\nrun: {until: 9}\n",
                      0);
    check_joined_rows("units: solar\nmodels: [galaxy-of-systems: {systems: 10, bodies: 2,"
                      " distance: 100 AU, mass_ratio: 10, orbiting: star}]\n"
                      "gravity: {method: systems}\nintegrator: {method: wh, dt: 10 day}\n"
                      "run: {until: 40 yr}\noutput: {kepler_error: true}\n",
                      0);
    /* The tree finds no room: what was measured then is measured again. */
    check_joined_rows("models: [plummer: {n: 200}]\ngravity: {method: tree, leaf: 1,"
                      " softening: 0.1}\nintegrator: {method: leapfrog, dt: 0.01}\n"
                      "run: {until: 9}\n",
                      20);
}

/* Whoever is no number is named, as by a wait. */
static void a_row_of_no_numbers_is_refused(void **state)
{
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED,
                           "models: [two-body: {mass1: 0.75, mass2: 0.25, semi_major_axis: "
                           "1}]\ngravity: {method: direct}\n"
                           "integrator: {method: leapfrog, dt: 0.005}\nrun: {until: 9}\n");
    double *values = calloc(sim->n_values, sizeof *values);
    double bad[] = {NAN, NAN, NAN, NAN};
    oct_later later = {0};
    (void)state;
    assert_non_null(values);
    ref_ok(oct_sim_step(sim, 1));
    if (oct_ahead_at_once(sim)) {
        ref_ok(oct_buffer_write(sim->domain->velocity, bad, 0, 1));
        ref_ok(oct_sim_step(sim, 1));
        ref_ok(oct_ahead_measure(sim, 0));
        assert_int_equal(oct_ahead_finish(&later, values, sim), OCT_STATUS_NUMBER);
        assert_non_null(strstr(oct_last_error(), "is no number any more"));
    }
    free(values);
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* Before the device is told to copy always. */
        cmocka_unit_test(rows_of_few_bodies_wait_once),
        cmocka_unit_test(a_row_of_no_numbers_is_refused),
        cmocka_unit_test(rows_of_a_ring_are_the_same),
        cmocka_unit_test(rows_of_a_device_that_halts_are_the_same),
        cmocka_unit_test(rows_that_find_no_room_are_the_same),
        cmocka_unit_test(rows_with_forces_of_the_step_are_the_same),
        cmocka_unit_test(what_is_no_number_is_not_shown),
        cmocka_unit_test(others_wait),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
