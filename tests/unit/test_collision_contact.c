/* Two spheres that meet: what every law, outcome and boundary must keep and lose. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collision/collision.h"
#include "files.h"
#include "scene_sim.h"

#define SHEAR "{boundary: shear, size: [20, 30, 10], ghosts: [1, 1, 1], omega: 0.3}"
#define OPEN  "{boundary: open}"

/* Two spheres of masses 2 and 3 and radii 1 and 0.8 that overlap a little and approach. */
typedef struct impact {
    oct_sim *sim;
    oct_bodies before, after;
    oct_impacts impacts;
    double normal[3], speed, distance; /* from the first to the second */
} impact;

enum { FACE_X, FACE_Y, FACE_Z, MIDDLE };

static const double depth = 0.01;

/* Across a face of the box the second one is on the other side, as its image has it. */
static impact meet(oct_precision precision, const char *box, const char *contact, int where)
{
    impact m = {0};
    m.sim = ref_sim(precision,
                    "units: nbody\nbox: %s\nmodels: [plummer: {n: 2}]\ngravity: {method: none}\n"
                    "collisions: {method: direct, %s}\nintegrator: {method: %s, dt: 1e-6}\n"
                    "run: {until: 1}\n",
                    box, contact, strstr(box, "shear") ? "sei" : "leapfrog");
    ref_ok(oct_sim_bodies(&m.before, m.sim));
    const double size[3] = {20, 30, 10}, u[3] = {-0.3, -0.2, -0.1};
    const double n[3] = {2.0 / 3, 2.0 / 3, 1.0 / 3};
    const oct_boundary *boundary = (const oct_boundary *)m.sim->setup->boundary.module;
    int32_t cell[3] = {where == FACE_X, where == FACE_Y, where == FACE_Z};
    oct_image image = {0};
    m.sim->clock.time = 3.7;
    ref_ok(oct_images_update(m.sim->domain));
    if (boundary->image)
        image = boundary->image(m.sim->domain->boundary.state, cell, m.sim->clock.time);
    m.before.mass[0] = 2;
    m.before.mass[1] = 3;
    m.before.radius[0] = 1;
    m.before.radius[1] = 0.8;
    m.distance = 1.8 - depth;
    for (int k = 0; k < 3; k++) {
        m.normal[k] = n[k];
        m.before.position[k] = where == k ? size[k] / 2 - 0.5 : 0.1 * k;
        m.before.velocity[k] = 0.05 * (k + 1);
        /* The image of the second one is at the distance, along the normal. */
        m.before.position[3 + k] = m.before.position[k] + n[k] * m.distance - image.shift[k];
        m.before.velocity[3 + k] = m.before.velocity[k] + u[k] - image.velocity[k];
        m.speed -= n[k] * u[k];
    }
    ref_ok(oct_sim_set_bodies(m.sim, &m.before));
    ref_ok(oct_sim_collide(m.sim, 1e-6));
    ref_ok(oct_sim_bodies(&m.after, m.sim));
    ref_ok(oct_collider_impacts(&m.impacts, m.sim->domain->collisions.state, m.sim->domain));
    return m;
}

static void forget(impact *m)
{
    oct_bodies_clear(&m->before);
    oct_bodies_clear(&m->after);
    oct_sim_free(m->sim);
}

/* The change of momentum, relative to what passed between the two. */
static double momentum_error(const impact *m)
{
    double worst = 0;
    for (int k = 0; k < 3; k++) {
        double change = 0;
        for (size_t i = 0; i < m->after.n; i++)
            change += m->after.mass[i] * m->after.velocity[3 * i + (size_t)k];
        for (size_t i = 0; i < m->before.n; i++)
            change -= m->before.mass[i] * m->before.velocity[3 * i + (size_t)k];
        worst = fmax(worst, fabs(change));
    }
    return worst;
}

/* Relative normal speed after the impact over that before. */
static double rebound(const impact *m)
{
    double before = 0, after = 0;
    for (size_t k = 0; k < 3; k++) {
        before -= m->normal[k] * (m->before.velocity[3 + k] - m->before.velocity[k]);
        after += m->normal[k] * (m->after.velocity[3 + k] - m->after.velocity[k]);
    }
    /* Image velocities cancel in the difference of the two. */
    return (after + before - m->speed) / m->speed;
}

/* The one impact is counted at its speed, in bins an eighth of an octave wide. */
static void check_speed(const impact *m)
{
    uint64_t counts[OCT_SPEED_BINS];
    double lowest;
    ref_ok(oct_collider_speeds(&lowest, counts, m->sim->domain->collisions.state, m->sim->domain));
    size_t bin = (size_t)(8 * log2(m->speed / lowest));
    assert_in_range(bin, 1, OCT_SPEED_BINS - 2);
    for (size_t k = 0; k < OCT_SPEED_BINS; k++)
        assert_int_equal(counts[k], k == bin);
}

/* Across the sheared face, or across every face and in the middle. */
static void bounce(const char *contact, double restitution, bool everywhere)
{
    const double reduced = 1.2;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++)
        for (int where = FACE_X; where <= (everywhere ? MIDDLE : FACE_X); where++) {
            double tolerance = p == OCT_PRECISION_SINGLE ? 5e-6 : 1e-14;
            impact m = meet((oct_precision)p, SHEAR, contact, where);
            double lost = reduced * m.speed * m.speed * (1 - restitution * restitution) / 2;
            double dp_y = reduced * m.normal[1] * (1 + restitution) * m.speed;
            /* Image velocities are 9: seen 2e-6 in single, 4e-15 in the others. */
            assert_true(momentum_error(&m) < tolerance);
            assert_true(fabs(rebound(&m) - restitution) < 10 * tolerance);
            assert_true(fabs(m.impacts.energy - lost) < tolerance);
            assert_true(fabs(m.impacts.transport - dp_y * m.normal[0] * m.distance) <
                        10 * tolerance);
            assert_true(m.impacts.pairs == 1);
            check_speed(&m);
            forget(&m);
        }
}

static void a_number_is_the_restitution(void **state)
{
    (void)state;
    bounce("restitution: 0", 0, false);
    bounce("restitution: 0.37", 0.37, true);
    bounce("restitution: 1", 1, false);
}

static void bridges_law_is_a_power_of_the_speed(void **state)
{
    (void)state;
    double speed = 2.0 / 3 * 0.3 + 2.0 / 3 * 0.2 + 1.0 / 3 * 0.1;
    bounce("restitution: bridges, bridges_speed: 0.01", pow(speed / 0.01, -0.234), false);
    bounce("restitution: bridges, bridges_speed: 0.01, bridges_exponent: -0.5",
           pow(speed / 0.01, -0.5), false);
    bounce("restitution: bridges, bridges_speed: 10", 1, false);
}

static void write_law(char path[128], const char *name, const char *value)
{
    char text[256];
    int bytes =
        snprintf(text, sizeof text,
                 "real octant_restitution(real speed, real a, real b) { return %s; }\n", value);
    scratch_path(path, name);
    spill(path, text, (size_t)bytes);
}

static void a_law_of_ones_own_is_compiled_in(void **state)
{
    (void)state;
    char path[128], contact[256];
    double speed = 2.0 / 3 * 0.3 + 2.0 / 3 * 0.2 + 1.0 / 3 * 0.1;
    write_law(path, "law.cl", "speed / (a + b)");
    snprintf(contact, sizeof contact, "restitution: custom, restitution_file: %s", path);
    bounce(contact, speed / 1.8, false);
    write_law(path, "nan.cl", "sqrt(-speed)");
    snprintf(contact, sizeof contact, "restitution: custom, restitution_file: %s", path);
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED,
                           "units: nbody\nmodels: [plummer: {n: 50}]\ngravity: {method: none}\n"
                           "collisions: {method: direct, %s}\nintegrator: {dt: 1e-6}\n"
                           "run: {until: 1}\n",
                           contact);
    oct_bodies b = {0};
    ref_ok(oct_sim_bodies(&b, sim));
    for (size_t i = 0; i < b.n; i++)
        b.radius[i] = 1;
    ref_ok(oct_sim_set_bodies(sim, &b));
    ref_ok(oct_sim_step(sim, 1));
    assert_int_equal(oct_sim_wait(sim), OCT_STATUS_NUMBER);
    ref_says("returned no number from 0 to 1");
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

static void slow_impacts_get_the_minimum(void **state)
{
    (void)state;
    /* They part with the minimum times the overlap over the smaller radius: 1.25 here. */
    static const char *const contacts[] = {"restitution: 0, minimum_speed: 100",
                                           "restitution: 0.5, minimum_speed: 100",
                                           "restitution: 0.5, minimum_speed: 1"};
    for (int i = 0; i < 3; i++) {
        impact m = meet(OCT_PRECISION_DOUBLE, OPEN, contacts[i], MIDDLE);
        double part = i < 2 ? 100 * depth / 0.8 : 0.5 * m.speed;
        double lost = 1.2 * (m.speed * m.speed - part * part) / 2;
        assert_true(fabs(rebound(&m) - part / m.speed) < 1e-12); /* seen: 2e-15 */
        assert_true(fabs(m.impacts.energy - lost) < 1e-12);      /* seen: 2e-15 */
        forget(&m);
    }
}

/* The speed at which a body of this radius, wholly inside a sphere of radius 1, parts from it. */
static double parting_speed(oct_precision precision, double radius, double distance)
{
    oct_bodies b = {0};
    oct_sim *sim = ref_sim(precision, "units: nbody\nmodels: [plummer: {n: 2}]\n"
                                      "gravity: {method: none}\n"
                                      "collisions: {method: direct, restitution: 0, "
                                      "minimum_speed: 3}\n"
                                      "integrator: {dt: 1e-6}\nrun: {until: 1}\n");
    ref_ok(oct_sim_bodies(&b, sim));
    for (size_t k = 0; k < 6; k++)
        b.position[k] = b.velocity[k] = 0;
    b.position[3] = distance;
    b.velocity[3] = -1;
    b.radius[0] = 1;
    b.radius[1] = radius;
    ref_ok(oct_sim_set_bodies(sim, &b));
    ref_ok(oct_sim_collide(sim, 1e-6));
    ref_ok(oct_sim_bodies(&b, sim));
    double speed = b.velocity[3] - b.velocity[0];
    oct_bodies_clear(&b);
    oct_sim_free(sim);
    return speed;
}

/* The overlap counts no more than the smaller one's diameter, and with a point in units of the
 * other's radius. */
static void the_smallest_part_with_a_finite_speed(void **state)
{
    (void)state;
    const double radii[] = {0.1, 1e-10, 1e-30, 1e-300};
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
        bool single = p == OCT_PRECISION_SINGLE;
        for (size_t i = 0; i < (single ? 3 : 4); i++)
            assert_true(fabs(parting_speed((oct_precision)p, radii[i], 0.5) - 6) < 1e-5);
        assert_true(fabs(parting_speed((oct_precision)p, 0, 0.5) - 1.5) < 1e-5);
        /* Seen: 5e-7 in single, 1e-15 in the others. */
        assert_true(fabs(parting_speed((oct_precision)p, 0.1, 1.05) - 1.5) < 1e-5);
    }
}

static void merging_keeps_mass_momentum_and_volume(void **state)
{
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
        double tolerance = p == OCT_PRECISION_SINGLE ? 1e-6 : 1e-14;
        impact m = meet((oct_precision)p, OPEN, "outcome: merge", MIDDLE);
        assert_int_equal(m.after.n, 1);
        assert_int_equal(m.after.id[0], m.before.id[1]);
        assert_true(m.after.mass[0] == 5);
        assert_true(momentum_error(&m) < tolerance);
        assert_true(fabs(pow(m.after.radius[0], 3) - (1 + pow(0.8, 3))) < 3 * tolerance);
        for (size_t k = 0; k < 3; k++) {
            double centre = (2 * m.before.position[k] + 3 * m.before.position[3 + k]) / 5;
            assert_true(fabs(m.after.position[k] - centre) < tolerance);
        }
        assert_int_equal(oct_sim_count(m.sim), 1);
        forget(&m);
    }
}

static void count_note(void *context, const char *sentence)
{
    int *count = context;
    *count += strstr(sentence, "was merged into 2 in step 1") != NULL;
}

static void a_merger_is_told_once(void **state)
{
    (void)state;
    int told = 0;
    char path[128];
    oct_bodies b = {0};
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED,
                           "units: nbody\nmodels: [plummer: {n: 2}]\ngravity: {method: none}\n"
                           "collisions: {method: direct, outcome: merge}\n"
                           "integrator: {dt: 1e-6}\nrun: {until: 1}\n");
    ref_ok(oct_sim_bodies(&b, sim));
    for (size_t k = 0; k < 3; k++) {
        b.position[k] = b.velocity[k] = 0;
        b.position[3 + k] = 0.5;
        b.velocity[3 + k] = -0.1;
    }
    b.radius[0] = b.radius[1] = 1;
    b.mass[1] = 2 * b.mass[0];
    ref_ok(oct_sim_set_bodies(sim, &b));
    oct_sim_set_log(sim, count_note, &told);
    ref_ok(oct_sim_step(sim, 1));
    ref_ok(oct_sim_wait(sim));
    assert_int_equal(told, 1);
    scratch_path(path, "merged.hdf5");
    ref_ok(oct_sim_checkpoint(sim, path));
    oct_sim_free(sim);
    ref_ok(oct_sim_restore(&sim, ref_device(), path));
    oct_sim_set_log(sim, count_note, &told);
    ref_ok(oct_sim_step(sim, 1));
    ref_ok(oct_sim_wait(sim));
    assert_int_equal(told, 1);
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

/* Total angular momentum about the origin, spins included, which start at zero. */
static double angular_error(impact *m)
{
    double worst = 0;
    const double *spin = m->after.spin;
    for (size_t k = 0; k < 3; k++) {
        size_t a = (k + 1) % 3, b = (k + 2) % 3;
        double change = 0;
        for (size_t i = 0; i < 2; i++) {
            double mass = m->before.mass[i], r = m->before.radius[i];
            const double *x = m->before.position + 3 * i;
            const double *v = m->after.velocity + 3 * i, *v0 = m->before.velocity + 3 * i;
            change += mass * (x[a] * (v[b] - v0[b]) - x[b] * (v[a] - v0[a]));
            change += 0.4 * mass * r * r * spin[3 * i + k];
        }
        worst = fmax(worst, fabs(change));
    }
    return worst;
}

static void friction_turns_speed_into_spin(void **state)
{
    (void)state;
    const double reduced = 1.2;
    for (double tangential = -1; tangential < 1; tangential += 0.5) {
        char contact[64];
        snprintf(contact, sizeof contact, "restitution: 0.5, tangential: %g", tangential);
        impact m = meet(OCT_PRECISION_DOUBLE, OPEN, contact, MIDDLE);
        assert_true(momentum_error(&m) < 1e-15);
        assert_true(angular_error(&m) < 1e-15); /* seen: 1.1e-16 */
        assert_true(fabs(rebound(&m) - 0.5) < 1e-14);
        /* u_t^2 (1 - e^2) / (2 k): with the lever arms of the overlapping spheres. */
        double l[2] = {m.distance / 1.8, 0.8 * m.distance / 1.8}, u2 = 0;
        double k = 1 / reduced + l[0] * l[0] / (0.4 * 2) + l[1] * l[1] / (0.4 * 3 * 0.64);
        const double u[3] = {-0.3, -0.2, -0.1};
        for (int i = 0; i < 3; i++)
            u2 += pow(u[i] + m.speed * m.normal[i], 2);
        double lost =
            reduced * m.speed * m.speed * 0.75 / 2 + u2 * (1 - tangential * tangential) / (2 * k);
        assert_true(fabs(m.impacts.energy - lost) < 1e-15); /* seen: 3e-17 */
        forget(&m);
    }
}

static void bodies_that_part_are_left_alone(void **state)
{
    (void)state;
    impact m = meet(OCT_PRECISION_DOUBLE, OPEN, "restitution: 1", MIDDLE);
    uint64_t hash = ref_hash(m.sim);
    ref_ok(oct_sim_collide(m.sim, 1e-6));
    assert_int_equal(ref_hash(m.sim), hash);
    forget(&m);
}

static void refuse(const char *collisions, const char *sentence)
{
    assert_int_equal(ref_sim_status(OCT_PRECISION_MIXED,
                                    "units: nbody\nmodels: [plummer: {n: 20}]\n"
                                    "collisions: %s\nintegrator: {dt: 1}\nrun: {until: 1}\n",
                                    collisions),
                     OCT_STATUS_INPUT);
    ref_says(sentence);
}

static void bad_laws_are_refused(void **state)
{
    (void)state;
    refuse("{method: tree, restitution: 1.1}", "expected a number from 0 to 1, bridges or custom");
    refuse("{method: tree, restitution: -0.1}", "expected a number from 0 to 1");
    refuse("{method: tree, restitution: brigdes}", "expected a number from 0 to 1");
    refuse("{method: tree, restitution: nan}", "expected a number from 0 to 1");
    refuse("{method: tree, restitution: bridges}", "expected bridges_speed above 0");
    refuse("{method: tree, restitution: custom}", "belong together");
    refuse("{method: direct, tangential: 2}", "out of range");
    refuse("{method: oct, restitution: 1}", "unknown name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_the_restitution),
        cmocka_unit_test(bridges_law_is_a_power_of_the_speed),
        cmocka_unit_test(a_law_of_ones_own_is_compiled_in),
        cmocka_unit_test(slow_impacts_get_the_minimum),
        cmocka_unit_test(the_smallest_part_with_a_finite_speed),
        cmocka_unit_test(merging_keeps_mass_momentum_and_volume),
        cmocka_unit_test(a_merger_is_told_once),
        cmocka_unit_test(friction_turns_speed_into_spin),
        cmocka_unit_test(bodies_that_part_are_left_alone),
        cmocka_unit_test(bad_laws_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, scratch_make, scratch_remove);
    ref_device_close();
    return failed;
}
