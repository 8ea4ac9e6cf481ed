/* What a step asks of the device: how many launches, and that the host does not wait for any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "collision/collision.h"
#include "core/sim.h"
#include "scene_sim.h"
#include "tree/tree.h"

#define RING(collisions, gravity)                                                                  \
    "units: nbody\nbox: {boundary: shear, size: [10, 10, 10], omega: 1}\n"                         \
    "models: [ring: {n: 300, radius: 0.1, density: 0.1, spread: 0.2, dispersion: 0.1}]\n"          \
    "gravity: {method: " gravity "}\ncollisions: {method: " collisions "}\n"                       \
    "integrator: {method: sei, dt: 0.01}\nrun: {until: 1}\n"

enum { STEPS = 8 };

/* A step's share of what the device was asked for, after a first step. */
static oct_device_work work_of(oct_precision precision, const char *scene)
{
    oct_sim *sim = ref_sim(precision, "%s", scene);
    oct_collider *c = sim->domain->collisions.state;
    ref_ok(oct_sim_step(sim, 1));
    ref_ok(oct_sim_wait(sim));
    oct_device_work before = oct_device_worked(ref_device());
    ref_ok(oct_sim_step(sim, STEPS));
    oct_device_work after = oct_device_worked(ref_device());
    ref_ok(oct_sim_wait(sim));
    if (oct_sim_steps(sim) != STEPS + 1)
        fail_msg("%llu steps were taken", (unsigned long long)oct_sim_steps(sim));
    uint32_t most = 0;
    if (c)
        ref_ok(oct_buffer_read(&most, c->status, 1, 1));
    const oct_device_work step = {(after.launches - before.launches) / STEPS,
                                  (after.transfers - before.transfers) / STEPS,
                                  after.waits - before.waits};
    print_message("%llu launches and %llu transfers a step, %llu waits; up to %u pairs\n",
                  (unsigned long long)step.launches, (unsigned long long)step.transfers,
                  (unsigned long long)step.waits, most);
    oct_sim_free(sim);
    return step;
}

static void nobody_waits_in_a_step(void **state)
{
    static const char *const scenes[] = {
        RING("tree", "tree"), RING("tree", "none"), RING("direct", "direct"),
        RING("tree, outcome: merge", "tree"), RING("tree, tangential: 0.5", "tree")};
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++)
            assert_int_equal(work_of((oct_precision)p, scenes[i]).waits, 0);
}

static void a_ring_takes_few_launches(void **state)
{
    (void)state;
    bool cpu = oct_device_is_cpu(oct_device_describe(ref_device()));
    oct_device_work step = work_of(OCT_PRECISION_MIXED, RING("tree", "tree"));
    assert_true(step.launches <= (cpu ? 20 : 27));
    assert_true(step.transfers <= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nobody_waits_in_a_step),
                                       cmocka_unit_test(a_ring_takes_few_launches)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
