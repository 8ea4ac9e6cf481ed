/* Tree gravity in every precision against the scalar sum: with cells that are accepted, to the
 * error of the expansion; with an opening angle that accepts almost none, to round-off. */
#include <stdio.h>

#include "selftest/oracle.h"
#include "selftest/selftest.h"

typedef struct variant {
    const char *order;
    double theta, softening;
    double tolerance; /* of the expansion; 0: round-off, as the precision has it */
} variant;

/* Largest relative errors over 1500 particles; beside each, the largest seen on PoCL. */
static const variant variants[] = {
    {"quadrupole", 0.5, 0.02, 2e-2}, /* 6.1e-3 */
    {"quadrupole", 0.5, 0, 2e-2},    /* 7.3e-3 */
    {"monopole", 0.5, 0.02, 6e-2},   /* 1.7e-2 */
    {"monopole", 0.5, 0, 6e-2},      /* 1.9e-2 */
    {"quadrupole", 0.02, 0.02, 0},   {"quadrupole", 0.02, 0, 0}, {"monopole", 0.02, 0.02, 0},
};

/* Largest at particles whose neighbours pull in opposite directions. */
static double round_off(oct_precision precision)
{
    return precision == OCT_PRECISION_DOUBLE  ? 1e-12 /* 2.2e-14 */
           : precision == OCT_PRECISION_MIXED ? 1e-4  /* 1.9e-5 */
                                              : 2e-4; /* 3.3e-5 */
}

static oct_status compare(oct_selftest_run *test, const variant *v, oct_precision precision)
{
    oct_status status;
    oct_selftest_pair pair;
    const oct_oracle_gravity gravity = {.G = 1, .softening = v->softening};
    char scene[512], name[96];
    /* 1500 is no multiple of a group, and the last group is not full. */
    snprintf(scene, sizeof scene,
             "units: nbody\nmodels: [plummer: {n: 1500}]\n"
             "gravity: {method: tree, theta: %g, order: %s, softening: %g}\n"
             "integrator: {dt: 0.01}\nrun: {until: 1}\n",
             v->theta, v->order, v->softening);
    snprintf(name, sizeof name, "tree %s, %s, theta %g%s", oct_precision_name(precision), v->order,
             v->theta, v->softening > 0 ? ", softened" : "");
    OCT_TRY_DONE(oct_selftest_begin(&pair, test, precision, scene));
    OCT_TRY_DONE(oct_selftest_step(&pair, 0));
    oct_oracle_forces(&pair.expected, &gravity);
    double error = oct_oracle_forces_error(&pair.got, &pair.expected);
    oct_selftest_check(test, name, error, v->tolerance > 0 ? v->tolerance : round_off(precision));
done:
    oct_selftest_end(&pair);
    return status;
}

static oct_status tree_run(oct_selftest_run *test)
{
    oct_precision precision;
    for (int p = 0; oct_selftest_precision(&precision, test, p); p++)
        for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
            OCT_TRY(compare(test, &variants[i], precision));
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_tree = {
    .name = "tree",
    .doc = "Tree gravity against a scalar double-precision sum.",
    .run = tree_run,
};
