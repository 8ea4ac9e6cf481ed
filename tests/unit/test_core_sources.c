/* Massless bodies: they feel every pull and add none, by every method that lists who pulls. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/sim.h"
#include "selftest/oracle.h"
#include "systems_ref.h"

enum { TESTERS = 700 };

static const double origin[3] = {0, 0, 0};
static const double radii[] = {1, 1.7, 2.6, 4.1};

/* A star with planets among bodies without mass, before, between and after them; more than a tile
 * of them. */
static void make_bodies(oct_bodies *b, bool testers)
{
    ref_add(b, 1, 1, origin, origin, OCT_TYPE_STAR);
    for (size_t p = 0; p < 5; p++) {
        for (size_t i = 0; i < TESTERS / 5 && testers; i++) {
            double r = 0.5 + 5 * fmod(0.618 * (double)(i + 140 * p + 1), 1), angle = (double)i;
            const double x[3] = {r * cos(angle), r * sin(angle), 0.01 * angle / 7};
            const double v[3] = {-sin(angle) / sqrt(r), cos(angle) / sqrt(r), 0.01};
            ref_add(b, 1, 0, x, v, OCT_TYPE_BODY);
        }
        if (p < 4) {
            const double x[3] = {radii[p], 0.1, 0}, v[3] = {0, 1 / sqrt(radii[p]), 0};
            ref_add(b, 1, 1e-3, x, v, OCT_TYPE_BODY);
        }
    }
}

static oct_sim *start(const oct_bodies *b, oct_precision precision, const char *gravity,
                      const char *integrator, const char *more)
{
    return ref_bodies_sim(b, precision,
                          "gravity: {%s}\nintegrator: {method: %s, dt: 0.01}\nrun: {until: 9}\n%s",
                          gravity, integrator, more);
}

static const char *const methods[] = {
    "method: direct, kernel: lanes", "method: direct",  "method: direct, softening: 0.05",
    "method: direct, kernel: tiles", "method: systems", "method: systems, kernel: tiles"};

static void forces_are_those_of_the_oracle(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
        for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++) {
            oct_bodies b = {0}, got = {0};
            const oct_oracle_gravity exact = {.G = 1, .softening = m == 2 ? 0.05 : 0};
            make_bodies(&b, true);
            oct_sim *sim = start(&b, (oct_precision)p, methods[m], "leapfrog", "");
            ref_ok(oct_sim_bodies(&got, sim));
            oct_oracle_forces(&b, &exact);
            double error = oct_oracle_vector_error(got.acceleration, b.acceleration, b.n);
            print_message("%s, precision %d: %.1e\n", methods[m], p, error);
            /* Seen: 1.2e-6, 4.2e-7, 8.5e-16. */
            assert_true(error < (p == OCT_PRECISION_DOUBLE ? 1e-13 : 1e-5));
            assert_non_null(sim->domain->sources.list);
            oct_sim_free(sim);
            oct_bodies_clear(&b);
            oct_bodies_clear(&got);
        }
}

/* The heavy ones move as without the others: to the bit, where few bodies are not stepped in
 * another way than many. */
static void testers_change_nothing(void **state)
{
    static const char *const integrators[] = {"wh", "leapfrog"};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        oct_bodies with = {0}, without = {0};
        make_bodies(&with, true);
        make_bodies(&without, false);
        const char *gravity = k ? "method: direct" : "method: systems";
        oct_sim *a = start(&with, OCT_PRECISION_DOUBLE, gravity, integrators[k], "");
        oct_sim *b = start(&without, OCT_PRECISION_DOUBLE, gravity, integrators[k], "");
        ref_ok(oct_sim_step(a, 30));
        ref_ok(oct_sim_step(b, 30));
        ref_ok(oct_sim_bodies(&with, a));
        ref_ok(oct_sim_bodies(&without, b));
        assert_null(b->domain->sources.list);
        size_t found = 0;
        for (size_t i = 0; i < with.n; i++)
            if (with.mass[i] > 0) {
                for (size_t c = 0; c < 3; c++) {
                    double off = fabs(with.position[3 * i + c] - without.position[3 * found + c]);
                    assert_true(off <= (k ? 0 : 1e-13)); /* seen: 9e-16 */
                }
                found++;
            }
        assert_int_equal(found, without.n);
        oct_sim_free(a);
        oct_sim_free(b);
        oct_bodies_clear(&with);
        oct_bodies_clear(&without);
    }
}

/* A body that is given mass pulls from then on, whoever gives it. */
static void mass_that_comes_later_pulls(void **state)
{
    (void)state;
    oct_bodies b = {0}, got = {0};
    const oct_oracle_gravity exact = {.G = 1};
    const double mass = 0.5;
    make_bodies(&b, true);
    oct_sim *sim = start(&b, OCT_PRECISION_DOUBLE, "method: direct", "leapfrog", "");
    ref_ok(oct_sim_bodies(&got, sim));
    ref_ok(oct_sim_write(sim, "mass", &(oct_selection){.first = 17, .n = 1}, &mass,
                         OCT_ELEMENT_DOUBLE));
    b.mass[17] = mass;
    oct_oracle_forces(&b, &exact);
    ref_ok(oct_sim_bodies(&got, sim));
    assert_true(oct_oracle_vector_error(got.acceleration, b.acceleration, b.n) < 1e-13);
    /* All of them: then there is no list. */
    for (size_t i = 0; i < b.n; i++)
        b.mass[i] = 1e-4 * (double)(i + 1);
    ref_ok(oct_sim_set_bodies(sim, &b));
    oct_oracle_forces(&b, &exact);
    ref_ok(oct_sim_bodies(&got, sim));
    assert_true(oct_oracle_vector_error(got.acceleration, b.acceleration, b.n) < 1e-13);
    assert_null(sim->domain->sources.list);
    oct_sim_free(sim);
    oct_bodies_clear(&b);
    oct_bodies_clear(&got);
}

/* Where steps remove bodies, with and without mass, a run that goes on from a saved state has the
 * bits of one that never stopped: its list follows from the state alone. */
static void lists_follow_from_the_state(void **state)
{
    static const char *const more[] = {"box: {boundary: open, removal_radius: 5}\n",
                                       "collisions: {method: direct, outcome: merge}\n"};
    (void)state;
    for (size_t k = 0; k < 2; k++)
        for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_MIXED; p++) {
            oct_bodies b = {0};
            make_bodies(&b, true);
            /* More than a tile of those that pull: which are summed together is then seen. */
            for (size_t i = 0; i < b.n; i++) {
                b.radius[i] = k ? 0.1 : 0;
                b.mass[i] = b.mass[i] == 0 && i % 2 ? 1e-5 : b.mass[i];
            }
            oct_sim *sim = start(&b, (oct_precision)p, "method: direct", "leapfrog", more[k]);
            oct_sim *again = start(&b, (oct_precision)p, "method: direct", "leapfrog", more[k]);
            oct_state saved = {0};
            ref_ok(oct_sim_step(sim, 40));
            ref_ok(oct_sim_wait(sim));
            assert_true(sim->removed > 0);
            ref_ok(oct_sim_export(&saved, sim));
            ref_ok(oct_sim_import(again, &saved));
            ref_ok(oct_sim_step(sim, 30));
            ref_ok(oct_sim_step(again, 30));
            assert_true(ref_hash(sim) == ref_hash(again));
            oct_state_clear(&saved);
            oct_sim_free(sim);
            oct_sim_free(again);
            oct_bodies_clear(&b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_of_the_oracle),
        cmocka_unit_test(testers_change_nothing),
        cmocka_unit_test(mass_that_comes_later_pulls),
        cmocka_unit_test(lists_follow_from_the_state),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
