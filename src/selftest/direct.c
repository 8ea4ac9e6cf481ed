/* Direct gravity: every kernel variant in every precision against the scalar sum. */
#include <stdio.h>

#include "selftest/oracle.h"
#include "selftest/selftest.h"

typedef struct variant {
    const char *name, *kernel, *softening, *box;
    oct_oracle_gravity gravity;
} variant;

#define OPEN     "{boundary: open}"
#define PERIODIC "{boundary: periodic, size: [8, 9, 10]}"

/* Those with kernel auto are what a device uses by itself. */
static const variant variants[] = {
    {"softened", "auto", "0.02", OPEN, {.G = 1, .softening = 0.02}},
    {"no softening", "auto", "0", OPEN, {.G = 1}},
    {"periodic", "auto", "0.02", PERIODIC, {1, 0.02, {8, 9, 10}, {0}, 0}},
    {"tiles", "tiles", "0.02", PERIODIC, {1, 0.02, {8, 9, 10}, {0}, 0}},
    {"tiles, no softening", "tiles", "0", OPEN, {.G = 1}},
    {"lanes", "lanes", "0.02", PERIODIC, {1, 0.02, {8, 9, 10}, {0}, 0}},
    {"lanes, no softening", "lanes", "0", OPEN, {.G = 1}},
    {"portable lanes", "portable", "0.02", OPEN, {.G = 1, .softening = 0.02}},
    {"portable lanes, no softening", "portable", "0", OPEN, {.G = 1}},
};

enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* Largest relative errors over 333 particles; beside each, the largest seen on PoCL and an H200. */
static double tolerance_of(oct_precision precision, bool periodic)
{
    /* Far images come as a series. */
    if (periodic)
        return precision == OCT_PRECISION_DOUBLE ? 1e-5 : 1e-4;
    return precision == OCT_PRECISION_DOUBLE  ? 1e-12 /* 1e-14 */
           : precision == OCT_PRECISION_MIXED ? 1e-5  /* 1.2e-6 */
                                              : 1e-4; /* 8e-6 */
}

static void write_scene(char *out, size_t index)
{
    const variant *v = &variants[index];
    /* 333 is no multiple of any tile, and the box is smaller than the cluster. */
    snprintf(out, OCT_SELFTEST_SCENE,
             "units: nbody\nbox: %s\nmodels: [plummer: {n: 333, truncation: 3.5}]\n"
             "gravity: {method: direct, kernel: %s, softening: %s}\n"
             "integrator: {dt: 0.01}\nrun: {until: 1}\n",
             v->box, v->kernel, v->softening);
}

static oct_status compare(oct_selftest_run *test, size_t index, oct_precision precision)
{
    oct_status status;
    oct_selftest_pair pair;
    const variant *v = &variants[index];
    char scene[OCT_SELFTEST_SCENE], name[96];
    write_scene(scene, index);
    snprintf(name, sizeof name, "direct %s, %s", oct_precision_name(precision), v->name);
    OCT_TRY_DONE(oct_selftest_begin(&pair, test, precision, scene));
    OCT_TRY_DONE(oct_selftest_step(&pair, 0));
    bool periodic = v->gravity.size[0] > 0;
    (periodic ? oct_oracle_ewald : oct_oracle_forces)(&pair.expected, &v->gravity);
    double error = oct_oracle_forces_error(&pair.got, &pair.expected);
    oct_selftest_check(test, name, error, tolerance_of(precision, periodic));
done:
    oct_selftest_end(&pair);
    return status;
}

static oct_status direct_run(oct_selftest_run *test)
{
    oct_precision precision;
    bool chosen[VARIANTS];
    if (oct_selftest_has_images(test))
        return OCT_STATUS_OK;
    OCT_TRY(oct_selftest_choose(chosen, VARIANTS, test, "gravity", write_scene));
    for (int p = 0; oct_selftest_precision(&precision, test, p); p++)
        for (size_t i = 0; i < VARIANTS; i++)
            if (chosen[i] && oct_selftest_due(test, "direct %s, %s", oct_precision_name(precision),
                                              variants[i].name))
                OCT_TRY(compare(test, i, precision));
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_direct = {
    .name = "direct",
    .doc = "Direct gravity against a scalar double-precision sum.",
    .cost = 15,
    .run = direct_run,
};
