/* What domains send each other in a step, for more of them than there are devices:
 * `simulate_exchange DEVICE SCENE DOMAINS [KEY=VALUE...]` runs the scene as so many ranks do, with
 * their decomposition, their trees and their messages, one rank after the other on one device.
 * Bodies are shared out by what they cost after the first step; the last of STEPS is counted. */
#include <stdlib.h>
#include <string.h>

#include "core/lead.h"
#include "core/lineup.h"
#include "spread.h"
#include "timing.h"
#include "turns.h"

enum { STEPS = 2 };

static struct {
    oct_device *device;
    char **arguments;
    int n_arguments;
    double *work; /* of each rank in the last step, in interactions */
    double interactions[2], seconds;
    uint64_t n, moves;
} all;

static oct_scene *load(void)
{
    oct_scene *scene;
    ok(oct_scene_load(&scene, all.arguments[2]));
    for (int i = 4; i < all.n_arguments; i++)
        ok(oct_scene_set(scene, all.arguments[i]));
    return scene;
}

/* How many ranks nine tenths of what comes to a rank are from. */
static double count_neighbours(const turns *t, oct_traffic_kind kind, uint32_t rank, uint32_t n,
                               double *scratch)
{
    for (uint32_t r = 0; r < n; r++)
        scratch[r] = (double)turns_bytes(t, kind, r, rank);
    return count_most(scratch, n);
}

static void print_kind(const turns *t, oct_traffic_kind kind, uint32_t n)
{
    double *sent = calloc(4 * (size_t)n, sizeof *sent), *received = sent + n;
    double *messages = sent + 2 * (size_t)n, *scratch = sent + 3 * (size_t)n, total = 0;
    const char *name = oct_traffic_name(kind);
    char what[64];
    for (uint32_t from = 0; from < n; from++) {
        messages[from] = (double)turns_messages(t, kind, from);
        for (uint32_t to = 0; to < n; to++) {
            double bytes = (double)turns_bytes(t, kind, from, to);
            sent[from] += bytes;
            received[to] += bytes;
            total += bytes;
        }
    }
    if (total > 0) {
        snprintf(what, sizeof what, "%s: bytes sent", name);
        print_spread(what, sent, n);
        snprintf(what, sizeof what, "%s: bytes received", name);
        print_spread(what, received, n);
        snprintf(what, sizeof what, "%s: messages sent", name);
        print_spread(what, messages, n);
        for (uint32_t r = 0; r < n; r++)
            messages[r] = count_neighbours(t, kind, r, n, scratch);
        snprintf(what, sizeof what, "%s: 90 %% come from", name);
        print_spread(what, messages, n);
    }
    free(sent);
}

/* What the bodies of a rank cost in the last step. */
static double find_work(oct_domain *domain)
{
    const oct_held_column *held = oct_domain_column(domain, oct_lineup_cost.name);
    uint32_t *costs;
    double sum = held ? 0 : domain->n;
    if (!held)
        return sum;
    ok(oct_alloc(&costs, domain->n, sizeof *costs, "costs"));
    ok(oct_buffer_read(costs, held->buffer, 0, domain->n));
    for (uint32_t i = 0; i < domain->n; i++)
        sum += costs[i];
    free(costs);
    return sum;
}

static void lead(oct_sim *sim, turns *t)
{
    double start = now();
    ok(oct_sim_step(sim, STEPS - 1));
    ok(oct_sim_wait(sim));
    turns_forget(t);
    ok(oct_sim_step(sim, 1));
    all.seconds = now() - start;
    uint32_t n = oct_comm_size(sim->comm);
    all.n = oct_sim_count(sim);
    all.moves = sim->owners.moves;
    printf("%llu bodies, %u domains, %d steps, %llu moves, %.0f s\n", (unsigned long long)all.n,
           (unsigned)n, STEPS, (unsigned long long)all.moves, all.seconds);
    print_spread_head("of each domain, a step");
    for (int kind = 0; kind < OCT_TRAFFIC_KINDS; kind++)
        print_kind(t, (oct_traffic_kind)kind, n);
    /* Sums without a tree have no such numbers. */
    if (oct_sim_measure_one(&all.interactions[0], sim, "cells") == OCT_STATUS_OK)
        ok(oct_sim_measure_one(&all.interactions[1], sim, "particles"));
}

static oct_status take_part(oct_comm *comm, turns *t)
{
    const oct_sim_options options = {.size = sizeof options, .unmeasured = true, .comm = comm};
    oct_device *device;
    oct_sim *sim;
    oct_scene *scene = load();
    ok(oct_device_share(&device, all.device));
    ok(oct_sim_create_with(&sim, device, scene, &options));
    oct_scene_free(scene);
    sim->owners.every = 1;
    if (oct_comm_rank(comm) == 0)
        lead(sim, t);
    else
        ok(oct_sim_serve(sim));
    all.work[oct_comm_rank(comm)] = find_work(sim->domain);
    oct_sim_free(sim);
    oct_device_free(device);
    return OCT_STATUS_OK;
}

int main(int argc, char **argv)
{
    uint32_t domains = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    if (domains < 1) {
        fprintf(stderr, "usage: simulate_exchange DEVICE SCENE DOMAINS [KEY=VALUE...]\n");
        return 2;
    }
    all.arguments = argv;
    all.n_arguments = argc;
    all.work = calloc(domains, sizeof *all.work);
    ok(oct_device_open(&all.device, argv[1]));
    turns_run(domains, take_part);
    print_spread("interactions", all.work, domains);
    if (all.interactions[1] > 0)
        printf("a body sums over %.0f cells and %.0f bodies\n", all.interactions[0],
               all.interactions[1]);
    free(all.work);
    oct_device_free(all.device);
    return 0;
}
