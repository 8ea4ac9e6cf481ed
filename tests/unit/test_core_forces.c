/* All that a force's table has counts, for gravity and for a force that a scene lists: here one of
 * the test's own that only notes what it was asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "octant/module.h"
#include "scene_sim.h"

static struct {
    int all, near, far, kicks, waits;
} asked;

#define NOTE(name)                                                                                 \
    static oct_status note_##name(void *self, oct_domain *domain)                                  \
    {                                                                                              \
        (void)self;                                                                                \
        (void)domain;                                                                              \
        asked.name++;                                                                              \
        return OCT_STATUS_OK;                                                                      \
    }
NOTE(all)
NOTE(near)
NOTE(far)
NOTE(waits)

static oct_status note_kick(void *self, oct_domain *domain, double dt)
{
    (void)dt;
    (void)self;
    (void)domain;
    asked.kicks++;
    return OCT_STATUS_OK;
}

static oct_status tell_energy(double *out, void *self, oct_domain *domain)
{
    (void)self;
    (void)domain;
    *out = 7;
    return OCT_STATUS_OK;
}

static oct_status tell_interactions(double out[2], void *self, oct_domain *domain)
{
    (void)self;
    (void)domain;
    out[0] = 3;
    out[1] = 5;
    return OCT_STATUS_OK;
}

static const oct_force listed = {.version = OCT_MODULE_VERSION,
                                 .name = "notes",
                                 .doc = "Notes what it is asked.",
                                 .state_size = 1,
                                 .accumulate = note_all,
                                 .accumulate_near = note_near,
                                 .accumulate_far = note_far,
                                 .kick = note_kick,
                                 .waited = note_waits,
                                 .energy = tell_energy,
                                 .interactions = tell_interactions};

/* With the force as gravity or in the list. */
static oct_sim *make(const oct_force *force, const char *sections)
{
    char text[512];
    oct_scene *scene = NULL;
    oct_sim *sim = NULL;
    snprintf(text, sizeof text,
             "units: nbody\nmodels: [two-body: {mass1: 1, mass2: 1, semi_major_axis: 1}]\n"
             "%srun: {until: 1}\n",
             sections);
    ref_ok(oct_scene_parse(&scene, text, strlen(text), "test"));
    ref_ok(oct_scene_add_module(scene, OCT_FAMILY_FORCE, force, OCT_MODULE_VERSION));
    ref_ok(oct_sim_create(&sim, ref_device(), scene, OCT_PRECISION_AUTO));
    oct_scene_free(scene);
    memset(&asked, 0, sizeof asked);
    ref_ok(oct_sim_step(sim, 1));
    ref_ok(oct_sim_wait(sim));
    return sim;
}

static void check_told(oct_sim *sim)
{
    assert_true(ref_measure(sim, "cells") == 3 && ref_measure(sim, "particles") == 5);
    /* Without a potential all but the 7 is kinetic. */
    assert_true(ref_measure(sim, "energy") - ref_measure(sim, "kinetic") == 7);
    assert_true(asked.kicks > 0 && asked.waits > 0);
    oct_sim_free(sim);
}

static void of_a_listed_force(void **state)
{
    (void)state;
    oct_sim *sim = make(&listed, "gravity: {method: none}\nforces: [notes: {}]\n"
                                 "integrator: {dt: 1e-3}\n");
    assert_true(asked.all > 0 && asked.near == 0 && asked.far == 0);
    check_told(sim);
}

static void of_gravity(void **state)
{
    oct_force gravity = listed;
    (void)state;
    gravity.gravity = true;
    oct_sim *sim = make(&gravity, "gravity: {method: notes}\nintegrator: {dt: 1e-3}\n");
    assert_true(asked.all > 0 && asked.near == 0 && asked.far == 0);
    check_told(sim);
}

static void of_its_parts(void **state)
{
    (void)state;
    oct_sim_free(make(&listed, "gravity: {method: systems}\nforces: [notes: {}]\n"
                               "integrator: {method: respa, dt: 1e-3}\n"));
    assert_true(asked.all == 0 && asked.near > 0 && asked.far > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_listed_force),
        cmocka_unit_test(of_gravity),
        cmocka_unit_test(of_its_parts),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
