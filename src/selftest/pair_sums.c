/* Sums of a user's function over pairs, all of them and those within a range, against scalar
 * loops. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "selftest/oracle.h"
#include "selftest/selftest.h"

typedef struct variant {
    const char *name, *range;
    double bound;
} variant;

static const variant variants[] = {{"all pairs", "", INFINITY}, {"range", "range: 0.7, ", 0.7}};

enum { VARIANTS = sizeof variants / sizeof variants[0] };

#define SOFTENING 0.02

static bool has_pairs(const oct_setup *setup)
{
    for (size_t i = 0; setup && i < setup->n_forces; i++)
        if (strcmp(setup->forces[i].module->name, "pair") == 0)
            return true;
    return !setup;
}

static void write_scene(char *out, const variant *v)
{
    snprintf(out, OCT_SELFTEST_SCENE,
             "units: nbody\ncolumns: {charge: {default: 3}}\n"
             "models: [plummer: {n: 333, truncation: 3.5}]\ngravity: {method: none}\n"
             "forces: [pair: {%sparameters: {softening: %g}, code: '"
             "void octant_pair(octant_sum *sum, octant_body i, octant_body j, octant_gap gap, "
             "constant octant_parameters *parameters)"
             "{ real eps = parameters->softening, w = rsqrt(gap.r2 + eps * eps);"
             "sum->acceleration += i.charge * j.mass * w * w * w * gap.d; }'}]\n"
             "integrator: {dt: 0.01}\nrun: {until: 1}\n",
             v->range, SOFTENING);
}

static void add_pair(oct_bodies *b, size_t i, size_t j, double bound)
{
    double d[3], r2 = 0;
    for (size_t k = 0; k < 3; k++) {
        d[k] = b->position[3 * j + k] - b->position[3 * i + k];
        r2 += d[k] * d[k];
    }
    if (i == j || r2 >= bound * bound)
        return;
    for (size_t k = 0; k < 3; k++)
        b->acceleration[3 * i + k] += 3 * b->mass[j] * d[k] / pow(r2 + SOFTENING * SOFTENING, 1.5);
}

static oct_status compare(oct_selftest_run *test, const variant *v, oct_precision precision)
{
    oct_status status;
    oct_selftest_pair pair;
    char scene[OCT_SELFTEST_SCENE], name[96];
    write_scene(scene, v);
    snprintf(name, sizeof name, "pair %s, %s", oct_precision_name(precision), v->name);
    OCT_TRY_DONE(oct_selftest_begin(&pair, test, precision, scene));
    OCT_TRY_DONE(oct_selftest_step(&pair, 0));
    oct_bodies *exact = &pair.expected;
    memset(exact->acceleration, 0, 3 * exact->n * sizeof *exact->acceleration);
    for (size_t i = 0; i < exact->n; i++)
        for (size_t j = 0; j < exact->n; j++)
            add_pair(exact, i, j, v->bound);
    double error = oct_oracle_vector_error(pair.got.acceleration, exact->acceleration, exact->n);
    /* Seen: 8.0e-7 and 2.1e-15. */
    oct_selftest_check(test, name, error, precision == OCT_PRECISION_SINGLE ? 2e-5 : 1e-12);
done:
    oct_selftest_end(&pair);
    return status;
}

static oct_status pair_run(oct_selftest_run *test)
{
    oct_precision precision;
    for (int p = 0; has_pairs(test->setup) && oct_selftest_precision(&precision, test, p); p++)
        for (size_t i = 0; i < VARIANTS; i++)
            if (oct_selftest_due(test, "pair %s, %s", oct_precision_name(precision),
                                 variants[i].name))
                OCT_TRY(compare(test, &variants[i], precision));
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_pair_sums = {
    .name = "pair",
    .doc = "Sums of a user's function over pairs against scalar double-precision loops.",
    .cost = 20,
    .run = pair_run,
};
