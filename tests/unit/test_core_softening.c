/* Who has which softening: scenes, files and programs, what is kept of it, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sim.h"
#include "core/softening.h"
#include "files.h"
#include "scene_sim.h"

#define RUN "integrator: {dt: 0.005}\nrun: {until: 1}\n"
#define TWO                                                                                        \
    "units: nbody\nmodels:\n  - plummer: {n: 60, softening: 0.2}\n"                                \
    "  - plummer: {n: 40, mass: 0.2, scale: 0.2, softening: 0.02}\n  - body: {mass: 0.1}\n"

static oct_bodies bodies_of(oct_sim *sim)
{
    oct_bodies b = {0};
    ref_ok(oct_sim_bodies(&b, sim));
    return b;
}

/* A model's own, then what gravity has for a type, then that of gravity. */
static void scenes_say_who_has_which(void **state)
{
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO,
                           "units: nbody\nmodels:\n"
                           "  - disk-galaxy: {disk: {n: 20}, bulge: {n: 10}, halo: {n: 30}, "
                           "black_hole: 0.01}\n"
                           "  - plummer: {n: 5, softening: 0.3}\n  - body: {mass: 0.1}\n"
                           "gravity: {method: auto, softening: 0.1, softenings: {disk: 0.02, "
                           "bulge: 0.03, black_hole: 0.001}}\n" RUN);
    oct_bodies b = bodies_of(sim);
    static const double by_type[] = {0, 0, 0.02, 0.03, 0, 0.001};
    size_t counts[6] = {0};
    for (size_t i = 0; i < b.n; i++) {
        bool plummer = i >= 61 && i < 66;
        counts[b.type[i]]++;
        assert_true(b.softening[i] == (plummer ? 0.3 : by_type[b.type[i]]));
    }
    assert_true(counts[2] == 20 && counts[3] == 10 && counts[5] == 1);
    assert_true(oct_setup_softening(sim->setup) == 0.1);
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

/* Memory is told from what a scene says, before there are bodies. */
static void models_within_models_have_them(void **state)
{
    (void)state;
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO,
                           "units: nbody\nmodels:\n  - merger: {first: {plummer: {n: 5, softening: "
                           "0.3}}, second: {plummer: {n: 7}}, pericentre: 1, separation: 9}\n"
                           "gravity: {method: direct, softening: 0.1}\n" RUN);
    oct_bodies b = bodies_of(sim);
    assert_true(oct_setup_softens(sim->setup));
    for (size_t i = 0; i < b.n; i++)
        assert_true(b.softening[i] == (i < 5 ? 0.3 : 0));
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

static uint64_t hash_after(const char *gravity, const char *models, oct_precision precision)
{
    oct_sim *sim =
        ref_sim(precision, "units: nbody\nmodels: [%s]\ngravity: {%s}\n" RUN, models, gravity);
    ref_ok(oct_sim_step(sim, 5));
    uint64_t hash = ref_hash(sim);
    assert_null(sim->domain->softening);
    oct_sim_free(sim);
    return hash;
}

/* Where all have the one of gravity there is no column, and every bit is what it was. */
static void one_softening_for_all_costs_nothing(void **state)
{
    static const char *const methods[] = {"method: direct, softening: 0.05",
                                          "method: tree, softening: 0.05"};
    (void)state;
    for (int m = 0; m < 2; m++)
        for (int p = 0; p < 2; p++) {
            oct_precision precision = p ? OCT_PRECISION_AUTO : OCT_PRECISION_SINGLE;
            uint64_t plain = hash_after(methods[m], "plummer: {n: 200}", precision);
            assert_true(plain ==
                        hash_after(methods[m], "plummer: {n: 200, softening: 0.05}", precision));
        }
}

/* Bodies that differ in nothing get the same pairs from a column, to rounding. */
static void a_column_of_equal_ones_is_one_softening(void **state)
{
    (void)state;
    static const char *const methods[] = {"direct", "tree"};
    for (int m = 0; m < 2; m++) {
        oct_sim *plain = ref_sim(OCT_PRECISION_AUTO,
                                 "units: nbody\nmodels: [plummer: {n: 300}]\n"
                                 "gravity: {method: %s, softening: 0.05}\n" RUN,
                                 methods[m]);
        oct_sim *column = ref_sim(OCT_PRECISION_AUTO,
                                  "units: nbody\nmodels: [plummer: {n: 300, softening: 0.05}]\n"
                                  "gravity: {method: %s, softening: 0.3}\n" RUN,
                                  methods[m]);
        assert_non_null(column->domain->softening);
        oct_bodies a = bodies_of(plain), b = bodies_of(column);
        double most = 0;
        for (size_t i = 0; i < 3 * a.n; i++)
            most = fmax(most, fabs(a.acceleration[i] - b.acceleration[i]));
        print_message("%s: accelerations differ by %.1e\n", methods[m], most);
        assert_true(most < 1e-5); /* 4e-7 of 1 */
        oct_bodies_clear(&a);
        oct_bodies_clear(&b);
        oct_sim_free(plain);
        oct_sim_free(column);
    }
}

static void runs_are_resumed_to_the_same_bits(void **state)
{
    (void)state;
    static const char *const methods[] = {"direct", "tree", "tree, criterion: relative"};
    for (int m = 0; m < 3; m++)
        for (int p = 0; p < 2; p++) {
            oct_sim *sim = ref_sim(p ? OCT_PRECISION_AUTO : OCT_PRECISION_SINGLE,
                                   TWO "gravity: {method: %s, softening: 0.05}\n" RUN, methods[m]);
            ref_ok(oct_sim_step(sim, 7));
            char path[128];
            scratch_path(path, "checkpoint.h5");
            oct_sim *resumed = ref_resume(sim, path, 5);
            assert_non_null(resumed->domain->softening);
            oct_sim_free(resumed);
            oct_sim_free(sim);
        }
}

/* Files of both kinds give every number back, and a run goes on with them. */
static void files_have_softenings(void **state)
{
    (void)state;
    static const char *const names[] = {"softening.hdf5", "softening.csv"};
    for (int f = 0; f < 2; f++) {
        char path[128];
        scratch_path(path, names[f]);
        oct_sim *sim =
            ref_sim(OCT_PRECISION_DOUBLE, TWO "gravity: {method: direct, softening: 0.05}\n" RUN);
        ref_ok(oct_sim_snapshot(sim, path));
        oct_bodies before = bodies_of(sim), after = {0};
        ref_ok(oct_bodies_read(&after, NULL, path, NULL));
        assert_memory_equal(before.softening, after.softening, before.n * sizeof(double));
        oct_sim *again = ref_sim(OCT_PRECISION_DOUBLE,
                                 "units: nbody\nmodels: [file: {path: '%s'}]\n"
                                 "gravity: {method: direct, softening: 0.05}\n" RUN,
                                 path);
        ref_ok(oct_sim_step(sim, 3));
        ref_ok(oct_sim_step(again, 3));
        assert_true(ref_hash(sim) == ref_hash(again));
        oct_bodies_clear(&before);
        oct_bodies_clear(&after);
        oct_sim_free(sim);
        oct_sim_free(again);
    }
}

static void programs_read_and_write_them(void **state)
{
    (void)state;
    double all[101], some[2] = {0.07, 0};
    const oct_selection two = {.first = 99, .n = 2};
    oct_sim *sim =
        ref_sim(OCT_PRECISION_AUTO, TWO "gravity: {method: tree, softening: 0.05}\n" RUN);
    ref_ok(oct_sim_read(all, OCT_ELEMENT_DOUBLE, sim, "softening", NULL));
    assert_true(all[0] == 0.2 && all[60] == 0.02 && all[100] == 0);
    oct_bodies before = bodies_of(sim);
    some[1] = 0.5;
    ref_ok(oct_sim_write(sim, "softening", &two, some, OCT_ELEMENT_DOUBLE));
    oct_bodies after = bodies_of(sim);
    assert_true(after.softening[99] == 0.07 && after.softening[100] == 0.5);
    /* The hole's pull on its neighbours is another one, and so is the tree's. */
    assert_true(after.potential[61] > before.potential[61]);
    some[0] = -1;
    assert_int_equal(oct_sim_write(sim, "softening", &two, some, OCT_ELEMENT_DOUBLE),
                     OCT_STATUS_INPUT);
    some[0] = NAN;
    assert_int_equal(oct_sim_write(sim, "softening", &two, some, OCT_ELEMENT_DOUBLE),
                     OCT_STATUS_INPUT);
    /* Who joins has softenings too, by itself or by its type. */
    oct_bodies joins = {0};
    ref_ok(oct_bodies_resize(&joins, 1));
    joins.position[0] = 3;
    joins.mass[0] = 0.01;
    joins.softening[0] = 0.4;
    ref_ok(oct_sim_add(sim, &joins));
    oct_bodies_clear(&after);
    after = bodies_of(sim);
    assert_true(after.n == 102 && after.softening[101] == 0.4 && after.softening[0] == 0.2);
    /* A change of settings keeps them. */
    ref_ok(oct_sim_set(sim, "gravity.theta=0.3"));
    assert_non_null(sim->domain->softening);
    assert_int_equal(oct_sim_set(sim, "gravity.softenings={disk: 1}"), OCT_STATUS_INPUT);
    ref_says("changes nothing after the start");
    assert_int_equal(oct_sim_set(sim, "gravity={method: systems}"), OCT_STATUS_INPUT);
    ref_says("gravity.method systems has one for all");
    ref_ok(oct_sim_set(sim, "gravity={method: direct, softening: 0.2}"));
    assert_true(ref_measure(sim, "potential") < 0);
    oct_bodies_clear(&before);
    oct_bodies_clear(&after);
    oct_sim_free(sim);
    /* A simulation that began without has programs without. */
    sim = ref_sim(OCT_PRECISION_AUTO,
                  "units: nbody\nmodels: [plummer: {n: 10}]\ngravity: {method: tree}\n" RUN);
    ref_ok(oct_sim_read(all, OCT_ELEMENT_DOUBLE, sim, "softening", NULL));
    assert_true(all[0] == 0);
    assert_int_equal(oct_sim_add(sim, &joins), OCT_STATUS_INPUT);
    ref_says("began with had none");
    /* A method that has no such key takes nothing away. */
    ref_ok(oct_sim_set(sim, "gravity={method: none}"));
    some[0] = 0.1;
    assert_int_equal(
        oct_sim_write(sim, "softening", &(oct_selection){.n = 1}, some, OCT_ELEMENT_DOUBLE),
        OCT_STATUS_INPUT);
    ref_says("when the simulation began");
    oct_bodies_clear(&joins);
    oct_sim_free(sim);
}

/* Massless bodies feel softened pulls, and cost nothing as sources. */
static void massless_bodies_have_softenings(void **state)
{
    (void)state;
    static const char *const methods[] = {"direct", "tree"};
    static const char bodies[] = "mass,x,y,z,vx,vy,vz,softening\n1,0,0,0,0,0,0,0.4\n"
                                 "0,1,0,0,0,0,0,0.3\n0,0,1,0,0,0,0,0\n";
    char path[128];
    scratch_path(path, "massless.csv");
    spill(path, bodies, strlen(bodies));
    for (int m = 0; m < 2; m++) {
        oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE,
                               "units: nbody\nmodels: [file: {path: '%s'}]\n"
                               "gravity: {method: %s}\n" RUN,
                               path, methods[m]);
        oct_bodies b = bodies_of(sim);
        double one = 1 + (0.16 + 0.09) / 2, other = 1 + 0.16 / 2;
        assert_true(fabs(b.acceleration[3] + pow(one, -1.5)) < 1e-13);
        assert_true(fabs(b.acceleration[7] + pow(other, -1.5)) < 1e-13);
        assert_true(fabs(b.potential[1] + pow(one, -0.5)) < 1e-13);
        assert_true(b.acceleration[0] == 0 && fabs(b.potential[0]) < 1e-13);
        oct_bodies_clear(&b);
        oct_sim_free(sim);
    }
}

/* A pair 10^-6 of the system apart, far from the origin, with a hundredth of its distance for a
 * softening, among bodies whose own is 10^5 times as large. */
static void close_pairs_keep_their_digits(void **state)
{
    (void)state;
    static const char *const methods[] = {"direct", "tree"};
    for (int m = 0; m < 2; m++) {
        oct_sim *sim =
            ref_sim(OCT_PRECISION_MIXED,
                    "units: nbody\nmodels:\n  - plummer: {n: 200, softening: 0.1}\n"
                    "  - body: {mass: 1e-6, softening: 1e-8, offset: [100.3, 0.1, 0.2]}\n"
                    "  - body: {mass: 1e-6, softening: 1e-8, offset: [100.300001, 0.1, 0.2]}\n"
                    "gravity: {method: %s}\n" RUN,
                    methods[m]);
        oct_bodies b = bodies_of(sim);
        double d = b.position[3 * 201] - b.position[3 * 200];
        double pull = 1e-6 * d / pow(d * d + 1e-16, 1.5), half = b.acceleration[3 * 200];
        half -= b.acceleration[3 * 201];
        print_message("%s: a close pair is off by %.1e\n", methods[m], half / (2 * pull) - 1);
        assert_true(fabs(half / (2 * pull) - 1) < 1e-6); /* 8e-8 */
        oct_bodies_clear(&b);
        oct_sim_free(sim);
    }
}

/* What pairs do to each other is what the potential of pairs says. */
static void energy_is_kept(void **state)
{
    (void)state;
    static const char *const methods[] = {"direct", "tree, theta: 0.4"};
    for (int m = 0; m < 2; m++) {
        oct_sim *sim = ref_sim(OCT_PRECISION_AUTO,
                               TWO "gravity: {method: %s, softening: 0.05}\n"
                                   "integrator: {dt: 0.001}\nrun: {until: 1}\n",
                               methods[m]);
        double before = ref_measure(sim, "energy");
        ref_ok(oct_sim_step(sim, 400));
        double error = ref_measure(sim, "energy") / before - 1;
        print_message("%s: energy error %.1e after 400 steps\n", methods[m], error);
        assert_true(fabs(error) < 5e-5);
        oct_sim_free(sim);
    }
}

static void refuse(const char *text, const char *sentence)
{
    assert_int_equal(ref_sim_status(OCT_PRECISION_AUTO, "%s", text), OCT_STATUS_INPUT);
    ref_says(sentence);
}

#define ONE(more) "units: nbody\nmodels: [plummer: {n: 10" more "}]\n"
static void bad_softenings_are_refused(void **state)
{
    (void)state;
    refuse(ONE(", softening: -1") "gravity: {method: direct}\n" RUN, "models.0.plummer.softening");
    refuse(ONE(", softening: .nan") "gravity: {method: direct}\n" RUN,
           "models.0.plummer.softening");
    refuse(ONE("") "gravity: {method: direct, softenings: {disk: -0.1}}\n" RUN,
           "gravity.softenings.disk");
    refuse(ONE("") "gravity: {method: tree, softenings: {hallo: 0.1}}\n" RUN,
           "did you mean 'halo'?");
    refuse(ONE("") "gravity: {method: tree, softenings: {halo: soft}}\n" RUN, "not a number");
    refuse(ONE("") "gravity: {method: systems, softenings: {halo: 0.1}}\n" RUN, "unknown key");
    refuse("units: nbody\nmodels: [two-body: {mass1: 1, mass2: 1, semi_major_axis: 1, softening: "
           "0.1}]\ngravity: {method: systems}\n" RUN,
           "gravity.method systems has one for all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_within_models_have_them),
        cmocka_unit_test(scenes_say_who_has_which),
        cmocka_unit_test(one_softening_for_all_costs_nothing),
        cmocka_unit_test(a_column_of_equal_ones_is_one_softening),
        cmocka_unit_test(runs_are_resumed_to_the_same_bits),
        cmocka_unit_test(files_have_softenings),
        cmocka_unit_test(programs_read_and_write_them),
        cmocka_unit_test(massless_bodies_have_softenings),
        cmocka_unit_test(close_pairs_keep_their_digits),
        cmocka_unit_test(energy_is_kept),
        cmocka_unit_test(bad_softenings_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, scratch_make, scratch_remove);
    ref_device_close();
    return failed;
}
