/* Reductions: the conserved quantities against sums on the host. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "selftest/selftest.h"

static const char *const names[] = {"mass",     "kinetic",          "potential",
                                    "momentum", "angular_momentum", "centre"};
enum { NAMES = sizeof names / sizeof names[0] };

/* Sums in the order of `names`, and beside them sums of absolute values to measure errors by. */
static void sum_up(double (*out)[3], double (*scale)[3], const oct_bodies *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const double *x = &b->position[3 * i], *v = &b->velocity[3 * i], m = b->mass[i];
        const double values[NAMES][3] = {
            {m},
            {m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2},
            {m * b->potential[i] / 2},
            {m * v[0], m * v[1], m * v[2]},
            {m * (x[1] * v[2] - x[2] * v[1]), m * (x[2] * v[0] - x[0] * v[2]),
             m * (x[0] * v[1] - x[1] * v[0])},
            {m * x[0], m * x[1], m * x[2]},
        };
        for (int n = 0; n < NAMES; n++)
            for (int k = 0; k < 3; k++) {
                out[n][k] += values[n][k];
                scale[n][k] += fabs(values[n][k]);
            }
    }
}

static oct_status compare(oct_selftest_run *test, oct_precision precision)
{
    oct_status status;
    oct_sim *sim = NULL;
    oct_bodies bodies = {0};
    double expected[NAMES][3] = {{0}}, scale[NAMES][3] = {{0}}, error = 0;
    char name[96], gravity[160], scene[OCT_SELFTEST_SCENE];
    oct_selftest_gravity(gravity, &(double){0.02}, test);
    snprintf(scene, sizeof scene,
             "units: nbody\nmodels: [plummer: {n: 5000, offset: [1, 2, 3], "
             "velocity: [0.1, 0.2, 0.3]}]\ngravity: %s\nintegrator: {dt: 0.01}\nrun: {until: 1}\n",
             gravity);
    OCT_TRY_DONE(oct_selftest_sim(&sim, test, precision, scene));
    OCT_TRY_DONE(oct_sim_bodies(&bodies, sim));
    sum_up(expected, scale, &bodies);
    for (int n = 0; n < NAMES; n++) {
        double got[3] = {0};
        OCT_TRY_DONE(oct_sim_measure_one(got, sim, names[n]));
        for (int k = 0; k < 3; k++)
            if (scale[n][k] > 0)
                error = fmax(error, fabs(got[k] - expected[n][k]) / scale[n][k]);
    }
    snprintf(name, sizeof name, "conserved sums %s", oct_precision_name(precision));
    /* Seen: 2.5e-8 in single, where the products are float; 6.4e-14 in the others. */
    oct_selftest_check(test, name, error, precision == OCT_PRECISION_SINGLE ? 1e-6 : 1e-12);
done:
    oct_bodies_clear(&bodies);
    oct_sim_free(sim);
    return status;
}

static oct_status conserved_run(oct_selftest_run *test)
{
    oct_precision precision;
    for (int p = 0; oct_selftest_precision(&precision, test, p); p++)
        if (oct_selftest_due(test, "conserved sums %s", oct_precision_name(precision)))
            OCT_TRY(compare(test, precision));
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_conserved = {
    .name = "conserved",
    .doc = "Reductions over all particles against sums on the host.",
    .run = conserved_run,
};
