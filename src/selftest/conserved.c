/* Reductions: the conserved quantities against sums on the host. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/diagnose.h"
#include "selftest/oracle.h"
#include "selftest/selftest.h"

static const char *const names[] = {"mass",     "kinetic",          "potential",
                                    "momentum", "angular_momentum", "centre"};
enum { NAMES = sizeof names / sizeof names[0] };

/* The potential of one body from all others; G is 1. */
static double potential_of(const oct_bodies *b, size_t i, double softening)
{
    double sum = 0;
    for (size_t j = 0; j < b->n; j++) {
        double r2 = softening * softening;
        for (size_t k = 0; k < 3; k++)
            r2 += pow(b->position[3 * j + k] - b->position[3 * i + k], 2);
        sum -= j == i ? 0 : b->mass[j] / sqrt(r2);
    }
    return sum;
}

/* A patch of a disk, which goes round with it, so that spins are seen without its own. */
#define PATCH                                                                                      \
    "box: {boundary: shear, size: [400, 400, 400], omega: 0.7}\noutput: {wake_scale: 50}\n"
static const double omega = 0.7;

/* Sums in the order of `names`, and beside them sums of absolute values to measure errors by.
 * Potentials are those of the forces, or of pairs where `pairs` are summed. */
static void sum_up(double (*out)[3], double (*scale)[3], const oct_bodies *b, double softening,
                   bool pairs, double turning)
{
    for (size_t i = 0; i < b->n; i++) {
        const double *x = &b->position[3 * i], *v = &b->velocity[3 * i], m = b->mass[i];
        const double *spin = &b->spin[3 * i], moment = 0.4 * m * b->radius[i] * b->radius[i];
        const double w[3] = {spin[0], spin[1], spin[2] - turning};
        double potential = pairs ? potential_of(b, i, softening) : b->potential[i];
        const double values[NAMES][3] = {
            {m},
            {m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 +
             moment * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / 2},
            {m * potential / 2},
            {m * v[0], m * v[1], m * v[2]},
            {m * (x[1] * v[2] - x[2] * v[1]) + moment * w[0],
             m * (x[2] * v[0] - x[0] * v[2]) + moment * w[1],
             m * (x[0] * v[1] - x[1] * v[0]) + moment * w[2]},
            {m * x[0], m * x[1], m * x[2]},
        };
        for (int n = 0; n < NAMES; n++)
            for (int k = 0; k < 3; k++) {
                out[n][k] += values[n][k];
                scale[n][k] += fabs(values[n][k]);
            }
    }
}

/* Spins that weigh as much as the motion. */
static oct_status spin_bodies(oct_bodies *bodies, oct_sim *sim)
{
    OCT_TRY(oct_sim_bodies(bodies, sim));
    for (size_t i = 0; i < bodies->n; i++) {
        bodies->radius[i] = 0.1;
        for (size_t k = 0; k < 3; k++)
            bodies->spin[3 * i + k] = 10 * bodies->velocity[3 * i + (k + 1) % 3];
    }
    OCT_TRY(oct_sim_set_bodies(sim, bodies));
    return oct_sim_bodies(bodies, sim);
}

static oct_status compare(oct_selftest_run *test, oct_precision precision)
{
    oct_status status;
    oct_sim *sim = NULL;
    oct_bodies bodies = {0};
    double expected[NAMES][3] = {{0}}, scale[NAMES][3] = {{0}}, error = 0;
    bool patch = test->setup && oct_selftest_has(test, "boundary", "shear");
    double softening = 0.02, *values = NULL;
    char name[96], gravity[160], scene[OCT_SELFTEST_SCENE];
    oct_selftest_gravity(gravity, &softening, test, NULL);
    snprintf(scene, sizeof scene,
             "units: nbody\n%smodels: [plummer: {n: 1500, offset: [1, 2, 3], "
             "velocity: [0.1, 0.2, 0.3]}]\ngravity: %s\nintegrator: {method: %s, dt: 0.01}\n"
             "run: {until: 1}\n",
             patch ? PATCH : "", gravity, patch ? "sei" : "leapfrog");
    OCT_TRY_DONE(oct_selftest_sim(&sim, test, precision, scene));
    OCT_TRY_DONE(spin_bodies(&bodies, sim));
    sum_up(expected, scale, &bodies, softening, !patch && precision != OCT_PRECISION_SINGLE,
           patch ? omega : 0);
    OCT_TRY_DONE(oct_alloc(&values, sim->n_values, sizeof *values, "measurements"));
    OCT_TRY_DONE(oct_sim_measure(values, sim));
    for (int n = 0; n < NAMES; n++) {
        const double *got = oct_diagnose_value(sim, values, names[n]);
        for (int k = 0; k < 3; k++)
            if (scale[n][k] > 0)
                error = oct_oracle_worse(error, fabs(got[k] - expected[n][k]) / scale[n][k]);
    }
    snprintf(name, sizeof name, "conserved sums %s", oct_precision_name(precision));
    /* Seen: 2.5e-8 in single, where the products are float; 6.4e-14 in the others. */
    oct_selftest_check(test, name, error, precision == OCT_PRECISION_SINGLE ? 1e-6 : 1e-12);
done:
    free(values);
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
    .cost = 44,
    .run = conserved_run,
};
