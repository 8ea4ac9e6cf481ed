/* What forces and collisions of some bodies cost, beside those of all: `time_sets [bodies]` prints
 * milliseconds for sets of whole groups of the tree, and for bodies picked at random. With "all"
 * the set has everybody; the first row has no set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

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

int main(int argc, char **argv)
{
    print_times(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000);
    ref_device_close();
    return 0;
}
