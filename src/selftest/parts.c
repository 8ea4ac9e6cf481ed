/* Integrators that split the force of solar systems, against scalar double-precision steps. */
#include <stdio.h>
#include <string.h>

#include "selftest/oracle.h"
#include "selftest/oracle_parts.h"
#include "selftest/selftest.h"

enum { STEPS = 20 };

/* Two systems near each other and a body alone. All pairs of systems are opened, so that the far
 * pull is the exact sum, or there is none. */
#define TWO_SYSTEMS                                                                                \
    "  - solar-system: {start: random, offset: [70, 0, 10]}\n"                                     \
    "  - body: {mass: 1000, offset: [100, 90, 0], velocity: [0, 0.001, 0]}\n"                      \
    "  - solar-system: {planets: [mars, jupiter], start: random, velocity: [0.004, 0, 0.003]}\n"
/* Some planets go so fast past their star that the quick way to solve Kepler's equation gives up.
 */
#define ECCENTRIC_SYSTEMS                                                                          \
    TWO_SYSTEMS                                                                                    \
    "  - galaxy-of-systems: {systems: 3, bodies: 3, eccentricity: 0.9, axis: 0.4 AU}\n"
/* Systems of few bodies: such, and one whose planets the quick way does for. */
#define SMALL_SYSTEMS                                                                              \
    "  - body: {mass: 1000, offset: [100, 90, 0], velocity: [0, 0.001, 0]}\n"                      \
    "  - solar-system: {planets: [mars, jupiter], start: random, velocity: [0.004, 0, 0.003]}\n"   \
    "  - galaxy-of-systems: {systems: 3, bodies: 3, eccentricity: 0.9, axis: 0.4 AU}\n"
/* Systems that are too large for bursts. */
#define LARGE_SYSTEMS                                                                              \
    "  - galaxy-of-systems: {systems: 2, bodies: 70, black_hole: free, distance: 900 AU}\n"

typedef struct variant {
    oct_oracle_parts step;
    const char *name, *fields, *models;
} variant;

static const variant variants[] = {
    {{.integrator = "wh"}, "", "", TWO_SYSTEMS},
    {{.integrator = "wh", .alone = true}, ", systems alone", "", ECCENTRIC_SYSTEMS},
    {{.integrator = "wh", .alone = true}, ", lanes", ", kernel: lanes", ECCENTRIC_SYSTEMS},
    {{.integrator = "wh", .alone = true}, ", tiles", ", kernel: tiles", ECCENTRIC_SYSTEMS},
    {{.integrator = "wh", .alone = true}, ", whole", ", kernel: whole", SMALL_SYSTEMS},
    {{.integrator = "wh", .alone = true}, ", large systems", "", LARGE_SYSTEMS},
    {{.integrator = "respa", .substeps = 5}, ", substeps: 5", ", substeps: 5", TWO_SYSTEMS},
    {{.integrator = "respa", .substeps = 4}, ", substeps: 4", ", substeps: 4", TWO_SYSTEMS},
    {{.integrator = "two-rate", .substeps = 4}, ", substeps: 4", ", substeps: 4", TWO_SYSTEMS},
    {{.integrator = "two-rate", .substeps = 4, .euler = true},
     ", explicit",
     ", substeps: 4, inner: explicit",
     TWO_SYSTEMS}};

enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* Without others to pull, bodies are moved in double in `mixed`, too. */
static double tolerance_of(oct_precision precision, bool alone)
{
    return alone || precision == OCT_PRECISION_DOUBLE ? 1e-12 /* 4.7e-14 */
           : precision == OCT_PRECISION_MIXED         ? 1e-6  /* 2.6e-8 */
                                                      : 2e-5;         /* 7.7e-7 */
}

static void write_scene(char *out, size_t index)
{
    const variant *v = &variants[index];
    snprintf(out, OCT_SELFTEST_SCENE,
             "units: solar\nmodels:\n%s"
             "gravity: {method: systems, opening: 1e-6, far: %s}\n"
             "integrator: {method: %s, dt: 7%s}\nrun: {until: 1 yr}\n",
             v->models, v->step.alone ? "none" : "systems", v->step.integrator, v->fields);
}

static oct_status compare(oct_selftest_run *test, size_t index, const char *name,
                          oct_precision precision)
{
    oct_status status;
    oct_selftest_pair pair;
    oct_oracle_parts step = variants[index].step;
    char scene[OCT_SELFTEST_SCENE];
    write_scene(scene, index);
    OCT_TRY_DONE(oct_selftest_begin(&pair, test, precision, scene));
    step.G = oct_sim_units(pair.sim)->G;
    step.dt = oct_sim_dt(pair.sim);
    for (int i = 0; i < STEPS; i++)
        OCT_TRY_DONE(oct_oracle_parts_step(&pair.expected, &step));
    OCT_TRY_DONE(
        oct_selftest_check_steps(&pair, test, name, STEPS, tolerance_of(precision, step.alone)));
done:
    oct_selftest_end(&pair);
    return status;
}

static oct_status parts_run(oct_selftest_run *test)
{
    oct_precision precision;
    bool chosen[VARIANTS];
    OCT_TRY(oct_selftest_choose(chosen, VARIANTS, test, "integrator", write_scene));
    for (int p = 0; oct_selftest_precision(&precision, test, p); p++)
        for (size_t i = 0; i < VARIANTS; i++) {
            const oct_oracle_parts *step = &variants[i].step;
            bool single_wh =
                strcmp(step->integrator, "wh") == 0 && precision == OCT_PRECISION_SINGLE;
            char name[96];
            snprintf(name, sizeof name, "%s%s %s", step->integrator, variants[i].name,
                     oct_precision_name(precision));
            if (chosen[i] && !single_wh && oct_selftest_due(test, "%s", name))
                OCT_TRY(compare(test, i, name, precision));
        }
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_parts = {
    .name = "parts",
    .doc = "Integrators that split the force of solar systems against scalar ones.",
    .cost = 24,
    .run = parts_run,
};
