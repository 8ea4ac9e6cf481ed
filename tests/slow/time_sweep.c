/* How many small rings a device steps side by side: `time_sweep DEVICE STEPS RINGS WORKERS...`
 * prints, for each number of threads, seconds for all of them and launches a step; `batch` among
 * the numbers has a thread for each ring, whose launches are one, and `times` prints how long each
 * kernel of such took. All must end in the same bits. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/batch.h"
#include "octant/octant.h"
#include "timing.h"

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

/* All rings, for the threads that take the next one in turn. */
static struct {
    oct_device *host;
    oct_batch *batch; /* NULL: each has a queue of its own */
    oct_scene *scene;
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

static void make_rings(bool together)
{
    double start = now();
    if (together)
        ok(oct_batch_create(&work.batch, work.host));
    for (unsigned i = 0; i < work.rings; i++) {
        char seed[32];
        snprintf(seed, sizeof seed, "seed=%u", i + 1);
        ok(oct_scene_set(work.scene, seed));
        ok(together ? oct_batch_join(&work.devices[i], work.batch)
                    : oct_device_share(&work.devices[i], work.host));
        ok(oct_sim_create(&work.sims[i], work.devices[i], work.scene, OCT_PRECISION_AUTO));
        ok(oct_sim_wait(work.sims[i]));
    }
    printf("%u rings of %llu spheres made in %.3f s\n", work.rings,
           (unsigned long long)oct_sim_count(work.sims[0]), now() - start);
}

static uint64_t free_rings(void)
{
    uint64_t hash, all = 0;
    for (unsigned i = 0; i < work.rings; i++) {
        ok(oct_sim_hash(&hash, work.sims[i]));
        all = 31 * all + hash;
        oct_sim_free(work.sims[i]);
        oct_device_free(work.devices[i]);
    }
    oct_batch_free(work.batch);
    work.batch = NULL;
    return all;
}

/* What the device was given: a launch of several members is one. */
static uint64_t count_launches(void)
{
    uint64_t launches = 0;
    if (work.batch)
        return oct_device_worked(oct_batch_device(work.batch)).launches;
    for (unsigned i = 0; i < work.rings; i++)
        launches += oct_device_worked(work.devices[i]).launches;
    return launches;
}

static void step_all(unsigned workers)
{
    pthread_t threads[MOST];
    work.next = 0;
    for (unsigned i = 0; i < workers; i++)
        if (pthread_create(&threads[i], NULL, step_rings, NULL) != 0)
            exit(1);
    for (unsigned i = 0; i < workers; i++)
        pthread_join(threads[i], NULL);
}

static void print_times(void)
{
    oct_kernel_time *times;
    size_t n;
    double all = 0;
    ok(oct_device_times(&times, &n, oct_batch_device(work.batch)));
    for (size_t i = 0; i < n; i++)
        all += times[i].ms;
    printf("%.1f ms in kernels\n", all);
    for (size_t i = 0; i < n && i < 10; i++)
        printf("  %-32s %6llu launches %8.4f ms each\n", times[i].name,
               (unsigned long long)times[i].launches, times[i].ms / (double)times[i].launches);
    oct_device_times_free(times);
}

/* Returns a hash of all states at the end. What is compiled at its first launch is not timed. */
static uint64_t time_workers(const char *word)
{
    bool timed = strcmp(word, "times") == 0, together = timed || strcmp(word, "batch") == 0;
    unsigned workers = together ? work.rings : (unsigned)strtoul(word, NULL, 10);
    make_rings(together);
    step_all(workers);
    if (timed)
        ok(oct_device_profile(oct_batch_device(work.batch), true));
    uint64_t launches = count_launches();
    double start = now();
    step_all(workers);
    double seconds = now() - start, all = (double)work.rings * (double)work.steps;
    printf("%5s  %8.3f s  %8.4f ms a step of a ring  %.2f launches of it\n", word, seconds,
           1e3 * seconds / all, (double)(count_launches() - launches) / all);
    if (timed)
        print_times();
    uint64_t hash = free_rings();
    printf("%5s  hash %016llx\n", word, (unsigned long long)hash);
    return hash;
}

int main(int n, char **words)
{
    if (n < 5)
        return 2;
    (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    work.steps = strtoull(words[2], NULL, 10);
    work.rings = (unsigned)strtoul(words[3], NULL, 10);
    ok(oct_device_open(&work.host, words[1]));
    ok(oct_scene_parse(&work.scene, scene_text, sizeof scene_text - 1, "time_sweep"));
    uint64_t first = time_workers(words[4]);
    bool same = true;
    for (int i = 5; i < n; i++)
        same = time_workers(words[i]) == first && same;
    printf("%s\n", same ? "the same bits" : "OTHER BITS");
    oct_scene_free(work.scene);
    oct_device_free(work.host);
    return !same;
}
