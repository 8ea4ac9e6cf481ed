/* What a state's hash depends on, and bodies that go to the device and come back. */
#include "files.h"

#include "core/sim.h"
#include "scene_sim.h"

#include <math.h>

#define FREE "gravity: {method: none}\nintegrator: {dt: 1}\nrun: {until: 1}\n"

/* The hash of a simulation of these bodies. */
static uint64_t hash_of(const char *rows)
{
    char path[128], text[512];
    scratch_path(path, "bodies.csv");
    snprintf(text, sizeof text, "id,mass,x,y,z,vx,vy,vz,radius\n%s", rows);
    spill(path, text, strlen(text));
    oct_sim *sim =
        ref_sim(OCT_PRECISION_AUTO, "units: nbody\nmodels: [file: {path: %s}]\n" FREE, path);
    uint64_t hash = ref_hash(sim);
    oct_sim_free(sim);
    return hash;
}

static void the_hash_goes_by_id(void **state)
{
    (void)state;
    uint64_t ascending = hash_of("1,1,0,0,0,0,1,0,0\n2,2,3,0,0,0,0,0,0\n5,4,0,7,0,1,0,0,1\n");
    uint64_t mixed = hash_of("5,4,0,7,0,1,0,0,1\n1,1,0,0,0,0,1,0,0\n2,2,3,0,0,0,0,0,0\n");
    uint64_t renamed = hash_of("2,1,0,0,0,0,1,0,0\n1,2,3,0,0,0,0,0,0\n5,4,0,7,0,1,0,0,1\n");
    assert_true(mixed == ascending);
    assert_true(renamed != ascending);
}

/* More bodies than are packed at a time, and not a multiple of it. */
static oct_sim *large_sim(void)
{
    return ref_sim(OCT_PRECISION_AUTO, "units: nbody\nmodels: [cold-sphere: {n: 1100003}]\n" FREE);
}

static void many_bodies_arrive_as_they_are(void **state)
{
    oct_bodies sent = {0}, got = {0};
    (void)state;
    oct_sim *sim = large_sim();
    ref_ok(oct_sim_bodies(&sent, sim));
    for (size_t i = 0; i < sent.n; i++) {
        sent.position[3 * i + 1] = (float)i;
        sent.velocity[3 * i + 2] = -(float)i;
        sent.mass[i] = (float)(2 * i);
        sent.radius[i] = (float)(3 * i);
    }
    ref_ok(oct_sim_set_bodies(sim, &sent));
    ref_ok(oct_sim_bodies(&got, sim));
    assert_same_bodies(&got, &sent);
    oct_bodies_clear(&sent);
    oct_bodies_clear(&got);
    oct_sim_free(sim);
}

static void a_bad_body_is_named_and_nothing_changes(void **state)
{
    oct_bodies bodies = {0};
    (void)state;
    oct_sim *sim = large_sim();
    uint64_t before = ref_hash(sim);
    ref_ok(oct_sim_bodies(&bodies, sim));
    memset(bodies.position, 0, bodies.n * 3 * sizeof *bodies.position);
    bodies.velocity[3 * 1000000 + 2] = NAN;
    bodies.velocity[3 * 1100002] = INFINITY;
    assert_refused(oct_sim_set_bodies(sim, &bodies), "particle 1000001:", "velocity");
    assert_true(ref_hash(sim) == before);
    oct_bodies_clear(&bodies);
    oct_sim_free(sim);
}

/* More than there is memory kept for: the last ones are read at once. */
static void copies_leave_while_steps_go_on(void **state)
{
    enum { COPIES = 6 };
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, "models: [plummer: {n: 3000}]\n"
                                                "gravity: {softening: 0.05}\n"
                                                "integrator: {dt: 0.01}\nrun: {until: 1}\n");
    oct_state now[COPIES], later[COPIES];
    oct_fetch *fetch[COPIES];
    (void)state;
    oct_fetch_always(sim->domain->device);
    assert_true(oct_fetch_pays(sim->domain->device));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < COPIES; i++) {
            ref_ok(oct_sim_step(sim, 2));
            ref_ok(oct_sim_copy(&now[i], sim));
            ref_ok(oct_sim_copy_ahead(&later[i], &fetch[i], sim));
            assert_non_null(fetch[i]);
        }
        ref_ok(oct_sim_step(sim, 3));
        for (int i = 0; i < COPIES; i++) {
            ref_ok(oct_fetch_finish(fetch[i]));
            assert_int_equal(now[i].n_arrays, later[i].n_arrays);
            for (uint32_t k = 0; k < now[i].n_arrays; k++) {
                const oct_state_array *a = &now[i].arrays[k], *b = &later[i].arrays[k];
                assert_int_equal(a->element * a->count, b->element * b->count);
                assert_memory_equal(a->data, b->data, a->element * a->count);
            }
            oct_fetch_free(fetch[i]);
            oct_state_clear(&now[i]);
            oct_state_clear(&later[i]);
        }
    }
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_hash_goes_by_id, scratch_make, scratch_remove),
        cmocka_unit_test(copies_leave_while_steps_go_on),
        cmocka_unit_test(many_bodies_arrive_as_they_are),
        cmocka_unit_test(a_bad_body_is_named_and_nothing_changes),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
