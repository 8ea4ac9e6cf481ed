/* Onlookers see forces of all bodies where they are, and what steps go by stays as steps left it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sim.h"
#include "scene_sim.h"

enum { N = 96 };
static const double softening = 0.1;

#define CLUSTER(integrator)                                                                        \
    "units: nbody\nmodels: [plummer: {n: 96}]\ngravity: {method: direct, softening: 0.1}\n"        \
    "integrator: {method: " integrator ", dt: 0.01}\nrun: {until: 1}\n"
/* Bodies that merge when the forces of a step have been found. */
#define MERGING CLUSTER("leapfrog") "collisions: {method: direct, outcome: merge}\n"
#define PATCH                                                                                      \
    "units: nbody\nbox: {boundary: shear, size: [5, 4, 6], omega: 0.5}\n"                          \
    "models: [cold-sphere: {n: 96}]\ngravity: {method: direct, softening: 0.1}\n"                  \
    "integrator: {method: sei, dt: 0.01}\nrun: {until: 1}\n"

static oct_sim *make_sim(oct_precision precision, const char *scene)
{
    double radius[N];
    oct_sim *sim = ref_sim(precision, "%s", scene);
    for (size_t i = 0; i < N; i++)
        radius[i] = 0.15;
    if (strstr(scene, "merge"))
        ref_ok(oct_sim_write(sim, "radius", NULL, radius, OCT_ELEMENT_DOUBLE));
    return sim;
}

/* The column that steps go by, byte for byte. */
static void *own_column(oct_sim *sim)
{
    oct_buffer *column = sim->domain->acceleration;
    void *bytes = malloc(column->count * column->element);
    assert_non_null(bytes);
    ref_ok(oct_buffer_read(bytes, column, 0, column->count));
    return bytes;
}

static void look_in_every_way(oct_sim *sim)
{
    double values[128], potential[N];
    oct_bodies bodies = {0};
    ref_ok(oct_sim_measure(values, sim));
    ref_ok(oct_sim_bodies(&bodies, sim));
    ref_ok(oct_sim_read(potential, OCT_ELEMENT_DOUBLE, sim, "potential", NULL));
    for (size_t i = 0; i < bodies.n; i++)
        assert_true(bodies.n < sim->domain->n || potential[i] == bodies.potential[i]);
    oct_bodies_clear(&bodies);
}

static void steps_keep_their_accelerations(void **state)
{
    static const char *const scenes[] = {CLUSTER("symplectic-euler"), CLUSTER("euler"),
                                         CLUSTER("leapfrog"), MERGING, PATCH};
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
            oct_sim *sim = make_sim((oct_precision)p, scenes[i]);
            ref_ok(oct_sim_step(sim, 3));
            /* Steps that were enqueued on a guess that was wrong are taken again here. */
            ref_ok(oct_sim_wait(sim));
            void *before = own_column(sim);
            look_in_every_way(sim);
            void *after = own_column(sim);
            assert_memory_equal(before, after, sim->domain->acceleration->element * N);
            free(before);
            free(after);
            oct_sim_free(sim);
        }
}

/* Against a double sum over all pairs. */
static double force_error(const oct_bodies *b)
{
    double worst = 0, largest = 0;
    for (size_t i = 0; i < b->n; i++) {
        double a[3] = {0}, potential = 0;
        for (size_t j = 0; j < b->n; j++) {
            double d[3], r2 = softening * softening;
            for (size_t k = 0; k < 3; k++) {
                d[k] = b->position[3 * j + k] - b->position[3 * i + k];
                r2 += d[k] * d[k];
            }
            for (size_t k = 0; k < 3 && j != i; k++)
                a[k] += b->mass[j] * d[k] / (r2 * sqrt(r2));
            potential -= j != i ? b->mass[j] / sqrt(r2) : 0;
        }
        for (size_t k = 0; k < 3; k++) {
            worst = fmax(worst, fabs(a[k] - b->acceleration[3 * i + k]));
            largest = fmax(largest, fabs(a[k]));
        }
        assert_float_equal(b->potential[i], potential, 1e-12);
    }
    return worst / largest;
}

static void onlookers_see_what_is_now(void **state)
{
    static const char *const scenes[] = {CLUSTER("symplectic-euler"), CLUSTER("euler"),
                                         CLUSTER("leapfrog"), MERGING};
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        oct_sim *sim = make_sim(OCT_PRECISION_DOUBLE, scenes[i]);
        for (int step = 0; step < 3; step++) {
            oct_bodies bodies = {0};
            ref_ok(oct_sim_bodies(&bodies, sim));
            double error = force_error(&bodies);
            print_message("step %d: %.1e\n", step, error);
            /* Seen: 2e-15. */
            assert_true(error < 1e-13);
            oct_bodies_clear(&bodies);
            ref_ok(oct_sim_step(sim, 1));
        }
        ref_ok(oct_sim_wait(sim));
        assert_true((strstr(scenes[i], "merge") != NULL) == (oct_sim_count(sim) < N));
        oct_sim_free(sim);
    }
}

/* A body that is not of the set keeps the force of its own last step, whoever looks. */
static void a_body_keeps_its_own_last_force(void **state)
{
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, "%s", CLUSTER("leapfrog"));
    oct_domain *domain = sim->domain;
    oct_set *set = NULL;
    uint8_t marks[N];
    double potential[2];
    (void)state;
    for (size_t i = 0; i < N; i++)
        marks[i] = i % 3 == 0;
    ref_ok(oct_set_create(&set, domain));
    ref_ok(oct_buffer_write(set->marks, marks, 0, N));
    ref_ok(oct_sim_step(sim, 1));
    ref_ok(oct_sim_drift(sim, 0.01));
    oct_domain_restrict(domain, set);
    ref_ok(oct_sim_forces(sim));
    void *before = own_column(sim);
    potential[0] = ref_measure(sim, "potential");
    look_in_every_way(sim);
    potential[1] = ref_measure(sim, "potential");
    void *after = own_column(sim);
    assert_memory_equal(before, after, domain->acceleration->element * N);
    assert_true(potential[0] == potential[1] && domain->set == set);
    free(before);
    free(after);
    oct_set_free(set);
    oct_sim_free(sim);
}

/* Where steps end with forces of all nothing is found again, and no memory is taken. */
static void fresh_forces_cost_nothing(void **state)
{
    oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, "%s", CLUSTER("leapfrog"));
    (void)state;
    /* Reads go through buffers that the first one makes. */
    look_in_every_way(sim);
    uint64_t taken = oct_device_memory(sim->domain->device).now;
    for (int step = 0; step < 3; step++) {
        ref_ok(oct_sim_step(sim, 1));
        uint64_t version = sim->domain->acceleration->version;
        look_in_every_way(sim);
        assert_int_equal(sim->domain->acceleration->version, version);
    }
    assert_int_equal(oct_device_memory(sim->domain->device).now, taken);
    assert_null(oct_domain_column(sim->domain, "acceleration")->seen);
    oct_sim_free(sim);
}

/* The custom force goes by what the pair force after it has left in the force before. */
static void what_forces_leave_to_each_other_is_the_steps(void **state)
{
    static const char scene[] =
        "units: nbody\ncolumns: {rho: {}}\nmodels: [plummer: {n: 96}]\ngravity: {method: none}\n"
        "forces:\n"
        "  - custom:\n      code: |\n"
        "        real4 octant_force(real3 x, real3 v, real m, ulong id, real t, octant_columns c)\n"
        "        { return (real4)(-c.rho * x, 0); }\n"
        "  - pair:\n      writes: [rho]\n      code: |\n"
        "        void octant_pair(octant_sum *sum, octant_body i, octant_body j, octant_gap gap)\n"
        "        { sum->rho += j.mass / (gap.r2 + (real)0.1); }\n"
        "integrator: {method: symplectic-euler, dt: 0.1}\nrun: {until: 9}\n";
    uint64_t hashes[2];
    (void)state;
    for (int looked = 0; looked < 2; looked++) {
        oct_sim *sim = ref_sim(OCT_PRECISION_MIXED, "%s", scene);
        for (int step = 0; step < 5; step++) {
            ref_ok(oct_sim_step(sim, 1));
            if (looked)
                look_in_every_way(sim);
        }
        hashes[looked] = ref_hash(sim);
        oct_sim_free(sim);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* The sheet beyond the images has the mass of the bodies, also when that is written. */
static void written_masses_count_beyond_the_images(void **state)
{
    oct_sim *sims[2];
    double mass[N], position[3 * N], acceleration[2][3 * N], worst = 0;
    (void)state;
    for (int i = 0; i < 2; i++) {
        sims[i] = ref_sim(OCT_PRECISION_DOUBLE, "%s", PATCH);
        ref_ok(oct_sim_read(mass, OCT_ELEMENT_DOUBLE, sims[i], "mass", NULL));
        for (size_t k = 0; k < N; k++)
            mass[k] *= 3;
        ref_ok(oct_sim_write(sims[i], "mass", NULL, mass, OCT_ELEMENT_DOUBLE));
    }
    /* Writing positions has always counted. */
    ref_ok(oct_sim_read(position, OCT_ELEMENT_DOUBLE, sims[1], "position", NULL));
    ref_ok(oct_sim_write(sims[1], "position", NULL, position, OCT_ELEMENT_DOUBLE));
    for (int i = 0; i < 2; i++)
        ref_ok(oct_sim_read(acceleration[i], OCT_ELEMENT_DOUBLE, sims[i], "acceleration", NULL));
    for (size_t k = 0; k < 3 * N; k++)
        worst = fmax(worst, fabs(acceleration[0][k] - acceleration[1][k]));
    assert_true(worst == 0);
    oct_sim_free(sims[0]);
    oct_sim_free(sims[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_keep_their_accelerations),
        cmocka_unit_test(onlookers_see_what_is_now),
        cmocka_unit_test(a_body_keeps_its_own_last_force),
        cmocka_unit_test(fresh_forces_cost_nothing),
        cmocka_unit_test(what_forces_leave_to_each_other_is_the_steps),
        cmocka_unit_test(written_masses_count_beyond_the_images),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
