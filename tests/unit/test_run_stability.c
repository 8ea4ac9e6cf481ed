/* Each event that ends the calm of a solar system, in bodies made for it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "run/stability.h"
#include "scene_sim.h"

enum { HOLE, STAR, INNER, OUTER, BODIES };

/* A star of mass 1 with two light planets on circles of 1 and 2, on a circle of 100 around a black
 * hole of mass 100; G = 1. */
static oct_bodies calm_bodies(void)
{
    oct_bodies b = {0};
    ref_ok(oct_bodies_resize(&b, BODIES));
    const double masses[BODIES] = {100, 1, 1e-6, 1e-6};
    for (size_t i = 0; i < BODIES; i++) {
        double r = i == INNER ? 1 : i == OUTER ? 2 : 0;
        b.id[i] = 10 + i;
        b.mass[i] = masses[i];
        b.system[i] = i != HOLE;
        b.position[3 * i] = i == HOLE ? 0 : 100 + r;
        b.velocity[3 * i + 1] = (i == HOLE ? 0 : 1) + (r > 0 ? sqrt(1 / r) : 0);
    }
    b.potential[STAR] = -1 - 1e-6 - 0.5e-6;
    return b;
}

static oct_stability look(const oct_baseline *baseline, const oct_bodies *b,
                          const uint32_t (*touching)[2], size_t n_touching)
{
    oct_stability found = {.size = sizeof found};
    oct_baseline_find_event(&found, baseline, b, touching, n_touching);
    return found;
}

/* Watches bodies that begin calm, or as `start` has them, and are then as `b` has them. */
static oct_stability change(const oct_bodies *start, const oct_bodies *b)
{
    oct_baseline baseline = {0};
    ref_ok(oct_baseline_start(&baseline, start, oct_units_find("nbody"), NULL));
    oct_stability found = look(&baseline, b, NULL, 0);
    oct_baseline_clear(&baseline);
    return found;
}

static void assert_event(const oct_stability *found, const char *event, uint64_t a, uint64_t b)
{
    assert_string_equal(found->event, event);
    assert_int_equal(found->n_bodies, b ? 2 : 1);
    assert_int_equal(found->bodies[0], a);
    if (b)
        assert_int_equal(found->bodies[1], b);
    assert_true(strlen(found->cause) > 10);
}

static void nothing_happens_to_calm_systems(void **state)
{
    (void)state;
    oct_bodies b = calm_bodies();
    oct_stability found = change(&b, &b);
    assert_string_equal(found.event, "");
    assert_int_equal(found.n_bodies, 0);
    oct_bodies_clear(&b);
}

/* Just below and just above the speed sqrt(2 / r) that nothing holds. */
static void a_planet_is_unbound_at_its_escape_speed(void **state)
{
    (void)state;
    oct_bodies start = calm_bodies(), b = calm_bodies();
    double escape = sqrt(2 * (1 + 1e-6) / 2);
    b.velocity[3 * OUTER + 1] = 1 + escape * (1 - 1e-9);
    oct_stability found = change(&start, &b);
    assert_string_equal(found.event, "");
    b.velocity[3 * OUTER + 1] = 1 + escape * (1 + 1e-9);
    found = change(&start, &b);
    assert_event(&found, "unbound", 10 + OUTER, 10 + STAR);
    oct_bodies_clear(&start);
    oct_bodies_clear(&b);
}

/* The inner planet's apocentre comes out to the outer circle at v^2 = 4/3 of 1/r. */
static void orbits_cross_where_the_apocentre_reaches_the_next(void **state)
{
    (void)state;
    oct_bodies start = calm_bodies(), b = calm_bodies();
    double crossing = sqrt(4.0 / 3 * (1 + 1e-6));
    b.velocity[3 * INNER + 1] = 1 + crossing * (1 - 1e-5);
    oct_stability found = change(&start, &b);
    assert_string_equal(found.event, "");
    b.velocity[3 * INNER + 1] = 1 + crossing * (1 + 1e-5);
    found = change(&start, &b);
    assert_event(&found, "crossing", 10 + INNER, 10 + OUTER);
    /* What crosses from the start is no event. */
    found = change(&b, &b);
    assert_string_equal(found.event, "");
    oct_bodies_clear(&start);
    oct_bodies_clear(&b);
}

static void a_system_is_torn_off_when_its_energy_is_positive(void **state)
{
    (void)state;
    oct_bodies start = calm_bodies(), b = calm_bodies();
    for (int above = 0; above < 2; above++) {
        double speed = sqrt(2) * (above ? 1 + 1e-5 : 1 - 1e-5);
        for (size_t i = STAR; i < BODIES; i++)
            b.velocity[3 * i + 1] = start.velocity[3 * i + 1] - 1 + speed;
        oct_stability found = change(&start, &b);
        if (above)
            assert_event(&found, "torn", 10 + STAR, 10 + HOLE);
        else
            assert_string_equal(found.event, "");
    }
    oct_bodies_clear(&start);
    oct_bodies_clear(&b);
}

static void what_touches_or_goes_is_named(void **state)
{
    (void)state;
    const uint32_t touching[1][2] = {{INNER, OUTER}};
    oct_bodies b = calm_bodies();
    oct_baseline baseline = {0};
    ref_ok(oct_baseline_start(&baseline, &b, oct_units_find("nbody"), NULL));
    oct_stability found = look(&baseline, &b, touching, 1);
    assert_event(&found, "collision", 10 + INNER, 10 + OUTER);
    ref_ok(oct_bodies_resize(&b, OUTER));
    found = look(&baseline, &b, NULL, 0);
    assert_event(&found, "removed", 10 + OUTER, 0);
    oct_baseline_clear(&baseline);
    oct_bodies_clear(&b);
}

/* In a box of 30 the face at 15 is between the star and its planets. */
static void planets_across_a_face_are_with_their_star(void **state)
{
    (void)state;
    const double period[3] = {30, 30, 30};
    oct_bodies b = calm_bodies();
    for (size_t i = STAR; i < BODIES; i++)
        b.position[3 * i] += (i == STAR ? 14.5 : -15.5) - 100;
    /* What would be torn off a black hole with an end to its pull. */
    b.potential[STAR] = 1;
    for (int box = 0; box < 2; box++) {
        oct_baseline baseline = {0};
        ref_ok(oct_baseline_start(&baseline, &b, oct_units_find("nbody"), box ? period : NULL));
        oct_stability found = look(&baseline, &b, NULL, 0);
        assert_string_equal(found.event, box ? "" : "unbound");
        oct_baseline_clear(&baseline);
    }
    oct_bodies_clear(&b);
}

static void scenes_without_systems_are_refused(void **state)
{
    (void)state;
    oct_stability found = {.size = sizeof found};
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, "units: nbody\nmodels: [plummer: {n: 16}]\n"
                                                "gravity: {method: direct}\n"
                                                "integrator: {dt: 0.01}\nrun: {until: 1}\n");
    assert_int_equal(oct_stability_watch(&found, sim, NULL), OCT_STATUS_INPUT);
    ref_says("no solar systems");
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_happens_to_calm_systems),
        cmocka_unit_test(a_planet_is_unbound_at_its_escape_speed),
        cmocka_unit_test(orbits_cross_where_the_apocentre_reaches_the_next),
        cmocka_unit_test(a_system_is_torn_off_when_its_energy_is_positive),
        cmocka_unit_test(what_touches_or_goes_is_named),
        cmocka_unit_test(planets_across_a_face_are_with_their_star),
        cmocka_unit_test(scenes_without_systems_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
