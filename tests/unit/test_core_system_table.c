/* Solar systems in a scene: how they are numbered and divided, that files keep them, and bodies
 * that are held. */
#include "files.h"

#include <math.h>

#include "core/sim.h"
#include "scene_sim.h"

#define HEAD "id,mass,x,y,z,vx,vy,vz,radius,type,system\n"
#define FREE "gravity: {method: none}\nintegrator: {dt: 1}\nrun: {until: 1}\n"

/* A pair, a lone body and a triple, numbered as nobody would. */
#define ODD                                                                                        \
    HEAD "1,1,0,0,0,0,0,0,0,4,70\n2,1,1,0,0,0,0,0,0,1,70\n3,1,2,0,0,0,0,0,0,1,0\n"                 \
         "4,1,3,0,0,0,0,0,0,4,9\n5,1,4,0,0,0,0,0,0,1,9\n6,1,5,0,0,0,0,0,0,1,9\n"

static void spill_csv(char path[128], const char *text)
{
    scratch_path(path, "bodies.csv");
    spill(path, text, strlen(text));
}

/* A simulation of the bodies in a CSV file, with more models behind them. */
static oct_sim *sim_of(const char *csv, const char *more)
{
    char path[128];
    spill_csv(path, csv);
    return ref_sim(OCT_PRECISION_AUTO, "units: nbody\nmodels: [file: {path: %s}%s]\n" FREE, path,
                   more);
}

static void assert_systems(oct_sim *sim, const uint32_t *want, size_t n)
{
    oct_bodies b = {0};
    ref_ok(oct_sim_bodies(&b, sim));
    assert_int_equal(b.n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(b.system[i], want[i]);
    oct_bodies_clear(&b);
}

static void systems_of_all_models_are_counted_on(void **state)
{
    static const uint32_t want[] = {1, 1, 0, 2, 2, 2, 0, 3, 3, 4, 4};
    (void)state;
    oct_sim *sim = sim_of(ODD, ", body: {mass: 1, offset: [9, 0, 0]},"
                               "two-body: {mass1: 1, mass2: 1, semi_major_axis: 1},"
                               "two-body: {mass1: 1, mass2: 1, semi_major_axis: 1}");
    assert_systems(sim, want, 11);
    oct_sim_free(sim);
}

static void bodies_of_a_system_must_be_neighbours(void **state)
{
    char path[128];
    (void)state;
    spill_csv(path, HEAD "1,1,0,0,0,0,0,0,0,4,7\n2,1,1,0,0,0,0,0,0,4,3\n"
                         "3,1,2,0,0,0,0,0,0,1,7\n4,1,3,0,0,0,0,0,0,1,3\n");
    oct_status status =
        ref_sim_status(OCT_PRECISION_AUTO, "units: nbody\nmodels: [file: {path: %s}]\n" FREE, path);
    assert_refused(status, "the bodies of system 3", "one after another");
    /* A body of none between them parts them as well. */
    spill_csv(path, HEAD "1,1,0,0,0,0,0,0,0,4,7\n2,1,1,0,0,0,0,0,0,4,0\n3,1,2,0,0,0,0,0,0,1,7\n");
    status =
        ref_sim_status(OCT_PRECISION_AUTO, "units: nbody\nmodels: [file: {path: %s}]\n" FREE, path);
    assert_refused(status, "the bodies of system 7", "one after another");
}

/* Every body is in exactly one system; one that belongs to none is a system of its own. */
static void lone_bodies_are_systems_of_one(void **state)
{
    static const uint32_t starts[] = {0, 2, 3, 6, 7, 8}, of[] = {0, 0, 1, 2, 2, 2, 3, 4};
    uint32_t first[6], found[8];
    (void)state;
    oct_sim *sim = sim_of(ODD, ", body: {mass: 1, offset: [9, 0, 0]}, body: {mass: 1}");
    assert_int_equal(sim->domain->system_table.n, 5);
    assert_int_equal(sim->domain->system_table.largest, 3);
    assert_memory_equal(sim->domain->system_table.starts, starts, sizeof starts);
    ref_ok(oct_buffer_read(first, sim->domain->system_table.first, 0, 6));
    ref_ok(oct_buffer_read(found, sim->domain->system_table.of, 0, 8));
    assert_memory_equal(first, starts, sizeof starts);
    assert_memory_equal(found, of, sizeof of);
    oct_sim_free(sim);
}

static void a_scene_without_systems_has_no_arrays(void **state)
{
    (void)state;
    oct_sim *sim =
        ref_sim(OCT_PRECISION_AUTO, "units: nbody\nmodels: [cold-sphere: {n: 5}]\n" FREE);
    assert_int_equal(sim->domain->system_table.n, 0);
    assert_null(sim->domain->system_table.starts);
    assert_null(sim->domain->system_table.of);
    oct_sim_free(sim);
}

static void files_keep_systems_and_held_bodies(void **state)
{
    static const char *const names[] = {"b.csv", "b.hdf5"};
    static const uint32_t systems[] = {0, 1, 1, 1, 0, 2, 2};
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        char path[128];
        oct_bodies bodies = {0}, again = {0};
        oct_file_info info = {.size = sizeof info, .units = *oct_units_find("solar")};
        sample_bodies(&bodies, 7, "5411141");
        bodies.type[0] |= OCT_TYPE_HELD;
        bodies.type[3] |= OCT_TYPE_HELD;
        memcpy(bodies.system, systems, sizeof systems);
        scratch_path(path, names[f]);
        ref_ok(oct_bodies_write(&bodies, &info, path));
        ref_ok(oct_bodies_read(&again, &info, path, NULL));
        assert_same_bodies(&bodies, &again);
        assert_memory_equal(again.system, systems, sizeof systems);
        oct_bodies_clear(&bodies);
        oct_bodies_clear(&again);
    }
}

static void bad_types_and_systems_are_refused(void **state)
{
    oct_bodies b = {0};
    char path[128];
    (void)state;
    spill_csv(path, HEAD "1,1,0,0,0,0,0,0,0,16,1\n");
    assert_refused(oct_bodies_read(&b, NULL, path, NULL), "type", "16");
    spill_csv(path, HEAD "1,1,0,0,0,0,0,0,0,37,1\n");
    assert_refused(oct_bodies_read(&b, NULL, path, NULL), "type", "37");
    spill_csv(path, HEAD "1,1,0,0,0,0,0,0,0,4,-1\n");
    assert_refused(oct_bodies_read(&b, NULL, path, NULL), "system", "-1");
    spill_csv(path, HEAD "1,1,0,0,0,0,0,0,0,4,4294967296\n");
    assert_refused(oct_bodies_read(&b, NULL, path, NULL), "system", "4294967296");
    oct_bodies_clear(&b);
}

static void checkpoints_keep_systems_and_held_bodies(void **state)
{
    static const uint32_t systems[] = {0, 1, 1, 2, 2, 3, 3};
    oct_bodies b = {0};
    oct_sim *again = NULL;
    char path[128];
    (void)state;
    scratch_path(path, "checkpoint.hdf5");
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO,
                           "units: solar\nmodels: [galaxy-of-systems: {systems: 3, bodies: 2}]\n"
                           "gravity: {method: direct}\nintegrator: {dt: 1}\nrun: {until: 9}\n");
    ref_ok(oct_sim_step(sim, 2));
    ref_ok(oct_sim_checkpoint(sim, path));
    ref_ok(oct_sim_restore(&again, ref_device(), path));
    assert_true(ref_hash(again) == ref_hash(sim));
    assert_systems(again, systems, 7);
    assert_int_equal(again->domain->system_table.n, 4);
    assert_memory_equal(again->domain->system_table.starts, sim->domain->system_table.starts,
                        5 * sizeof(uint32_t));
    ref_ok(oct_sim_bodies(&b, again));
    assert_int_equal(b.type[0], OCT_TYPE_BLACK_HOLE | OCT_TYPE_HELD);
    assert_int_equal(b.type[1], OCT_TYPE_STAR);
    ref_ok(oct_sim_step(sim, 2));
    ref_ok(oct_sim_step(again, 2));
    assert_true(ref_hash(again) == ref_hash(sim));
    oct_bodies_clear(&b);
    oct_sim_free(again);
    oct_sim_free(sim);
}

/* A heavy held body, a light one and a star with a planet: all fall towards the held one, and
 * nothing moves it. */
static void held_bodies_stay_and_pull(const char *integrator, const char *gravity)
{
    char path[128];
    oct_bodies before = {0}, after = {0};
    spill_csv(path, HEAD "1,9,0,0,0,0,0,0,0,21,0\n2,5,4,0,0,0,0,0,0,1,0\n"
                         "3,3,0,6,0,0,0,0,0,4,1\n4,1e-3,1,6,0,0,1,0,0,1,1\n");
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO,
                           "units: nbody\nmodels: [file: {path: %s}]\ngravity: {method: %s}\n"
                           "integrator: {method: %s, dt: 0.01}\nrun: {until: 1}\n",
                           path, gravity, integrator);
    ref_ok(oct_sim_bodies(&before, sim));
    ref_ok(oct_sim_step(sim, 20));
    ref_ok(oct_sim_bodies(&after, sim));
    for (size_t k = 0; k < 3; k++)
        assert_true(after.position[k] == 0 && after.velocity[k] == 0);
    /* x = 4 - (9 / 16 + ...) t^2 / 2 with t = 0.2, and the same towards the origin for the star. */
    double fallen = 4 - after.position[3], star = 6 - after.position[7];
    print_message("%s: fell by %.5f and %.5f\n", integrator, fallen, star);
    assert_true(fallen > 0.0110 && fallen < 0.0128); /* seen: 0.0113 to 0.0125 */
    assert_true(star > 0.0060 && star < 0.0072);     /* seen: 0.0063 to 0.0069 */
    oct_bodies_clear(&before);
    oct_bodies_clear(&after);
    oct_sim_free(sim);
}

static void held_bodies_stay_whatever_the_integrator(void **state)
{
    (void)state;
    held_bodies_stay_and_pull("leapfrog", "direct");
    held_bodies_stay_and_pull("leapfrog", "tree");
    held_bodies_stay_and_pull("euler", "direct");
    held_bodies_stay_and_pull("symplectic-euler", "direct");
    held_bodies_stay_and_pull("leapfrog", "systems");
    held_bodies_stay_and_pull("two-rate", "systems");
    held_bodies_stay_and_pull("respa", "systems");
    held_bodies_stay_and_pull("wh", "systems");
}

int main(void)
{
#define WITH_FILES(test) cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)
    const struct CMUnitTest tests[] = {
        WITH_FILES(systems_of_all_models_are_counted_on),
        WITH_FILES(bodies_of_a_system_must_be_neighbours),
        WITH_FILES(lone_bodies_are_systems_of_one),
        cmocka_unit_test(a_scene_without_systems_has_no_arrays),
        WITH_FILES(files_keep_systems_and_held_bodies),
        WITH_FILES(bad_types_and_systems_are_refused),
        WITH_FILES(checkpoints_keep_systems_and_held_bodies),
        WITH_FILES(held_bodies_stay_whatever_the_integrator),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
