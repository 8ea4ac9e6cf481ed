/* Kick, drift and the integrators made of them, against scalar double-precision steps. */
#include <stdio.h>
#include <string.h>

#include "selftest/oracle.h"
#include "selftest/selftest.h"

enum { STEPS = 50 };

typedef struct variant {
    const char *name, *fields, *integrator;
} variant;

static const variant variants[] = {{"leapfrog", ", bursts: false", "leapfrog"},
                                   {"leapfrog, many at once", "", "leapfrog"},
                                   {"euler", "", "euler"},
                                   {"symplectic-euler", "", "symplectic-euler"}};

static double tolerance_of(oct_precision precision)
{
    return precision == OCT_PRECISION_DOUBLE  ? 1e-13 /* 1.4e-16 */
           : precision == OCT_PRECISION_MIXED ? 1e-7  /* 1.4e-9 */
                                              : 1e-6; /* 4.5e-8 */
}

static oct_status compare(oct_selftest_run *test, const variant *v, oct_precision precision)
{
    oct_status status;
    oct_selftest_pair pair;
    oct_oracle_gravity gravity = {.G = 1, .softening = 0.1};
    char scene[OCT_SELFTEST_SCENE], name[96], section[160];
    oct_selftest_gravity(section, &gravity.softening, test, NULL);
    snprintf(scene, sizeof scene,
             "units: nbody\nmodels: [plummer: {n: 33, truncation: 4, offset: [3, 2, 1]}]\n"
             "gravity: %s\n"
             "integrator: {method: %s, dt: 0.01%s}\nrun: {until: 1}\n",
             section, v->integrator, v->fields);
    snprintf(name, sizeof name, "%s %s", v->name, oct_precision_name(precision));
    OCT_TRY_DONE(oct_selftest_begin(&pair, test, precision, scene));
    for (int i = 0; i < STEPS; i++)
        oct_oracle_step(&pair.expected, &gravity, v->integrator, 0.01);
    OCT_TRY_DONE(oct_selftest_check_steps(&pair, test, name, STEPS, tolerance_of(precision)));
done:
    oct_selftest_end(&pair);
    return status;
}

/* The kicks of a rotating frame are those of a frame at rest; with gravity they are tested there.
 */
static bool wanted(const oct_selftest_run *test, const variant *v)
{
    if (!test->setup)
        return true;
    if (strcmp(v->integrator, "leapfrog") == 0 && oct_selftest_leaps(test))
        return strcmp(v->name, "leapfrog") != 0;
    return (strcmp(v->name, v->integrator) == 0 &&
            oct_selftest_has(test, "integrator", v->integrator)) ||
           (strcmp(v->name, "leapfrog") == 0 && oct_selftest_has(test, "integrator", "sei") &&
            oct_selftest_has(test, "gravity", "none"));
}

static oct_status integrators_run(oct_selftest_run *test)
{
    oct_precision precision;
    for (int p = 0; oct_selftest_precision(&precision, test, p); p++)
        for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
            if (wanted(test, &variants[i]) &&
                oct_selftest_due(test, "%s %s", variants[i].name, oct_precision_name(precision)))
                OCT_TRY(compare(test, &variants[i], precision));
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_integrators = {
    .name = "integrators",
    .doc = "Steps of every integrator against scalar double-precision ones.",
    .cost = 37,
    .run = integrators_run,
};
