/* Settings that change between steps. */
#include "files.h"

#include "scene_sim.h"

#define SCENE                                                                                      \
    "units: nbody\nmodels: [plummer: {n: 60}]\ngravity: {method: tree, theta: 0.7, softening: "    \
    "0.1}\nintegrator: {dt: 0.01}\nrun: {until: 1}\n"

/* As a run that is resumed with another scene. */
static void a_change_is_as_a_resumed_run(void **state)
{
    static const char *const changes[] = {"gravity.theta=0.2",
                                          "gravity.softening=0.3",
                                          "gravity.method=direct",
                                          "integrator.dt=0.005",
                                          "integrator.method=symplectic-euler",
                                          "collisions={method: direct, restitution: 0.2}",
                                          "forces=[custom: {code: \"real4 octant_force(real3 x, "
                                          "real3 v, real m, ulong id, real t) { return (real4)(-x, "
                                          "0); }\"}]",
                                          "run.until=2",
                                          "title=another"};
    char path[128];
    (void)state;
    scratch_path(path, "checkpoint.hdf5");
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        oct_sim *sim = ref_sim(OCT_PRECISION_AUTO, SCENE), *resumed = NULL;
        oct_scene *scene = NULL;
        ref_ok(oct_sim_step(sim, 5));
        ref_ok(oct_sim_checkpoint(sim, path));
        ref_ok(oct_scene_restore(&scene, path));
        ref_ok(oct_scene_set(scene, changes[i]));
        ref_ok(oct_sim_resume(&resumed, ref_device(), path, scene));
        ref_ok(oct_sim_set(sim, changes[i]));
        assert_int_equal(oct_sim_steps(sim), 5);
        assert_string_equal(oct_sim_scene(sim), oct_sim_scene(resumed));
        ref_ok(oct_sim_step(sim, 5));
        ref_ok(oct_sim_step(resumed, 5));
        assert_true(ref_hash(sim) == ref_hash(resumed));
        assert_true(oct_sim_time(sim) == oct_sim_time(resumed));
        oct_scene_free(scene);
        oct_sim_free(sim);
        oct_sim_free(resumed);
    }
}

/* With fewer bodies the tree has no cells that are taken as a whole. */
static oct_sim *crowd(void)
{
    return ref_sim(OCT_PRECISION_AUTO, "units: nbody\nmodels: [plummer: {n: 3000}]\n"
                                       "gravity: {method: tree, theta: 0.7, softening: 0.1}\n"
                                       "integrator: {dt: 0.01}\nrun: {until: 1}\n");
}

static void theta_matters(void **state)
{
    oct_sim *sim = crowd(), *other = crowd();
    (void)state;
    ref_ok(oct_sim_step(sim, 2));
    ref_ok(oct_sim_step(other, 2));
    ref_ok(oct_sim_set(sim, "gravity.theta=0.05"));
    assert_non_null(strstr(oct_sim_scene(sim), "# since step 2"));
    assert_non_null(strstr(oct_sim_scene(sim), "theta: 0.05"));
    ref_ok(oct_sim_step(sim, 2));
    ref_ok(oct_sim_step(other, 2));
    assert_true(ref_hash(sim) != ref_hash(other));
    oct_sim_free(sim);
    oct_sim_free(other);
}

static void what_does_not_survive_is_refused(void **state)
{
    static const struct {
        const char *assignment, *says;
    } rows[] = {{"models.0.plummer.n=61", "does not survive that change"},
                {"units=si", "does not survive"},
                {"gravity.theta=-1", "out of range"},
                {"gravity.thetta=1", "did you mean 'theta'?"},
                {"collisions.relax=10", "changes nothing after the start"},
                {"nonsense", "expected KEY=VALUE"},
                {"integrator.method=wh", "wh"},
                {"output.kepler_error=true", "does not survive"},
                {"run.until=0.001", "in the past"}};
    static const char *const both[] = {"gravity.theta=0.3", "seed=7"};
    oct_sim *sim = ref_sim(OCT_PRECISION_AUTO, SCENE), *other = ref_sim(OCT_PRECISION_AUTO, SCENE);
    (void)state;
    ref_ok(oct_sim_step(sim, 3));
    ref_ok(oct_sim_step(other, 3));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_refused(oct_sim_set(sim, rows[i].assignment), rows[i].says, "");
    assert_int_equal(oct_sim_set(sim, "forces=[custom: {code: nothing}]"), OCT_STATUS_INPUT);
    ref_says("forces.0.custom.code:1");
    assert_refused(oct_sim_set_all(sim, both, 2), "seed", "does not survive");
    assert_string_equal(oct_sim_scene(sim), oct_sim_scene(other));
    ref_ok(oct_sim_step(sim, 3));
    ref_ok(oct_sim_step(other, 3));
    assert_true(ref_hash(sim) == ref_hash(other));
    oct_sim_free(sim);
    oct_sim_free(other);
}

/* What an attendant of a run has tried, and what became of it. */
typedef struct attempt {
    oct_sim *sim;
    oct_status theta, dt, measured, reported;
    bool can_theta, can_dt;
    char says[300];
} attempt;

static oct_status attend(void *context, oct_sim *sim, const oct_run_record *record, uint64_t *steps)
{
    attempt *a = context;
    *steps = UINT64_MAX;
    if (record->step != 0)
        return OCT_STATUS_OK;
    if (strstr(oct_sim_scene(sim), "theta: 0.25"))
        return OCT_STATUS_OK; /* asked again, of what it has become */
    a->can_theta = oct_sim_can_set(sim, "gravity.theta");
    a->can_dt = oct_sim_can_set(sim, "integrator.dt");
    a->dt = oct_sim_set(sim, "integrator.dt=0.02");
    snprintf(a->says, sizeof a->says, "%s", oct_last_error());
    a->measured = oct_sim_set(sim, "collisions.method=direct");
    a->theta = oct_sim_set(sim, "gravity.theta=0.25");
    return OCT_STATUS_OK;
}

static void report(void *context, const oct_run_record *record)
{
    attempt *a = context;
    if (!record->final)
        a->reported = oct_sim_set(a->sim, "gravity.theta=0.3");
}

static attempt run_attended(const char *out)
{
    attempt a = {.sim = ref_sim(OCT_PRECISION_AUTO, SCENE)};
    ref_ok(oct_run(a.sim, &(oct_run_options){.size = sizeof(oct_run_options),
                                             .out = out,
                                             .steps = 4,
                                             .report = report,
                                             .context = &a,
                                             .attend = attend,
                                             .attendant = &a}));
    assert_int_equal(a.theta, OCT_STATUS_OK);
    assert_true(a.can_theta);
    assert_int_equal(a.reported, OCT_STATUS_INPUT);
    /* After the run it is free again. */
    ref_ok(oct_sim_set(a.sim, "integrator.dt=0.005"));
    oct_sim_free(a.sim);
    return a;
}

static void an_attendant_of_a_run_changes_it(void **state)
{
    (void)state;
    attempt with = run_attended(scratch), without = run_attended(NULL);
    assert_int_equal(with.dt, OCT_STATUS_INPUT);
    assert_int_equal(with.measured, OCT_STATUS_INPUT);
    assert_non_null(strstr(with.says, "cannot be changed in a run with results"));
    assert_false(with.can_dt);
    assert_int_equal(without.dt, OCT_STATUS_OK);
    assert_int_equal(without.measured, OCT_STATUS_OK);
    assert_true(without.can_dt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_change_is_as_a_resumed_run, scratch_make, scratch_remove),
        cmocka_unit_test(theta_matters),
        cmocka_unit_test_setup_teardown(an_attendant_of_a_run_changes_it, scratch_make,
                                        scratch_remove),
        cmocka_unit_test(what_does_not_survive_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
