/* The built-in scenes and their values, as the forms of the page want them. */
#include "view/scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/reference.h"
#include "io/scene_node.h"

enum { KEY_BYTES = 256 };

typedef struct listing {
    oct_text *out;
    const oct_sim *sim;
    bool any;
} listing;

/* "[1, 1, 0]", as an assignment takes it. */
static void add_list(oct_text *out, const oct_node *list)
{
    oct_text text = {0};
    oct_text_add(&text, "[");
    for (size_t i = 0; i < list->n; i++)
        oct_text_add(&text, "%s%s", i ? ", " : "", list->items[i]->text);
    oct_text_add(&text, "]");
    if (!text.failed)
        oct_text_add_json(out, text.data);
    oct_text_clear(&text);
}

static bool is_value(const oct_node *node)
{
    if (node->kind == OCT_NODE_LIST)
        for (size_t i = 0; i < node->n; i++)
            if (node->items[i]->kind != OCT_NODE_SCALAR)
                return false;
    return node->kind != OCT_NODE_MAP;
}

static void add_values(listing *list, const oct_node *node, const char *key)
{
    if (is_value(node)) {
        if (list->sim && !oct_sim_can_set(list->sim, key))
            return;
        oct_text_add(list->out, list->any ? ", " : "");
        oct_text_add_json(list->out, key);
        oct_text_add(list->out, ": ");
        if (node->kind == OCT_NODE_LIST)
            add_list(list->out, node);
        else
            oct_text_add_json(list->out, node->text);
        list->any = true;
        return;
    }
    for (size_t i = 0; i < node->n; i++) {
        char inner[KEY_BYTES];
        const char *dot = *key ? "." : "";
        if (node->kind == OCT_NODE_MAP)
            snprintf(inner, sizeof inner, "%s%s%s", key, dot, node->keys[i]);
        else
            snprintf(inner, sizeof inner, "%s%s%zu", key, dot, i);
        add_values(list, node->items[i], inner);
    }
}

oct_status oct_scenes_values(oct_text *out, const char *resolved, const oct_sim *sim)
{
    oct_node *root = NULL;
    listing list = {.out = out, .sim = sim};
    OCT_TRY(oct_node_read(&root, resolved, strlen(resolved), "scene", NULL));
    oct_text_add(out, "{");
    add_values(&list, root, "");
    oct_text_add(out, "}");
    oct_node_free(root);
    return OCT_STATUS_OK;
}

static oct_status add_scene(oct_text *out, const char *name, const char *title, const char *text,
                            const char *resolved)
{
    oct_text_add(out, "{\"name\": ");
    oct_text_add_json(out, name);
    oct_text_add(out, ", \"title\": ");
    oct_text_add_json(out, title);
    oct_text_add(out, ", \"text\": ");
    oct_text_add_json(out, text);
    oct_text_add(out, ", \"values\": ");
    OCT_TRY(oct_scenes_values(out, resolved, NULL));
    oct_text_add(out, "}");
    return OCT_STATUS_OK;
}

oct_status oct_scenes_describe(char **out, const char *name, const char *title,
                               const char *resolved)
{
    oct_text text = {0};
    oct_status status = add_scene(&text, name, title, resolved, resolved);
    if (status == OCT_STATUS_OK)
        return oct_text_take(out, &text);
    oct_text_clear(&text);
    return status;
}

static oct_status add_builtin(oct_text *out, const char *name, const char *text)
{
    oct_scene *scene = NULL;
    char *resolved = NULL, *title = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_scene_load(&scene, name));
    OCT_TRY_DONE(oct_scene_resolve(&resolved, scene));
    OCT_TRY_DONE(oct_scene_get(&title, scene, "title"));
    status = add_scene(out, name, title, text, resolved);
done:
    oct_scene_free(scene);
    oct_text_free(resolved);
    oct_text_free(title);
    return status;
}

oct_status oct_scenes_write(char **out, const oct_added *added)
{
    oct_text text = {0};
    char *reference = NULL;
    const char *name, *scene;
    oct_status status = oct_reference_write(&reference, "json", NULL, added);
    oct_text_add(&text, "{\"scenes\": [");
    for (size_t i = 0; status == OCT_STATUS_OK && oct_scene_builtin(i, &name, &scene); i++) {
        oct_text_add(&text, i ? ",\n" : "\n");
        status = add_builtin(&text, name, scene);
    }
    if (status == OCT_STATUS_OK)
        oct_text_add(&text, "],\n\"reference\": %s}\n", reference);
    oct_text_free(reference);
    if (status == OCT_STATUS_OK)
        return oct_text_take(out, &text);
    oct_text_clear(&text);
    return status;
}
