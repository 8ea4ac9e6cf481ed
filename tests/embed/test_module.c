/* Modules of a program: one of each family that is made of few lines. */
#include "files.h"

#include "octant/module.h"
#include "scene_sim.h"

#include <math.h>

/* A force: a spring to the origin ----------------------------------------------------------------
 */

typedef struct spring {
    double rate;

    oct_program *program;
    oct_kernel *add;
} spring;

static const oct_field spring_fields[] = {{.name = "rate",
                                           .type = OCT_FIELD_REAL,
                                           .offset = offsetof(spring, rate),
                                           .initial = "1",
                                           .unit = {0, 0, -2},
                                           .max = 1e300,
                                           .doc = "acceleration over distance"},
                                          {0}};

static const char spring_source[] =
    "#include \"precision.clh\"\n"
    "kernel void spring_add(global real4 *acceleration, global const real4 *position, real rate,\n"
    "                       uint n)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    if (i < n)\n"
    "        acceleration[i].xyz -= rate * position[i].xyz;\n"
    "}\n";

static oct_status spring_init(void *state, oct_domain *domain)
{
    spring *self = state;
    OCT_TRY(oct_domain_compile(&self->program, domain, "spring.cl", spring_source, NULL));
    return OCT_KERNEL(&self->add, self->program, "spring_add", oct_domain_offer(domain),
                      OCT_BIND_REAL("rate", &self->rate));
}

static oct_status spring_accumulate(void *state, oct_domain *domain)
{
    spring *self = state;
    return oct_kernel_launch(self->add, oct_domain_count(domain), 0);
}

static void spring_free(void *state)
{
    spring *self = state;
    oct_kernel_free(self->add);
    oct_program_free(self->program);
}

static const oct_force spring_force = {.version = OCT_MODULE_VERSION,
                                       .name = "spring",
                                       .doc = "A spring to the origin.",
                                       .state_size = sizeof(spring),
                                       .fields = spring_fields,
                                       .init = spring_init,
                                       .accumulate = spring_accumulate,
                                       .free = spring_free};

/* A model: bodies in a row -----------------------------------------------------------------------
 */

typedef struct row {
    int64_t n;
} row;

static const oct_field row_fields[] = {{.name = "n",
                                        .type = OCT_FIELD_INT,
                                        .offset = offsetof(row, n),
                                        .min = 1,
                                        .max = 1000,
                                        .doc = "number of bodies"},
                                       {0}};

static oct_status row_count(uint64_t *out, const void *self, const oct_model_context *context)
{
    (void)context;
    *out = (uint64_t)((const row *)self)->n;
    return OCT_STATUS_OK;
}

static oct_status row_generate(oct_bodies *bodies, size_t first, size_t count, const void *self,
                               const oct_model_context *context)
{
    (void)self;
    OCT_CHECK(!oct_setup_units(context->setup)->physical, OCT_STATUS_INPUT, "a row has no units");
    for (size_t i = 0; i < count; i++) {
        bodies->position[3 * (first + i)] = 1 + (double)i;
        bodies->mass[first + i] = 1;
    }
    return OCT_STATUS_OK;
}

static const oct_model row_model = {.version = OCT_MODULE_VERSION,
                                    .name = "row",
                                    .doc = "Bodies in a row.",
                                    .state_size = sizeof(row),
                                    .fields = row_fields,
                                    .count = row_count,
                                    .generate = row_generate};

/* An integrator: leapfrog as drift, kick, drift --------------------------------------------------
 */

static oct_status drift_kick_drift(const void *self, oct_sim *sim, double dt)
{
    (void)self;
    OCT_TRY(oct_sim_drift(sim, dt / 2));
    OCT_TRY(oct_sim_forces(sim));
    OCT_TRY(oct_sim_kick(sim, dt));
    return oct_sim_drift(sim, dt / 2);
}

static const oct_integrator other_leapfrog = {.version = OCT_MODULE_VERSION,
                                              .name = "drift-kick-drift",
                                              .doc = "Leapfrog with the drift in halves.",
                                              .step = drift_kick_drift};

/* A measurement: the distance of the first body --------------------------------------------------
 */

static oct_status measure_first(double *out, void *self, oct_domain *domain)
{
    double x[3];
    (void)self;
    OCT_TRY(oct_sim_read(x, OCT_ELEMENT_DOUBLE, oct_domain_sim(domain), "position",
                         &(oct_selection){.n = 1}));
    *out = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    return OCT_STATUS_OK;
}

static const oct_column first_columns[] = {
    {.name = "first_distance", .count = 1, .length = 1, .doc = "distance of the first body"}, {0}};

static const oct_diag first_distance = {.version = OCT_MODULE_VERSION,
                                        .name = "first-distance",
                                        .doc = "Where the first body is.",
                                        .columns = first_columns,
                                        .measure = measure_first};

/* Tests ------------------------------------------------------------------------------------------
 */

static void add_all(oct_scene *scene)
{
    ref_ok(oct_scene_add_module(scene, OCT_FAMILY_FORCE, &spring_force, OCT_MODULE_VERSION));
    ref_ok(oct_scene_add_module(scene, OCT_FAMILY_MODEL, &row_model, OCT_MODULE_VERSION));
    ref_ok(oct_scene_add_module(scene, OCT_FAMILY_INTEGRATOR, &other_leapfrog, OCT_MODULE_VERSION));
    ref_ok(oct_scene_add_module(scene, OCT_FAMILY_DIAG, &first_distance, OCT_MODULE_VERSION));
}

static oct_scene *spring_scene(void)
{
    static const char text[] =
        "units: nbody\nmodels: [row: {n: 5}]\ngravity: {method: none}\n"
        "forces: [spring: {rate: 4}]\n"
        "integrator: {method: drift-kick-drift, dt: 0.01}\nrun: {until: 1}\n";
    oct_scene *scene = NULL;
    ref_ok(oct_scene_parse(&scene, text, strlen(text), "spring"));
    add_all(scene);
    return scene;
}

/* x = x_0 cos(2 t), with the error of a step of second order: 4 dt^2 x_0 / 24 2 t sin(2 t),
 * measured 1.65e-5 x_0 at t = 0.5. */
static void bodies_swing_on_the_spring(void **state)
{
    oct_scene *scene = spring_scene();
    oct_sim *sim = NULL;
    double x[15], measured;
    (void)state;
    ref_ok(oct_sim_create(&sim, ref_device(), scene, OCT_PRECISION_DOUBLE));
    oct_scene_free(scene);
    ref_ok(oct_sim_step(sim, 50));
    ref_ok(oct_sim_read(x, OCT_ELEMENT_DOUBLE, sim, "position", NULL));
    for (size_t i = 0; i < 5; i++)
        assert_true(fabs(x[3 * i] / (1 + (double)i) - cos(1)) < 3e-5);
    ref_ok(oct_sim_measure_one(&measured, sim, "first_distance"));
    assert_true(measured == fabs(x[0]));
    oct_sim_free(sim);
}

static void they_are_part_of_scenes(void **state)
{
    oct_scene *scene = spring_scene(), *again = NULL;
    char *text = NULL;
    (void)state;
    ref_ok(oct_scene_resolve(&text, scene));
    assert_non_null(strstr(text, "method: drift-kick-drift"));
    assert_non_null(strstr(text, "- spring:\n      rate: 4"));
    ref_ok(oct_scene_set(scene, "forces.0.spring.rate=0.5 s"));
    assert_int_equal(oct_scene_resolve(&text, scene), OCT_STATUS_INPUT);
    /* Who has not added them does not know them. */
    ref_ok(oct_scene_parse(&again, text, strlen(text), "again"));
    oct_text_free(text);
    text = NULL;
    assert_refused(oct_scene_resolve(&text, again), "unknown name 'row'", "expected one of");
    oct_scene_free(again);
    oct_scene_free(scene);
}

static void the_reference_has_them(void **state)
{
    static const char *const formats[] = {"text", "json", "markdown", "names", "keys", "man"};
    static const char *const said[] = {"spring", "rate", "row", "drift-kick-drift",
                                       "first_distance"};
    oct_scene *scene = spring_scene();
    oct_force bare = {.name = "bare", .accumulate = spring_accumulate};
    char *text = NULL;
    (void)state;
    ref_ok(oct_scene_add_module(scene, OCT_FAMILY_FORCE, &bare, OCT_MODULE_VERSION));
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        bool keys = strcmp(formats[f], "keys") == 0, man = strcmp(formats[f], "man") == 0;
        ref_ok(oct_scene_reference(&text, scene, formats[f], NULL));
        for (size_t i = 0; i < (keys ? 2 : sizeof said / sizeof said[0]); i++)
            assert_true(strstr(text, said[i]) || (man && strchr(said[i], '-')));
        assert_true(keys || strstr(text, "bare"));
        oct_text_free(text);
        /* Nobody else sees them. */
        ref_ok(oct_reference(&text, formats[f]));
        assert_null(strstr(text, "spring"));
        oct_text_free(text);
    }
    ref_ok(oct_scene_reference(&text, scene, "text", "forces.spring.rate"));
    assert_non_null(strstr(text, "acceleration over distance"));
    assert_null(strstr(text, "custom"));
    oct_text_free(text);
    ref_ok(oct_scene_reference(&text, scene, "json", "first_distance"));
    assert_non_null(strstr(text, "\"distance of the first body\""));
    oct_text_free(text);
    assert_int_equal(oct_scene_reference(&text, scene, "text", "first_distanse"),
                     OCT_STATUS_MISSING);
    ref_says("did you mean 'first_distance'?");
    assert_int_equal(oct_reference_of(&text, "text", "spring"), OCT_STATUS_MISSING);
    ref_ok(oct_scene_set(scene, "forces.+.sprig.rate=1"));
    assert_refused(oct_scene_resolve(&text, scene), "unknown name 'sprig'",
                   "expected one of custom, pair, spring, bare; did you mean 'spring'?");
    oct_scene_free(scene);
}

static void they_stay_when_settings_and_bodies_change(void **state)
{
    oct_scene *scene = spring_scene(), *restored = NULL;
    oct_sim *sim = NULL, *resumed = NULL;
    oct_bodies more = {0};
    char path[128];
    (void)state;
    scratch_path(path, "checkpoint.hdf5");
    ref_ok(oct_sim_create(&sim, ref_device(), scene, OCT_PRECISION_AUTO));
    ref_ok(oct_sim_step(sim, 3));
    ref_ok(oct_sim_set(sim, "forces.0.spring.rate=9"));
    ref_ok(oct_bodies_resize(&more, 2));
    more.position[0] = 7;
    ref_ok(oct_sim_add(sim, &more));
    ref_ok(oct_sim_step(sim, 3));
    ref_ok(oct_sim_checkpoint(sim, path));
    ref_ok(oct_scene_restore(&restored, path));
    add_all(restored);
    ref_ok(oct_sim_resume(&resumed, ref_device(), path, restored));
    ref_ok(oct_sim_step(sim, 3));
    ref_ok(oct_sim_step(resumed, 3));
    assert_true(ref_hash(sim) == ref_hash(resumed));
    oct_bodies_clear(&more);
    oct_sim_free(sim);
    oct_sim_free(resumed);
    oct_scene_free(scene);
    oct_scene_free(restored);
}

static oct_status broken_init(void *state, oct_domain *domain)
{
    spring *self = state;
    return oct_domain_compile(&self->program, domain, "broken.cl", "\nkernel void add(int) {\n",
                              NULL);
}

static void columns_are_checked(oct_scene *scene)
{
    static const struct {
        oct_column column;
        const char *says;
    } rows[] = {{{.name = "time", .count = 1}, "there is a column 'time' already"},
                {{.name = "energy_error", .count = 1}, "'energy_error' already"},
                {{.name = "first_distance", .count = 1}, "'first_distance' already"},
                {{.name = "a,b", .count = 1}, "expected a name of letters"},
                {{.name = "pair", .count = 2}, "1 or 3 numbers"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const oct_column columns[] = {rows[i].column, {0}};
        const oct_diag diag = {.name = "other", .columns = columns, .measure = measure_first};
        assert_refused(oct_scene_add_module(scene, OCT_FAMILY_DIAG, &diag, OCT_MODULE_VERSION),
                       rows[i].says, "'other'");
    }
}

static void fields_are_checked(oct_scene *scene)
{
    static const struct {
        oct_family family;
        const char *key, *says;
    } rows[] = {{OCT_FAMILY_DIAG, "snapshot", "output has a key 'snapshot' already"},
                {OCT_FAMILY_INTEGRATOR, "dt", "integrator has a key 'dt' already"},
                {OCT_FAMILY_INTEGRATOR, "method", "integrator has a key 'method' already"},
                {OCT_FAMILY_MODEL, "offset", "models has a key 'offset' already"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const oct_field fields[] = {{.name = rows[i].key, .type = OCT_FIELD_BOOL}, {0}};
        static const oct_column columns[] = {{.name = "other", .count = 1}, {0}};
        oct_diag diag = {.columns = columns, .measure = measure_first};
        oct_model model = row_model;
        oct_integrator integrator = other_leapfrog;
        oct_module *module = rows[i].family == OCT_FAMILY_DIAG    ? (oct_module *)&diag
                             : rows[i].family == OCT_FAMILY_MODEL ? (oct_module *)&model
                                                                  : (oct_module *)&integrator;
        module->name = "other";
        module->fields = fields;
        assert_refused(oct_scene_add_module(scene, rows[i].family, module, OCT_MODULE_VERSION),
                       rows[i].says, "'other'");
    }
}

static void a_family_has_an_end(void **state)
{
    enum { MANY = 200 };
    static oct_force forces[MANY];
    static char names[MANY][8];
    oct_scene *scene = spring_scene();
    oct_status status = OCT_STATUS_OK;
    char *text = NULL;
    size_t n = 0;
    (void)state;
    for (; n < MANY && status == OCT_STATUS_OK; n++) {
        snprintf(names[n], sizeof names[n], "f%zu", n);
        forces[n] = spring_force;
        forces[n].name = names[n];
        status = oct_scene_add_module(scene, OCT_FAMILY_FORCE, &forces[n], OCT_MODULE_VERSION);
    }
    assert_refused(status, names[n - 1], "one too many");
    /* The last that was taken is there. */
    ref_ok(oct_scene_reference(&text, scene, "text", names[n - 2]));
    oct_text_free(text);
    oct_scene_free(scene);
}

static void bad_modules_are_refused(void **state)
{
    const oct_force nothing = {.name = "nothing"}, twin = spring_force,
                    ours = {.name = "tree", .accumulate = spring_accumulate},
                    spaced = {.name = "a b", .accumulate = spring_accumulate};
    oct_force broken = spring_force, late = spring_force;
    oct_scene *scene = spring_scene();
    oct_sim *sim = NULL;
    (void)state;
    assert_refused(oct_scene_add_module(scene, OCT_FAMILY_FORCE, &nothing, OCT_MODULE_VERSION),
                   "'nothing'", "lacks functions");
    assert_refused(oct_scene_add_module(scene, OCT_FAMILY_FORCE, &twin, OCT_MODULE_VERSION),
                   "'spring'", "already");
    assert_refused(oct_scene_add_module(scene, OCT_FAMILY_FORCE, &ours, OCT_MODULE_VERSION),
                   "'tree'", "already");
    assert_refused(oct_scene_add_module(scene, OCT_FAMILY_FORCE, &spaced, OCT_MODULE_VERSION),
                   "no name", "");
    assert_refused(oct_scene_add_module(scene, (oct_family)9, &twin, OCT_MODULE_VERSION),
                   "no family 9", "");
    assert_refused(oct_scene_add_module(scene, OCT_FAMILY_FORCE, &twin, OCT_MODULE_VERSION + 1),
                   "version", "compile it anew");
    late.name = "late";
    late.version = OCT_MODULE_VERSION + 1;
    assert_refused(oct_scene_add_module(scene, OCT_FAMILY_FORCE, &late, OCT_MODULE_VERSION),
                   "'late' was compiled for version", "compile it anew");
    columns_are_checked(scene);
    fields_are_checked(scene);
    broken.name = "broken";
    broken.init = broken_init;
    ref_ok(oct_scene_add_module(scene, OCT_FAMILY_FORCE, &broken, OCT_MODULE_VERSION));
    ref_ok(oct_scene_set(scene, "forces.+.broken.rate=1"));
    assert_int_equal(oct_sim_create(&sim, ref_device(), scene, OCT_PRECISION_AUTO),
                     OCT_STATUS_INPUT);
    ref_says("'broken.cl' is not valid OpenCL C");
    ref_says("broken.cl:");
    oct_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_swing_on_the_spring),
        cmocka_unit_test(they_are_part_of_scenes),
        cmocka_unit_test(the_reference_has_them),
        cmocka_unit_test_setup_teardown(they_stay_when_settings_and_bodies_change, scratch_make,
                                        scratch_remove),
        cmocka_unit_test(bad_modules_are_refused),
        cmocka_unit_test(a_family_has_an_end),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
