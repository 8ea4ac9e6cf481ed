/* Bodies that join, leave, merge and are closed up: who is there, what is counted, and the bits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sim.h"
#include "files.h"
#include "scene_sim.h"

/* A cloud that falls together: most of it merges. */
static oct_sim *cloud(oct_precision precision, const char *gravity)
{
    oct_sim *sim = ref_sim(precision,
                           "units: nbody\nseed: 5\nmodels: [cold-sphere: {n: 400}]\n"
                           "gravity: {method: %s, softening: 0.01}\n"
                           "collisions: {method: tree, outcome: merge}\n"
                           "integrator: {method: leapfrog, dt: 0.01}\nrun: {until: 10}\n",
                           gravity);
    oct_bodies b = {0};
    ref_ok(oct_sim_bodies(&b, sim));
    for (size_t i = 0; i < b.n; i++)
        b.radius[i] = 0.02;
    ref_ok(oct_sim_set_bodies(sim, &b));
    oct_bodies_clear(&b);
    return sim;
}

static uint32_t places(const oct_sim *sim)
{
    return sim->domain->n;
}

static void gaps_are_closed_up(void **state)
{
    (void)state;
    oct_sim *sim = cloud(OCT_PRECISION_MIXED, "direct");
    double mass = ref_measure(sim, "mass");
    uint32_t before = places(sim), closed = 0;
    for (int i = 0; i < 48; i++) {
        ref_ok(oct_sim_step(sim, 8));
        ref_ok(oct_sim_wait(sim));
        oct_bodies b = {0};
        ref_ok(oct_sim_bodies(&b, sim));
        assert_int_equal(b.n, oct_sim_count(sim));
        /* In the order in which they were. */
        for (size_t k = 1; k < b.n; k++)
            assert_true(b.id[k - 1] < b.id[k]);
        oct_bodies_clear(&b);
        closed += places(sim) != before;
        before = places(sim);
        assert_int_equal(400 - oct_sim_count(sim), (uint64_t)ref_measure(sim, "removed"));
        /* Each merger is an impact, and removes one. */
        assert_int_equal(ref_measure(sim, "removed"), sim->removed);
        oct_impacts impacts;
        const oct_collision *collision = oct_domain_collision(sim->domain);
        ref_ok(collision->impacts(&impacts, sim->domain->collisions.state, sim->domain));
        assert_true(impacts.pairs == (double)sim->removed);
    }
    assert_true(closed >= 2);
    print_message("%d bodies in %d places, closed %d times, mass off by %.1e\n",
                  (int)oct_sim_count(sim), (int)places(sim), (int)closed,
                  fabs(ref_measure(sim, "mass") - mass));
    assert_true(oct_sim_count(sim) < 100); /* seen: 1, in as many places */
    assert_true(places(sim) < 150);
    assert_true(fabs(ref_measure(sim, "mass") - mass) < 1e-13); /* seen: 9.8e-15 */
    oct_sim_free(sim);
}

/* Steps, with onlookers and files in between or without. */
static uint64_t course(oct_precision precision, const char *gravity, unsigned at_once, bool looks)
{
    oct_sim *sim = cloud(precision, gravity);
    for (uint64_t step = 0; step < 320; step += at_once) {
        ref_ok(oct_sim_step(sim, at_once));
        if (!looks)
            continue;
        oct_bodies b = {0};
        ref_ok(oct_sim_bodies(&b, sim));
        oct_bodies_clear(&b);
        ref_measure(sim, "energy");
    }
    assert_true(places(sim) < 400);
    uint64_t hash = ref_hash(sim);
    oct_sim_free(sim);
    return hash;
}

static void who_looks_does_not_change_when(void **state)
{
    (void)state;
    static const char *const methods[] = {"direct", "tree"};
    for (size_t i = 0; i < 2; i++) {
        uint64_t hash = course(OCT_PRECISION_MIXED, methods[i], 320, false);
        assert_true(hash == course(OCT_PRECISION_MIXED, methods[i], 10, true));
        assert_true(hash == course(OCT_PRECISION_MIXED, methods[i], 64, true));
    }
    assert_true(course(OCT_PRECISION_SINGLE, "tree", 320, false) ==
                course(OCT_PRECISION_SINGLE, "tree", 5, true));
}

static void a_resumed_run_closes_up_alike(void **state)
{
    (void)state;
    for (uint64_t at = 40; at <= 280; at += 80) {
        char path[256];
        scratch_path(path, "closed.hdf5");
        oct_sim *sim = cloud(OCT_PRECISION_MIXED, "tree"), *again = NULL;
        ref_ok(oct_sim_step(sim, at));
        ref_ok(oct_sim_checkpoint(sim, path));
        ref_ok(oct_sim_restore(&again, ref_device(), path));
        assert_int_equal(oct_sim_count(again), oct_sim_count(sim));
        assert_true(ref_measure(again, "removed") == ref_measure(sim, "removed"));
        ref_ok(oct_sim_step(sim, 340 - at));
        ref_ok(oct_sim_step(again, 340 - at));
        assert_true(ref_hash(again) == ref_hash(sim));
        assert_true(ref_measure(again, "energy_error") == ref_measure(sim, "energy_error"));
        oct_sim_free(again);
        oct_sim_free(sim);
    }
}

static oct_sim *cluster(const char *gravity, int n)
{
    return ref_sim(OCT_PRECISION_DOUBLE,
                   "units: nbody\nmodels: [plummer: {n: %d}]\ngravity: {method: %s, softening: "
                   "0.1}\nintegrator: {method: leapfrog, dt: 0.01}\nrun: {until: 10}\n",
                   n, gravity);
}

/* The last bodies of a simulation, as bodies of their own. */
static oct_bodies last_of(oct_sim *sim, size_t n)
{
    oct_bodies all = {0}, out = {0};
    ref_ok(oct_sim_bodies(&all, sim));
    ref_ok(oct_bodies_resize(&out, n));
    size_t first = all.n - n;
    memcpy(out.position, all.position + 3 * first, 3 * n * sizeof *out.position);
    memcpy(out.velocity, all.velocity + 3 * first, 3 * n * sizeof *out.velocity);
    memcpy(out.mass, all.mass + first, n * sizeof *out.mass);
    memcpy(out.radius, all.radius + first, n * sizeof *out.radius);
    memcpy(out.id, all.id + first, n * sizeof *out.id);
    memcpy(out.type, all.type + first, n * sizeof *out.type);
    memcpy(out.system, all.system + first, n * sizeof *out.system);
    oct_bodies_clear(&all);
    return out;
}

/* Bodies that leave and come back leave no trace. */
static void who_comes_back_was_never_gone(void **state)
{
    (void)state;
    static const char *const methods[] = {"direct", "tree"};
    for (size_t i = 0; i < 2; i++) {
        oct_sim *sim = cluster(methods[i], 300), *never = cluster(methods[i], 300);
        oct_bodies b = last_of(sim, 10);
        ref_ok(oct_sim_remove(sim, b.id, b.n));
        assert_int_equal(oct_sim_count(sim), 290);
        ref_ok(oct_sim_add(sim, &b));
        assert_int_equal(oct_sim_count(sim), 300);
        ref_ok(oct_sim_step(sim, 20));
        ref_ok(oct_sim_step(never, 20));
        assert_true(ref_hash(sim) == ref_hash(never));
        oct_bodies_clear(&b);
        oct_sim_free(sim);
        oct_sim_free(never);
    }
}

/* In the middle of a run: the others go on as they were, and forces know who is there. */
static void bodies_join_in_the_middle(void **state)
{
    (void)state;
    oct_sim *sim = cluster("direct", 50);
    ref_ok(oct_sim_step(sim, 7));
    oct_bodies before = {0}, after = {0}, added = {0};
    ref_ok(oct_sim_bodies(&before, sim));
    ref_ok(oct_bodies_resize(&added, 2));
    added.position[0] = 3;
    added.position[4] = -2;
    added.mass[0] = 0.5;
    added.mass[1] = 0.25;
    added.type[1] = OCT_TYPE_STAR;
    ref_ok(oct_sim_add(sim, &added));
    assert_int_equal(added.id[0], 51);
    assert_int_equal(added.id[1], 52);
    ref_ok(oct_sim_bodies(&after, sim));
    assert_int_equal(after.n, 52);
    assert_memory_equal(after.position, before.position, 3 * 50 * sizeof(double));
    assert_memory_equal(after.velocity, before.velocity, 3 * 50 * sizeof(double));
    assert_int_equal(after.type[50], OCT_TYPE_BODY);
    assert_int_equal(after.type[51], OCT_TYPE_STAR);
    double worst = 0;
    for (size_t i = 0; i < after.n; i++) {
        double a[3] = {0};
        for (size_t j = 0; j < after.n; j++) {
            double d[3], r2 = 0.01;
            for (size_t k = 0; k < 3; k++) {
                d[k] = after.position[3 * j + k] - after.position[3 * i + k];
                r2 += d[k] * d[k];
            }
            for (size_t k = 0; k < 3; k++)
                a[k] += after.mass[j] * d[k] / (r2 * sqrt(r2));
        }
        for (size_t k = 0; k < 3; k++)
            worst = fmax(worst, fabs(after.acceleration[3 * i + k] - a[k]));
    }
    print_message("forces off by %.1e\n", worst);
    assert_true(worst < 1e-14); /* seen: 3.5e-16 */
    /* Energy is compared with that of all who are there now. */
    assert_true(ref_measure(sim, "energy_error") == 0);
    ref_ok(oct_sim_step(sim, 5));
    double error = ref_measure(sim, "energy_error");
    print_message("energy off by %.1e\n", error);
    assert_true(fabs(error) < 1e-5); /* seen: 4.2e-7 */
    assert_int_equal(oct_sim_steps(sim), 12);
    oct_bodies_clear(&before);
    oct_bodies_clear(&after);
    oct_bodies_clear(&added);
    oct_sim_free(sim);
}

/* A run that bodies joined, resumed: as never stopped. */
static void what_joined_is_in_checkpoints(void **state)
{
    (void)state;
    char path[256];
    scratch_path(path, "joined.hdf5");
    oct_sim *sim = cluster("tree", 100);
    oct_bodies b = last_of(sim, 3);
    ref_ok(oct_sim_step(sim, 3));
    ref_ok(oct_sim_remove(sim, b.id, 3));
    memset(b.id, 0, 3 * sizeof *b.id);
    ref_ok(oct_sim_add(sim, &b));
    /* The largest id of those who stay is 97. */
    assert_int_equal(b.id[2], 100);
    ref_ok(oct_sim_step(sim, 4));
    oct_sim_free(ref_resume(sim, path, 9));
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

static void whole_systems_come_and_go(void **state)
{
    (void)state;
    const char *scene = "units: solar\nmodels: [galaxy-of-systems: {systems: 9, bodies: {min: 3, "
                        "max: 6}}]\ngravity: {method: systems}\n"
                        "integrator: {method: wh, dt: 5 day}\nrun: {until: 1 yr}\n";
    oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE, "%s", scene);
    oct_sim *never = ref_sim(OCT_PRECISION_DOUBLE, "%s", scene);
    uint32_t systems = sim->domain->system_table.n;
    size_t n = oct_sim_count(sim), last = n - sim->domain->system_table.starts[systems - 1];
    oct_bodies b = last_of(sim, last);
    ref_ok(oct_sim_remove(sim, b.id, b.n));
    assert_int_equal(sim->domain->system_table.n, systems - 1);
    ref_ok(oct_sim_add(sim, &b));
    assert_int_equal(sim->domain->system_table.n, systems);
    ref_ok(oct_sim_step(sim, 10));
    ref_ok(oct_sim_step(never, 10));
    assert_true(ref_hash(sim) == ref_hash(never));
    oct_bodies_clear(&b);
    oct_sim_free(sim);
    oct_sim_free(never);
}

static void refused(oct_sim *sim, oct_bodies *b, const char *why)
{
    uint64_t hash = ref_hash(sim);
    assert_int_equal(oct_sim_add(sim, b), OCT_STATUS_INPUT);
    ref_says(why);
    assert_true(ref_hash(sim) == hash);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    oct_sim *sim = cluster("direct", 4);
    const uint64_t ids[] = {1, 2, 3, 4}, twice[] = {2, 2}, nobody[] = {1, 9};
    uint64_t hash = ref_hash(sim);
    assert_int_equal(oct_sim_remove(sim, ids, 4), OCT_STATUS_INPUT);
    ref_says("the last body");
    assert_int_equal(oct_sim_remove(sim, twice, 2), OCT_STATUS_MISSING);
    assert_int_equal(oct_sim_remove(sim, nobody, 2), OCT_STATUS_MISSING);
    assert_true(ref_hash(sim) == hash);
    oct_bodies b = {0};
    ref_ok(oct_bodies_resize(&b, 2));
    b.id[1] = 3;
    refused(sim, &b, "there is a body 3 already");
    b.id[0] = b.id[1] = 8;
    refused(sim, &b, "there is a body 8 already");
    b.id[0] = 7;
    b.mass[1] = -1;
    refused(sim, &b, "body 2 has mass -1; expected a finite number not below 0");
    b.mass[1] = NAN;
    refused(sim, &b, "not below 0");
    b.mass[1] = 1;
    b.position[2] = INFINITY;
    refused(sim, &b, "position inf; expected finite numbers");
    b.position[2] = 0;
    b.type[0] = 99;
    refused(sim, &b, "type");
    b.type[0] = 0;
    ref_ok(oct_sim_add(sim, &b));
    assert_int_equal(oct_sim_count(sim), 6);
    ref_ok(oct_sim_step(sim, 3));
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_closed_up),
        cmocka_unit_test(who_looks_does_not_change_when),
        cmocka_unit_test(a_resumed_run_closes_up_alike),
        cmocka_unit_test(who_comes_back_was_never_gone),
        cmocka_unit_test(bodies_join_in_the_middle),
        cmocka_unit_test(what_joined_is_in_checkpoints),
        cmocka_unit_test(whole_systems_come_and_go),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
