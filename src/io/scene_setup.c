/* From the nodes of a scene to a setup: sections in order, modules found, settings checked. */
#include "io/scene.h"

#include "core/diagnose.h"
#include "core/units.h"
#include "io/scene_bind.h"
#include "io/scene_tree.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static bool is_gravity(const oct_module *module)
{
    return ((const oct_force *)module)->gravity;
}

static bool is_extra_force(const oct_module *module)
{
    return !is_gravity(module);
}

/* Rings are studied with and without their own gravity, and all pairs of point masses are no good
 * default for either. */
static const char *ask_for_gravity(const oct_setup *setup)
{
    return oct_setup_omega(setup) == 0
               ? NULL
               : "missing, and a rotating box leaves open whether its bodies attract each other; "
                 "expected gravity: {method: none}, or {method: tree, softening: a tenth of the "
                 "smallest radius}";
}

static bool has_no_models(const oct_setup *setup)
{
    return setup->n_models == 0;
}

static bool has_no_end(const oct_setup *setup)
{
    return setup->run.until == 0;
}

const oct_section oct_sections[] = {{.name = "box",
                                     .doc = "the space that is simulated, and its boundary",
                                     .selector = "boundary",
                                     .initial = "open",
                                     .modules = oct_boundaries,
                                     .choice = offsetof(oct_setup, boundary)},
                                    {.name = "columns",
                                     .doc = "what bodies have beside the rest, by names of yours",
                                     .fields = oct_column_fields,
                                     .named = true,
                                     .count = offsetof(oct_setup, n_columns),
                                     .items = offsetof(oct_setup, columns),
                                     .item_size = sizeof(oct_column_plan)},
                                    {.name = "models",
                                     .doc = "the bodies at the start: a list of models that add up",
                                     .modules = oct_models,
                                     .fields = oct_placement_fields,
                                     .list = true,
                                     .absent = has_no_models,
                                     .count = offsetof(oct_setup, n_models),
                                     .items = offsetof(oct_setup, models),
                                     .item_size = sizeof(oct_model_entry),
                                     .choice = offsetof(oct_model_entry, model),
                                     .plan = offsetof(oct_model_entry, placement)},
                                    {.name = "gravity",
                                     .doc = "how bodies attract each other; no default in a sheet",
                                     .selector = "method",
                                     .initial = "direct",
                                     .asks = ask_for_gravity,
                                     .modules = oct_forces,
                                     .takes = is_gravity,
                                     .choice = offsetof(oct_setup, gravity)},
                                    {.name = "collisions",
                                     .doc = "what happens when bodies touch",
                                     .selector = "method",
                                     .initial = "none",
                                     .modules = oct_collisions,
                                     .choice = offsetof(oct_setup, collisions),
                                     .fields = oct_contact_fields,
                                     .plan = offsetof(oct_setup, contact)},
                                    {.name = "forces",
                                     .doc = "a list of forces beside gravity",
                                     .modules = oct_forces,
                                     .takes = is_extra_force,
                                     .list = true,
                                     .count = offsetof(oct_setup, n_forces),
                                     .items = offsetof(oct_setup, forces),
                                     .item_size = sizeof(oct_choice)},
                                    {.name = "integrator",
                                     .doc = "how bodies are moved in time",
                                     .selector = "method",
                                     .initial = "leapfrog",
                                     .modules = oct_integrators,
                                     .choice = offsetof(oct_setup, integrator),
                                     .fields = oct_integrator_fields,
                                     .plan = offsetof(oct_setup, step)},
                                    {.name = "run",
                                     .doc = "how long the simulation goes on",
                                     .fields = oct_run_fields,
                                     .absent = has_no_end,
                                     .plan = offsetof(oct_setup, run)},
                                    {.name = "output",
                                     .doc = "what is written and measured, and how often",
                                     .fields = oct_output_fields,
                                     .plan = offsetof(oct_setup, output),
                                     .modules = oct_diags,
                                     .every = true,
                                     .count = offsetof(oct_setup, n_diags),
                                     .items = offsetof(oct_setup, diags),
                                     .item_size = sizeof(oct_choice)},
                                    {0}};

typedef struct scene_head {
    char *title;
    int64_t seed;
    int units;
} scene_head;

static const char *const units_names[] = {"si", "nbody", "solar", "galactic", NULL};

const oct_field oct_scene_fields[] = {
    {.name = "title",
     .type = OCT_FIELD_TEXT,
     .offset = offsetof(scene_head, title),
     .initial = "",
     .doc = "a line about the scene, for tables and pictures"},
    {.name = "seed",
     .type = OCT_FIELD_INT,
     .offset = offsetof(scene_head, seed),
     .initial = "1",
     .max = (double)INT64_MAX,
     .doc = "chooses the random numbers; the same seed gives the same bodies"},
    {.name = "units",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(scene_head, units),
     .initial = "si",
     .choices = units_names,
     .doc = "units of plain numbers: SI; nbody (G = 1, nothing has a unit); solar (AU, day, Earth "
            "mass); galactic (kpc, km/s, 1e10 solar masses)"},
    {0}};

const oct_field oct_scene_constants[] = {
    {.name = "G",
     .type = OCT_FIELD_REAL,
     .offset = offsetof(oct_units, G),
     .unit = {3, -1, -2},
     .max = DBL_MAX,
     .above_min = true,
     .doc = "the constant of gravity in the scene's units, where it is not the real one"},
    {0}};

/* A scene on its way into a setup. */
typedef struct resolver {
    oct_binder binder;
    oct_setup *setup;
    const oct_node *root;
    bool open; /* a program says what is absent */
} resolver;

/* A section that is one map, whose selector names the module. */
static oct_status bind_section(const resolver *r, const oct_section *section, const oct_node *map,
                               const oct_key_path *path)
{
    const oct_module *module = NULL;
    if (section->modules) {
        oct_key_path inner = {.parent = path, .key = section->selector};
        const oct_node *named = oct_node_get(map, section->selector);
        if (named && named->kind != OCT_NODE_SCALAR)
            return oct_node_fail(r->binder.label, named, &inner,
                                 "this is a %s; expected the name of a module",
                                 named->kind == OCT_NODE_LIST ? "list" : "map");
        const char *asked = !named && section->asks ? section->asks(r->setup) : NULL;
        if (asked)
            return oct_node_fail(r->binder.label, map, &inner, "%s", asked);
        OCT_TRY(oct_section_find(&module, &r->binder, section, named ? named : map, &inner,
                                 named ? named->text : section->initial));
    }
    return oct_bind_module(&r->binder, section, module, (char *)r->setup, map, path);
}

/* A list with an entry "NAME: {...}" for each module. */
static oct_status bind_list(const resolver *r, const oct_section *section, const oct_node *list,
                            const oct_key_path *path)
{
    const char *label = r->binder.label;
    if (list->kind != OCT_NODE_LIST)
        return oct_node_fail(label, list, path, "this is no list; expected '- NAME: {...}' lines");
    if (section->absent && list->n == 0)
        return oct_node_fail(label, list, path, "the list is empty; expected one entry or more");
    void *items = NULL;
    OCT_TRY(oct_alloc(&items, list->n, section->item_size, "modules"));
    memcpy((char *)r->setup + section->items, &items, sizeof items);
    memcpy((char *)r->setup + section->count, &list->n, sizeof list->n);
    for (size_t i = 0; i < list->n; i++) {
        oct_key_path at = {.parent = path, .index = i};
        OCT_TRY(oct_bind_entry(&r->binder, section, (char *)items + i * section->item_size,
                               list->items[i], &at));
    }
    return OCT_STATUS_OK;
}

/* A map with an entry "NAME: {...}" for each name that the user has chosen. */
static oct_status bind_named(const resolver *r, const oct_section *section, const oct_node *map,
                             const oct_key_path *path)
{
    if (map->kind != OCT_NODE_MAP)
        return oct_node_fail(r->binder.label, map, path,
                             "this is no map; expected 'NAME: {...}' lines");
    char *items = NULL;
    OCT_TRY(oct_alloc(&items, map->n, section->item_size, section->name));
    memcpy((char *)r->setup + section->items, &items, sizeof items);
    memcpy((char *)r->setup + section->count, &map->n, sizeof map->n);
    for (size_t i = 0; i < map->n; i++) {
        char *item = items + i * section->item_size;
        oct_key_path inner = {.parent = path, .key = map->keys[i]};
        OCT_TRY(oct_text_copy((char **)(void *)item, map->keys[i]));
        OCT_TRY(oct_bind(&r->binder, map->items[i], &inner, NULL,
                         &(oct_part){item, section->fields}, 1));
    }
    return OCT_STATUS_OK;
}

/* A map with the fields of the section and those of all its modules. */
static oct_status bind_every(const resolver *r, const oct_section *section, const oct_node *map,
                             const oct_key_path *path)
{
    const oct_module *modules[OCT_MOST_MODULES];
    oct_part parts[OCT_MOST_MODULES + 1] = {{(char *)r->setup + section->plan, section->fields}};
    size_t n = oct_section_registered(modules, OCT_MOST_MODULES, section, r->binder.added);
    oct_choice *choices = NULL;
    OCT_TRY(oct_alloc(&choices, n, section->item_size, section->name));
    memcpy((char *)r->setup + section->items, &choices, sizeof choices);
    memcpy((char *)r->setup + section->count, &n, sizeof n);
    for (size_t i = 0; i < n; i++) {
        OCT_TRY(oct_choice_init(&choices[i], modules[i]));
        parts[i + 1] = (oct_part){choices[i].state, modules[i]->fields};
    }
    return oct_bind(&r->binder, map, path, NULL, parts, n + 1);
}

/* The box comes first: times in the others may be given in its orbits. */
static oct_status bind_sections(resolver *r)
{
    for (const oct_section *s = oct_sections; s->name; s++) {
        oct_key_path path = {.key = s->name};
        const oct_node *node = oct_node_get(r->root, s->name);
        oct_node none = {.kind = OCT_NODE_MAP, .line = r->root->line};
        if (!node && s->absent && r->open)
            continue;
        if (!node && s->absent && s->list)
            return oct_node_fail(r->binder.label, &none, &path,
                                 "missing; expected a list of '- NAME: {...}' lines");
        if (s->list || s->named)
            OCT_TRY(!node ? OCT_STATUS_OK : (s->list ? bind_list : bind_named)(r, s, node, &path));
        else
            OCT_TRY((s->every ? bind_every : bind_section)(r, s, node ? node : &none, &path));
        if (s == oct_sections)
            r->binder.orbit = oct_setup_orbit(r->setup);
    }
    return OCT_STATUS_OK;
}

/* Keys that are neither of the head nor a section. */
static oct_status check_top(const resolver *r)
{
    const char *names[32];
    size_t n = 0;
    for (const oct_field *f = oct_scene_fields; f->name; f++)
        names[n++] = f->name;
    for (const oct_field *f = oct_scene_constants; f->name; f++)
        names[n++] = f->name;
    for (const oct_section *s = oct_sections; s->name; s++)
        names[n++] = s->name;
    return oct_bind_keys(&r->binder, r->root, NULL, names, n);
}

static oct_status bind_head(resolver *r)
{
    if (r->root->kind != OCT_NODE_MAP)
        return oct_node_fail(r->binder.label, r->root, NULL,
                             "this is no scene; expected keys such as models and run");
    OCT_TRY(check_top(r));
    scene_head head = {0};
    oct_status status = oct_bind_fields(&r->binder, r->root, NULL, &head, oct_scene_fields);
    r->setup->title = head.title;
    OCT_TRY(status);
    r->setup->seed = (uint64_t)head.seed;
    r->setup->units = r->binder.units = *oct_units_find(units_names[head.units]);
    if (oct_node_get(r->root, "G"))
        OCT_TRY(oct_bind_fields(&r->binder, r->root, NULL, &r->setup->units, oct_scene_constants));
    return OCT_STATUS_OK;
}

/* With the models within it, which stand in its map. */
static oct_status check_choice(const resolver *r, const oct_choice *choice, const oct_node *node,
                               const oct_key_path *path)
{
    const oct_model_entry *inner;
    const char *key;
    oct_status status = OCT_STATUS_OK;
    for (size_t i = 0; (inner = oct_choice_within(choice, i, &key)) != NULL; i++) {
        oct_key_path at = {.parent = path, .key = key};
        oct_key_path model = {.parent = &at, .key = inner->model.module->name};
        OCT_TRY(check_choice(r, &inner->model, oct_node_get(node, key)->items[0], &model));
    }
    if (choice->module->check)
        status = choice->module->check(choice->state, r->setup);
    return status == OCT_STATUS_OK ? status : oct_node_within(status, r->binder.label, node, path);
}

/* Lets every chosen module look at the whole. */
static oct_status check_choices(const resolver *r)
{
    for (const oct_section *s = oct_sections; s->name; s++) {
        const char *base = (const char *)r->setup;
        oct_key_path path = {.key = s->name};
        const oct_node *node = oct_node_get(r->root, s->name);
        size_t n = 0;
        const oct_choice *diag;
        for (size_t i = 0; s->every && (diag = oct_setup_diag(r->setup, i)) != NULL; i++)
            OCT_TRY(check_choice(r, diag, node ? node : r->root, &path));
        if (s->modules && !s->list && !s->every)
            OCT_TRY(check_choice(r, (const oct_choice *)(const void *)(base + s->choice),
                                 node ? node : r->root, &path));
        if (s->list) {
            memcpy(&n, base + s->count, sizeof n);
            memcpy(&base, base + s->items, sizeof base);
        }
        for (size_t i = 0; i < n; i++) {
            const char *item = base + i * s->item_size + s->choice;
            oct_key_path at = {.parent = &path, .index = i};
            oct_key_path inner = {.parent = &at, .key = node->items[i]->keys[0]};
            OCT_TRY(check_choice(r, (const oct_choice *)(const void *)item,
                                 node->items[i]->items[0], &inner));
        }
    }
    return OCT_STATUS_OK;
}

/* Names of measurements that a scene gives intervals of their own. */
static oct_status check_every(const resolver *r)
{
    const oct_node *output = oct_node_get(r->root, "output");
    const oct_node *every = output ? oct_node_get(output, "every") : NULL;
    const oct_key_path section = {.key = "output"}, path = {.parent = &section, .key = "every"};
    oct_status status = oct_diagnose_check(r->setup);
    return status == OCT_STATUS_OK
               ? status
               : oct_node_within(status, r->binder.label, every ? every : r->root, &path);
}

static oct_status resolve(oct_setup **out, const oct_scene *scene, bool open)
{
    resolver r = {
        .root = scene->root,
        .open = open,
        .binder = {.label = scene->label, .folder = scene->folder, .units = *oct_units_find("si")}};
    OCT_TRY(oct_alloc(&r.setup, 1, sizeof *r.setup, "setup"));
    r.setup->read_bodies = oct_bodies_read_from;
    oct_status status;
    OCT_TRY_DONE(oct_added_copy(&r.setup->added, &scene->added));
    r.binder.added = &r.setup->added;
    OCT_TRY_DONE(bind_head(&r));
    OCT_TRY_DONE(bind_sections(&r));
    OCT_TRY_DONE(oct_scene_check_columns(&r.binder, r.root, r.setup));
    OCT_TRY_DONE(oct_setup_name_models(r.setup));
    OCT_TRY_DONE(check_choices(&r));
    OCT_TRY_DONE(check_every(&r));
    OCT_TRY_DONE(oct_scene_write(&r.setup->resolved, r.setup));
    *out = r.setup;
    r.setup = NULL;
done:
    oct_setup_free(r.setup);
    return status;
}

oct_status oct_scene_setup(oct_setup **out, const oct_scene *scene)
{
    return resolve(out, scene, false);
}

oct_status oct_scene_setup_open(oct_setup **out, const oct_scene *scene)
{
    return resolve(out, scene, true);
}
