/* Steps that differ from body to body, against a scalar double-precision loop. */
#include <stdio.h>

#include "selftest/oracle.h"
#include "selftest/oracle_block.h"
#include "selftest/selftest.h"

static double tolerance_of(oct_precision precision)
{
    return precision == OCT_PRECISION_DOUBLE  ? 1e-13 /* 4.7e-16 */
           : precision == OCT_PRECISION_MIXED ? 1e-7  /* 4.8e-10 */
                                              : 1e-6; /* 4.5e-8 */
}

/* Two dt of the oracle; the bodies are then as it expects them. */
static uint64_t follow(oct_oracle_block *block, oct_bodies *expected)
{
    uint64_t steps = 0;
    for (; block->now < 2 * OCT_ORACLE_BLOCK_TICKS; steps++)
        oct_oracle_block_step(block);
    for (size_t i = 0; i < block->n; i++)
        oct_oracle_block_now(expected->position + 3 * i, expected->velocity + 3 * i, block, i);
    return steps;
}

/* By accelerations; so, with all that limits steps; by potentials. */
enum { PULL, LIMITED, ESCAPE, WAYS };

static oct_status compare(oct_selftest_run *test, int way, oct_precision precision)
{
    static const char *const names[] = {"", ", symmetric, orbit, patience,",
                                        ", symmetric, escape,"};
    oct_status status;
    oct_selftest_pair pair;
    oct_oracle_block block = {0};
    oct_oracle_block_rules rules = {
        .dt = 0.125, .eta = 0.4, .length = 0.1, .levels = 8, .symmetric = way != PULL};
    char scene[OCT_SELFTEST_SCENE], name[96], section[160];
    rules.softening = 0.1;
    rules.heavy = 10 * 1.5 / 34;
    rules.orbit = way == LIMITED ? 0.004 : 0;
    rules.patience = way == LIMITED ? 0.25 : 0;
    rules.escape = way == ESCAPE;
    oct_selftest_gravity(section, &rules.softening, test, NULL);
    snprintf(scene, sizeof scene,
             "units: nbody\nmodels: [plummer: {n: 33, truncation: 4, offset: [3, 2, 1]}, "
             "cold-sphere: {n: 1, mass: 0.5, radius: 1e-3, offset: [8, 2, 1]}]\n"
             "gravity: %s\nintegrator: {method: block-leapfrog, dt: 0.125, eta: 0.4, length: 0.1, "
             "levels: 8, heavy: 10, spread: 20, symmetric: %s, orbit: %.17g, patience: %.17g, "
             "criterion: %s}\n"
             "run: {until: 1}\n",
             section, rules.symmetric ? "true" : "false", rules.orbit, rules.patience,
             rules.escape ? "escape" : "gothic");
    snprintf(name, sizeof name, "block-leapfrog%s %s", names[way], oct_precision_name(precision));
    OCT_TRY_DONE(oct_selftest_begin(&pair, test, precision, scene));
    OCT_TRY_DONE(oct_oracle_block_start(&block, &pair.expected, &rules));
    OCT_TRY_DONE(oct_selftest_check_steps(&pair, test, name, follow(&block, &pair.expected),
                                          tolerance_of(precision)));
done:
    oct_oracle_block_clear(&block);
    oct_selftest_end(&pair);
    return status;
}

static oct_status block_steps_run(oct_selftest_run *test)
{
    oct_precision precision;
    if (!oct_selftest_has(test, "integrator", "block-leapfrog"))
        return OCT_STATUS_OK;
    for (int p = 0; oct_selftest_precision(&precision, test, p); p++)
        for (int way = PULL; way < WAYS; way++)
            if (oct_selftest_due(test, "block-leapfrog %d %s", way, oct_precision_name(precision)))
                OCT_TRY(compare(test, way, precision));
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_block_steps = {
    .name = "block_steps",
    .doc = "Steps of each body's own against scalar double-precision ones.",
    .run = block_steps_run,
};
