/* A measurement of a program's own has settings as every other module: read, checked, resolved,
 * handed to all its functions, and kept where it needs the start of the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/setup.h"
#include "octant/module.h"
#include "scene_sim.h"

typedef struct tally {
    double height;
    bool asked;
    char *note;
    double doubled; /* by init */
} tally;

static const oct_field fields[] = {
    {.name = "tally_height",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(tally, height),
     .initial = "3",
     .unit = {1, 0, 0},
     .min = 1,
     .max = 10},
    {.name = "tally", .type = OCT_FIELD_BOOL, .offset = offsetof(tally, asked), .initial = "false"},
    {.name = "tally_note",
     .type = OCT_FIELD_TEXT,
     .offset = offsetof(tally, note),
     .initial = "none"},
    {0}};

static const oct_column columns[] = {{.name = "tally_sum", .count = 1, .doc = "a sum"}, {0}};

static bool tally_wanted(const void *self)
{
    return ((const tally *)self)->asked;
}

static oct_status tally_check(const void *self, const struct oct_setup *setup)
{
    (void)setup;
    OCT_CHECK(strcmp(((const tally *)self)->note, "bad") != 0, OCT_STATUS_INPUT,
              "this note is bad");
    return OCT_STATUS_OK;
}

static oct_status tally_init(void *state, oct_domain *domain)
{
    tally *self = state;
    (void)domain;
    self->doubled = 2 * self->height;
    return OCT_STATUS_OK;
}

static void tally_memory(oct_needs *needs, const void *self)
{
    oct_needs_add(needs, 1, (uint64_t)(1e6 * ((const tally *)self)->height));
}

static oct_status tally_measure(double *out, void *state, oct_domain *domain)
{
    const tally *self = state;
    *out = self->doubled + oct_domain_count(domain) + (double)strlen(self->note);
    return OCT_STATUS_OK;
}

static const oct_diag table = {.version = OCT_MODULE_VERSION,
                               .name = "tally",
                               .doc = "Adds up.",
                               .state_size = sizeof(tally),
                               .fields = fields,
                               .check = tally_check,
                               .memory = tally_memory,
                               .columns = columns,
                               .wanted = tally_wanted,
                               .from_start = true,
                               .init = tally_init,
                               .measure = tally_measure};

static oct_scene *parse(const char *output)
{
    char text[256] = "units: nbody\nmodels: [two-body: {mass1: 1, mass2: 1, semi_major_axis: 1}]\n"
                     "integrator: {dt: 1e-3}\nrun: {until: 1}\n";
    oct_scene *scene = NULL;
    strcat(text, output);
    ref_ok(oct_scene_parse(&scene, text, strlen(text), "test"));
    ref_ok(oct_scene_add_module(scene, OCT_FAMILY_DIAG, &table, OCT_MODULE_VERSION));
    return scene;
}

static void check_refused(const char *output, const char *sentence)
{
    oct_scene *scene = parse(output);
    char *text = NULL;
    assert_int_equal(oct_scene_resolve(&text, scene), OCT_STATUS_INPUT);
    ref_says(sentence);
    assert_null(text);
    oct_scene_free(scene);
}

static void settings_reach_every_function(void **state)
{
    oct_scene *scene = parse("output: {tally: true, tally_height: 4, tally_note: four}\n");
    oct_sim *sim = NULL;
    char *text = NULL;
    double sum;
    (void)state;
    ref_ok(oct_scene_resolve(&text, scene));
    assert_non_null(strstr(text, "  tally_height: 4\n  tally: true\n  tally_note: \"four\"\n"));
    /* Keys of ours stand beside them. */
    assert_non_null(strstr(text, "  kepler_error: false\n"));
    oct_text_free(text);
    ref_ok(oct_sim_create(&sim, ref_device(), scene, OCT_PRECISION_AUTO));
    ref_ok(oct_sim_measure_one(&sum, sim, "tally_sum"));
    assert_true(sum == 2 * 4 + 2 + 4);
    /* A new domain has the settings too. */
    ref_ok(oct_sim_remove(sim, &(uint64_t){1}, 1));
    ref_ok(oct_sim_measure_one(&sum, sim, "tally_sum"));
    assert_true(sum == 2 * 4 + 1 + 4);
    oct_sim_free(sim);
    oct_scene_free(scene);
}

static void memory_is_asked_with_settings(void **state)
{
    uint64_t bytes[3];
    static const char *const outputs[] = {"output: {tally: false}\n", "output: {tally: true}\n",
                                          "output: {tally: true, tally_height: 7}\n"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        oct_scene *scene = parse(outputs[i]);
        oct_estimate found = {.size = sizeof found};
        ref_ok(oct_scene_estimate(&found, scene, oct_device_describe(ref_device()),
                                  OCT_PRECISION_SINGLE));
        bytes[i] = found.bytes_total;
        oct_scene_free(scene);
    }
    assert_true(bytes[1] - bytes[0] == 3000000 && bytes[2] - bytes[0] == 7000000);
}

static void who_is_not_asked_for_measures_nothing(void **state)
{
    oct_scene *scene = parse("");
    oct_sim *sim = NULL;
    double sum;
    (void)state;
    ref_ok(oct_sim_create(&sim, ref_device(), scene, OCT_PRECISION_AUTO));
    assert_int_equal(oct_sim_measure_one(&sum, sim, "tally_sum"), OCT_STATUS_MISSING);
    oct_sim_free(sim);
    oct_scene_free(scene);
}

static void bad_settings_are_refused(void **state)
{
    oct_diag twin = table;
    oct_scene *scene = NULL;
    static const oct_field taken[] = {
        {.name = "snapshot", .type = OCT_FIELD_BOOL, .offset = offsetof(tally, asked)}, {0}};
    (void)state;
    check_refused("output: {tally_height: 11}\n", "test:5: output.tally_height");
    check_refused("output: {tally_hight: 2}\n", "tally_height");
    check_refused("output: {tally: true, tally_note: bad}\n", "this note is bad");
    twin.fields = taken;
    ref_ok(oct_scene_create(&scene));
    assert_int_equal(oct_scene_add_module(scene, OCT_FAMILY_DIAG, &twin, OCT_MODULE_VERSION),
                     OCT_STATUS_INPUT);
    ref_says("module 'tally': output has a key 'snapshot' already");
    oct_scene_free(scene);
}

static void the_start_of_a_run_is_kept(void **state)
{
    oct_scene *scene = parse("output: {tally: true}\n");
    oct_sim *sim = NULL;
    (void)state;
    ref_ok(oct_sim_create(&sim, ref_device(), scene, OCT_PRECISION_AUTO));
    ref_ok(oct_sim_step(sim, 1));
    assert_int_equal(oct_sim_set(sim, "output.tally_height=5"), OCT_STATUS_INPUT);
    ref_says("output.tally_height");
    ref_ok(oct_sim_set(sim, "output.sight_rays=64"));
    ref_ok(oct_sim_set(sim, "output.tally=false"));
    assert_int_equal(oct_sim_set(sim, "output.tally=true"), OCT_STATUS_INPUT);
    oct_sim_free(sim);
    oct_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_reach_every_function),
        cmocka_unit_test(memory_is_asked_with_settings),
        cmocka_unit_test(who_is_not_asked_for_measures_nothing),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(the_start_of_a_run_is_kept),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
