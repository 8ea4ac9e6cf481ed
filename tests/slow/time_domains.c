/* What a step of tree gravity costs several domains, and what they send: `time_domains DEVICE STEPS
 * N[x] DOMAINS...` prints a row for each number of domains; with an x there are N bodies in each.
 * Bytes, messages, cells and bodies are those of the rank that sends most, a step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"
#include "core/lead.h"
#include "timing.h"

enum { MOST = 1024 };

typedef struct sent {
    uint64_t messages, bytes, cells, bodies;
} sent;

static struct {
    oct_device *device;
    char scene[512];
    uint64_t steps;
    double seconds, interactions[2], energy;
    sent sent[MOST];
} work;

/* A rank: the first one steps, and says what the step costs. */
static oct_status take_part(oct_comm *comm, void *context)
{
    const oct_sim_options options = {.size = sizeof options, .comm = comm};
    oct_device *device;
    oct_scene *scene;
    oct_sim *sim;
    (void)context;
    ok(oct_device_share(&device, work.device));
    ok(oct_scene_parse(&scene, work.scene, strlen(work.scene), "time_domains"));
    ok(oct_sim_create_with(&sim, device, scene, &options));
    oct_traffic_log before = comm->traffic;
    if (oct_comm_rank(comm) > 0) {
        ok(oct_sim_serve(sim));
    } else {
        ok(oct_sim_step(sim, 1));
        double start = now();
        ok(oct_sim_step(sim, work.steps));
        ok(oct_sim_wait(sim));
        work.seconds = (now() - start) / (double)work.steps;
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
    printf("%9lu %7u %9.4f %9.0f %9.0f %12.0f %8.1f %9.0f %9.0f %.9g\n", n, domains, work.seconds,
           work.interactions[0], work.interactions[1], (double)most.bytes / forces,
           (double)most.messages / forces, (double)most.cells / forces,
           (double)most.bodies / forces, work.energy);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char *end;
    if (argc < 5) {
        fprintf(stderr, "usage: time_domains DEVICE STEPS N[x] DOMAINS...\n");
        return 2;
    }
    ok(oct_device_open(&work.device, argv[1]));
    work.steps = strtoull(argv[2], NULL, 10);
    unsigned long n = strtoul(argv[3], &end, 10);
    printf("        n domains    s/step     cells particles        bytes messages     cells    "
           "bodies energy\n");
    for (int i = 4; i < argc; i++) {
        unsigned domains = (unsigned)strtoul(argv[i], NULL, 10);
        unsigned long all = *end == 'x' ? n * domains : n;
        if (domains < 1 || domains > MOST)
            continue;
        memset(work.sent, 0, sizeof work.sent);
        snprintf(work.scene, sizeof work.scene,
                 "units: nbody\nmodels: [plummer: {n: %lu, truncation: 20}]\n"
                 "gravity: {method: tree, theta: 0.5, softening: 0.01}\n"
                 "integrator: {dt: 0.001}\nrun: {until: 1}\n",
                 all);
        ok(oct_comm_threads(domains, take_part, NULL));
        print_row(all, domains);
    }
    oct_device_free(work.device);
    return 0;
}
