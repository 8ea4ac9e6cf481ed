/* A scene of its own: the tree as it was read and assigned, not as resolved. */
#include <string.h>

#include "io/scene_tree.h"

static oct_status copy_node(oct_node **out, const oct_node *node);

static oct_status copy_items(oct_node *out, const oct_node *node)
{
    if (node->n == 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&out->items, node->n, sizeof *out->items, "scene"));
    if (node->keys)
        OCT_TRY(oct_alloc(&out->keys, node->n, sizeof *out->keys, "scene"));
    out->n = node->n;
    for (size_t i = 0; i < node->n; i++) {
        OCT_TRY(copy_node(&out->items[i], node->items[i]));
        if (node->keys)
            OCT_TRY(oct_text_copy(&out->keys[i], node->keys[i]));
    }
    return OCT_STATUS_OK;
}

/* What is there so far is handed out where it fails, to be freed. */
static oct_status copy_node(oct_node **out, const oct_node *node)
{
    OCT_TRY(oct_alloc(out, 1, sizeof **out, "scene"));
    **out = (oct_node){.kind = node->kind,
                       .assigned = node->assigned,
                       .quoted = node->quoted,
                       .lines = node->lines,
                       .line = node->line};
    if (node->text)
        OCT_TRY(oct_text_copy(&(*out)->text, node->text));
    return copy_items(*out, node);
}

static oct_status copy(oct_scene *out, const oct_scene *scene)
{
    OCT_TRY(oct_text_copy(&out->label, scene->label));
    if (scene->folder)
        OCT_TRY(oct_text_copy(&out->folder, scene->folder));
    OCT_TRY(copy_node(&out->root, scene->root));
    return oct_added_copy(&out->added, &scene->added);
}

oct_status oct_scene_copy(oct_scene **out, const oct_scene *scene)
{
    oct_scene *own;
    *out = NULL;
    OCT_TRY(oct_alloc(&own, 1, sizeof *own, "scene"));
    oct_status status = copy(own, scene);
    if (status == OCT_STATUS_OK)
        *out = own;
    else
        oct_scene_free(own);
    return status;
}
