/* Follows an eccentric orbit and shows what a step twice as long costs in energy.
 *
 *     cc two_body.c $(pkg-config --cflags --libs octant) -o two_body */
#include <octant/octant.h>

#include <stdio.h>

/* Runs the built-in scene for `time` with step dt and measures the relative energy error. */
static oct_status run_orbit(double *error, oct_device *device, double time, double dt)
{
    oct_scene *scene = NULL;
    oct_sim *sim = NULL;
    char assignment[64];
    snprintf(assignment, sizeof assignment, "integrator.dt=%.17g", dt);

    oct_status status = oct_scene_load(&scene, "two-body");
    if (status == OCT_STATUS_OK)
        status = oct_scene_set(scene, assignment);
    if (status == OCT_STATUS_OK)
        status = oct_sim_create(&sim, device, scene, OCT_PRECISION_AUTO);
    if (status == OCT_STATUS_OK)
        status = oct_sim_step(sim, (uint64_t)(time / dt + 0.5));
    if (status == OCT_STATUS_OK)
        status = oct_sim_measure_one(error, sim, "energy_error");
    oct_sim_free(sim);
    oct_scene_free(scene);
    return status;
}

int main(int argc, char **argv)
{
    oct_device *device = NULL;
    oct_status status = oct_device_open(&device, argc > 1 ? argv[1] : NULL);
    if (status == OCT_STATUS_OK)
        printf("device %s\n", oct_device_describe(device)->name);
    for (double dt = 0.01; status == OCT_STATUS_OK && dt > 0.002; dt /= 2) {
        double error = 0;
        status = run_orbit(&error, device, 5.0, dt);
        if (status == OCT_STATUS_OK)
            printf("dt %-7g energy error %.3e\n", dt, error);
    }
    if (status != OCT_STATUS_OK)
        fprintf(stderr, "two_body: %s\n", oct_last_error());
    oct_device_free(device);
    return status == OCT_STATUS_OK ? 0 : 1;
}
