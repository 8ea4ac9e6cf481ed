/* Small simulations that launch most kernels once or twice, for interpreters that check every
 * access: see oclgrind-kernels. Prints one line for each; the device's self-test is left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim.h"
#include "io/scene.h"

typedef struct small {
    const char *name, *scene;
} small;

#define CLUSTER(gravity)                                                                           \
    "units: nbody\nmodels: [plummer: {n: 70}]\ngravity: " gravity "\n"                             \
    "integrator: {dt: 0.01}\nrun: {until: 1}\n"
#define RING(gravity, collisions)                                                                  \
    "units: nbody\nbox: {boundary: shear, size: [10, 12, 8], ghosts: [1, 1, 0], omega: 0.7}\n"     \
    "models: [ring: {n: 70, density: 1, spread: 1, dispersion: 1, "                                \
    "radius: {law: power, slope: -2, min: 0.3, max: 1}}]\ngravity: " gravity "\n"                  \
    "collisions: " collisions "\nintegrator: {method: sei, dt: 0.01}\nrun: {until: 1}\n"           \
    "output: {sight_elevation: [30, 0, 0], sight_azimuth: [65, 0, 0]}\n"
#define SYSTEMS(gravity, integrator)                                                               \
    "units: solar\nmodels: [galaxy-of-systems: {systems: 9, bodies: {min: 1, max: 5}}]\n"          \
    "gravity: " gravity "\nintegrator: " integrator "\nrun: {until: 1 yr}\n"

static const small scenes[] = {
    {"direct tiles", CLUSTER("{method: direct, kernel: tiles, softening: 0.1}")},
    {"direct lanes", CLUSTER("{method: direct, kernel: portable}")},
    {"tree tiles", CLUSTER("{method: tree, kernel: portable}")},
    {"tree lanes", CLUSTER("{method: tree, kernel: lanes, order: monopole, softening: 0.1}")},
    {"relative", CLUSTER("{method: tree, kernel: portable, criterion: relative}")},
    {"periodic", "units: nbody\nbox: {boundary: periodic, size: [4, 4, 4]}\n"
                 "models: [plummer: {n: 70}]\ngravity: {method: tree, kernel: portable}\n"
                 "integrator: {dt: 0.01}\nrun: {until: 1}\n"},
    {"removal", "units: nbody\nbox: {boundary: open, removal_radius: 1}\nmodels: [plummer: {n: 70}]"
                "\ngravity: {method: none}\nintegrator: {dt: 0.1}\nrun: {until: 1}\n"},
    {"ring tree", RING("{method: tree, kernel: portable, softening: 0.1}",
                       "{method: tree, kernel: portable, restitution: 0.5}")},
    {"ring lanes", RING("{method: none}", "{method: tree, kernel: lanes, restitution: bridges, "
                                          "bridges_speed: 0.3}")},
    {"ring direct", RING("{method: direct, kernel: tiles, softening: 0.1}",
                         "{method: direct, restitution: 0.5, tangential: 0.8}")},
    {"systems tiles", SYSTEMS("{method: systems, kernel: tiles}", "{method: wh, dt: 1 day}")},
    {"systems lanes", SYSTEMS("{method: systems, kernel: portable, far: bodies, opening: 0}",
                              "{method: respa, substeps: 2, dt: 1 day}")},
};

static oct_status simulate(oct_device *device, const small *s, oct_precision precision)
{
    oct_scene *scene;
    oct_setup *setup;
    oct_sim *sim = NULL;
    oct_status status;
    OCT_TRY(oct_scene_parse(&scene, s->scene, strlen(s->scene), s->name));
    status = oct_scene_setup(&setup, scene);
    oct_scene_free(scene);
    OCT_TRY(status);
    OCT_TRY(oct_sim_start(&sim, device, setup, precision, NULL));
    double *values;
    OCT_TRY_DONE(oct_sim_step(sim, 2));
    OCT_TRY_DONE(oct_sim_wait(sim));
    OCT_TRY_DONE(oct_alloc(&values, sim->n_values, sizeof *values, "measurements"));
    status = oct_sim_measure(values, sim);
    free(values);
done:
    oct_sim_free(sim);
    return status;
}

/* Arguments: single, mixed or double, and a part of the names of the scenes to run. */
int main(int argc, char **argv)
{
    oct_device *device = NULL;
    int failed = 0;
    oct_precision precision = OCT_PRECISION_SINGLE;
    while (argc > 1 && precision < OCT_PRECISION_DOUBLE &&
           strcmp(argv[1], oct_precision_name(precision)) != 0)
        precision++;
    if (oct_device_open(&device, NULL) != OCT_STATUS_OK) {
        fprintf(stderr, "%s\n", oct_last_error());
        return 1;
    }
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        if (argc > 2 && !strstr(scenes[i].name, argv[2]))
            continue;
        if (precision == OCT_PRECISION_SINGLE && strstr(scenes[i].scene, "method: wh"))
            continue;
        oct_status status = simulate(device, &scenes[i], precision);
        printf("%s %s: %s\n", scenes[i].name, oct_precision_name(precision),
               status == OCT_STATUS_OK ? "ran" : oct_last_error());
        fflush(stdout);
        failed += status != OCT_STATUS_OK;
    }
    oct_device_free(device);
    return failed > 0;
}
