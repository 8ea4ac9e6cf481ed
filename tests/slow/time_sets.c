/* What forces and collisions of some bodies cost, beside those of all: `time_sets [bodies]` prints
 * milliseconds for sets of whole groups of the tree, and for bodies picked at random. With "all"
 * the set has everybody; the first row has no set. `time_sets direct bodies...` prints those of
 * direct sums for sets of one body and more, and whether these have the bits of the sums for all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arrays.h"
#include "scene_sim.h"
#include "timing.h"
#include "tree/tree.h"

enum { ROUNDS = 7 };

/* The shortest of some evaluations, the listing included, the tree's build not. */
static double time_forces(oct_sim *sim, oct_set *set, const unsigned char *marks)
{
    double best = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        if (set)
            ref_ok(oct_buffer_write(set->marks, marks, 0, sim->domain->n));
        ref_ok(oct_device_wait(sim->domain->device));
        double start = now();
        ref_ok(oct_sim_find_forces(sim));
        ref_ok(oct_device_wait(sim->domain->device));
        double took = now() - start;
        best = took < best ? took : best;
    }
    return 1e3 * best;
}

/* Marks one body in `part`, or every `part`-th group of the tree. */
static void choose(unsigned char *marks, const uint32_t *order, uint32_t n, uint32_t part,
                   bool grouped)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t key = grouped ? i / OCT_TREE_GROUP : array_key(ARRAY_RANDOM, i, n) >> 20;
        marks[order[i]] = key % part == 0;
    }
}

static void print_times(uint32_t n)
{
    static const uint32_t parts[] = {1, 3, 10, 100, 1000};
    oct_set *set = NULL;
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED,
                           "units: nbody\nmodels: [plummer: {n: %u}]\n"
                           "gravity: {method: tree, theta: 0.75, softening: 0.01}\n"
                           "integrator: {dt: 0.01}\nrun: {until: 1}\n",
                           n);
    oct_domain *domain = sim->domain;
    unsigned char *marks = array_alloc(n, 1);
    uint32_t *order = array_alloc(n, sizeof *order);
    ref_ok(oct_set_create(&set, domain));
    time_forces(sim, NULL, NULL);
    double all = time_forces(sim, NULL, NULL);
    ref_ok(oct_buffer_read(order, domain->tree->order, 0, n));
    printf("%u bodies, no set: %.3f ms\n%-8s %12s %8s %12s %8s\n", n, all, "one in", "groups, ms",
           "part", "bodies, ms", "part");
    oct_domain_restrict(domain, set);
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        double took[2];
        for (int grouped = 0; grouped < 2; grouped++) {
            choose(marks, order, n, parts[k], grouped);
            took[grouped] = time_forces(sim, set, marks);
        }
        printf("%-8u %12.3f %8.3f %12.3f %8.3f\n", parts[k], took[1], took[1] / all, took[0],
               took[0] / all);
    }
    oct_set_free(set);
    oct_sim_free(sim);
    free(marks);
    free(order);
}

/* Device time of kernels of direct sums since the profiler was switched on, which it ends. */
static double direct_ms(oct_device *device)
{
    oct_kernel_time *times = NULL;
    size_t n = 0;
    double ms = 0;
    ref_ok(oct_device_times(&times, &n, device));
    for (size_t i = 0; i < n; i++)
        ms += strncmp(times[i].name, "force_direct_", 13) == 0 ? times[i].ms : 0;
    oct_device_times_free(times);
    ref_ok(oct_device_profile(device, false));
    return ms;
}

/* Direct sums for sets of so many bodies, evenly spread. */
static void print_direct(uint32_t n, oct_precision precision, const char *name)
{
    oct_set *set = NULL;
    oct_sim *sim = ref_sim(precision,
                           "units: nbody\nmodels: [plummer: {n: %u}]\n"
                           "gravity: {method: direct, softening: 0.01}\n"
                           "integrator: {dt: 0.01}\nrun: {until: 1}\n",
                           n);
    oct_domain *domain = sim->domain;
    size_t bytes = domain->acceleration->element;
    unsigned char *marks = array_alloc(n, 1), *all = array_alloc(n, bytes);
    unsigned char *some = array_alloc(n, bytes);
    ref_ok(oct_sim_find_forces(sim));
    double wall = time_forces(sim, NULL, NULL);
    ref_ok(oct_buffer_read(all, domain->acceleration, 0, n));
    printf("direct, %s, %u bodies: %.3f ms\n%8s %10s %10s %9s  bits\n", name, n, wall, "bodies",
           "wall, ms", "device, ms", "part");
    ref_ok(oct_set_create(&set, domain));
    for (uint32_t count = 1; count < n; count *= 4) {
        for (uint32_t i = 0; i < n; i++)
            marks[i] = i % (n / count) == 0 && i / (n / count) < count;
        oct_domain_restrict(domain, set);
        double took = time_forces(sim, set, marks);
        ref_ok(oct_device_profile(domain->device, true));
        ref_ok(oct_sim_find_forces(sim));
        double device = direct_ms(domain->device);
        oct_domain_restrict(domain, NULL);
        ref_ok(oct_buffer_read(some, domain->acceleration, 0, n));
        printf("%8u %10.3f %10.3f %9.6f  %s\n", count, took, device, took / wall,
               memcmp(some, all, n * bytes) == 0 ? "same" : "others");
    }
    oct_set_free(set);
    oct_sim_free(sim);
    free(marks);
    free(all);
    free(some);
}

int main(int argc, char **argv)
{
    bool direct = argc > 1 && strcmp(argv[1], "direct") == 0;
    for (int k = 2; direct && k < argc; k++) {
        uint32_t n = (uint32_t)strtoul(argv[k], NULL, 10);
        print_direct(n, OCT_PRECISION_SINGLE, "single");
        print_direct(n, OCT_PRECISION_MIXED, "mixed");
    }
    if (!direct)
        print_times(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000);
    ref_device_close();
    return 0;
}
