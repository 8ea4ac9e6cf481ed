/* Tree gravity in every precision against the scalar sum: with cells that are accepted, to the
 * error of the expansion; with an opening angle that accepts almost none, to round-off; by the
 * relative criterion, with cells that are far from whole groups; with all boxes of groups. */
#include <stdio.h>
#include <string.h>

#include "selftest/oracle.h"
#include "selftest/selftest.h"

typedef struct variant {
    const char *order;
    double theta, softening;
    double tolerance; /* of the expansion; 0: round-off, as the precision has it */
    const char *criterion;
} variant;

/* Largest relative errors over 1500 particles; beside each, the largest seen on PoCL. */
static const variant variants[] = {
    {"quadrupole", 0.5, 0.02, 2e-2, "offset"}, /* 6.1e-3 */
    {"quadrupole", 0.5, 0, 2e-2, "offset"},    /* 7.3e-3 */
    {"monopole", 0.5, 0.02, 6e-2, "offset"},   /* 1.7e-2 */
    {"monopole", 0.5, 0, 6e-2, "offset"},      /* 1.9e-2 */
    {"quadrupole", 0.02, 0.02, 0, "offset"},
    {"quadrupole", 0.02, 0, 0, "offset"},
    {"monopole", 0.02, 0.02, 0, "offset"},
    {"quadrupole", 0.5, 0.02, 2e-2, "relative"}, /* 7.2e-3 */
    {"quadrupole", 0.5, 0, 2e-2, "relative"},    /* 7.3e-3 */
    {"monopole", 0.5, 0, 1e-1, "relative"},      /* 1.4e-2 */
    {"octupole", 0.5, 0.02, 2e-2, "offset"},
    {"octupole", 0.5, 0, 2e-2, "offset"},
    {"octupole", 0.02, 0.02, 0, "offset"},
    {"octupole", 0.5, 0.02, 2e-2, "relative"},
};

enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* Largest at particles whose neighbours pull in opposite directions. */
static double round_off(oct_precision precision)
{
    return precision == OCT_PRECISION_DOUBLE  ? 1e-12 /* 2.2e-14 */
           : precision == OCT_PRECISION_MIXED ? 1e-4  /* 1.9e-5 */
                                              : 2e-4; /* 3.3e-5 */
}

static bool is_relative(const variant *v)
{
    return strcmp(v->criterion, "relative") == 0;
}

/* Variants with one kind of boxes come before those with the next. */
static void write_scene(char *out, size_t index)
{
    const variant *v = &variants[index % VARIANTS];
    /* 1500 is no multiple of a group, and the last group is not full. */
    snprintf(out, OCT_SELFTEST_SCENE,
             "units: nbody\nmodels: [plummer: {n: 1500}]\n"
             "gravity: {method: tree, theta: %g, order: %s, softening: %g, criterion: %s, %s}\n"
             "integrator: {dt: 0.01}\nrun: {until: 1}\n",
             v->theta, v->order, v->softening, v->criterion,
             oct_selftest_box((int)(index / VARIANTS)));
}

static oct_status compare(oct_selftest_run *test, size_t index, oct_precision precision,
                          const char *name)
{
    oct_status status;
    oct_selftest_pair pair;
    const variant *v = &variants[index % VARIANTS];
    const oct_oracle_gravity gravity = {.G = 1, .softening = v->softening};
    char scene[OCT_SELFTEST_SCENE];
    write_scene(scene, index);
    OCT_TRY_DONE(oct_selftest_begin(&pair, test, precision, scene));
    /* The relative criterion goes by the forces before. */
    OCT_TRY_DONE(oct_selftest_step(&pair, is_relative(v)));
    memcpy(pair.expected.position, pair.got.position, 3 * pair.got.n * sizeof(double));
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
    size_t all = (size_t)oct_selftest_boxes(test) * VARIANTS;
    bool chosen[2 * VARIANTS];
    char name[96];
    if (oct_selftest_has_images(test))
        return OCT_STATUS_OK;
    OCT_TRY(oct_selftest_choose(chosen, all, test, "gravity", write_scene));
    for (int p = 0; oct_selftest_precision(&precision, test, p); p++)
        for (size_t i = 0; i < all; i++) {
            const variant *v = &variants[i % VARIANTS];
            snprintf(name, sizeof name, "tree %s, %s, theta %g%s%s%s",
                     oct_precision_name(precision), v->order, v->theta,
                     v->softening > 0 ? ", softened" : "", is_relative(v) ? ", relative" : "",
                     i < VARIANTS ? "" : ", coarse boxes");
            if (chosen[i] && oct_selftest_due(test, "%s", name))
                OCT_TRY(compare(test, i, precision, name));
        }
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_tree = {
    .name = "tree",
    .doc = "Tree gravity against a scalar double-precision sum.",
    .cost = 38,
    .run = tree_run,
};
