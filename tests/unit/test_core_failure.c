/* What a status promises: a simulation that has failed refuses, one that was refused goes on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collision/collision.h"
#include "core/look.h"
#include "device/cl.h"
#include "files.h"
#include "refused.h"
#include "scene_sim.h"
#include "tree/tree.h"

#define RING                                                                                       \
    "units: nbody\nbox: {boundary: shear, size: [10, 12, 8], omega: 0.7}\n"                        \
    "models: [ring: {n: 300, density: 1, spread: 1, dispersion: 1, radius: 0.4}]\n"                \
    "gravity: {method: tree, leaf: 4}\ncollisions: {method: tree, restitution: 0.5}\n"             \
    "integrator: {method: sei, dt: 1e-3}\nrun: {until: 1}\n"

/* Every function that takes a simulation that may change refuses with this status and sentence;
 * the others tell what they know. */
static void refuses(oct_sim *sim, oct_status status, const char *sentence)
{
    char path[128];
    double time;
    scratch_path(path, "refused.hdf5");
    const char *call = ref_not_refused(sim, status, sentence, path);
    if (call)
        fail_msg("%s: %s", call, oct_last_error());
    ref_says("cannot be used any more");
    assert_true(oct_sim_time(sim) >= 0 && oct_sim_count(sim) > 0 && oct_sim_dt(sim) > 0);
    assert_non_null(oct_sim_columns(sim)->name);
    assert_non_null(strstr(oct_sim_scene(sim), "models"));
    ref_ok(oct_sim_parse_time(&time, sim, "1"));
    oct_sim_free(sim);
}

static void spoil(oct_buffer *buffer, size_t body, size_t component, double value)
{
    double row[4];
    float narrow[4];
    bool wide = buffer->element == sizeof row;
    ref_ok(oct_buffer_read(wide ? (void *)row : narrow, buffer, body, 1));
    row[component] = value;
    narrow[component] = (float)value;
    ref_ok(oct_buffer_write(buffer, wide ? (const void *)row : narrow, body, 1));
}

/* Whatever it is in, and after the last kick and drift: what has gone wrong in a collision. */
static void a_bad_number_is_found_before_it_is_seen(void **state)
{
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++)
        for (size_t array = 0; array < 4; array++)
            for (size_t component = 0; component < (array < 3 ? 4 : 3); component++) {
                oct_sim *sim = ref_sim((oct_precision)p, RING);
                ref_ok(oct_domain_add_column(sim->domain, oct_column_find("spin")));
                ref_ok(oct_sim_step(sim, 3));
                oct_buffer *const arrays[] = {sim->domain->position, sim->domain->velocity,
                                              sim->domain->acceleration, sim->domain->spin};
                spoil(arrays[array], 123, component, component % 2 ? NAN : -INFINITY);
                oct_forces_found(sim->domain);
                uint64_t hash, id;
                ref_ok(oct_buffer_read(&id, sim->domain->id, 123, 1));
                char sentence[64];
                snprintf(sentence, sizeof sentence, "particle %llu is no number any more",
                         (unsigned long long)id);
                assert_int_equal(oct_sim_hash(&hash, sim), OCT_STATUS_NUMBER);
                ref_says(sentence);
                ref_says("in step 3");
                refuses(sim, OCT_STATUS_NUMBER, sentence);
            }
}

/* A removed body keeps its place, and what is in it does not matter. */
static void a_removed_body_may_be_anything(void **state)
{
    (void)state;
    uint64_t hash;
    const uint8_t removed = OCT_TYPE_REMOVED;
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, RING);
    ref_ok(oct_buffer_write(sim->domain->type, &removed, 123, 1));
    spoil(sim->domain->position, 123, 0, NAN);
    ref_ok(oct_sim_hash(&hash, sim));
    oct_sim_free(sim);
}

/* A NaN force between steps: the state is still good, but the snapshot would not be. */
static void forces_that_are_only_looked_at_are_numbers(void **state)
{
    (void)state;
    char law[128], path[128];
    const char text[] = "real4 octant_force(real3 x, real3 v, real m, ulong id, real t)\n"
                        "{ return (real4)(0, id == 3 && t > 0.015 ? NAN : 0, 0, 0); }\n";
    scratch_path(law, "late.cl");
    spill(law, text, strlen(text));
    scratch_path(path, "late.hdf5");
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED,
                           "units: nbody\nmodels: [plummer: {n: 10}]\ngravity: {method: none}\n"
                           "forces: [custom: {file: %s}]\n"
                           "integrator: {method: euler, dt: 0.01}\nrun: {until: 1}\n",
                           law);
    ref_ok(oct_sim_step(sim, 1));
    ref_ok(oct_sim_snapshot(sim, path));
    ref_ok(oct_sim_step(sim, 1));
    assert_int_equal(oct_sim_snapshot(sim, path), OCT_STATUS_NUMBER);
    refuses(sim, OCT_STATUS_NUMBER, "particle 3 ");
}

/* Leaves the device no room for more than it has. */
static uint64_t fill_device(oct_device *device)
{
    uint64_t memory = device->info.memory;
    device->info.memory = device->memory.now;
    return memory;
}

static oct_collider *collider_of(oct_sim *sim)
{
    return sim->domain->collisions.state;
}

/* The step has begun, which is found out by who waits: that it does not fit is a failure, and no
 * crash in the next one. A tree gives up what it has before it fails. */
static void a_step_that_finds_no_room_fails(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, RING);
        ref_ok(oct_sim_step(sim, 1));
        ref_ok(oct_sim_wait(sim));
        uint32_t *capacity = i ? &sim->domain->tree->capacity : &collider_of(sim)->capacity;
        *capacity = 3;
        uint64_t memory = fill_device(sim->domain->device);
        if (i)
            sim->domain->device->info.memory = 1;
        ref_ok(oct_sim_step(sim, 1));
        oct_status status = oct_sim_wait(sim);
        sim->domain->device->info.memory = memory;
        assert_int_equal(status, OCT_STATUS_DEVICE);
        ref_says("bytes, but device");
        assert_int_equal(*capacity, i ? 0 : 3);
        refuses(sim, OCT_STATUS_DEVICE, "bytes, but device");
    }
}

/* Nothing has changed: with room again it goes on to the bits it would have had. */
static void who_only_looks_may_be_refused(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, RING);
        ref_ok(oct_sim_step(sim, 2));
        ref_ok(oct_sim_wait(sim));
        if (i == 1) {
            uint32_t index[300], (*pairs)[2];
            double numbers[300];
            size_t n;
            oct_bodies bodies = {0};
            sim->domain->accelerated = sim->domain->tree->built = (oct_made){0};
            sim->domain->tree->capacity = 3;
            ref_ok(oct_buffer_fill(sim->domain->tree->peak, 0));
            uint64_t memory = fill_device(sim->domain->device);
            assert_int_equal(oct_sim_bodies(&bodies, sim), OCT_STATUS_SPACE);
            assert_int_equal(oct_neighbours(index, numbers, sim, 1), OCT_STATUS_SPACE);
            assert_int_equal(oct_touching(&pairs, &n, sim), OCT_STATUS_SPACE);
            assert_int_equal(oct_densities(numbers, sim, 65), OCT_STATUS_INPUT);
            assert_int_equal(oct_sim_measure_one(numbers, sim, "colour"), OCT_STATUS_MISSING);
            assert_int_equal(oct_sim_snapshot(sim, "/nowhere/x.csv"), OCT_STATUS_SPACE);
            sim->domain->device->info.memory = memory;
            assert_int_equal(oct_sim_snapshot(sim, "/nowhere/x.csv"), OCT_STATUS_INPUT);
            assert_int_equal(oct_sim_set_bodies(sim, &bodies), OCT_STATUS_INPUT);
        }
        ref_ok(oct_sim_step(sim, 5));
        hashes[i] = ref_hash(sim);
        oct_sim_free(sim);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* Room for more before it is needed: that there is none stops nobody. */
static void a_full_device_is_enough_for_a_tree_that_fits(void **state)
{
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, RING);
    ref_ok(oct_sim_step(sim, 1));
    ref_ok(oct_sim_wait(sim));
    ref_ok(oct_buffer_read(&sim->domain->tree->capacity, sim->domain->tree->peak, 0, 1));
    uint64_t memory = fill_device(sim->domain->device);
    oct_status status = oct_sim_wait(sim);
    sim->domain->device->info.memory = memory;
    ref_ok(status);
    ref_ok(oct_sim_step(sim, 1));
    ref_ok(oct_sim_wait(sim));
    oct_sim_free(sim);
}

static void buffers_are_replaced_together_or_not_at_all(void **state)
{
    (void)state;
    oct_device *device = ref_device();
    oct_buffer *a = NULL, *b = NULL;
    const oct_buffer_plan small[] = {{&a, "a", 4, 10}, {&b, "b", 8, 10}};
    ref_ok(oct_buffers_replace(device, small, 2));
    oct_buffer *before[2] = {a, b};
    uint64_t allocated = device->memory.now;
    const oct_buffer_plan large[] = {{&a, "a", 4, 20}, {&b, "b", 8, (size_t)device->info.memory}};
    assert_int_equal(oct_buffers_replace(device, large, 2), OCT_STATUS_SPACE);
    assert_true(a == before[0] && b == before[1] && device->memory.now == allocated);
    const oct_buffer_plan larger[] = {{&a, "a", 4, 20}, {&b, "b", 8, 30}};
    ref_ok(oct_buffers_replace(device, larger, 2));
    assert_true(a->count == 20 && b->count == 30);
    assert_int_equal(device->memory.now - allocated, 4 * 10 + 8 * 20);
    oct_buffer_free(a);
    oct_buffer_free(b);
}

static void a_refused_key_frame_changes_no_camera(void **state)
{
    (void)state;
    oct_path *path;
    oct_render_options options = {.size = sizeof options};
    ref_ok(oct_path_create(&path));
    ref_ok(oct_path_add(path, "t=0.5 roll=1"));
    assert_int_equal(oct_path_add(path, "turn=90 t=0.5 azimuth=30 roll=2"), OCT_STATUS_INPUT);
    oct_path_apply(&options, path, 0.5);
    assert_true(options.azimuth == 0 && options.roll == 1);
    oct_path_free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_number_is_found_before_it_is_seen),
        cmocka_unit_test(a_removed_body_may_be_anything),
        cmocka_unit_test(forces_that_are_only_looked_at_are_numbers),
        cmocka_unit_test(a_step_that_finds_no_room_fails),
        cmocka_unit_test(who_only_looks_may_be_refused),
        cmocka_unit_test(a_full_device_is_enough_for_a_tree_that_fits),
        cmocka_unit_test(buffers_are_replaced_together_or_not_at_all),
        cmocka_unit_test(a_refused_key_frame_changes_no_camera),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
