/* How many small rings a device steps side by side: `time_sweep DEVICE STEPS RINGS WORKERS...`
 * prints, for each number of threads, seconds for all of them and launches a step. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "device/device.h"
#include "octant/octant.h"

enum { MOST = 256 };

static const char scene_text[] =
    "units: si\n"
    "box: {boundary: shear, size: [164 m, 164 m, 200 m], ghosts: [1, 1, 0], omega: 1.3143527e-4 "
    "/s}\n"
    "models:\n"
    "  - ring: {surface_density: 400 kg/m^2, density: 400 kg/m^3, spread: 1 m,\n"
    "      radius: {law: power, slope: -3, min: 1 m, max: 4 m}}\n"
    "gravity: {method: tree, theta: 0.5, softening: 0.1 m}\n"
    "collisions: {method: tree, restitution: bridges}\n"
    "integrator: {method: sei, dt: 1e-3 orbit}\n"
    "run: {until: 4 orbit}\n";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void ok(oct_status status)
{
    if (status == OCT_STATUS_OK)
        return;
    fprintf(stderr, "%s\n", oct_last_error());
    exit(1);
}

/* All rings, for the threads that take the next one in turn. */
static struct {
    oct_device *host;
    oct_sim *sims[MOST];
    oct_device *devices[MOST];
    unsigned rings;
    uint64_t steps;
    atomic_uint next;
} work;

static void *step_rings(void *context)
{
    for (unsigned i; (i = atomic_fetch_add(&work.next, 1)) < work.rings;) {
        ok(oct_sim_step(work.sims[i], work.steps));
        ok(oct_sim_wait(work.sims[i]));
    }
    return context;
}

static uint64_t count_launches(void)
{
    uint64_t launches = 0;
    for (unsigned i = 0; i < work.rings; i++)
        launches += oct_device_worked(work.devices[i]).launches;
    return launches;
}

static void time_workers(unsigned workers)
{
    pthread_t threads[MOST];
    uint64_t launches = count_launches();
    work.next = 0;
    double start = now();
    for (unsigned i = 0; i < workers; i++)
        if (pthread_create(&threads[i], NULL, step_rings, NULL) != 0)
            exit(1);
    for (unsigned i = 0; i < workers; i++)
        pthread_join(threads[i], NULL);
    double seconds = now() - start, all = (double)work.rings * (double)work.steps;
    printf("%3u threads  %8.3f s  %8.4f ms a step of a ring  %.1f launches a step\n", workers,
           seconds, 1e3 * seconds / all, (double)(count_launches() - launches) / all);
}

int main(int n, char **words)
{
    if (n < 5)
        return 2;
    oct_scene *scene;
    (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    work.steps = strtoull(words[2], NULL, 10);
    work.rings = (unsigned)strtoul(words[3], NULL, 10);
    double start = now();
    ok(oct_device_open(&work.host, words[1]));
    ok(oct_scene_parse(&scene, scene_text, sizeof scene_text - 1, "time_sweep"));
    for (unsigned i = 0; i < work.rings; i++) {
        char seed[32];
        snprintf(seed, sizeof seed, "seed=%u", i + 1);
        ok(oct_scene_set(scene, seed));
        ok(oct_device_share(&work.devices[i], work.host));
        ok(oct_sim_create(&work.sims[i], work.devices[i], scene, OCT_PRECISION_AUTO));
        ok(oct_sim_wait(work.sims[i]));
        if (i == 0 || i + 1 == work.rings)
            printf("%u made after %.3f s\n", i + 1, now() - start);
    }
    time_workers(1);
    printf("%u rings of %llu spheres, %llu steps\n", work.rings,
           (unsigned long long)oct_sim_count(work.sims[0]), (unsigned long long)work.steps);
    for (int i = 4; i < n; i++)
        time_workers((unsigned)strtoul(words[i], NULL, 10));
    for (unsigned i = 0; i < work.rings; i++) {
        oct_sim_free(work.sims[i]);
        oct_device_free(work.devices[i]);
    }
    oct_scene_free(scene);
    oct_device_free(work.host);
    return 0;
}
