/* Collisions of one step against a serial pass in plain C, bit for bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collision/collision.h"
#include "scene_sim.h"
#include "selftest/oracle_collision.h"
#include "util/random.h"

#define SHEAR    "{boundary: shear, size: [10, 12, 8], ghosts: [1, 1, 0], omega: 0.7}"
#define PERIODIC "{boundary: periodic, size: [10, 12, 8]}"
#define OPEN     "{boundary: open}"
#define DENSE    "dense"

static oct_sim *crowd(oct_precision precision, const char *box, const char *collisions, int n)
{
    bool shear = strstr(box, "shear");
    oct_sim *sim = ref_sim(precision,
                           "units: nbody\nbox: %s\nmodels: [plummer: {n: %d}]\n"
                           "gravity: {method: none}\ncollisions: %s\n"
                           "integrator: {method: %s, dt: 1e-9}\nrun: {until: 1}\n",
                           box, n, collisions, shear ? "sei" : "leapfrog");
    oct_bodies b = {0};
    ref_ok(oct_sim_bodies(&b, sim));
    const double size[3] = {10, 12, 8};
    for (size_t i = 0; i < b.n; i++) {
        oct_random random = oct_random_start(7, 0, i);
        for (size_t k = 0; k < 3; k++) {
            b.position[3 * i + k] = size[k] * (oct_random_uniform(&random) - 0.5);
            b.velocity[3 * i + k] = oct_random_normal(&random);
        }
        b.radius[i] = 0.15 + 0.6 * pow(oct_random_uniform(&random), 3);
        b.mass[i] = pow(b.radius[i], 3);
    }
    ref_ok(oct_sim_set_bodies(sim, &b));
    oct_bodies_clear(&b);
    return sim;
}

/* Spheres of 0.3 in a box of 1: a pair touches in several images at once. */
static oct_sim *dense_crowd(oct_precision precision, const char *collisions)
{
    oct_sim *sim = ref_sim(precision,
                           "units: nbody\nbox: {boundary: periodic, size: [1, 1, 1]}\n"
                           "models: [plummer: {n: 150}]\ngravity: {method: none}\n"
                           "collisions: %s\nintegrator: {dt: 1e-9}\nrun: {until: 1}\n",
                           collisions);
    oct_bodies b = {0};
    ref_ok(oct_sim_bodies(&b, sim));
    for (size_t i = 0; i < b.n; i++) {
        oct_random random = oct_random_start(11, 0, i);
        for (size_t k = 0; k < 3; k++) {
            b.position[3 * i + k] = oct_random_uniform(&random) - 0.5;
            b.velocity[3 * i + k] = oct_random_normal(&random);
        }
        b.radius[i] = 0.3;
    }
    ref_ok(oct_sim_set_bodies(sim, &b));
    oct_bodies_clear(&b);
    return sim;
}

static oct_collider *collider_of(oct_sim *sim)
{
    return sim->domain->collisions.state;
}

/* Impacts at all speeds together. */
static uint64_t counted_speeds(oct_sim *sim)
{
    uint64_t counts[OCT_SPEED_BINS], sum = 0;
    double lowest;
    ref_ok(oct_collider_speeds(&lowest, counts, collider_of(sim), sim->domain));
    for (size_t k = 0; k < OCT_SPEED_BINS; k++)
        sum += counts[k];
    return sum;
}

/* Steps are short: only collisions change velocities, by far more than the drift does. */
static void compare_with_oracle(oct_precision precision, const char *box, const char *method)
{
    char collisions[128];
    snprintf(collisions, sizeof collisions, "{%s, restitution: 0.5}", method);
    oct_sim *sim = strcmp(box, DENSE) == 0 ? dense_crowd(precision, collisions)
                                           : crowd(precision, box, collisions, 1500);
    oct_bodies before = {0}, after = {0};
    oct_oracle_pair *pairs;
    oct_impacts impacts;
    ref_ok(oct_sim_bodies(&before, sim));
    /* The search sees the bodies after the drift, at rest but for 1e-9 of their velocity. */
    double time = sim->clock.time;
    ref_ok(oct_sim_collide(sim, 1e-9));
    size_t n;
    ref_ok(oct_oracle_colliding(&pairs, &n, &before, sim, 0));
    double lost = oct_oracle_resolve(&before, pairs, n, sim, 0.5);
    ref_ok(oct_sim_bodies(&after, sim));
    ref_ok(oct_collider_impacts(&impacts, collider_of(sim), sim->domain));
    assert_true(time == sim->clock.time && n > 500);
    uint32_t found;
    ref_ok(oct_buffer_read(&found, collider_of(sim)->status, 0, 1));
    assert_int_equal(found, n);
    for (size_t i = 0; i < 3 * after.n; i++)
        if (after.velocity[i] != before.velocity[i])
            fail_msg("%s, %s: velocity %zu is %.17g, not %.17g", box, method, i, after.velocity[i],
                     before.velocity[i]);
    print_message("%s, %s: %zu pairs, %.0f impacts, energy lost %.6g, off by %.1e\n", box, method,
                  n, impacts.pairs, lost, impacts.energy / lost - 1);
    assert_true(fabs(impacts.energy / lost - 1) < 1e-12); /* seen: 4e-15 */
    /* Seen: 0.88, and 0.26 of dense ones; the others part when their turn comes. */
    assert_true(impacts.pairs > 0.2 * (double)n && impacts.pairs <= (double)n);
    assert_true((double)counted_speeds(sim) == impacts.pairs);
    free(pairs);
    oct_bodies_clear(&before);
    oct_bodies_clear(&after);
    oct_sim_free(sim);
}

static void chains_equal_the_serial_oracle(void **state)
{
    (void)state;
    const char *const boxes[] = {OPEN, PERIODIC, SHEAR, DENSE};
    for (int i = 0; i < 4; i++) {
        compare_with_oracle(OCT_PRECISION_MIXED, boxes[i], "method: direct");
        compare_with_oracle(OCT_PRECISION_DOUBLE, boxes[i], "method: tree, kernel: portable");
        compare_with_oracle(OCT_PRECISION_MIXED, boxes[i], "method: tree, kernel: lanes");
        compare_with_oracle(OCT_PRECISION_DOUBLE, boxes[i], "method: tree, kernel: lanes");
    }
}

/* How pairs are resolved: chains of bodies with so many pairs, or so many rounds; what is left, one
 * by one. */
typedef struct way {
    uint32_t climbs, longest, rounds;
} way;

/* The state after three collision steps. */
static uint64_t hash_by(oct_precision precision, const char *collisions, way w)
{
    oct_sim *sim = crowd(precision, SHEAR, collisions, 1500);
    oct_collider *c = collider_of(sim);
    c->climbs = w.climbs;
    c->longest = w.longest;
    c->most_rounds = w.rounds;
    ref_ok(oct_sim_step(sim, 3));
    uint64_t hash = ref_hash(sim);
    oct_sim_free(sim);
    return hash;
}

static void any_way_gives_the_same_bits(void **state)
{
    (void)state;
    const char *const outcomes[] = {
        "{method: tree, restitution: bridges, bridges_speed: 0.1}",
        "{method: tree, minimum_speed: 1}", "{method: tree, tangential: 0.3}",
        "{method: tree, outcome: merge}", "{method: tree, outcome: merge, tangential: 0.5}"};
    /* The first resolves all pairs that share a body one by one. */
    const way serial = {1, 0, 1},
              ways[] = {{1, 2, 1}, {1, 256, 1}, {0, 256, 2}, {0, 256, 20}, {0, 2, 20}};
    for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++)
        for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
            uint64_t expected = hash_by((oct_precision)p, outcomes[i], serial);
            for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++)
                assert_true(hash_by((oct_precision)p, outcomes[i], ways[k]) == expected);
        }
}

static void a_full_list_grows(void **state)
{
    (void)state;
    oct_sim *a = crowd(OCT_PRECISION_MIXED, SHEAR, "{method: tree}", 1500);
    oct_sim *b = crowd(OCT_PRECISION_MIXED, SHEAR, "{method: tree}", 1500);
    collider_of(b)->capacity = 10;
    ref_ok(oct_sim_step(a, 1));
    ref_ok(oct_sim_step(b, 1));
    assert_true(collider_of(b)->capacity > 500);
    assert_int_equal(ref_hash(a), ref_hash(b));
    oct_sim_free(a);
    oct_sim_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_equal_the_serial_oracle),
        cmocka_unit_test(any_way_gives_the_same_bits),
        cmocka_unit_test(a_full_list_grows),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
