/* Softenings that differ from body to body: forces against a sum in double, momentum, one softening
 * for all, and who may have which. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sim.h"
#include "core/softening.h"
#include "scene_sim.h"
#include "selftest/oracle.h"

/* A wide halo and a small dense cluster in it, whose softenings are 20 times apart, and a black
 * hole with the softening of gravity. */
#define BODIES(n, m)                                                                               \
    "units: nbody\nmodels:\n"                                                                      \
    "  - plummer: {n: " n ", mass: 1, softening: 0.2}\n"                                           \
    "  - plummer: {n: " m ", mass: 0.2, scale: 0.1, softening: 0.01, offset: [0.3, 0.2, 0]}\n"     \
    "  - body: {mass: 0.1, offset: [0.3, 0.2, 0]}\n"
#define RUN "integrator: {dt: 0.001}\nrun: {until: 1}\n"

typedef struct errors {
    double median, p99, most, potential;
} errors;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of accelerations, each relative to its own; the largest of potentials, those near zero by the
 * mean. */
static errors compare(const oct_bodies *got, const oct_oracle_gravity *gravity)
{
    errors e = {0};
    double mean = 0;
    oct_bodies exact = {0};
    double *each = malloc(got->n * sizeof *each);
    assert_non_null(each);
    ref_ok(oct_bodies_resize(&exact, got->n));
    memcpy(exact.position, got->position, 3 * got->n * sizeof *got->position);
    memcpy(exact.mass, got->mass, got->n * sizeof *got->mass);
    memcpy(exact.softening, got->softening, got->n * sizeof *got->softening);
    (gravity->size[0] > 0 ? oct_oracle_ewald : oct_oracle_forces)(&exact, gravity);
    for (size_t i = 0; i < got->n; i++)
        mean += fabs(exact.potential[i]) / (double)got->n;
    for (size_t i = 0; i < got->n; i++) {
        each[i] = oct_oracle_vector_error(got->acceleration + 3 * i, exact.acceleration + 3 * i, 1);
        e.potential = oct_oracle_worse(e.potential, fabs(got->potential[i] - exact.potential[i]) /
                                                        fmax(mean, fabs(exact.potential[i])));
    }
    qsort(each, got->n, sizeof *each, ascending);
    e.median = each[got->n / 2];
    e.p99 = each[got->n * 99 / 100];
    e.most = each[got->n - 1];
    free(each);
    oct_bodies_clear(&exact);
    return e;
}

static const oct_precision precisions[] = {OCT_PRECISION_SINGLE, OCT_PRECISION_MIXED,
                                           OCT_PRECISION_DOUBLE};

static bool has_precision(oct_precision precision)
{
    return precision == OCT_PRECISION_SINGLE || oct_device_describe(ref_device())->fp64;
}

static void check_direct(const char *kernel, const char *box, double size, double tolerance)
{
    for (int p = 0; p < 3; p++) {
        if (!has_precision(precisions[p]))
            continue;
        oct_bodies b = {0};
        oct_sim *sim = ref_sim(
            precisions[p],
            BODIES("301", "200") "box: {%s}\n"
                                 "gravity: {method: direct, kernel: %s, softening: 0.05}\n" RUN,
            box, kernel);
        ref_ok(oct_sim_bodies(&b, sim));
        errors e = compare(&b, &(oct_oracle_gravity){1, 0.05, {size, size, size}, {0}, 0});
        print_message("direct %s %s %s: median %.1e, 99 %% %.1e, most %.1e, potential %.1e\n",
                      kernel, box, oct_precision_name(precisions[p]), e.median, e.p99, e.most,
                      e.potential);
        /* Seen: 2.9e-14, 5.7e-7 and 1.8e-5. */
        double most = precisions[p] == OCT_PRECISION_DOUBLE  ? 1e-12
                      : precisions[p] == OCT_PRECISION_MIXED ? 5e-6
                                                             : 1e-4;
        most = fmax(most, tolerance);
        assert_true(e.p99 < most && e.most < 10 * most && e.potential < most);
        oct_bodies_clear(&b);
        oct_sim_free(sim);
    }
}

static void direct_sums_have_the_softening_of_pairs(void **state)
{
    (void)state;
    static const char *const kernels[] = {"auto", "tiles", "lanes", "portable"};
    for (size_t k = 0; k < 4; k++)
        check_direct(kernels[k], "boundary: open", 0, 0);
    /* Far images come as a series. */
    check_direct("auto", "boundary: periodic, size: [12, 12, 12]", 12, 1e-4); /* 7.4e-5 */
}

/* Forces that are equal and opposite add up to nothing, to rounding. */
static void pairs_keep_momentum(void **state)
{
    (void)state;
    for (int p = 0; p < 3; p++) {
        double sum[3] = {0}, all = 0;
        oct_bodies b = {0};
        if (!has_precision(precisions[p]))
            continue;
        oct_sim *sim =
            ref_sim(precisions[p], BODIES("301", "200") "gravity: {method: direct}\n" RUN);
        ref_ok(oct_sim_bodies(&b, sim));
        for (size_t i = 0; i < 3 * b.n; i++) {
            sum[i % 3] += b.mass[i / 3] * b.acceleration[i];
            all += fabs(b.mass[i / 3] * b.acceleration[i]);
        }
        double error = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / all;
        print_message("momentum, %s: %.1e\n", oct_precision_name(precisions[p]), error);
        /* Seen: 5.2e-17, 2.5e-8 and 2.0e-8. */
        assert_true(error < (precisions[p] == OCT_PRECISION_DOUBLE ? 1e-15 : 1e-7));
        oct_bodies_clear(&b);
        oct_sim_free(sim);
    }
}

/* Trees -------------------------------------------------------------------------------------- */

static errors tree_errors(oct_precision precision, const char *box, const char *gravity,
                          const char *name)
{
    oct_bodies b = {0};
    oct_sim *sim =
        ref_sim(precision,
                BODIES("2001", "1500") "box: {%s}\n"
                                       "gravity: {method: tree, softening: 0.05, %s}\n" RUN,
                box, gravity);
    if (strstr(gravity, "relative"))
        ref_ok(oct_sim_settle_forces(sim));
    ref_ok(oct_sim_bodies(&b, sim));
    double size = strstr(box, "periodic") ? 12 : 0;
    errors e = compare(&b, &(oct_oracle_gravity){1, 0.05, {size, size, size}, {0}, 0});
    print_message("tree %s %s: median %.1e, 99 %% %.1e, most %.1e, potential %.1e\n", name,
                  oct_precision_name(precision), e.median, e.p99, e.most, e.potential);
    oct_bodies_clear(&b);
    oct_sim_free(sim);
    return e;
}

static void trees_have_the_softening_of_pairs(void **state)
{
    static const struct {
        const char *name, *gravity;
        double median, p99, most;
    } cases[] = {
        {"offset", "theta: 0.5", 1e-4, 6e-4, 5e-3},        /* 4.3e-5, 2.6e-4, 1.9e-3 */
        {"offset, 0.75", "theta: 0.75", 4e-4, 2e-3, 2e-2}, /* 1.7e-4, 9.3e-4, 8.7e-3 */
        {"geometric", "theta: 0.5, criterion: geometric", 6e-5, 5e-4, 2e-3}, /* 2.3, 2.1, 0.7 */
        {"min-distance", "theta: 0.5, criterion: min-distance", 6e-5, 5e-4, 2e-3}, /* the same */
        /* 2.6e-4, 1.2e-3, 4.5e-3, and 1.2e-2 for one body by fine boxes. */
        {"relative", "alpha: 0.01, criterion: relative", 6e-4, 3e-3, 2e-2},
        {"relative, coarse", "alpha: 0.1, criterion: relative", 2e-3, 2e-2, 8e-2}, /* 0.6 0.6 3 */
        /* 2.2e-4, 1.3e-3, 4e-3, and 3.3e-4, 1.7e-3, 1.1e-2 by fine boxes: a scalar walk for each
         * body alone has 1.6e-3, 4.9e-3 and 1.9e-2. */
        {"monopole", "theta: 0.5, order: monopole", 5e-4, 3e-3, 2e-2},
    };
    (void)state;
    for (int p = 0; p < 3; p++) {
        /* Criteria are the same programs' in all precisions, and take long to compile. */
        bool all = precisions[p] == OCT_PRECISION_MIXED;
        if (!has_precision(precisions[p]))
            continue;
        errors e = tree_errors(precisions[p], "boundary: open", "theta: 0.02", "exact");
        /* Seen: 7e-8, 3.6e-7, 6e-7; in double 1e-15, and 3.5e-9 where a cell is accepted. */
        bool wide = precisions[p] == OCT_PRECISION_DOUBLE;
        assert_true(e.median < (wide ? 1e-14 : 1e-6) && e.most < (wide ? 1e-8 : 1e-5));
        for (size_t i = 0; i < (all ? sizeof cases / sizeof cases[0] : 1); i++) {
            e = tree_errors(precisions[p], "boundary: open", cases[i].gravity, cases[i].name);
            assert_true(e.median < cases[i].median && e.p99 < cases[i].p99 &&
                        e.most < cases[i].most);
        }
        if (!all)
            continue;
        e = tree_errors(precisions[p], "boundary: periodic, size: [12, 12, 12]", "theta: 0.5",
                        "periodic");
        assert_true(e.median < 1e-4 && e.p99 < 2e-3 && e.most < 1e-2); /* 4.9e-5, 7.1e-4, 2.9e-3 */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_sums_have_the_softening_of_pairs),
        cmocka_unit_test(pairs_keep_momentum),
        cmocka_unit_test(trees_have_the_softening_of_pairs),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
