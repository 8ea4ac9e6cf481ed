/* Free flight through the boundaries: wrapping and removal against closed formulas. */
#include <math.h>
#include <stdio.h>

#include "selftest/selftest.h"

enum { STEPS = 40 };

static const double size[3] = {3, 4, 5}, dt = 0.25;

static oct_status fly(oct_bodies *before, oct_bodies *after, oct_selftest_run *test,
                      oct_precision precision, const char *box)
{
    oct_status status;
    oct_sim *sim = NULL;
    char scene[512];
    snprintf(scene, sizeof scene,
             "units: nbody\nbox: %s\nmodels: [plummer: {n: 200, truncation: 1.2}]\n"
             "gravity: {method: none}\nintegrator: {dt: %g}\nrun: {until: 1}\n",
             box, dt);
    OCT_TRY_DONE(oct_selftest_sim(&sim, test, precision, scene));
    OCT_TRY_DONE(oct_sim_bodies(before, sim));
    OCT_TRY_DONE(oct_sim_step(sim, STEPS));
    status = oct_sim_bodies(after, sim);
done:
    oct_sim_free(sim);
    return status;
}

/* Largest distance, modulo the box, to x + v t; 1 where a particle is outside of the box. */
static double wrap_error(const oct_bodies *before, const oct_bodies *after)
{
    double worst = after->n == before->n ? 0 : 1;
    for (size_t i = 0; i < 3 * after->n; i++) {
        double side = size[i % 3], x = after->position[i];
        double d = x - before->position[i] - before->velocity[i] * (STEPS * dt);
        double error = x >= -side / 2 && x < side / 2 ? fabs(d - side * rint(d / side)) : 1;
        worst = fmax(worst, error);
    }
    return worst;
}

/* Particles that should have gone, or stayed, but did not. */
static double removal_error(const oct_bodies *before, const oct_bodies *after, double radius)
{
    size_t kept = 0;
    double wrong = 0;
    for (size_t i = 0; i < before->n; i++) {
        bool gone = false;
        for (int s = 1; s <= STEPS && !gone; s++) {
            double r2 = 0;
            for (size_t k = 3 * i; k < 3 * i + 3; k++)
                r2 += pow(before->position[k] + before->velocity[k] * (s * dt), 2);
            gone = r2 > radius * radius;
        }
        bool there = kept < after->n && after->id[kept] == before->id[i];
        wrong += gone == there;
        kept += there;
    }
    return wrong;
}

static oct_status check_wrap(oct_selftest_run *test, oct_precision precision)
{
    oct_status status;
    oct_bodies before = {0}, after = {0};
    char name[96];
    OCT_TRY_DONE(fly(&before, &after, test, precision, "{boundary: periodic, size: [3, 4, 5]}"));
    snprintf(name, sizeof name, "periodic wrap %s", oct_precision_name(precision));
    /* Seen: 1.2e-7 in single, 3.6e-15 in the others. */
    oct_selftest_check(test, name, wrap_error(&before, &after),
                       precision == OCT_PRECISION_SINGLE ? 1e-5 : 1e-13);
done:
    oct_bodies_clear(&before);
    oct_bodies_clear(&after);
    return status;
}

static oct_status check_removal(oct_selftest_run *test, oct_precision precision)
{
    oct_status status;
    oct_bodies before = {0}, after = {0};
    char name[96];
    OCT_TRY_DONE(fly(&before, &after, test, precision, "{boundary: open, removal_radius: 3}"));
    snprintf(name, sizeof name, "removal %s", oct_precision_name(precision));
    oct_selftest_check(test, name, removal_error(&before, &after, 3), 0);
done:
    oct_bodies_clear(&before);
    oct_bodies_clear(&after);
    return status;
}

static oct_status boundaries_run(oct_selftest_run *test)
{
    oct_precision precision;
    for (int p = 0; oct_selftest_precision(&precision, test, p); p++) {
        const char *name = oct_precision_name(precision);
        if (oct_selftest_has(test, "boundary", "periodic") &&
            oct_selftest_due(test, "periodic wrap %s", name))
            OCT_TRY(check_wrap(test, precision));
        if ((!test->setup || oct_selftest_removes(test->setup)) &&
            oct_selftest_due(test, "removal %s", name))
            OCT_TRY(check_removal(test, precision));
    }
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_boundaries = {
    .name = "boundaries",
    .doc = "Wrapping and removal of particles in free flight.",
    .cost = 10,
    .run = boundaries_run,
};
