/* What a step of tree gravity costs several domains, and what they send: `time_domains [-p] [-r]
 * DEVICE STEPS N[x] DOMAINS...` prints a row for each number of domains; with an x there are N
 * bodies in each. DEVICE may be as cpu/2: a part for each rank. With -r they are spheres of a ring
 * that collide. Bytes, messages, cells and bodies are those of the rank that sends most, a step.
 * With -p the device time of the first rank by kernel follows, in ms a step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/comm.h"
#include "core/lead.h"
#include "timing.h"

enum { MOST = 1024 };

typedef struct sent {
    uint64_t messages, bytes, cells, bodies;
} sent;

static struct {
    oct_device *device;
    char scene[1024];
    uint32_t parts; /* of the device, one a rank; 0: all have the whole */
    uint64_t steps;
    bool profiled, ring;
    double seconds, processor, interactions[2], energy;
    sent sent[MOST];
} work;

static double processor_time(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* Kernels that take less than a hundredth are left out. */
static void print_kernels(oct_device *device)
{
    oct_kernel_time *times;
    size_t n;
    double all = 0;
    ok(oct_device_times(&times, &n, device));
    for (size_t i = 0; i < n; i++)
        all += times[i].ms / (double)work.steps;
    printf("   device %.2f ms:", all);
    for (size_t i = 0; i < n && times[i].ms / (double)work.steps > 0.01 * all; i++)
        printf(" %s %.2f", times[i].name, times[i].ms / (double)work.steps);
    printf("\n");
    oct_device_times_free(times);
}

/* A rank: the first one steps, and says what the step costs. */
static oct_status take_part(oct_comm *comm, void *context)
{
    const oct_sim_options options = {.size = sizeof options, .comm = comm};
    oct_device *device;
    oct_scene *scene;
    oct_sim *sim;
    (void)context;
    if (work.parts > 0)
        ok(oct_device_part(&device, work.device, oct_comm_rank(comm) % work.parts, work.parts));
    else
        ok(oct_device_share(&device, work.device));
    ok(oct_scene_parse(&scene, work.scene, strlen(work.scene), "time_domains"));
    ok(oct_sim_create_with(&sim, device, scene, &options));
    oct_traffic_log before = comm->traffic;
    if (oct_comm_rank(comm) > 0) {
        ok(oct_sim_serve(sim));
    } else {
        ok(oct_sim_step(sim, 1));
        ok(oct_sim_wait(sim));
        ok(oct_device_profile(device, work.profiled));
        double start = now(), used = processor_time();
        ok(oct_sim_step(sim, work.steps));
        ok(oct_sim_wait(sim));
        work.seconds = (now() - start) / (double)work.steps;
        work.processor = (processor_time() - used) / (double)work.steps;
        if (work.profiled)
            print_kernels(device);
        ok(oct_sim_measure_one(&work.interactions[0], sim, "cells"));
        ok(oct_sim_measure_one(&work.interactions[1], sim, "particles"));
        ok(oct_sim_measure_one(&work.energy, sim, "energy"));
    }
    oct_traffic_count from = oct_traffic_total(&before), to = oct_traffic_total(&comm->traffic);
    work.sent[oct_comm_rank(comm)] =
        (sent){to.messages - from.messages, to.bytes - from.bytes,
               comm->traffic.cells - before.cells, comm->traffic.bodies - before.bodies};
    oct_sim_free(sim);
    oct_scene_free(scene);
    oct_device_free(device);
    return OCT_STATUS_OK;
}

/* Forces are found once more than there are steps, and for the first of them. */
static void print_row(unsigned long n, unsigned domains)
{
    sent most = {0};
    double forces = (double)work.steps + 2;
    for (unsigned r = 0; r < domains; r++)
        if (work.sent[r].bytes > most.bytes)
            most = work.sent[r];
    printf("%9lu %7u %9.4f %9.4f %9.0f %9.0f %12.0f %8.1f %9.0f %9.0f %.9g\n", n, domains,
           work.seconds, work.processor, work.interactions[0], work.interactions[1],
           (double)most.bytes / forces, (double)most.messages / forces, (double)most.cells / forces,
           (double)most.bodies / forces, work.energy);
    fflush(stdout);
}

/* As the cases of `octant scaling`. */
static void make_scene(unsigned long n)
{
    double side = 600 * sqrt((double)n / 13429);
    if (work.ring)
        snprintf(work.scene, sizeof work.scene,
                 "units: si\nmodels: [ring: {n: %lu, density: 400, spread: 1,\n"
                 "  radius: {law: power, slope: -3, min: 1, max: 4}}]\n"
                 "box: {boundary: shear, size: [%.6g, %.6g, 200], ghosts: [1, 1, 0],\n"
                 "  omega: 1.3143527e-4}\n"
                 "gravity: {method: tree, theta: 0.5, softening: 0.1}\n"
                 "collisions: {method: tree, restitution: bridges, relax: 30}\n"
                 "integrator: {method: sei, dt: 1.0e-3 orbit}\nrun: {until: 1 orbit}\n",
                 n, side, side);
    else
        snprintf(work.scene, sizeof work.scene,
                 "units: nbody\nmodels: [plummer: {n: %lu, truncation: 20}]\n"
                 "gravity: {method: tree, theta: 0.5, softening: 0.01}\n"
                 "integrator: {dt: 0.001}\nrun: {until: 1}\n",
                 n);
}

int main(int argc, char **argv)
{
    char *end;
    for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
        work.profiled = work.profiled || strcmp(argv[1], "-p") == 0;
        work.ring = work.ring || strcmp(argv[1], "-r") == 0;
    }
    if (argc < 5) {
        fprintf(stderr, "usage: time_domains [-p] [-r] DEVICE STEPS N[x] DOMAINS...\n");
        return 2;
    }
    char *slash = strchr(argv[1], '/');
    work.parts = slash ? (uint32_t)strtoul(slash + 1, NULL, 10) : 0;
    if (slash)
        *slash = 0;
    ok(oct_device_open(&work.device, argv[1]));
    work.steps = strtoull(argv[2], NULL, 10);
    unsigned long n = strtoul(argv[3], &end, 10);
    printf("        n domains    s/step    used s     cells particles        bytes messages     "
           "cells    "
           "bodies energy\n");
    for (int i = 4; i < argc; i++) {
        unsigned domains = (unsigned)strtoul(argv[i], NULL, 10);
        unsigned long all = *end == 'x' ? n * domains : n;
        if (domains < 1 || domains > MOST)
            continue;
        memset(work.sent, 0, sizeof work.sent);
        make_scene(all);
        ok(oct_comm_threads(domains, take_part, NULL));
        print_row(all, domains);
    }
    oct_device_free(work.device);
    return 0;
}
