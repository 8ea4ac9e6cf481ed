/* Friends of friends against a union of all pairs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene_sim.h"

/* The square of the distance to the nearest image; sides of 0 are open. */
static double distance2(const oct_bodies *b, size_t i, size_t j, const double side[3])
{
    double sum = 0;
    for (size_t k = 0; k < 3; k++) {
        double d = b->position[3 * i + k] - b->position[3 * j + k];
        d = side[k] > 0 ? remainder(d, side[k]) : d;
        sum += d * d;
    }
    return sum;
}

/* Labels by all pairs, swept until nothing changes. */
static void label_pairs(uint32_t *label, const oct_bodies *b, double link, const double side[3])
{
    for (uint32_t i = 0; i < b->n; i++)
        label[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < b->n; i++)
            for (size_t j = 0; j < i; j++)
                if (label[i] != label[j] && distance2(b, i, j, side) <= link * link) {
                    uint32_t low = label[i] < label[j] ? label[i] : label[j];
                    label[i] = label[j] = low;
                    changed = true;
                }
    }
}

static size_t count_groups(const uint32_t *label, size_t n)
{
    size_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += label[i] == i;
    return count;
}

/* The number of groups. */
static size_t compare(oct_sim *sim, double link, const double side[3])
{
    oct_bodies b = {0};
    ref_ok(oct_sim_bodies(&b, sim));
    uint32_t *found = calloc(b.n, sizeof *found), *expected = calloc(b.n, sizeof *expected);
    assert_true(found && expected);
    label_pairs(expected, &b, link, side);
    ref_ok(oct_friends(found, sim, link));
    assert_memory_equal(found, expected, b.n * sizeof *found);
    size_t groups = count_groups(found, b.n);
    free(found);
    free(expected);
    oct_bodies_clear(&b);
    return groups;
}

static oct_sim *make(oct_precision precision, const char *box, const char *model)
{
    return ref_sim(precision,
                   "units: nbody\nseed: 5\nbox: {%s}\nmodels: [{%s}]\ngravity: {method: none}\n"
                   "integrator: {dt: 1}\nrun: {until: 1}\n",
                   box, model);
}

static const double open[3] = {0};

static void groups_are_those_of_all_pairs(void **state)
{
    static const oct_precision precisions[] = {OCT_PRECISION_SINGLE, OCT_PRECISION_MIXED,
                                               OCT_PRECISION_DOUBLE};
    /* From everybody alone to all in one. */
    static const double links[] = {1e-3, 0.03, 0.08, 0.15, 0.3, 1, 30, 1e30};
    (void)state;
    for (size_t p = 0; p < 3; p++) {
        oct_sim *sim = make(precisions[p], "boundary: open", "plummer: {n: 800}");
        size_t least = 801;
        for (size_t k = 0; k < sizeof links / sizeof links[0]; k++) {
            size_t groups = compare(sim, links[k], open);
            assert_true(groups <= least);
            least = groups;
        }
        assert_int_equal(least, 1);
        oct_sim_free(sim);
    }
}

static void groups_reach_through_faces(void **state)
{
    static const double links[] = {0.02, 0.06, 0.09, 0.12, 0.2};
    static const double side[3] = {1, 1, 1};
    size_t open_groups = 0, periodic_groups = 0;
    (void)state;
    for (size_t k = 0; k < sizeof links / sizeof links[0]; k++) {
        oct_sim *free_box =
            make(OCT_PRECISION_MIXED, "boundary: open", "uniform-cube: {n: 700, side: 1}");
        oct_sim *box = make(OCT_PRECISION_MIXED, "boundary: periodic, size: [1, 1, 1]",
                            "uniform-cube: {n: 700, side: 1}");
        open_groups += compare(free_box, links[k], open);
        periodic_groups += compare(box, links[k], side);
        oct_sim_free(free_box);
        oct_sim_free(box);
    }
    assert_true(periodic_groups < open_groups);
}

static oct_sim *from_bodies(const oct_bodies *bodies)
{
    oct_scene *scene;
    oct_sim *sim;
    oct_sim_options options = {.size = sizeof options, .bodies = bodies};
    ref_ok(oct_scene_create(&scene));
    ref_ok(oct_scene_set(scene, "gravity.method=none"));
    ref_ok(oct_scene_set(scene, "integrator.dt=1"));
    ref_ok(oct_sim_create_with(&sim, ref_device(), scene, &options));
    oct_scene_free(scene);
    return sim;
}

/* Two clumps of bodies at a distance that is exact in floats, just below and above the link. */
static void two_clumps_are_one_or_two(void **state)
{
    enum { EACH = 500 };
    oct_bodies bodies = {0};
    uint32_t label[2 * EACH];
    (void)state;
    ref_ok(oct_bodies_resize(&bodies, 2 * EACH));
    for (size_t i = 0; i < 2 * EACH; i++) {
        /* Threads along x of both clumps, a quarter apart, interleaved by index. */
        double along = 0.25 * (double)(i / 2);
        bodies.position[3 * i] = i % 2 ? along + 1 : -along;
        bodies.position[3 * i + 1] = 0.5;
    }
    oct_sim *sim = from_bodies(&bodies);
    ref_ok(oct_friends(label, sim, nextafter(1, 0)));
    for (uint32_t i = 0; i < 2 * EACH; i++)
        assert_int_equal(label[i], i % 2);
    ref_ok(oct_friends(label, sim, 1));
    for (uint32_t i = 0; i < 2 * EACH; i++)
        assert_int_equal(label[i], 0);
    ref_ok(oct_friends(label, sim, nextafter(0.25, 0)));
    assert_int_equal(count_groups(label, 2 * EACH), 2 * EACH);
    oct_sim_free(sim);
    oct_bodies_clear(&bodies);
}

/* Groups that grow from many places at once, near percolation: work-items find what others have
 * joined meanwhile. No friend is left out, and no order of theirs is seen. */
static void a_crowd_of_joins_is_the_same_each_time(void **state)
{
    enum { N = 100000, NEAREST = 12, TIMES = 8 };
    const double link = 0.8 / cbrt(N);
    (void)state;
    oct_sim *sim =
        make(OCT_PRECISION_MIXED, "boundary: open", "uniform-cube: {n: 100000, side: 1}");
    uint32_t *first = calloc(N, sizeof *first), *again = calloc(N, sizeof *again);
    uint32_t *index = calloc((size_t)N * NEAREST, sizeof *index);
    double *distance = calloc((size_t)N * NEAREST, sizeof *distance);
    assert_true(first && again && index && distance);
    ref_ok(oct_neighbours(index, distance, sim, NEAREST));
    ref_ok(oct_friends(first, sim, link));
    for (size_t i = 0; i < (size_t)N * NEAREST; i++)
        if (distance[i] < link * (1 - 1e-12))
            assert_int_equal(first[i / NEAREST], first[index[i]]);
    for (int k = 0; k < TIMES; k++) {
        ref_ok(oct_friends(again, sim, link));
        assert_memory_equal(first, again, N * sizeof *first);
    }
    free(first);
    free(again);
    free(index);
    free(distance);
    oct_sim_free(sim);
}

/* All in one place, and all but a few: cells that are one group are not searched pair by pair. */
static void crowds_are_no_trouble(void **state)
{
    enum { N = 200000 };
    oct_bodies bodies = {0};
    uint32_t *label = calloc(N, sizeof *label);
    (void)state;
    assert_non_null(label);
    ref_ok(oct_bodies_resize(&bodies, N));
    for (size_t i = 0; i < N; i++)
        bodies.position[3 * i] = i % 1000 ? 1e-7 * (double)(i % 97) : 5 + (double)i;
    oct_sim *sim = from_bodies(&bodies);
    ref_ok(oct_friends(label, sim, 0.5));
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(label[i], i % 1000 ? 1 : i);
    oct_sim_free(sim);
    oct_bodies_clear(&bodies);
    free(label);
}

static void lengths_that_are_none_are_refused(void **state)
{
    static const double links[] = {0, -1, NAN, INFINITY};
    uint32_t label[4];
    (void)state;
    oct_sim *sim = make(OCT_PRECISION_MIXED, "boundary: open", "plummer: {n: 4}");
    for (size_t k = 0; k < sizeof links / sizeof links[0]; k++) {
        assert_int_equal(oct_friends(label, sim, links[k]), OCT_STATUS_INPUT);
        ref_says("linking length");
    }
    oct_sim_free(sim);
}

static int teardown(void **state)
{
    (void)state;
    ref_device_close();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_those_of_all_pairs),
        cmocka_unit_test(groups_reach_through_faces),
        cmocka_unit_test(two_clumps_are_one_or_two),
        cmocka_unit_test(a_crowd_of_joins_is_the_same_each_time),
        cmocka_unit_test(crowds_are_no_trouble),
        cmocka_unit_test(lengths_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
