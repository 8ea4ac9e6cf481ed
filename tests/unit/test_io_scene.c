/* The scene loader: what it reads, what it makes of it, and what it refuses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/scene.h"
#include "io/scene_bind.h"

#define MODELS "models: [{plummer: {n: 10}}]\n"
#define REST   "integrator: {dt: 0.1}\nrun: {until: 1}\n"

static oct_scene *parse(const char *text)
{
    oct_scene *scene = NULL;
    if (oct_scene_parse(&scene, text, strlen(text), "s.yaml") != OCT_STATUS_OK)
        fail_msg("%s", oct_last_error());
    return scene;
}

static char *resolve(const oct_scene *scene)
{
    char *text = NULL;
    if (oct_scene_resolve(&text, scene) != OCT_STATUS_OK)
        fail_msg("%s", oct_last_error());
    return text;
}

static void expect_error(const char *part)
{
    if (!strstr(oct_last_error(), part))
        fail_msg("expected '%s' in: %s", part, oct_last_error());
    assert_null(strchr(oct_last_error(), '\n'));
    assert_true(strlen(oct_last_error()) < 1200);
}

/* The scene is refused, when it is parsed or when it is set up, with this in the sentence. */
static void expect_bad(const char *text, size_t bytes, const char *part)
{
    oct_scene *scene = NULL;
    oct_setup *setup = NULL;
    oct_status status = oct_scene_parse(&scene, text, bytes, "s.yaml");
    if (status == OCT_STATUS_OK)
        status = oct_scene_setup(&setup, scene);
    oct_scene_free(scene);
    if (status == OCT_STATUS_OK)
        fail_msg("accepted: %.200s", text);
    assert_int_equal(status, OCT_STATUS_INPUT);
    assert_null(setup);
    expect_error(part);
}

static void a_scene_becomes_a_setup(void **state)
{
    (void)state;
    oct_scene *scene =
        parse("title: Test\nseed: 42\nunits: si\n"
              "box: {boundary: periodic, size: [1 km, 2 km, 3000]}\n"
              "models:\n"
              "  - plummer: {n: 1e2, mass: 2 t, scale: 1 km, offset: [0, 1 m, 0]}\n"
              "  - two-body:\n"
              "      {mass1: 1, mass2: 2, semi_major_axis: 3, rotation: [0, 90, 0]}\n"
              "gravity: {method: direct, softening: 1 m}\n"
              "integrator: {method: euler, dt: 1 min}\n"
              "run: {until: 1 day}\n"
              "output: {snapshot: 1 h, checkpoint: 10 min}\n");
    oct_setup *setup = NULL;
    assert_int_equal(oct_scene_setup(&setup, scene), OCT_STATUS_OK);
    assert_string_equal(setup->title, "Test");
    assert_int_equal(setup->seed, 42);
    assert_string_equal(setup->units.name, "si");
    assert_string_equal(setup->boundary.module->name, "periodic");
    assert_string_equal(setup->gravity.module->name, "direct");
    assert_string_equal(setup->integrator.module->name, "euler");
    assert_int_equal(setup->n_models, 2);
    assert_string_equal(setup->models[1].model.module->name, "two-body");
    assert_true(setup->models[0].placement.offset[1] == 1);
    assert_true(setup->models[1].placement.rotation[1] == 90);
    assert_true(setup->step.dt == 60 && setup->run.until == 86400);
    assert_true(setup->output.snapshot == 3600 && setup->output.checkpoint == 600);
    assert_true(setup->output.diagnostics == 0);
    uint64_t n;
    assert_int_equal(oct_setup_count(&n, setup), OCT_STATUS_OK);
    assert_int_equal(n, 102);
    oct_setup_free(setup);
    oct_scene_free(scene);
}

/* Resolving spells out all there is to say: resolving the result again changes nothing. */
static void resolving_is_final(void **state)
{
    (void)state;
    const char *name, *text;
    size_t scenes = 0;
    for (; oct_scene_builtin(scenes, &name, &text); scenes++) {
        oct_scene *scene = NULL;
        assert_int_equal(oct_scene_load(&scene, name), OCT_STATUS_OK);
        char *once = resolve(scene);
        oct_scene *again = parse(once);
        char *twice = resolve(again);
        assert_string_equal(once, twice);
        assert_non_null(strstr(once, "rotation: [0, 0, 0]"));
        free(once);
        free(twice);
        oct_scene_free(scene);
        oct_scene_free(again);
    }
    assert_true(scenes >= 4);

    oct_scene *odd = parse("title: \"a \\\"b\\\" \\\\ \xC3\xA9: # {c}\"\nunits: galactic\nG: 0.1\n"
                           "box: {removal_radius: .inf}\n"
                           "models:\n  - solar-system: {planets: [earth]}\n"
                           "  - file: {path: nowhere.csv}\n" REST);
    char *once = resolve(odd);
    oct_scene *again = parse(once);
    char *twice = resolve(again);
    assert_string_equal(once, twice);
    assert_non_null(strstr(once, "title: \"a \\\"b\\\" \\\\ \xC3\xA9: # {c}\""));
    assert_non_null(strstr(once, "\nG: 0.1\n"));
    assert_non_null(strstr(once, "removal_radius: inf\n"));
    assert_non_null(strstr(once, "path: \"/"));
    free(once);
    free(twice);
    oct_scene_free(odd);
    oct_scene_free(again);
}

static void assignments_change_the_scene(void **state)
{
    (void)state;
    oct_scene *scene = parse("units: nbody\n" MODELS REST);
    static const char *const good[] = {"models.0.plummer.n=4096",
                                       "gravity={method: direct, softening: 0.5}",
                                       "box={boundary: shear, size: [1, 2, 3], omega: 1}",
                                       "box.size=[4, 5, 6]",
                                       "box.ghosts.1=2",
                                       "title=An = sign"};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(oct_scene_set(scene, good[i]), OCT_STATUS_OK);
    assert_int_equal(oct_scene_set(scene, "box.ghosts=[0, 0, 0]"), OCT_STATUS_OK);
    assert_int_equal(oct_scene_set(scene, "integrator.method=sei"), OCT_STATUS_OK);
    assert_int_equal(oct_scene_set(scene, good[4]), OCT_STATUS_OK);
    assert_int_equal(oct_scene_set(scene, good[5]), OCT_STATUS_OK);
    char *before = resolve(scene);
    assert_non_null(strstr(before, "n: 4096\n"));
    assert_non_null(strstr(before, "softening: 0.5\n"));
    assert_non_null(strstr(before, "size: [4, 5, 6]\n"));
    assert_non_null(strstr(before, "ghosts: [0, 2, 0]\n"));
    assert_non_null(strstr(before, "title: \"An = sign\"\n"));

    static const struct {
        const char *text, *part;
    } bad[] = {
        {"", "expected KEY=VALUE"},
        {"title", "expected KEY=VALUE"},
        {"=3", "expected KEY=VALUE"},
        {"title=", "--set title: there is nothing after '='"},
        {"box..size=3", "empty"},
        {"models.7.plummer.n=4", "--set models.7: there is no such entry; the list has 1"},
        {"models.x=4", "expected an index"},
        {"forces.0.custom.file=a.cl", "--set forces.0: there is no such list"},
        {"title.x=4", "single value"},
        {"gravity.softening=[1", "--set gravity.softening: not valid YAML"},
        {"gravity.softening=*a", "alias"},
        {"a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a=1", "too deep"},
        {"title=a\nb: c", "--set title"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(oct_scene_set(scene, bad[i].text), OCT_STATUS_INPUT);
        expect_error(bad[i].part);
    }
    char *after = resolve(scene);
    assert_string_equal(before, after);
    free(before);
    free(after);

    char *none = NULL;
    assert_int_equal(oct_scene_set(scene, "gravity.softenin=1"), OCT_STATUS_OK);
    assert_int_equal(oct_scene_resolve(&none, scene), OCT_STATUS_INPUT);
    expect_error("--set gravity.softenin: unknown key 'softenin'");
    expect_error("did you mean 'softening'?");
    oct_scene_free(scene);
}

static void an_empty_scene_is_filled(void **state)
{
    static const char *const lines[] = {"units=nbody",
                                        "gravity.method=tree",
                                        "gravity.theta=0.4",
                                        "integrator.dt=0.5",
                                        "models.+.plummer.n=100",
                                        "models.+={plummer: {n: 50}}",
                                        "models.1.plummer.offset=[1, 2, 3]"};
    static const char code[] = "a: {b}\n\t# \"c\"\n";
    oct_scene *scene = NULL, *again = NULL;
    oct_setup *setup = NULL;
    (void)state;
    assert_int_equal(oct_scene_create(&scene), OCT_STATUS_OK);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_int_equal(oct_scene_set(scene, lines[i]), OCT_STATUS_OK);
    assert_int_equal(oct_scene_set_text(scene, "forces.+.custom.code", code), OCT_STATUS_OK);
    assert_int_equal(oct_scene_set_text(scene, "title", "{ not: a map"), OCT_STATUS_OK);
    assert_int_equal(oct_scene_set_text(scene, "title", "a\x01"), OCT_STATUS_INPUT);
    char *once = resolve(scene);
    again = parse(once);
    char *twice = resolve(again);
    assert_string_equal(once, twice);
    assert_int_equal(oct_scene_setup_open(&setup, again), OCT_STATUS_OK);
    assert_int_equal(setup->n_models, 2);
    assert_true(setup->models[1].placement.offset[2] == 3);
    assert_string_equal(
        ((const oct_code *)(const void *)((char *)setup->forces[0].state +
                                          setup->forces[0].module->fields[1].offset))
            ->text,
        code);
    assert_string_equal(setup->title, "{ not: a map");
    /* Whoever is to run it needs an end. */
    oct_setup *none = NULL;
    assert_int_equal(oct_scene_setup(&none, again), OCT_STATUS_INPUT);
    expect_error("run.until: missing");
    oct_setup_free(setup);
    free(once);
    free(twice);
    oct_scene_free(scene);
    oct_scene_free(again);
}

static void another_method_drops_what_it_lacks(void **state)
{
    (void)state;
    char *text = NULL;
    oct_scene *scene =
        parse(MODELS REST "gravity: {method: tree, theta: 0.4, softening: 0.2, thetta: 1}");
    assert_int_equal(oct_scene_set(scene, "gravity.method=direct"), OCT_STATUS_OK);
    /* What no method knows is still a mistake. */
    assert_int_equal(oct_scene_resolve(&text, scene), OCT_STATUS_INPUT);
    expect_error("gravity.thetta: unknown key 'thetta'");
    oct_scene_free(scene);

    scene = parse(MODELS REST "gravity: {method: tree, theta: 0.4, softening: 0.2}");
    assert_int_equal(oct_scene_set(scene, "gravity.method=driect"), OCT_STATUS_OK);
    assert_int_equal(oct_scene_resolve(&text, scene), OCT_STATUS_INPUT);
    expect_error("did you mean 'direct'?");
    assert_int_equal(oct_scene_set(scene, "gravity.method=tree"), OCT_STATUS_OK);
    assert_int_equal(oct_scene_get(&text, scene, "gravity.theta"), OCT_STATUS_OK);
    assert_string_equal(text, "0.4");
    oct_text_free(text);
    assert_int_equal(oct_scene_set(scene, "gravity.method=direct"), OCT_STATUS_OK);
    assert_int_equal(oct_scene_get(&text, scene, "gravity.softening"), OCT_STATUS_OK);
    assert_string_equal(text, "0.2");
    oct_text_free(text);
    assert_int_equal(oct_scene_get(&text, scene, "gravity.theta"), OCT_STATUS_MISSING);
    oct_scene_free(scene);

    /* What was set is refused, not forgotten. */
    scene = parse(MODELS REST "gravity: {method: tree}");
    assert_int_equal(oct_scene_set(scene, "gravity.theta=0.3"), OCT_STATUS_OK);
    assert_int_equal(oct_scene_set(scene, "gravity.method=direct"), OCT_STATUS_OK);
    assert_int_equal(oct_scene_resolve(&text, scene), OCT_STATUS_INPUT);
    expect_error("--set gravity.theta: unknown key 'theta'");
    oct_scene_free(scene);
}

static void values_are_read_as_resolved(void **state)
{
    (void)state;
    oct_scene *scene = parse("units: nbody\n" MODELS REST);
    char *value = NULL;
    assert_int_equal(oct_scene_set(scene, "models.0.plummer.n=4096"), OCT_STATUS_OK);
    assert_int_equal(oct_scene_get(&value, scene, "models.0.plummer.n"), OCT_STATUS_OK);
    assert_string_equal(value, "4096");
    oct_text_free(value);
    assert_int_equal(oct_scene_get(&value, scene, "gravity.softening"), OCT_STATUS_OK);
    assert_string_equal(value, "0");
    oct_text_free(value);
    static const char *const absent[] = {"gravity.theta", "gravity", "models.1.plummer.n",
                                         "models.x",      "title.x", ""};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        assert_int_equal(oct_scene_get(&value, scene, absent[i]), OCT_STATUS_MISSING);
        expect_error("the scene has no value");
    }
    assert_int_equal(oct_scene_set(scene, "gravity.softenin=1"), OCT_STATUS_OK);
    assert_int_equal(oct_scene_get(&value, scene, "units"), OCT_STATUS_INPUT);
    oct_scene_free(scene);
}

static void text_becomes_json(void **state)
{
    (void)state;
    char *json = NULL, *resolved, *own = NULL;
    assert_int_equal(oct_scene_json(&json, "a: [1, -0.5, 1e-3, .5, +1, 007, inf, 3 m, '2', 1., -]\n"
                                           "b: {c: true, d: \"x\\ny\", e: {}, f: [], g: ''}\n"),
                     OCT_STATUS_OK);
    assert_string_equal(json, "{\"a\": [1, -0.5, 1e-3, \".5\", \"+1\", \"007\", \"inf\", \"3 m\", "
                              "\"2\", \"1.\", \"-\"], \"b\": {\"c\": true, \"d\": \"x\\u000ay\", "
                              "\"e\": {}, \"f\": [], \"g\": \"\"}}");
    oct_text_free(json);
    json = NULL;
    assert_int_equal(oct_scene_json(&json, "a: [1"), OCT_STATUS_INPUT);
    assert_null(json);
    /* What is resolved says the same in JSON, which is YAML. */
    oct_scene *scene = parse(MODELS REST), *again;
    resolved = resolve(scene);
    assert_int_equal(oct_scene_json(&json, resolved), OCT_STATUS_OK);
    again = parse(json);
    own = resolve(again);
    assert_string_equal(own, resolved);
    oct_scene_free(scene);
    oct_scene_free(again);
    oct_text_free(json);
    oct_text_free(resolved);
    oct_text_free(own);
}

static void refusals_name_line_key_and_remedy(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "s.yaml:1: there is nothing in it"},
        {"just text", "s.yaml:1: this is no scene"},
        {"- a list", "this is no scene"},
        {MODELS "\nsofting: 1\n" REST, "s.yaml:3: softing: unknown key 'softing'; expected one of"},
        {MODELS REST "gravity: {sofening: 1}", "s.yaml:4: gravity.sofening: unknown key"},
        {MODELS REST "gravity:\n  softening: 1\n\n  softening: 2",
         "s.yaml:7: gravity.softening: duplicate key; it is on line 5"},
        {MODELS REST "seed: &a 1", "s.yaml:4: seed: the anchor '&a'"},
        {MODELS REST "seed: *a", "seed: the alias '*a'"},
        {MODELS REST "seed: !!int 1", "seed: the tag"},
        {MODELS REST "---\na: b", "s.yaml:4: a second document"},
        {MODELS REST "seed: [1", "not valid YAML"},
        {MODELS REST "box:\n\tsize: 1", "s.yaml:5: box: a tab indents the line"},
        {MODELS REST "title: \"a\\0b\"", "title: the value has a line break or a control"},
        {MODELS REST "? [a, b]\n: c", "where a key is expected"},
        {MODELS REST "a: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]", "nested too deep"},
        {REST, "models: missing"},
        {"models: []\n" REST, "models: the list is empty"},
        {"models: {plummer: {n: 1}}\n" REST, "models: this is no list"},
        {"models: [plummer]\n" REST, "models.0: the entry does not name a module"},
        {"models: [{plummer: {n: 1}, two-body: {}}]\n" REST,
         "models.0.two-body: the entry names 'plummer' already"},
        {"models: [{plumer: {n: 1}}]\n" REST, "models.0.plumer: unknown name 'plumer'"},
        {"models: [{plummer: {}}]\n" REST, "models.0.plummer.n: missing; expected an integer"},
        {"models: [{plummer: 3}]\n" REST, "models.0.plummer: '3' is no map"},
        {"models: [{plummer: {n: -3}}]\n" REST, "'-3' is out of range; expected an integer from 1"},
        {"models: [{plummer: {n: 2.5}}]\n" REST, "'2.5' is not a whole number"},
        {"models: [{plummer: {n: many}}]\n" REST, "'many' is not an integer"},
        {"models: [{plummer: {n: 1e30}}]\n" REST, "out of range"},
        {"models: [{plummer: {n: 1, offset: [1, 2]}}]\n" REST, "another length"},
        {"models: [{plummer: {n: 1, offset: 1}}]\n" REST, "'1' is no list"},
        {"models: [{solar-system: {sun: yes}}]\n" REST, "sun: 'yes' is neither true nor false"},
        {"models: [{solar-system: {start: rndom}}]\n" REST, "did you mean 'random'?"},
        {"models: [{solar-system: {planets: [earht]}}]\n" REST, "planets.0: unknown value 'earht'"},
        {MODELS "run: {until: 1}\nintegrator: {dt: 0}", "integrator.dt: '0' is out of range; "
                                                        "expected a number above 0"},
        {MODELS "run: {until: 1}", "integrator.dt: missing"},
        {MODELS "integrator: {dt: inf}\nrun: {until: 1}", "'inf' is out of range"},
        {MODELS "integrator: {dt: 1 kg}\nrun: {until: 1}", "'1 kg' is a mass; expected time"},
        {MODELS "integrator: {dt: 1 orbit}\nrun: {until: 1}", "no omega"},
        {MODELS "integrator: {dt: , method: euler}\nrun: {until: 1}",
         "integrator.dt: has no value"},
        {MODELS "integrator: {dt: 1, method: leapforg}\nrun: {until: 1}",
         "integrator.method: unknown name 'leapforg'"},
        {MODELS REST "gravity: {method: custom}", "gravity.method: unknown name 'custom'"},
        {MODELS REST "forces: [{direct: {}}]", "forces.0.direct: unknown name 'direct'"},
        {MODELS REST "units: metric", "units: unknown value 'metric'"},
        {MODELS REST "units: nbody\ngravity: {softening: 1 m}", "with units: nbody"},
        {MODELS REST "G: 0", "G: '0' is out of range"},
        {MODELS REST "seed: -1", "seed: '-1' is out of range"},
        {MODELS REST "box: [1]", "box: this is a list"},
        {MODELS REST "box: {boundary: [periodic]}", "box.boundary: this is a list"},
        {MODELS REST "output: {checkpoint: 3 orbit}", "output.checkpoint"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_bad(cases[i].text, strlen(cases[i].text), cases[i].part);
    expect_bad("a\0b", 3, "not a text file");
    expect_bad("title: \xff\xfe", 9, "s.yaml:1: not a text file");
}

static void hostile_sizes_stay_cheap(void **state)
{
    (void)state;
    size_t bytes = 10u << 20;
    char *text = malloc(bytes + 1);
    assert_non_null(text);
    memset(text, 'x', bytes);
    text[bytes] = '\0';
    memcpy(text, "box: ", 5);
    expect_bad(text, bytes, "box: 'xxx");
    memcpy(text, "{a: 1, ", 7);
    expect_bad(text, bytes, "flow mapping on line 1");
    for (size_t i = 0; i + 2 <= bytes; i += 2)
        memcpy(text + i, "- ", 2);
    expect_bad(text, bytes, "nested too deep");
    for (size_t i = 0; i + 4 <= bytes; i += 4)
        memcpy(text + i, "- a\n", 4);
    expect_bad(text, bytes, "too many values");
    for (size_t i = 0; i + 8 <= bytes; i += 8)
        snprintf(text + i, 9, "k%04zx:\n\n", (i / 8) & 0xffff);
    expect_bad(text, bytes, "too many keys");
    free(text);
    oct_scene *scene = NULL;
    assert_int_equal(oct_scene_parse(&scene, "", (16u << 20) + 1, "s.yaml"), OCT_STATUS_INPUT);
    expect_error("expected at most 16777216");
}

static void scenes_are_found_by_name_or_path(void **state)
{
    (void)state;
    oct_scene *scene = NULL;
    assert_int_equal(oct_scene_load(&scene, "plumer"), OCT_STATUS_MISSING);
    expect_error("did you mean 'plummer'?");
    assert_int_equal(oct_scene_load(&scene, "no/such/file.yaml"), OCT_STATUS_MISSING);
    expect_error("'no/such/file.yaml'");
    assert_true(oct_scene_load(&scene, "/tmp") > 0);
    assert_null(scene);

    char folder[] = "/tmp/octant-scene-XXXXXX", path[64], data[64], expected[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s.yaml", folder);
    snprintf(data, sizeof data, "%s/bodies.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("units: nbody\nmodels: [{file: {path: bodies.csv}}]\n" REST, file);
    fclose(file);
    assert_int_equal(oct_scene_load(&scene, path), OCT_STATUS_OK);
    char *text = resolve(scene);
    snprintf(expected, sizeof expected, "path: \"%s\"\n", data);
    assert_non_null(strstr(text, expected));
    free(text);
    oct_scene_free(scene);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* A table with nested maps and every kind of default, as modules to come will have. */
typedef struct law {
    int kind;
    double min, max;
} law;

typedef struct pebbles {
    law radius;
    oct_texts tags;
    int64_t grid[3];
    char *note;
    double spread;
} pebbles;

static const char *const kinds[] = {"fixed", "power", NULL};
static const oct_field law_fields[] = {
    {.name = "law",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(law, kind),
     .initial = "fixed",
     .choices = kinds},
    {.name = "min", .type = OCT_FIELD_REAL, .offset = offsetof(law, min), .unit = {1, 0, 0}},
    {.name = "max",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(law, max),
     .initial = "4 m",
     .unit = {1, 0, 0}},
    {0}};
static const oct_field pebble_fields[] = {
    {.name = "radius",
     .type = OCT_FIELD_GROUP,
     .offset = offsetof(pebbles, radius),
     .group = law_fields},
    {.name = "tags",
     .type = OCT_FIELD_TEXTS,
     .offset = offsetof(pebbles, tags),
     .initial = "[a, b c]"},
    {.name = "grid",
     .type = OCT_FIELD_INT3,
     .offset = offsetof(pebbles, grid),
     .initial = "[1, 2, 3]",
     .min = 0,
     .max = 9},
    {.name = "note", .type = OCT_FIELD_TEXT, .offset = offsetof(pebbles, note), .initial = ""},
    {.name = "spread",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(pebbles, spread),
     .initial = "0.5 orbit",
     .unit = {0, 0, 1}},
    {0}};

static oct_status bind_pebbles(pebbles *out, const char *text)
{
    oct_node *node = NULL;
    oct_binder binder = {.label = "s.yaml", .units = *oct_units_find("si"), .orbit = 8};
    assert_int_equal(oct_node_read(&node, text, strlen(text), "s.yaml", NULL), OCT_STATUS_OK);
    oct_status status = oct_bind(&binder, node, NULL, "method", &(oct_part){out, pebble_fields}, 1);
    oct_node_free(node);
    return status;
}

static void nested_fields_and_defaults_are_bound(void **state)
{
    (void)state;
    pebbles p = {0};
    assert_int_equal(bind_pebbles(&p, "{method: x, radius: {law: power, min: 10 cm}}"),
                     OCT_STATUS_OK);
    assert_int_equal(p.radius.kind, 1);
    assert_true(p.radius.min == 0.1 && p.radius.max == 4 && p.spread == 4);
    assert_int_equal(p.tags.n, 2);
    assert_string_equal(p.tags.items[1], "b c");
    assert_int_equal(p.grid[2], 3);
    assert_string_equal(p.note, "");
    oct_field_clear(&p, pebble_fields);
    assert_null(p.note);

    pebbles bad = {0};
    assert_int_equal(bind_pebbles(&bad, "\ngrid: [1, 2, 3]"), OCT_STATUS_INPUT);
    expect_error("s.yaml:2: radius.min: missing; expected a number");
    oct_field_clear(&bad, pebble_fields);
    assert_int_equal(bind_pebbles(&bad, "radius: {min: 1, mx: 2}"), OCT_STATUS_INPUT);
    expect_error("radius.mx: unknown key 'mx'; expected one of law, min, max; did you mean 'max'?");
    oct_field_clear(&bad, pebble_fields);
    assert_int_equal(bind_pebbles(&bad, "radius: 3"), OCT_STATUS_INPUT);
    expect_error("radius: '3' is no map; expected keys with values");
    oct_field_clear(&bad, pebble_fields);
    assert_int_equal(bind_pebbles(&bad, "radius: {min: 1}\ngrid: [1, 2, 30]"), OCT_STATUS_INPUT);
    expect_error("s.yaml:2: grid.2: '30' is out of range; expected an integer from 0 to 9");
    oct_field_clear(&bad, pebble_fields);
}

static void the_reference_names_every_module(void **state)
{
    (void)state;
    static const char *const formats[] = {"text", "json", "markdown", "man"};
    for (size_t f = 0; f < 4; f++) {
        char *text = NULL;
        assert_int_equal(oct_reference(&text, formats[f]), OCT_STATUS_OK);
        for (const oct_section *s = oct_sections; s->name; s++) {
            const oct_module *modules[64];
            size_t n = oct_section_modules(modules, 64, s, NULL);
            assert_non_null(strstr(text, s->name));
            for (size_t i = 0; i < n; i++) {
                /* Manual pages write a minus as \\-. */
                assert_true(f == 3 || strstr(text, modules[i]->name));
                const oct_field *field = modules[i]->fields;
                for (; field && field->type != OCT_FIELD_END; field++)
                    assert_non_null(strstr(text, field->name));
            }
        }
        assert_non_null(strstr(text, "kpc"));
        free(text);
    }
    char *none = NULL;
    assert_int_equal(oct_reference(&none, "html"), OCT_STATUS_INPUT);
    expect_error("'html' is no format");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_becomes_a_setup),
        cmocka_unit_test(resolving_is_final),
        cmocka_unit_test(assignments_change_the_scene),
        cmocka_unit_test(an_empty_scene_is_filled),
        cmocka_unit_test(another_method_drops_what_it_lacks),
        cmocka_unit_test(values_are_read_as_resolved),
        cmocka_unit_test(text_becomes_json),
        cmocka_unit_test(refusals_name_line_key_and_remedy),
        cmocka_unit_test(hostile_sizes_stay_cheap),
        cmocka_unit_test(scenes_are_found_by_name_or_path),
        cmocka_unit_test(nested_fields_and_defaults_are_bound),
        cmocka_unit_test(the_reference_names_every_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
