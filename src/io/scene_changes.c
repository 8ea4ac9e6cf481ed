/* What differs between two scenes as resolved. */
#include "io/scene.h"

#include "io/scene_node.h"
#include "util/text.h"

#include <stdio.h>
#include <string.h>

/* Two trees that are walked side by side. */
typedef struct comparison {
    oct_scene_difference *report;
    void *context;
} comparison;

/* A single value, or a list of them such as a vector. */
static bool is_value(const oct_node *node)
{
    bool scalars = node->kind != OCT_NODE_MAP;
    for (size_t i = 0; scalars && node->kind == OCT_NODE_LIST && i < node->n; i++)
        scalars = node->items[i]->kind == OCT_NODE_SCALAR;
    return scalars;
}

/* An absent value is NULL. */
static oct_status add_value(oct_text *out, const oct_node *node)
{
    if (node && node->kind == OCT_NODE_LIST) {
        oct_text_add(out, "[");
        for (size_t i = 0; i < node->n; i++)
            oct_text_add(out, "%s%s", i ? ", " : "", node->items[i]->text);
        oct_text_add(out, "]");
    } else if (node) {
        oct_text_add(out, "%s", node->text);
    }
    OCT_CHECK(!out->failed, OCT_STATUS_MEMORY, "no memory for a value");
    return OCT_STATUS_OK;
}

static oct_status compare_values(const comparison *c, const oct_node *before, const oct_node *after,
                                 const oct_key_path *path)
{
    oct_text key = {0}, then = {0}, now = {0};
    oct_status status;
    oct_node_add_path(&key, path);
    OCT_TRY_DONE(add_value(&then, before));
    OCT_TRY_DONE(add_value(&now, after));
    OCT_CHECK_DONE(!key.failed, OCT_STATUS_MEMORY, "no memory for a key");
    if (!before || !after || strcmp(then.data, now.data) != 0)
        status =
            c->report(c->context, key.data, before ? then.data : NULL, after ? now.data : NULL);
done:
    oct_text_clear(&key);
    oct_text_clear(&then);
    oct_text_clear(&now);
    return status;
}

static const oct_node *child(const oct_node *node, const oct_key_path *path)
{
    if (!node || node->kind == OCT_NODE_SCALAR)
        return NULL;
    if (node->kind == OCT_NODE_MAP)
        return path->key ? oct_node_get(node, path->key) : NULL;
    return !path->key && path->index < node->n ? node->items[path->index] : NULL;
}

/* Either may be NULL: what only one of them has differs. */
static oct_status compare_nodes(const comparison *c, const oct_node *before, const oct_node *after,
                                const oct_key_path *path)
{
    if ((!before || is_value(before)) && (!after || is_value(after)))
        return compare_values(c, before, after, path);
    const oct_node *sides[2] = {after, before};
    for (int side = 0; side < 2; side++) {
        const oct_node *node = sides[side];
        for (size_t i = 0; node && node->kind != OCT_NODE_SCALAR && i < node->n; i++) {
            const oct_key_path at = {path, node->kind == OCT_NODE_MAP ? node->keys[i] : NULL, i};
            const oct_node *then = child(before, &at), *now = child(after, &at);
            /* What both have was seen on the first side. */
            if (side == 0 || !now)
                OCT_TRY(compare_nodes(c, then, now, &at));
        }
    }
    return OCT_STATUS_OK;
}

oct_status oct_scene_differences(const char *before, const char *after,
                                 oct_scene_difference *report, void *context)
{
    const comparison c = {report, context};
    oct_node *then = NULL, *now = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_node_read(&then, before, strlen(before), "the scene before", NULL));
    OCT_TRY_DONE(oct_node_read(&now, after, strlen(after), "the scene", NULL));
    status = compare_nodes(&c, then, now, NULL);
done:
    oct_node_free(then);
    oct_node_free(now);
    return status;
}
