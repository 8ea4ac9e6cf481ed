/* What is measured in a sheet against plain sums on the host. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/diagnose.h"
#include "selftest/oracle_diag.h"
#include "selftest/oracle_sheet.h"
#include "selftest/selftest.h"

/* As many rays as the module takes for so many bodies. */
enum { RAYS = 64 };

static const oct_oracle_sheet sheet = {.size = {40, 30, 0}, .omega = 0.8};
static const double elevation = 30, azimuth = 65, scale = 5;

#define SCENE                                                                                      \
    "units: nbody\nbox: {boundary: shear, size: [40, 30, 30], omega: 0.8}\n"                       \
    "models: [ring: {n: 250, density: 1, spread: 1, dispersion: 0.3, "                             \
    "radius: {law: power, slope: -2, min: 0.5, max: 2}}]\n"                                        \
    "gravity: %s\ncollisions: {method: %s, restitution: %s}\n"                                     \
    "integrator: {method: sei, dt: 0.37}\nrun: {until: 1}\n"                                       \
    "output: {sight_elevation: [30, 0, 0], sight_azimuth: [65, 0, 0], wake_scale: 5}\n"

/* Draws the bodies together in stripes, for wakes, and reads what they have become. */
static oct_status make_stripes(oct_bodies *bodies, oct_sim *sim)
{
    double turn = 2 * acos(-1.0);
    OCT_TRY(oct_sim_bodies(bodies, sim));
    for (size_t i = 0; i < bodies->n; i++) {
        double *x = bodies->position + 3 * i;
        double phase = turn * (2 * x[0] / sheet.size[0] + x[1] / sheet.size[1]);
        x[0] = remainder(x[0] - 3 * sin(phase), sheet.size[0]);
    }
    OCT_TRY(oct_sim_upload(sim, bodies));
    return oct_sim_bodies(bodies, sim);
}

/* What was measured once, to be picked from. */
typedef struct measured {
    const oct_sim *sim;
    const double *values;
} measured;

static const double *value(const measured *m, const char *name)
{
    return oct_diagnose_value(m->sim, m->values, name);
}

static void report(oct_selftest_run *test, const measured *m, const char *what, double error,
                   double single, double others)
{
    char name[96];
    oct_precision precision = m->sim->precision;
    snprintf(name, sizeof name, "measurements %s, %s", oct_precision_name(precision), what);
    oct_selftest_check(test, name, error, precision == OCT_PRECISION_SINGLE ? single : others);
}

/* Keeps the larger of two errors. */
static double worse(double error, double got, double want, double unit)
{
    return oct_oracle_worse(error, fabs(got - want) / unit);
}

static void check_wakes(oct_selftest_run *test, const measured *m, const oct_bodies *bodies,
                        const oct_oracle_patch *patch)
{
    double want[2];
    oct_oracle_wakes(want, bodies, patch, scale);
    double error = worse(0, *value(m, "wake_amplitude"), want[0], want[0]);
    error = worse(error, *value(m, "wake_noise"), want[1], want[1]);
    report(test, m, "wakes", error, 0.01, 0.01); /* seen: 1.5e-3, cells being wide */
}

static void check_sheet(oct_selftest_run *test, const measured *m, const oct_bodies *bodies,
                        const oct_oracle_patch *patch)
{
    const oct_diag *diag = (const oct_diag *)oct_module_find(oct_diags, "sheet");
    double columns[OCT_ORACLE_SHEET_COLUMNS], error = 0, *want = columns;
    oct_oracle_sheet_columns(columns, bodies, patch, 1);
    for (const oct_column *column = diag->columns; column->name; column++)
        for (unsigned k = 0; k < column->count; k++, want++)
            error = worse(error, value(m, column->name)[k], *want, fabs(*want));
    report(test, m, "sheet", error, 1e-5, 1e-12); /* seen: 3.0e-8, 5.1e-16 */
}

static void check_pairs(oct_selftest_run *test, const measured *m, const oct_bodies *bodies,
                        const oct_oracle_patch *patch, double softening)
{
    double total;
    oct_oracle_overlaps want = oct_oracle_overlap(bodies, patch);
    double error = worse(0, *value(m, "overlap_mean"), want.mean, 1);
    error = worse(error, *value(m, "overlap_max"), want.largest, 1);
    report(test, m, "overlap", error, 1e-5, 1e-6); /* seen: 2.7e-8, 2.0e-8 */
    double stress = oct_oracle_stress(&total, bodies, patch, softening);
    error = worse(0, *value(m, "viscosity_gravity"), stress, total);
    report(test, m, "stress", error, 1e-3, 1e-3); /* seen: 3.2e-5 */
}

/* Rays that graze a sphere may fall on either side. */
static void check_sight(oct_selftest_run *test, const measured *m, const oct_bodies *bodies,
                        const oct_oracle_patch *patch)
{
    double all = RAYS * RAYS, slope = sin(elevation * acos(-1.0) / 180);
    size_t want[2] = {oct_oracle_passing(bodies, patch, 1, 90, 0, RAYS),
                      oct_oracle_passing(bodies, patch, 1, elevation, azimuth, RAYS)};
    double error = worse(0, all * exp(-*value(m, "tau_normal")), (double)want[0], 1);
    error = worse(error, all * exp(-*value(m, "tau_sight") / slope), (double)want[1], 1);
    report(test, m, "rays", error, 2.5, 2.5); /* seen: 0 */
}

static oct_status compare(oct_selftest_run *test, oct_precision precision)
{
    oct_status status;
    oct_sim *sim = NULL;
    oct_bodies bodies = {0};
    oct_oracle_patch patch = {{sheet.size[0], sheet.size[1]}, sheet.omega, 0};
    double softening = 0.1, *values = NULL;
    char gravity[160], scene[OCT_SELFTEST_SCENE];
    oct_selftest_gravity(gravity, &softening, test, NULL);
    snprintf(scene, sizeof scene, SCENE, gravity,
             test->setup && oct_selftest_has(test, "collisions", "tree") ? "tree" : "direct",
             oct_selftest_restitution(test));
    OCT_TRY_DONE(oct_selftest_sim(&sim, test, precision, scene));
    OCT_TRY_DONE(make_stripes(&bodies, sim));
    /* After a step the boxes next to this one do not line up with it any more. */
    OCT_TRY_DONE(oct_sim_step(sim, 1));
    OCT_TRY_DONE(oct_sim_bodies(&bodies, sim));
    patch.offset = -oct_oracle_lag(&sheet, oct_sim_time(sim)) * sheet.size[1];
    OCT_TRY_DONE(oct_alloc(&values, sim->n_values, sizeof *values, "measurements"));
    OCT_TRY_DONE(oct_sim_measure(values, sim));
    const measured m = {sim, values};
    check_wakes(test, &m, &bodies, &patch);
    check_sheet(test, &m, &bodies, &patch);
    check_pairs(test, &m, &bodies, &patch, softening);
    check_sight(test, &m, &bodies, &patch);
done:
    free(values);
    oct_bodies_clear(&bodies);
    oct_sim_free(sim);
    return status;
}

static oct_status measurements_run(oct_selftest_run *test)
{
    oct_precision precision;
    for (int p = 0; oct_selftest_precision(&precision, test, p); p++)
        if (oct_selftest_has(test, "boundary", "shear") &&
            oct_selftest_due(test, "measurements %s", oct_precision_name(precision)))
            OCT_TRY(compare(test, precision));
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_measurements = {
    .name = "measurements",
    .doc = "Measurements in a sheet against sums on the host.",
    .cost = 55,
    .run = measurements_run,
};
