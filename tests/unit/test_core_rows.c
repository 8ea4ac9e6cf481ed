/* Rows of measurements: what they cost in launches and waits, and which columns are in them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/diagnose.h"
#include "scene_sim.h"

static oct_sim *start(const char *every)
{
    oct_sim *sim = ref_sim(
        OCT_PRECISION_MIXED,
        "units: si\nbox: {boundary: shear, size: [90 m, 90 m, 90 m], ghosts: [1, 1, 0],"
        " omega: 1.3143527e-4 /s}\n"
        "models: [ring: {surface_density: 400 kg/m^2, density: 400 kg/m^3, radius: {law: power,"
        " slope: -3, min: 1 m, max: 4 m}, spread: 1 m}]\n"
        "gravity: {method: tree, softening: 0.1 m}\ncollisions: {method: tree}\n"
        "integrator: {method: sei, dt: 1e-3 orbit}\nrun: {until: 1 orbit}\n"
        "output: {every: {%s}}\n",
        every);
    ref_ok(oct_sim_step(sim, 5));
    return sim;
}

static double *values_of(oct_sim *sim)
{
    double *values = calloc(sim->n_values, sizeof *values);
    assert_non_null(values);
    return values;
}

static double value(const oct_sim *sim, const double *values, const char *column)
{
    const double *at = oct_diagnose_value(sim, values, column);
    assert_non_null(at);
    return *at;
}

/* Each sum with a fold and a wait of its own would be 7 launches and 5 waits more for the row of
 * all columns, 3 and 3 for the other. */
static void a_row_is_read_back_at_once(void **state)
{
    oct_sim *sim = start("potential: 5, stress: 5, sight: 5, overlap: 5, wakes: 5");
    oct_device *device = sim->domain->device;
    double *values = values_of(sim);
    /* Elsewhere a sort is more launches: waits alone are bounded. */
    bool cpu = oct_device_is_cpu(oct_device_describe(device));
    (void)state;
    ref_ok(oct_diagnose_row(values, sim, 0)); /* grids are made */
    static const struct {
        uint64_t number, launches, waits;
    } rows[] = {{5, 27, 5}, {6, 7, 2}}; /* as many were seen */
    for (int i = 0; i < 2; i++) {
        ref_ok(oct_sim_step(sim, 2));
        ref_ok(oct_sim_wait(sim));
        oct_device_work before = oct_device_worked(device);
        ref_ok(oct_diagnose_row(values, sim, rows[i].number));
        oct_device_work after = oct_device_worked(device);
        print_message("row %u: %u launches, %u waits\n", (unsigned)rows[i].number,
                      (unsigned)(after.launches - before.launches),
                      (unsigned)(after.waits - before.waits));
        assert_true(!cpu || after.launches - before.launches <= rows[i].launches);
        assert_true(after.waits - before.waits <= rows[i].waits);
    }
    free(values);
    oct_sim_free(sim);
}

enum { FOLD_LANES = 256, FOLD_SHARE = 16 };

/* A row after the other. */
static double add_in_order(const double *added, uint32_t rows)
{
    double total = 0;
    for (uint32_t row = 0; row < rows; row++)
        total += added[row];
    return total;
}

/* Every 256th row, then sixteen of these, then those. */
static double add_by_lanes(const double *added, uint32_t rows)
{
    double lanes[FOLD_LANES] = {0}, total = 0;
    for (uint32_t row = 0; row < rows; row++)
        lanes[row % FOLD_LANES] += added[row];
    for (int k = 0; k < FOLD_LANES; k += FOLD_SHARE) {
        double share = lanes[k];
        for (int i = 1; i < FOLD_SHARE; i++)
            share += lanes[k + i];
        total = k > 0 ? total + share : share;
    }
    return total;
}

/* Partial sums that no order but theirs adds up to the same double; in folds of a GPU and of a
 * CPU. */
static void folds_add_in_their_order(void **state)
{
    enum { COLUMNS = 19, FIRST = 30, LANES = FOLD_LANES, TOGETHER = 8 };
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, "models: [plummer: {n: 5000}]\n"
                                                "integrator: {dt: 1}\nrun: {until: 1}\n");
    oct_domain *domain = sim->domain;
    oct_readback *readback = &domain->readback;
    const struct {
        const char *kernel;
        size_t items, group;
        double (*add)(const double *added, uint32_t rows);
    } folds[] = {{"state_fold", (size_t)COLUMNS * LANES, LANES, add_in_order},
                 {"state_fold_lanes", (size_t)COLUMNS * LANES, LANES, add_by_lanes},
                 {"state_fold_rows", (COLUMNS + TOGETHER - 1) / TOGETHER, 1, add_in_order}};
    const uint32_t rows[] = {1, 15, 1000, 1024, 1041, 4096};
    /* Intel's compiler adds what a loop over rows does in an order of its own. */
    bool exact = !strstr(oct_device_describe(domain->device)->vendor, "Intel");
    uint64_t seed = 1;
    (void)state;
    assert_int_equal(readback->stride, OCT_DOMAIN_ROWS);
    double *partials = calloc(readback->partials->count, sizeof *partials), got[COLUMNS];
    assert_non_null(partials);
    for (size_t i = 0; i < readback->partials->count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        partials[i] = ((double)(seed >> 11) - 0x1p52) * (i % 7 ? 1e-3 : 1e9);
    }
    ref_ok(oct_buffer_write(readback->partials, partials, 0, readback->partials->count));
    for (size_t f = 0; f < sizeof folds / sizeof folds[0]; f++) {
        oct_kernel *fold;
        ref_ok(OCT_KERNEL(&fold, domain->program, folds[f].kernel,
                          OCT_BIND_OFFERS(oct_readback_offers, readback)));
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            readback->fold.first = FIRST;
            readback->fold.columns = COLUMNS;
            readback->fold.rows = rows[r];
            ref_ok(oct_kernel_launch(fold, folds[f].items, folds[f].group));
            ref_ok(oct_buffer_read(got, readback->sums, OCT_READBACK_FIRST + FIRST, COLUMNS));
            for (size_t c = 0; c < COLUMNS; c++) {
                const double *added = partials + (FIRST + c) * OCT_DOMAIN_ROWS;
                double want = folds[f].add(added, rows[r]), most = 0;
                for (size_t row = 0; row < rows[r]; row++)
                    most += fabs(added[row]);
                assert_true(exact ? got[c] == want : fabs(got[c] - want) <= 1e-13 * most);
            }
        }
        oct_kernel_free(fold);
    }
    free(partials);
    oct_sim_free(sim);
}

static void columns_are_in_their_rows(void **state)
{
    oct_sim *sim = start("potential: 2, stress: 3, sight: 0, tau_normal: 2");
    double *values = values_of(sim), *all = values_of(sim);
    (void)state;
    for (uint64_t row = 0; row < 7; row++) {
        ref_ok(oct_sim_step(sim, 1));
        ref_ok(oct_diagnose_row(values, sim, row));
        ref_ok(oct_sim_measure(all, sim));
        assert_true(value(sim, values, "thickness") == value(sim, all, "thickness"));
        assert_true(value(sim, values, "collisions") == value(sim, all, "collisions") || row == 0);
        const struct {
            const char *column;
            bool due;
        } columns[] = {{"potential", row % 2 == 0},
                       {"viscosity_gravity", row % 3 == 0},
                       {"tau_normal", row % 2 == 0},
                       {"rays", false}};
        for (int k = 0; k < 4; k++) {
            double got = value(sim, values, columns[k].column);
            double want = value(sim, all, columns[k].column);
            assert_true(!isnan(want));
            assert_true(columns[k].due ? got == want : isnan(got));
        }
    }
    ref_ok(oct_diagnose_whole_row(values, sim));
    assert_true(!isnan(value(sim, values, "potential")));
    assert_true(isnan(value(sim, values, "rays")));
    free(values);
    free(all);
    oct_sim_free(sim);
}

/* Who measures less changes nothing. */
static void rows_leave_no_trace(void **state)
{
    oct_sim *often = start(""), *seldom = start("potential: 7, stress: 7");
    double *values = values_of(often);
    uint64_t hash[2];
    (void)state;
    for (uint64_t row = 1; row < 4; row++) {
        ref_ok(oct_sim_step(often, 3));
        ref_ok(oct_sim_step(seldom, 3));
        ref_ok(oct_diagnose_row(values, often, row));
        ref_ok(oct_diagnose_row(values, seldom, row));
    }
    ref_ok(oct_sim_hash(&hash[0], often));
    ref_ok(oct_sim_hash(&hash[1], seldom));
    assert_true(hash[0] == hash[1]);
    free(values);
    oct_sim_free(often);
    oct_sim_free(seldom);
}

static void bad_rows_are_refused(void **state)
{
    static const char *const bad[][2] = {
        {"output: {every: {nothing: 2}}", "there is no measurement and no column 'nothing'"},
        {"output: {every: {conserved: 1.5}}", "conserved: 1.5 is no number of rows"},
        {"output: {every: {conserved: -1}}", "conserved: -1 is no number of rows"},
        {"output: {every: {conserved: [1, 2]}}", "is no number of rows"}};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[300];
        oct_scene *scene;
        oct_plan plan = {.size = sizeof plan};
        snprintf(text, sizeof text,
                 "models: [plummer: {n: 4}]\nintegrator: {dt: 1}\nrun: {until: 1}\n%s\n",
                 bad[i][0]);
        ref_ok(oct_scene_parse(&scene, text, strlen(text), "rows"));
        assert_int_equal(oct_scene_plan(&plan, scene), OCT_STATUS_INPUT);
        assert_non_null(strstr(oct_last_error(), "output.every"));
        assert_non_null(strstr(oct_last_error(), bad[i][1]));
        oct_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_read_back_at_once), cmocka_unit_test(folds_add_in_their_order),
        cmocka_unit_test(columns_are_in_their_rows),  cmocka_unit_test(rows_leave_no_trace),
        cmocka_unit_test(bad_rows_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
