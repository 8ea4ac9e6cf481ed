/* Gravity across the faces of a box, by the scene's own method: images, and what is beyond them. In
 * a sheared box also a step that kicks. */
#include <stdio.h>

#include "selftest/oracle_sheet.h"
#include "selftest/selftest.h"

#define SHEET   "shear, size: [5, 4, 6], omega: 0.7"
#define LATTICE "periodic, size: [5, 4, 6]"
#define DT      0.3

/* Half an epicycle, a kick with all forces, half an epicycle. */
static void step_sheet(oct_bodies *b, oct_oracle_gravity *gravity, const oct_oracle_sheet *sheet)
{
    oct_oracle_epicycle(b, sheet, DT / 2);
    gravity->lag = oct_oracle_lag(sheet, DT / 2);
    oct_oracle_forces(b, gravity);
    oct_oracle_beyond(b, gravity);
    for (size_t k = 0; k < 3 * b->n; k++)
        b->velocity[k] += DT * b->acceleration[k];
    oct_oracle_epicycle(b, sheet, DT / 2);
}

static oct_status compare(oct_selftest_run *test, oct_precision precision, bool sheared,
                          const char *boxes, const char *name)
{
    oct_status status;
    oct_selftest_pair pair;
    oct_oracle_gravity exact = {
        .G = 1, .softening = 0.05, .size = {5, 4, 6}, .ghosts = {sheared, sheared, 0}};
    const oct_oracle_sheet sheet = {.size = {5, 4, 6}, .omega = 0.7, .omega_z = 0.7};
    char gravity[160], scene[OCT_SELFTEST_SCENE];
    oct_selftest_gravity(gravity, &exact.softening, test, boxes);
    snprintf(scene, sizeof scene,
             "units: nbody\nbox: {boundary: %s}\nmodels: [uniform-sphere: {n: 100, radius: 1.7}]\n"
             "gravity: %s\nintegrator: {method: %s, dt: %g}\nrun: {until: 1}\n",
             sheared ? SHEET : LATTICE, gravity, sheared ? "sei" : "leapfrog", DT);
    OCT_TRY_DONE(oct_selftest_begin(&pair, test, precision, scene));
    OCT_TRY_DONE(oct_selftest_step(&pair, 1));
    if (sheared) {
        step_sheet(&pair.expected, &exact, &sheet);
        /* Seen: 5.3e-6. */
        oct_selftest_check(test, name,
                           oct_oracle_sheet_error(&pair.got, &pair.expected, &sheet, DT), 1e-3);
    }
    OCT_TRY_DONE(oct_sim_bodies(&pair.expected, pair.sim));
    if (sheared) {
        exact.lag = oct_oracle_lag(&sheet, oct_sim_time(pair.sim));
        oct_oracle_forces(&pair.expected, &exact);
        oct_oracle_beyond(&pair.expected, &exact);
    } else {
        oct_oracle_ewald(&pair.expected, &exact);
    }
    double error =
        oct_oracle_vector_error(pair.got.acceleration, pair.expected.acceleration, pair.got.n);
    /* Seen in all precisions: 7.0e-5, and 4.6e-5 in a periodic box. */
    oct_selftest_check(test, name, error, 1e-3);
done:
    oct_selftest_end(&pair);
    return status;
}

static oct_status beyond_run(oct_selftest_run *test)
{
    oct_precision precision;
    char name[96];
    bool pulls = !test->setup || !oct_selftest_has(test, "gravity", "none");
    bool tree = test->setup && oct_selftest_has(test, "gravity", "tree");
    int kinds = tree ? oct_selftest_boxes(test) : 1;
    for (int p = 0; pulls && oct_selftest_precision(&precision, test, p); p++)
        for (int i = 0; i < 2 * kinds; i++) {
            bool sheared = i % 2;
            snprintf(name, sizeof name, "beyond the images of a %s box, %s%s",
                     sheared ? "sheared" : "periodic", oct_precision_name(precision),
                     i < 2 ? "" : ", coarse boxes");
            if (oct_selftest_has(test, "boundary", sheared ? "shear" : "periodic") &&
                oct_selftest_due(test, "%s", name))
                OCT_TRY(compare(test, precision, sheared, oct_selftest_box(i / 2), name));
        }
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_beyond = {
    .name = "beyond",
    .doc = "Gravity of images and of what is beyond them against scalar sums.",
    .cost = 44,
    .run = beyond_run,
};
