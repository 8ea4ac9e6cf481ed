/* Gravity of bodies with softenings of their own against the scalar sum: kernels that are built for
 * simulations that have such bodies, and for no others. */
#include <stdio.h>
#include <string.h>

#include "selftest/oracle.h"
#include "selftest/selftest.h"

typedef struct variant {
    const char *name, *gravity;
    double tolerance; /* of an expansion; 0: round-off, as the precision has it */
    double box;       /* the side of a periodic one; 0: open */
} variant;

/* Largest relative errors; beside each, the largest seen on PoCL. */
static const variant variants[] = {
    {"direct", "direct", 0, 0},
    {"direct, tiles", "direct, kernel: tiles", 0, 0},
    {"direct, lanes", "direct, kernel: lanes", 0, 0},
    {"direct, portable", "direct, kernel: portable", 0, 0},
    {"direct, periodic", "direct", 1e-3, 20},                         /* 3.1e-5 */
    {"tree, periodic", "tree", 5e-2, 20},                             /* 1.1e-2 */
    {"tree", "tree", 2e-2, 0},                                        /* 8.9e-4 */
    {"tree, monopole", "tree, order: monopole", 6e-2, 0},             /* 3.9e-3 */
    {"tree, relative", "tree, criterion: relative", 2e-2, 0},         /* 2.1e-3 */
    {"tree, geometric", "tree, criterion: geometric", 2e-2, 0},       /* 4.8e-4 */
    {"tree, min-distance", "tree, criterion: min-distance", 2e-2, 0}, /* 1.4e-3 */
};

enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* As of direct sums with one softening; the largest seen on PoCL: 1.1e-14, 4.3e-7, 1e-5. */
static double round_off(oct_precision precision)
{
    return precision == OCT_PRECISION_DOUBLE  ? 1e-12
           : precision == OCT_PRECISION_MIXED ? 1e-5
                                              : 1e-4;
}

static bool is_tree(const variant *v)
{
    return strncmp(v->gravity, "tree", 4) == 0;
}

/* Variants with one kind of boxes come before those with the next. */
static void write_scene(char *out, size_t index)
{
    const variant *v = &variants[index % VARIANTS];
    bool tree = is_tree(v);
    /* Components that lie in each other, so that cells and groups have bodies of both; a third
     * without a softening of its own. */
    snprintf(out, OCT_SELFTEST_SCENE,
             "units: nbody\nmodels:\n  - plummer: {n: %d, softening: 0.2}\n"
             "  - plummer: {n: %d, mass: 0.3, scale: 0.3, softening: 0.01, offset: [0.2, 0, 0]}\n"
             "  - body: {mass: 0.1, offset: [0.1, 0.1, 0]}\n"
             "box: {boundary: %s}\ngravity: {method: %s, softening: 0.05%s%s}\n"
             "integrator: {dt: 0.001}\nrun: {until: 1}\n",
             tree ? 1000 : 333, tree ? 500 : 150,
             v->box > 0 ? "periodic, size: [20, 20, 20]" : "open", v->gravity, tree ? ", " : "",
             tree ? oct_selftest_box((int)(index / VARIANTS)) : "");
}

static oct_status compare(oct_selftest_run *test, size_t index, oct_precision precision,
                          const char *name)
{
    oct_status status;
    oct_selftest_pair pair;
    const variant *v = &variants[index % VARIANTS];
    char scene[OCT_SELFTEST_SCENE];
    write_scene(scene, index);
    OCT_TRY_DONE(oct_selftest_begin(&pair, test, precision, scene));
    /* The relative criterion goes by the forces before. */
    OCT_TRY_DONE(oct_selftest_step(&pair, strstr(v->gravity, "relative") != NULL));
    memcpy(pair.expected.position, pair.got.position, 3 * pair.got.n * sizeof(double));
    const oct_oracle_gravity gravity = {1, 0.05, {v->box, v->box, v->box}, {0}, 0};
    (v->box > 0 ? oct_oracle_ewald : oct_oracle_forces)(&pair.expected, &gravity);
    double error = oct_oracle_forces_error(&pair.got, &pair.expected);
    oct_selftest_check(test, name, error, v->tolerance > 0 ? v->tolerance : round_off(precision));
done:
    oct_selftest_end(&pair);
    return status;
}

static oct_status softening_run(oct_selftest_run *test)
{
    oct_precision precision;
    size_t all = (size_t)oct_selftest_boxes(test) * VARIANTS;
    bool chosen[2 * VARIANTS];
    char name[96];
    if ((test->setup || test->used) && !test->softened)
        return OCT_STATUS_OK;
    OCT_TRY(oct_selftest_choose(chosen, all, test, "gravity", write_scene));
    for (int p = 0; oct_selftest_precision(&precision, test, p); p++)
        for (size_t i = 0; i < all; i++) {
            const variant *v = &variants[i % VARIANTS];
            bool again = i >= VARIANTS;
            snprintf(name, sizeof name, "softenings %s, %s%s", oct_precision_name(precision),
                     v->name, again ? ", coarse boxes" : "");
            if (chosen[i] && (!again || is_tree(v)) && oct_selftest_due(test, "%s", name))
                OCT_TRY(compare(test, i, precision, name));
        }
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_softening = {
    .name = "softening",
    .doc = "Gravity of bodies with softenings of their own against a scalar double-precision sum.",
    .run = softening_run,
};
