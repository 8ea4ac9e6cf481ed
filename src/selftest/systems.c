/* Gravity by solar systems in every precision against the scalar sum of the same expansion, with
 * systems of one to nine bodies and a large one, some of them opened; also in a periodic box, where
 * some are across its faces. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "selftest/oracle.h"
#include "selftest/oracle_systems.h"
#include "selftest/selftest.h"
#include "util/status.h"

typedef struct variant {
    const char *name, *kernel, *fields;
    oct_oracle_systems gravity; /* with a size: in a box */
} variant;

#define BOX .size = {200, 240, 160}, .ghosts = {1, 1, 1}

/* Those with kernel auto are what a device uses by itself. */
static const variant variants[] = {
    {"quadrupole", "auto", "", {.opening = 0.5, .quadrupole = true}},
    {"monopole, softened",
     "auto",
     ", order: monopole, softening: 1 AU, packing: plain",
     {.opening = 0.5, .softening = 1}},
    {"bodies, quadrupole",
     "auto",
     ", far: bodies",
     {.opening = 0.5, .quadrupole = true, .bodies = true}},
    {"tiles, softened",
     "tiles",
     ", softening: 1 AU",
     {.opening = 0.5, .quadrupole = true, .softening = 1}},
    {"tiles, monopole", "tiles", ", order: monopole, packing: plain", {.opening = 0.5}},
    {"tiles, bodies, never opened",
     "tiles",
     ", order: monopole, far: bodies, opening: 0",
     {.bodies = true}},
    {"lanes, softened",
     "lanes",
     ", softening: 1 AU",
     {.opening = 0.5, .quadrupole = true, .softening = 1}},
    {"lanes, bodies, never opened",
     "lanes",
     ", order: monopole, far: bodies, opening: 0",
     {.bodies = true}},
    {"portable lanes", "portable", "", {.opening = 0.5, .quadrupole = true}},
    {"periodic", "auto", "", {.opening = 0.5, .quadrupole = true, BOX}},
    {"periodic, tiles, bodies, softened",
     "tiles",
     ", order: monopole, far: bodies, softening: 1 AU",
     {.opening = 0.5, .bodies = true, .softening = 1, BOX}},
    {"periodic, tiles", "tiles", "", {.opening = 0.5, .quadrupole = true, BOX}},
    {"periodic, lanes", "lanes", ", order: monopole", {.opening = 0.5, BOX}},
    {"periodic, portable lanes", "portable", "", {.opening = 0.5, .quadrupole = true, BOX}},
};

enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* Largest relative errors; beside each, the largest seen on PoCL. Where softening makes the pull of
 * a star as small as that of all other systems, both nearly cancel. */
static double tolerance_of(oct_precision precision, bool box)
{
    if (box)
        return precision == OCT_PRECISION_DOUBLE ? 1e-5 : 3e-4; /* 1.5e-7 and 2.7e-5 */
    return precision == OCT_PRECISION_DOUBLE  ? 1e-11           /* 4.0e-14 */
           : precision == OCT_PRECISION_MIXED ? 5e-5            /* 7.7e-6 */
                                              : 1e-4;           /* 1.5e-5 */
}

static void write_scene(char *out, size_t index)
{
    const variant *v = &variants[index];
    const double *size = v->gravity.size;
    if (size[0] > 0) {
        snprintf(out, OCT_SELFTEST_SCENE,
                 "units: solar\nbox: {boundary: periodic, size: [%g AU, %g AU, %g AU]}\n"
                 "models:\n"
                 "  - galaxy-of-systems: {systems: 70, bodies: {min: 1, max: 4}, planes: 2,\n"
                 "      arrangement: sphere, distance: 60 AU, plane_distance: 60 AU,\n"
                 "      planet_mass: 30000 Mearth, axis: 2 AU, spacing: 2 AU}\n"
                 "gravity: {method: systems, kernel: %s%s}\n"
                 "integrator: {dt: 1}\nrun: {until: 1}\n",
                 size[0], size[1], size[2], v->kernel, v->fields);
        return;
    }
    /* 302 systems are no multiple of any tile; planets of a tenth of their star make moments. */
    snprintf(out, OCT_SELFTEST_SCENE,
             "units: solar\nmodels:\n"
             "  - galaxy-of-systems: {systems: 300, bodies: {min: 1, max: 9}, planes: 3,\n"
             "      arrangement: sphere, distance: 60 AU, plane_distance: 60 AU,\n"
             "      planet_mass: 30000 Mearth, axis: 0.5 AU, spacing: 0.5 AU}\n"
             "  - galaxy-of-systems: {systems: 1, bodies: 70, planet_mass: 1000 Mearth,\n"
             "      axis: 0.1 AU, spacing: 0.1 AU, offset: [300 AU, 0 AU, 0 AU]}\n"
             "gravity: {method: systems, kernel: %s%s}\n"
             "integrator: {dt: 1}\nrun: {until: 1}\n",
             v->kernel, v->fields);
}

/* The images that act are summed over as systems, all others body by body: with Ewald's sum of all
 * less that of the bodies of those images. */
static oct_status find_forces(oct_bodies *bodies, oct_oracle_systems *gravity)
{
    oct_status status = OCT_STATUS_OK;
    oct_bodies parts[2] = {{0}, {0}};
    oct_oracle_gravity plain = {.G = gravity->G}; /* what is beyond the images has no softening */
    memcpy(plain.size, gravity->size, sizeof plain.size);
    memcpy(plain.ghosts, gravity->ghosts, sizeof plain.ghosts);
    OCT_TRY_DONE(oct_oracle_systems_forces(bodies, gravity));
    if (plain.size[0] == 0)
        return OCT_STATUS_OK;
    for (int i = 0; i < 2; i++) {
        OCT_TRY_DONE(oct_bodies_resize(&parts[i], bodies->n));
        memcpy(parts[i].position, bodies->position, 3 * bodies->n * sizeof(double));
        memcpy(parts[i].mass, bodies->mass, bodies->n * sizeof(double));
    }
    oct_oracle_ewald(&parts[0], &plain);
    oct_oracle_forces(&parts[1], &plain);
    for (size_t i = 0; i < 3 * parts[0].n; i++)
        bodies->acceleration[i] += parts[0].acceleration[i] - parts[1].acceleration[i];
    for (size_t i = 0; i < parts[0].n; i++)
        bodies->potential[i] += parts[0].potential[i] - parts[1].potential[i];
done:
    oct_bodies_clear(&parts[0]);
    oct_bodies_clear(&parts[1]);
    return status;
}

/* Puts planets back to their stars, on the other side of a face. */
static void make_whole(oct_bodies *b, const double size[3])
{
    for (size_t i = 1, star = 0; i < b->n; i++) {
        if (b->system[i] == 0 || b->system[i] != b->system[star])
            star = i;
        for (size_t k = 0; k < 3 && size[k] > 0; k++) {
            double *x = &b->position[3 * i + k];
            *x -= size[k] * rint((*x - b->position[3 * star + k]) / size[k]);
        }
    }
}

static oct_status compare(oct_selftest_run *test, size_t index, oct_precision precision)
{
    oct_status status;
    oct_selftest_pair pair;
    const variant *v = &variants[index];
    oct_oracle_systems gravity = v->gravity;
    char scene[OCT_SELFTEST_SCENE], name[96];
    write_scene(scene, index);
    snprintf(name, sizeof name, "systems %s, %s", oct_precision_name(precision), v->name);
    OCT_TRY_DONE(oct_selftest_begin(&pair, test, precision, scene));
    OCT_TRY_DONE(oct_selftest_step(&pair, 0));
    gravity.G = oct_sim_units(pair.sim)->G;
    make_whole(&pair.expected, gravity.size);
    OCT_TRY_DONE(find_forces(&pair.expected, &gravity));
    double error = oct_oracle_forces_error(&pair.got, &pair.expected);
    oct_selftest_check(test, name, error, tolerance_of(precision, gravity.size[0] > 0));
done:
    oct_selftest_end(&pair);
    return status;
}

static oct_status systems_run(oct_selftest_run *test)
{
    oct_precision precision;
    bool chosen[VARIANTS];
    OCT_TRY(oct_selftest_choose(chosen, VARIANTS, test, "gravity", write_scene));
    for (int p = 0; oct_selftest_precision(&precision, test, p); p++)
        for (size_t i = 0; i < VARIANTS; i++)
            if (chosen[i] && oct_selftest_due(test, "systems %s, %s", oct_precision_name(precision),
                                              variants[i].name))
                OCT_TRY(compare(test, i, precision));
    return OCT_STATUS_OK;
}

const oct_selftest_table oct_selftest_systems = {
    .name = "systems",
    .doc = "Gravity by solar systems against a scalar double-precision sum of the same expansion.",
    .cost = 20,
    .run = systems_run,
};
