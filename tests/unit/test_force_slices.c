/* Walks of few groups, which several work-groups share: forces and counts are those of walks for
 * all, but for the order of sums. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/set.h"
#include "scene_sim.h"
#include "tree/tree.h"

#define SCENE                                                                                      \
    "units: nbody\nseed: 3\nbox: {boundary: %s}\nmodels: [plummer: {n: 6100, scale: 0.5}]\n"       \
    "gravity: {method: tree, theta: 0.1, softening: 0.01%s}\n"                                     \
    "integrator: {method: block-leapfrog, dt: 0.01, levels: 3, keep: false}\nrun: {until: 1}\n"

enum { N = 6100 };

static void *read_all(oct_buffer *buffer)
{
    void *rows = malloc(buffer->count * buffer->element);
    assert_non_null(rows);
    ref_ok(oct_buffer_read(rows, buffer, 0, buffer->count));
    return rows;
}

/* Marks each `every`-th body of some groups in the order of the tree, the last one among them. */
static void mark(oct_set *set, oct_domain *domain, uint32_t groups, uint32_t every)
{
    static uint8_t marks[N];
    uint32_t *order = read_all(domain->tree->order), all = oct_tree_groups(N);
    memset(marks, 0, sizeof marks);
    for (uint32_t k = 0; k < groups; k++) {
        uint32_t first = (all - 1 - k * (all / groups)) * OCT_TREE_GROUP;
        for (uint32_t i = first; i < first + OCT_TREE_GROUP && i < N; i += every)
            marks[order[i]] = 1;
    }
    ref_ok(oct_buffer_write(set->marks, marks, 0, N));
    free(order);
}

/* The largest difference of the forces on those of a set, or infinite if others have changed. */
static double difference(oct_domain *domain, oct_set *set, double (*all)[4])
{
    double(*some)[4] = read_all(domain->acceleration), worst = 0;
    uint8_t *marks = read_all(set->marks);
    for (uint32_t i = 0; i < N; i++)
        for (int k = 0; k < 4; k++) {
            double size = k < 3 ? hypot(hypot(all[i][0], all[i][1]), all[i][2]) : fabs(all[i][3]);
            double off = fabs(some[i][k] - all[i][k]) / size;
            worst = fmax(worst, marks[i] || off == 0 ? off : INFINITY);
        }
    free(some);
    free(marks);
    return worst;
}

static double sum_work(oct_sim *sim)
{
    double out[2];
    oct_domain *domain = sim->domain;
    const oct_force *gravity = (const oct_force *)domain->gravity.module;
    ref_ok(gravity->interactions(out, domain->gravity.state, domain));
    return out[0] + out[1];
}

static void are_those_of_all(oct_precision precision, const char *box, const char *way, double most)
{
    oct_sim *sim = NULL;
    oct_set *set = NULL;
    if (ref_sim_status(precision, SCENE, box, way) == OCT_STATUS_INPUT) {
        ref_says("crashes the compiler of PoCL");
        skip();
    }
    sim = ref_sim(precision, SCENE, box, way);
    oct_domain *domain = sim->domain;
    ref_ok(oct_sim_find_forces(sim));
    double before = sum_work(sim), worst = 0, work = 0;
    double(*all)[4] = read_all(domain->acceleration);
    ref_ok(oct_set_create(&set, domain));
    /* Eight slices, four, two, and one. */
    static const uint32_t groups[] = {3, 7, 20, 48, 60};
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        mark(set, domain, groups[g], g % 2 ? 5 : 1);
        oct_domain_restrict(domain, set);
        ref_ok(oct_sim_find_forces(sim));
        oct_domain_restrict(domain, NULL);
        worst = fmax(worst, difference(domain, set, all));
        work = fmax(work, fabs(sum_work(sim) / before - 1));
        ref_ok(oct_buffer_write(domain->acceleration, all, 0, N));
    }
    print_message("%s%s: %.1e, interactions %.1e\n", box, way, worst, work);
    assert_true(worst < most && work < 0.02);
    oct_set_free(set);
    free(all);
    oct_sim_free(sim);
}

static void slices_add_up(void **state)
{
    (void)state;
    /* Seen: 1.6e-6 in mixed, 3.6e-7 in double, in which some cells are taken by finer boxes. */
    are_those_of_all(OCT_PRECISION_MIXED, "open", ", kernel: tiles", 1e-5);
    are_those_of_all(OCT_PRECISION_DOUBLE, "open", ", kernel: tiles", 2e-6);
    /* Pulls of images cancel: seen 1.9e-5. */
    are_those_of_all(OCT_PRECISION_MIXED, "periodic, size: [8, 9, 10]", ", kernel: tiles", 1e-4);
    are_those_of_all(OCT_PRECISION_MIXED, "open", ", kernel: tiles, softenings: {star: 0.02}",
                     1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slices_add_up)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
