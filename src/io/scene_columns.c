/* The columns of a scene: what it declares, what its models give them, and names of components. */
#include "io/scene_bind.h"

#include <string.h>

static oct_status check_declared(const oct_binder *binder, const oct_node *columns,
                                 const oct_setup *setup)
{
    const oct_key_path path = {.key = "columns"};
    oct_bodies none = {0};
    if (setup->n_columns > OCT_USER_COLUMNS)
        return oct_node_fail(binder->label, columns, &path,
                             "there are %zu columns; expected at most %d", setup->n_columns,
                             OCT_USER_COLUMNS);
    oct_status status = OCT_STATUS_OK;
    for (size_t i = 0; i < setup->n_columns && status == OCT_STATUS_OK; i++) {
        oct_key_path inner = {.parent = &path, .key = setup->columns[i].name};
        status = oct_setup_add_column(&none, &setup->columns[i]);
        if (status != OCT_STATUS_OK)
            status = oct_node_within(status, binder->label, columns->items[i], &inner);
    }
    oct_bodies_clear(&none);
    return status;
}

/* One value that a model gives to a column of its bodies. */
static oct_status check_value(const oct_binder *binder, const oct_node *node,
                              const oct_key_path *path, const oct_setup *setup,
                              const oct_parameter *value)
{
    const char *names[OCT_USER_COLUMNS];
    for (size_t i = 0; i < setup->n_columns; i++) {
        double numbers[3];
        names[i] = setup->columns[i].name;
        if (strcmp(names[i], value->name) != 0)
            continue;
        oct_status status = oct_setup_column_value(numbers, &setup->columns[i], value);
        return status == OCT_STATUS_OK ? status
                                       : oct_node_within(status, binder->label, node, path);
    }
    if (setup->n_columns == 0)
        return oct_node_fail(binder->label, node, path,
                             "the scene has no such column; expected it under 'columns' at the "
                             "top");
    return oct_node_fail_unknown(binder->label, node, path, "column", value->name, names,
                                 setup->n_columns);
}

/* What a component is called: other sections have such names as keys. */
static oct_status check_name(const oct_binder *binder, const oct_node *map,
                             const oct_key_path *path, const char *name)
{
    const oct_key_path at = {.parent = path, .key = "name"};
    if (!name[0] || oct_field_identifier(name))
        return OCT_STATUS_OK;
    return oct_node_fail(binder->label, oct_node_get(map, at.key), &at,
                         "'%.40s' is no name for a component; expected a letter, then letters, "
                         "digits and '_', and no word of OpenCL C",
                         name);
}

/* What a model and those within it give; `map` is that of the model. */
static oct_status check_model(const oct_binder *binder, const oct_node *map,
                              const oct_key_path *path, const oct_setup *setup,
                              const oct_model_entry *entry)
{
    const oct_parameters *values = &entry->placement.columns;
    const oct_key_path section = {.parent = path, .key = "columns"};
    const oct_node *given = oct_node_get(map, section.key);
    OCT_TRY(check_name(binder, map, path, entry->placement.name));
    for (size_t i = 0; i < values->n; i++) {
        const oct_key_path inner = {.parent = &section, .key = values->items[i].name};
        OCT_TRY(check_value(binder, given->items[i], &inner, setup, &values->items[i]));
    }
    const oct_model_entry *within;
    const char *key;
    for (size_t i = 0; (within = oct_choice_within(&entry->model, i, &key)) != NULL; i++) {
        const oct_key_path at = {.parent = path, .key = key};
        const oct_key_path model = {.parent = &at, .key = within->model.module->name};
        OCT_TRY(check_model(binder, oct_node_get(map, key)->items[0], &model, setup, within));
    }
    return OCT_STATUS_OK;
}

oct_status oct_scene_check_columns(const oct_binder *binder, const oct_node *root,
                                   const oct_setup *setup)
{
    const oct_node *models = oct_node_get(root, "models");
    OCT_TRY(check_declared(binder, oct_node_get(root, "columns"), setup));
    const oct_key_path path = {.key = "models"};
    for (size_t m = 0; m < setup->n_models; m++) {
        const oct_key_path at = {.parent = &path, .index = m};
        const oct_key_path model = {.parent = &at, .key = setup->models[m].model.module->name};
        OCT_TRY(check_model(binder, models->items[m]->items[0], &model, setup, &setup->models[m]));
    }
    return OCT_STATUS_OK;
}
