/* Simulations from arrays in memory, and what may be said beside the scene. */
#include "files.h"

#include "scene_sim.h"

#include <math.h>

#define SETTINGS "units: nbody\ngravity: {method: direct, softening: 0.1}\nintegrator: {dt: 0.01}\n"

static oct_scene *scene_of(const char *text)
{
    oct_scene *scene = NULL;
    ref_ok(oct_scene_parse(&scene, text, strlen(text), "memory"));
    return scene;
}

static oct_status create(oct_sim **out, const char *text, const oct_bodies *bodies)
{
    oct_scene *scene = scene_of(text);
    const oct_sim_options options = {.size = sizeof options, .bodies = bodies};
    oct_status status = oct_sim_create_with(out, ref_device(), scene, &options);
    oct_scene_free(scene);
    return status;
}

/* Bodies that a model has made. */
static void plummer(oct_bodies *out, size_t n)
{
    oct_sim *sim =
        ref_sim(OCT_PRECISION_AUTO, SETTINGS "run: {until: 1}\nmodels: [plummer: {n: %zu}]\n", n);
    ref_ok(oct_sim_bodies(out, sim));
    oct_sim_free(sim);
}

static void bodies_given_are_as_good_as_a_models(void **state)
{
    oct_bodies bodies = {0};
    oct_sim *given = NULL,
            *made = ref_sim(OCT_PRECISION_AUTO, SETTINGS "run: {until: 1}\n"
                                                         "models: [plummer: {n: 40}]\n");
    (void)state;
    ref_ok(oct_sim_bodies(&bodies, made));
    ref_ok(create(&given, SETTINGS, &bodies));
    oct_bodies_clear(&bodies);
    ref_ok(oct_sim_step(given, 7));
    ref_ok(oct_sim_step(made, 7));
    assert_true(ref_hash(given) == ref_hash(made));
    assert_null(strstr(oct_sim_scene(given), "models"));
    oct_sim_free(given);
    oct_sim_free(made);
}

static void what_is_left_out_is_completed(void **state)
{
    double position[] = {0, 0, 0, 1, 0, 0}, mass[] = {3, 4};
    const oct_bodies few = {.n = 2, .position = position, .mass = mass};
    oct_bodies got = {0};
    oct_sim *sim = NULL;
    (void)state;
    ref_ok(create(&sim, SETTINGS, &few));
    ref_ok(oct_sim_bodies(&got, sim));
    assert_true(got.n == 2 && got.mass[1] == 4 && got.position[3] == 1 && got.velocity[0] == 0);
    assert_true(got.id[0] == 1 && got.id[1] == 2 && got.type[1] == OCT_TYPE_BODY);
    oct_bodies_clear(&got);
    oct_sim_free(sim);
}

typedef struct flaw {
    const char *says;
    void (*make)(oct_bodies *bodies);
} flaw;

static void twin_ids(oct_bodies *b)
{
    b->id[3] = b->id[1];
}
static void no_number(oct_bodies *b)
{
    b->velocity[7] = NAN;
}
static void below_zero(oct_bodies *b)
{
    b->mass[4] = -1;
}
static void no_type(oct_bodies *b)
{
    b->type[2] = 9;
}
static void torn_system(oct_bodies *b)
{
    b->system[0] = b->system[2] = 1;
}
static void no_bodies(oct_bodies *b)
{
    b->n = 0;
}
static void own_column(oct_bodies *b)
{
    ref_ok(oct_bodies_add_column(b, "charge", "C", 1, false, NULL));
}

static void bad_bodies_are_named(void **state)
{
    const flaw flaws[] = {{"two bodies have the id 2", twin_ids},
                          {"body 3 has velocity nan", no_number},
                          {"body 5 has mass -1", below_zero},
                          {"body 3 has type 9", no_type},
                          {"system 1 are not one after another", torn_system},
                          {"0 bodies were given", no_bodies},
                          {"column 'charge', which the scene does not declare", own_column}};
    (void)state;
    for (size_t i = 0; i < sizeof flaws / sizeof flaws[0]; i++) {
        oct_bodies bodies = {0};
        oct_sim *sim = NULL;
        plummer(&bodies, 6);
        flaws[i].make(&bodies);
        assert_int_equal(create(&sim, SETTINGS, &bodies), OCT_STATUS_INPUT);
        assert_null(sim);
        ref_says(flaws[i].says);
        bodies.n = 6;
        oct_bodies_clear(&bodies);
    }
}

static void options_are_checked(void **state)
{
    oct_bodies bodies = {0};
    oct_sim *sim = NULL;
    (void)state;
    plummer(&bodies, 6);
    assert_int_equal(create(&sim, SETTINGS "models: [plummer: {n: 6}]\n", &bodies),
                     OCT_STATUS_INPUT);
    ref_says("bodies are given for a scene that has models");
    assert_int_equal(create(&sim, SETTINGS, NULL), OCT_STATUS_INPUT);
    ref_says("no models, and no bodies");
    oct_scene *scene = scene_of(SETTINGS);
    oct_sim_options options = {.bodies = &bodies};
    assert_int_equal(oct_sim_create_with(&sim, ref_device(), scene, &options), OCT_STATUS_INPUT);
    ref_says("{.size = sizeof(oct_sim_options)}");
    options.size = offsetof(oct_sim_options, unmeasured) - 1; /* less than there ever was */
    assert_int_equal(oct_sim_create_with(&sim, ref_device(), scene, &options), OCT_STATUS_INPUT);
    oct_scene_free(scene);
    oct_bodies_clear(&bodies);
}

static void keep_note(void *context, const char *sentence)
{
    char *notes = context;
    strncat(notes, sentence, 1000 - strlen(notes));
}

static void the_log_hears_the_start(void **state)
{
    double position[] = {0, 0, 0, 1, 0, 0}, mass[] = {1, 1}, radius[] = {1, 1};
    const oct_bodies near = {.n = 2, .position = position, .mass = mass, .radius = radius};
    char notes[1024] = "";
    oct_scene *scene = scene_of(SETTINGS "collisions: {method: direct, relax: 100}\n");
    oct_sim *sim = NULL;
    const oct_sim_options options = {
        .size = sizeof options, .bodies = &near, .log = keep_note, .log_context = notes};
    (void)state;
    ref_ok(oct_sim_create_with(&sim, ref_device(), scene, &options));
    assert_non_null(strstr(notes, "relax moved 2 of 2 bodies before the start"));
    oct_sim_free(sim);
    oct_scene_free(scene);
}

static void a_checkpoint_needs_no_models(void **state)
{
    oct_bodies bodies = {0};
    oct_sim *sim = NULL;
    char path[128];
    (void)state;
    plummer(&bodies, 12);
    ref_ok(create(&sim, SETTINGS, &bodies));
    scratch_path(path, "checkpoint.hdf5");
    ref_ok(oct_sim_step(sim, 3));
    oct_sim_free(ref_resume(sim, path, 3));
    oct_bodies_clear(&bodies);
    ref_ok(oct_bodies_read(&bodies, NULL, path, NULL));
    assert_int_equal(bodies.n, 12);
    /* A run needs an end from somebody. */
    assert_int_equal(oct_run(sim, &(oct_run_options){.size = sizeof(oct_run_options)}),
                     OCT_STATUS_INPUT);
    ref_says("run.until");
    ref_ok(oct_run(sim, &(oct_run_options){.size = sizeof(oct_run_options), .until = 0.1}));
    assert_int_equal(oct_sim_steps(sim), 10);
    oct_sim_free(sim);
    oct_bodies_clear(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_given_are_as_good_as_a_models),
        cmocka_unit_test(what_is_left_out_is_completed),
        cmocka_unit_test(bad_bodies_are_named),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(the_log_hears_the_start),
        cmocka_unit_test_setup_teardown(a_checkpoint_needs_no_models, scratch_make, scratch_remove),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
