/* Integrators that split the force of solar systems, against scalar double-precision steps. */
#include <stdio.h>

#include "selftest/oracle.h"
#include "selftest/oracle_parts.h"
#include "selftest/selftest.h"

enum { STEPS = 20 };

/* Two systems near each other and a body alone. All pairs of systems are opened, so that the far
 * pull is the exact sum, or there is none. */
static const char two_systems[] =
    "  - solar-system: {start: random, offset: [70, 0, 10]}\n"
    "  - body: {mass: 1000, offset: [100, 90, 0], velocity: [0, 0.001, 0]}\n"
    "  - solar-system: {planets: [mars, jupiter], start: random, velocity: [0.004, 0, 0.003]}\n";
/* Systems that are too large for bursts. */
static const char large_systems[] =
    "  - galaxy-of-systems: {systems: 2, bodies: 70, black_hole: free, distance: 900 AU}\n";
static const char scene_format[] = "units: solar\n"
                                   "models:\n%s"
                                   "gravity: {method: systems, opening: 1e-6, far: %s}\n"
                                   "integrator: {method: %s, dt: 7%s}\nrun: {until: 1 yr}\n";

static double tolerance_of(oct_precision precision)
{
    return precision == OCT_PRECISION_DOUBLE  ? 1e-12 /* 4.7e-14 */
           : precision == OCT_PRECISION_MIXED ? 1e-6  /* 2.6e-8 */
                                              : 2e-5; /* 7.7e-7 */
}

static oct_status compare(oct_selftest_run *test, oct_oracle_parts step, const char *fields,
                          const char *models, oct_precision precision)
{
    oct_status status;
    oct_selftest_pair pair;
    char scene[1024], name[96];
    snprintf(scene, sizeof scene, scene_format, models, step.alone ? "none" : "systems",
             step.integrator, step.alone ? "" : fields);
    snprintf(name, sizeof name, "%s%s %s", step.integrator, fields, oct_precision_name(precision));
    OCT_TRY_DONE(oct_selftest_begin(&pair, test, precision, scene));
    step.G = oct_sim_units(pair.sim)->G;
    step.dt = oct_sim_dt(pair.sim);
    for (int i = 0; i < STEPS; i++)
        OCT_TRY_DONE(oct_oracle_parts_step(&pair.expected, &step));
    OCT_TRY_DONE(oct_selftest_check_steps(&pair, test, name, STEPS, tolerance_of(precision)));
done:
    oct_selftest_end(&pair);
    return status;
}

static oct_status parts_run(oct_selftest_run *test)
{
    static const struct {
        oct_oracle_parts step;
        const char *fields, *models;
    } variants[] = {{{.integrator = "wh"}, "", two_systems},
                    {{.integrator = "wh", .alone = true}, ", systems alone", two_systems},
                    {{.integrator = "wh", .alone = true}, ", large systems", large_systems},
                    {{.integrator = "respa", .substeps = 5}, ", substeps: 5", two_systems},
                    {{.integrator = "respa", .substeps = 4}, ", substeps: 4", two_systems},
                    {{.integrator = "two-rate", .substeps = 4}, ", substeps: 4", two_systems},
                    {{.integrator = "two-rate", .substeps = 4, .euler = true},
                     ", substeps: 4, inner: explicit",
                     two_systems}};
    oct_precision precision;
    for (int p = 0; oct_selftest_precision(&precision, test, p); p++)
        for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
            const char *name = variants[i].step.integrator;
            bool wh = i < 3;
            if ((wh && precision == OCT_PRECISION_SINGLE) ||
                !oct_selftest_has(test, "integrator", name))
                continue;
            if (oct_selftest_due(test, "%s%s %s", name, variants[i].fields,
                                 oct_precision_name(precision)))
                OCT_TRY(compare(test, variants[i].step, variants[i].fields, variants[i].models,
                                precision));
        }
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_parts = {
    .name = "parts",
    .doc = "Integrators that split the force of solar systems against scalar ones.",
    .run = parts_run,
};
