/* Brings bodies of its own: three equal masses that chase each other along a figure of eight
 * (Chenciner and Montgomery 2000) and are back where they started after one period.
 *
 *     cc installed.c $(pkg-config --cflags --libs octant) -lm -o installed && ./installed eight.csv
 */
#include <octant/octant.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { STEPS = 4096 };
static const double PERIOD = 6.32591398;
static const double START[3][4] = {{0.97000436, -0.24308753, 0.466203685, 0.43236573},
                                   {-0.97000436, 0.24308753, 0.466203685, 0.43236573},
                                   {0.0, 0.0, -0.93240737, -0.86473146}};

/* Writes the three bodies to a CSV file. */
static oct_status write_bodies(const char *path)
{
    oct_bodies bodies = {0};
    const oct_file_info info = {
        .size = sizeof info, .units = {.name = "nbody", .length = 1, .mass = 1, .time = 1, .G = 1}};
    oct_status status = oct_bodies_resize(&bodies, 3);
    for (size_t i = 0; status == OCT_STATUS_OK && i < 3; i++) {
        bodies.id[i] = i + 1;
        bodies.type[i] = OCT_TYPE_BODY;
        bodies.mass[i] = 1;
        for (size_t k = 0; k < 2; k++) {
            bodies.position[3 * i + k] = START[i][k];
            bodies.velocity[3 * i + k] = START[i][2 + k];
        }
    }
    if (status == OCT_STATUS_OK)
        status = oct_bodies_write(&bodies, &info, path);
    oct_bodies_clear(&bodies);
    return status;
}

/* Makes a scene of the file. */
static oct_status make_scene(oct_scene **out, const char *path)
{
    char text[1024];
    const int length = snprintf(text, sizeof text,
                                "title: Figure of eight\n"
                                "units: nbody\n"
                                "models:\n"
                                "  - file: {path: \"%s\"}\n"
                                "gravity: {method: direct}\n"
                                "integrator: {method: leapfrog, dt: %.17g}\n"
                                "run: {until: %.17g}\n",
                                path, PERIOD / STEPS, PERIOD);
    return oct_scene_parse(out, text, (size_t)length, "figure-eight");
}

/* The largest distance of a body from where it started. */
static oct_status measure_return(double *out, oct_sim *sim)
{
    oct_bodies bodies = {0};
    const oct_status status = oct_sim_bodies(&bodies, sim);
    *out = 0;
    for (size_t i = 0; status == OCT_STATUS_OK && i < bodies.n; i++)
        *out = fmax(*out, hypot(bodies.position[3 * i] - START[i][0],
                                bodies.position[3 * i + 1] - START[i][1]));
    oct_bodies_clear(&bodies);
    return status;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "eight.csv";
    oct_scene *scene = NULL;
    oct_device *device = NULL;
    oct_sim *sim = NULL;
    uint64_t hash = 0;
    double distance = 0;

    oct_status status = write_bodies(path);
    if (status == OCT_STATUS_OK)
        status = make_scene(&scene, path);
    if (status == OCT_STATUS_OK)
        status = oct_device_open(&device, NULL);
    if (status == OCT_STATUS_OK)
        status = oct_sim_create(&sim, device, scene, OCT_PRECISION_AUTO);
    if (status == OCT_STATUS_OK)
        status = oct_run(sim, &(oct_run_options){.size = sizeof(oct_run_options)});
    if (status == OCT_STATUS_OK)
        status = measure_return(&distance, sim);
    if (status == OCT_STATUS_OK)
        status = oct_sim_hash(&hash, sim);
    if (status == OCT_STATUS_OK)
        printf("octant %s: %" PRIu64 " steps, back within %.2e, state %016" PRIx64 "\n",
               oct_version(), oct_sim_steps(sim), distance, hash);
    else
        fprintf(stderr, "installed: %s\n", oct_last_error());
    oct_sim_free(sim);
    oct_device_free(device);
    oct_scene_free(scene);
    return status == OCT_STATUS_OK ? 0 : 1;
}
