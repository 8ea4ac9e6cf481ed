/* Distances from Kepler orbits, against the library's two-body solution on the host. */
#include "files.h"

#include <math.h>

#include "core/sim.h"
#include "scene_sim.h"

/* Strong pulls between planets and a coarse step, so that there is something to measure. */
#define GALAXY                                                                                     \
    "units: solar\nmodels: [galaxy-of-systems: {systems: 40, bodies: {min: 1, max: 6}, planes: 2," \
    " planet_mass: 1 Mjup, eccentricity: 0.2, distance: 400 AU}, body: {mass: 1, offset: [9, 9, "  \
    "9]}]\ngravity: {method: direct}\nintegrator: {method: symplectic-euler, dt: 4 day}\n"         \
    "run: {until: 10 yr}\n"

typedef struct errors {
    double max, mean;
} errors;

static errors measure(oct_sim *sim)
{
    return (errors){ref_measure(sim, "kepler_error_max"), ref_measure(sim, "kepler_error_mean")};
}

/* The bodies with the digits that single precision keeps apart. */
static void exact_bodies(oct_bodies *out, oct_sim *sim)
{
    float low[2][3 * 300];
    ref_ok(oct_sim_bodies(out, sim));
    if (sim->precision != OCT_PRECISION_SINGLE)
        return;
    assert_true(out->n <= 300);
    ref_ok(oct_buffer_read(low[0], sim->domain->position_low, 0, out->n));
    ref_ok(oct_buffer_read(low[1], sim->domain->velocity_low, 0, out->n));
    for (size_t k = 0; k < 3 * out->n; k++) {
        out->position[k] -= (double)low[0][k];
        out->velocity[k] -= (double)low[1][k];
    }
}

static void relative(double x[3], double v[3], const oct_bodies *b, size_t star, size_t planet)
{
    for (size_t k = 0; k < 3; k++) {
        x[k] = b->position[3 * planet + k] - b->position[3 * star + k];
        v[k] = b->velocity[3 * planet + k] - b->velocity[3 * star + k];
    }
}

static errors oracle(const oct_bodies *start, const oct_bodies *now, double G, double time)
{
    errors out = {0};
    size_t planets = 0;
    for (size_t i = 1, star = 0; i < start->n; i++) {
        double x[3], v[3], there[3], unused[3];
        if (start->system[i] == 0 || start->system[i] != start->system[star]) {
            star = i;
            continue;
        }
        double mu = G * (start->mass[star] + start->mass[i]);
        relative(x, v, start, star, i);
        relative(there, unused, now, star, i);
        ref_ok(oct_kepler_advance(x, v, mu, time));
        double error = hypot(hypot(x[0] - there[0], x[1] - there[1]), x[2] - there[2]);
        out.max = fmax(out.max, error);
        out.mean += error;
        planets++;
    }
    out.mean /= (double)planets;
    return out;
}

static void errors_are_those_of_the_oracle(void **state)
{
    static const struct {
        oct_precision precision;
        double tolerance;
    } rows[] = {
        {OCT_PRECISION_SINGLE, 5e-7}, /* seen: 3e-8 */
        {OCT_PRECISION_MIXED, 5e-7},  /* seen: 1.7e-8, the largest being a float */
        {OCT_PRECISION_DOUBLE, 5e-7}, /* seen: 3e-8 */
    };
    (void)state;
    for (size_t r = 0; r < 3; r++) {
        oct_bodies start = {0}, now = {0};
        oct_sim *sim = ref_sim(rows[r].precision, "%soutput: {kepler_error: true}\n", GALAXY);
        errors first = measure(sim);
        assert_true(first.max < 1e-13 && first.mean < 1e-13); /* seen: 0 */
        exact_bodies(&start, sim);
        ref_ok(oct_sim_step(sim, 300));
        exact_bodies(&now, sim);
        errors got = measure(sim);
        errors want = oracle(&start, &now, oct_sim_units(sim)->G, oct_sim_time(sim));
        print_message("max %.8f (%.8f), mean %.8f (%.8f)\n", got.max, want.max, got.mean,
                      want.mean);
        assert_true(want.max > 0.3 && want.mean > 0.1); /* seen: 0.587, 0.162 */
        assert_true(fabs(got.max / want.max - 1) < rows[r].tolerance);
        assert_true(fabs(got.mean / want.mean - 1) < rows[r].tolerance);
        oct_bodies_clear(&start);
        oct_bodies_clear(&now);
        oct_sim_free(sim);
    }
}

/* It goes on from a checkpoint, and leaves no trace in the state. */
static void a_restored_run_measures_the_same(void **state)
{
    char path[128];
    oct_sim *again = NULL;
    (void)state;
    scratch_path(path, "checkpoint.hdf5");
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO, "%soutput: {kepler_error: true}\n", GALAXY);
    oct_sim *plain = ref_sim(OCT_PRECISION_AUTO, "%s", GALAXY);
    ref_ok(oct_sim_step(sim, 20));
    ref_ok(oct_sim_step(plain, 30));
    ref_ok(oct_sim_checkpoint(sim, path));
    ref_ok(oct_sim_restore(&again, ref_device(), path));
    ref_ok(oct_sim_step(sim, 10));
    ref_ok(oct_sim_step(again, 10));
    errors a = measure(sim), b = measure(again);
    assert_true(a.max > 1e-4 && a.max == b.max && a.mean == b.mean);
    assert_true(ref_hash(sim) == ref_hash(plain));
    oct_sim_free(again);
    oct_sim_free(plain);
    oct_sim_free(sim);
}

/* A heavy planet on a circle about a star that is held: mu is that of the star alone. */
static void a_held_star_does_not_answer(void **state)
{
    char path[128];
    const char *text = "id,mass,x,y,z,vx,vy,vz,type,system\n"
                       "1,1,0,0,0,0,0,0,20,1\n2,0.5,1,0,0,0,1,0,1,1\n";
    (void)state;
    scratch_path(path, "held.csv");
    spill(path, text, strlen(text));
    oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE,
                           "units: nbody\nmodels: [file: {path: %s}]\ngravity: {method: direct}\n"
                           "integrator: {dt: 1e-3}\nrun: {until: 9}\n"
                           "output: {kepler_error: true}\n",
                           path);
    ref_ok(oct_sim_step(sim, 3000));
    errors got = measure(sim);
    print_message("held star: %.3g\n", got.max);
    assert_true(got.max > 0 && got.max < 1e-5); /* seen: 1.05e-6; 2 with the planet's mass */
    oct_sim_free(sim);
}

/* A pair that flies through the faces of a box, wrapped body by body: its own images, ten times
 * farther away than it is wide, are all that disturbs it. */
static void faces_are_no_error(void **state)
{
    char path[128];
    const char *text = "id,mass,x,y,z,vx,vy,vz,type,system\n"
                       "1,1,9.9,0,0,1.3,0,0,2,1\n2,1e-6,10.9,0,0,1.3,1,0,1,1\n";
    (void)state;
    scratch_path(path, "pair.csv");
    spill(path, text, strlen(text));
    oct_sim *sim = ref_sim(OCT_PRECISION_DOUBLE,
                           "units: nbody\nbox: {boundary: periodic, size: [20, 20, 20]}\n"
                           "models: [file: {path: %s}]\ngravity: {method: direct}\n"
                           "integrator: {dt: 1e-3}\nrun: {until: 99}\n"
                           "output: {kepler_error: true}\n",
                           path);
    double most = measure(sim).max;
    for (int i = 0; i < 40; i++) {
        ref_ok(oct_sim_step(sim, 500));
        most = fmax(most, measure(sim).max);
    }
    print_message("across faces: %.3g\n", most);
    assert_true(most < 0.05); /* seen: 0.020, of the images */
    oct_sim_free(sim);
}

static void without_systems_there_is_nothing_to_compare(void **state)
{
    (void)state;
    assert_int_equal(ref_sim_status(OCT_PRECISION_AUTO,
                                    "units: nbody\nmodels: [cold-sphere: {n: 5}]\ngravity: "
                                    "{method: none}\nintegrator: {dt: 1}\nrun: {until: 1}\n"
                                    "output: {kepler_error: true}\n"),
                     OCT_STATUS_INPUT);
    ref_says("output.kepler_error: there is no solar system");
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO, "%s", GALAXY);
    double value;
    assert_int_equal(oct_sim_measure_one(&value, sim, "kepler_error_max"), OCT_STATUS_MISSING);
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_of_the_oracle),
        cmocka_unit_test_setup_teardown(a_restored_run_measures_the_same, scratch_make,
                                        scratch_remove),
        cmocka_unit_test_setup_teardown(a_held_star_does_not_answer, scratch_make, scratch_remove),
        cmocka_unit_test_setup_teardown(faces_are_no_error, scratch_make, scratch_remove),
        cmocka_unit_test(without_systems_there_is_nothing_to_compare),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
