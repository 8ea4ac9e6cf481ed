/* Changes of a scene's values from outside, as --set writes them. */
#include "io/scene_bind.h"
#include "io/scene_tree.h"

#include <stdlib.h>
#include <string.h>

/* An assignment "a.b.0.c=value", taken apart. */
typedef struct assignment {
    char *keys; /* a copy with a zero byte for each dot */
    size_t n;
    oct_key_path path[OCT_SCENE_DEPTH];
    const char *value;
} assignment;

/* What messages about an assignment point to. */
static const oct_node place = {.assigned = true};

static bool is_index(const char *key)
{
    return key[strspn(key, "0123456789")] == '\0';
}

static oct_status split(assignment *a, const char *text)
{
    char shortened[OCT_SHORT_BYTES];
    const char *equals = strchr(text, '=');
    OCT_CHECK(equals && equals > text, OCT_STATUS_INPUT,
              "--set %s: this assigns nothing; expected KEY=VALUE, such as gravity.softening=0.01",
              oct_node_short(shortened, text));
    OCT_TRY(oct_text_copy(&a->keys, text));
    a->keys[equals - text] = '\0';
    a->value = equals + 1;
    for (char *key = a->keys; key; a->n++) {
        char *dot = strchr(key, '.');
        if (dot)
            *dot = '\0';
        OCT_CHECK(a->n < OCT_SCENE_DEPTH, OCT_STATUS_INPUT,
                  "--set %s: the key is nested too deep; expected at most %d levels",
                  oct_node_short(shortened, text), OCT_SCENE_DEPTH);
        OCT_CHECK(key[0] != '\0' && oct_node_printable(key, strlen(key)), OCT_STATUS_INPUT,
                  "--set %s: a part of the key is empty or unreadable; expected names with dots "
                  "between them",
                  oct_node_short(shortened, text));
        a->path[a->n] = (oct_key_path){.parent = a->n ? &a->path[a->n - 1] : NULL, .key = key};
        key = dot ? dot + 1 : NULL;
    }
    return OCT_STATUS_OK;
}

/* The key of a new entry at the end of a list. */
static bool adds(const char *key)
{
    return strcmp(key, "+") == 0;
}

/* The entry of a list that a key names. */
static oct_status list_slot(oct_node ***out, const oct_node *list, const oct_key_path *path)
{
    if (!is_index(path->key))
        return oct_node_fail("", &place, path,
                             "what is before is a list; expected an index, or + for a new entry");
    unsigned long index = strtoul(path->key, NULL, 10);
    if (index >= list->n)
        return oct_node_fail("", &place, path,
                             "there is no such entry; the list has %zu, counted from 0", list->n);
    *out = &list->items[index];
    return OCT_STATUS_OK;
}

/* Wraps the value in the maps and lists that are not there yet: keys `first` and later become
 * nested. */
static oct_status wrap(oct_node **value, const assignment *a, size_t first)
{
    for (size_t i = a->n; i-- > first;) {
        const char *key = a->path[i].key;
        oct_node *outer = NULL;
        if (is_index(key))
            return oct_node_fail("", &place, &a->path[i],
                                 "there is no such list in the scene; expected an entry that "
                                 "exists, or + for a new one");
        OCT_TRY(adds(key) ? oct_node_list(&outer, *value) : oct_node_map(&outer, key, *value));
        outer->assigned = true;
        *value = outer;
    }
    return OCT_STATUS_OK;
}

/* Puts the value where it belongs: one change at the end, so that a failure changes nothing.
 * *value is NULL when the scene has taken it over. */
static oct_status assign(oct_scene *scene, const assignment *a, oct_node **value)
{
    oct_node **slot = &scene->root;
    for (size_t i = 0; i < a->n; i++) {
        oct_node *node = *slot;
        if (node->kind == OCT_NODE_SCALAR)
            return oct_node_fail("", &place, &a->path[i],
                                 "what is before the last dot is a single value; expected a "
                                 "section or a list");
        if (node->kind == OCT_NODE_LIST) {
            if (!adds(a->path[i].key)) {
                OCT_TRY(list_slot(&slot, node, &a->path[i]));
                continue;
            }
            OCT_TRY(wrap(value, a, i + 1));
            OCT_TRY(oct_node_append(node, *value));
            *value = NULL;
            return OCT_STATUS_OK;
        }
        size_t k = 0;
        while (k < node->n && strcmp(node->keys[k], a->path[i].key) != 0)
            k++;
        if (k == node->n) {
            OCT_TRY(wrap(value, a, i + 1));
            OCT_TRY(oct_node_put(node, a->path[i].key, *value));
            *value = NULL;
            return OCT_STATUS_OK;
        }
        slot = &node->items[k];
    }
    oct_node_free(*slot);
    *slot = *value;
    *value = NULL;
    return OCT_STATUS_OK;
}

/* The section whose module an assignment names, or NULL. */
static const oct_section *chosen_section(const assignment *a)
{
    const oct_section *s = oct_sections;
    if (a->n != 2)
        return NULL;
    while (s->name && strcmp(s->name, a->path[0].key) != 0)
        s++;
    return s->selector && strcmp(s->selector, a->path[1].key) == 0 ? s : NULL;
}

/* The module that a section of the scene names, or its first choice; NULL where there is none. */
static const oct_module *named_module(const oct_scene *scene, const oct_section *section)
{
    const oct_node *map = oct_node_get(scene->root, section->name);
    const oct_node *named = map ? oct_node_get(map, section->selector) : NULL;
    if (named && named->kind != OCT_NODE_SCALAR)
        return NULL;
    const char *name = named ? named->text : section->initial;
    const oct_module *module;
    for (size_t i = 0; (module = oct_added_at(&scene->added, section->modules, i)) != NULL; i++)
        if (strcmp(module->name, name) == 0)
            return module;
    return oct_module_find(section->modules, name);
}

/* Takes out what only the module before could read. What was assigned stays, to be refused. */
static void drop_keys(oct_scene *scene, const oct_section *section, const oct_module *before)
{
    oct_node *map = oct_node_get(scene->root, section->name);
    const oct_module *now = named_module(scene, section);
    if (!before || !now)
        return;
    for (size_t i = map->n; i-- > 0;)
        if (!map->items[i]->assigned && oct_field_in(before->fields, map->keys[i]) &&
            !oct_field_in(now->fields, map->keys[i]) &&
            !oct_field_in(section->fields, map->keys[i]))
            oct_node_remove(map, i);
}

/* A value as if it stood in quotes. */
static oct_status plain_node(oct_node **out, const char *text, const oct_key_path *path)
{
    size_t length = strlen(text);
    if (!oct_node_lines(text, length))
        return oct_node_fail("", &place, path, "the value has a control character; expected text");
    OCT_TRY(oct_node_scalar(out, text));
    (*out)->assigned = (*out)->quoted = true;
    (*out)->lines = !oct_node_printable(text, length);
    return OCT_STATUS_OK;
}

/* Assigns a value of YAML, or one that is taken as it is. */
static oct_status set(oct_scene *scene, const char *text, bool plain)
{
    assignment a = {0};
    oct_node *value = NULL;
    oct_status status;
    OCT_TRY_DONE(split(&a, text));
    const oct_key_path *path = &a.path[a.n - 1];
    if (plain)
        OCT_TRY_DONE(plain_node(&value, a.value, path));
    else if (a.value[0] == '\0')
        OCT_TRY_DONE(
            oct_node_fail("", &place, path, "there is nothing after '='; expected a value"));
    else
        OCT_TRY_DONE(oct_node_read(&value, a.value, strlen(a.value), text, path));
    const oct_section *section = chosen_section(&a);
    const oct_module *before = section ? named_module(scene, section) : NULL;
    OCT_TRY_DONE(assign(scene, &a, &value));
    if (section)
        drop_keys(scene, section, before);
done:
    oct_node_free(value);
    free(a.keys);
    return status;
}

oct_status oct_scene_set(oct_scene *scene, const char *text)
{
    return set(scene, text, false);
}

oct_status oct_scene_set_text(oct_scene *scene, const char *key, const char *value)
{
    oct_text text = {0};
    oct_text_add(&text, "%s=%s", key, value);
    oct_status status = text.failed ? OCT_FAIL(OCT_STATUS_MEMORY, "no memory for a value")
                                    : set(scene, text.data, true);
    oct_text_clear(&text);
    return status;
}

/* The entry of a map or a list under a key; NULL when there is none. */
static const oct_node *entry(const oct_node *node, const char *key)
{
    if (node->kind != OCT_NODE_LIST)
        return node->kind == OCT_NODE_MAP ? oct_node_get(node, key) : NULL;
    unsigned long index = is_index(key) ? strtoul(key, NULL, 10) : node->n;
    return index < node->n ? node->items[index] : NULL;
}

oct_status oct_scene_get(char **out, const oct_scene *scene, const char *key)
{
    char *text = NULL, *keys = NULL;
    oct_node *root = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_scene_resolve(&text, scene));
    OCT_TRY_DONE(oct_node_read(&root, text, strlen(text), scene->label, NULL));
    OCT_TRY_DONE(oct_text_copy(&keys, key));
    const oct_node *node = root;
    for (char *part = keys; node && part;) {
        char *dot = strchr(part, '.');
        if (dot)
            *dot = '\0';
        node = entry(node, part);
        part = dot ? dot + 1 : NULL;
    }
    OCT_CHECK_DONE(node && node->kind == OCT_NODE_SCALAR, OCT_STATUS_MISSING,
                   "the scene has no value '%.80s'", key);
    status = oct_text_copy(out, node->text);
done:
    oct_node_free(root);
    free(keys);
    oct_text_free(text);
    return status;
}
