/* Reads YAML into nodes, and refuses what a scene has no use for. */
#include "io/scene_node.h"

#include "util/text.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* A scene has a few hundred values; these limits only keep hostile files cheap. */
enum { MOST_NODES = 65536, MOST_KEYS = 256 };

typedef struct reader {
    yaml_parser_t yaml;
    const char *text, *label;
    size_t bytes, nodes;
    const oct_key_path *at; /* where the document goes when it is the value of an assignment */
} reader;

static oct_node here(const reader *r, yaml_mark_t mark)
{
    return (oct_node){.line = mark.line + 1, .assigned = r->at != NULL};
}

/* Whether the line is indented with a tab, which YAML's own message does not say. */
static bool tab_indents(const reader *r, size_t line)
{
    const char *c = r->text, *end = r->text + r->bytes;
    for (; line > 1 && c; line--) {
        c = memchr(c, '\n', (size_t)(end - c));
        c = c ? c + 1 : NULL;
    }
    while (c && c < end && *c == ' ')
        c++;
    return c && c < end && *c == '\t';
}

static oct_status fail_yaml(const reader *r, const oct_key_path *path)
{
    const yaml_parser_t *yaml = &r->yaml;
    if (yaml->error == YAML_MEMORY_ERROR)
        return OCT_FAIL(OCT_STATUS_MEMORY, "no memory to read %s", r->label);
    oct_node place = here(r, yaml->problem_mark);
    if (yaml->error == YAML_READER_ERROR) {
        place.line = 1;
        for (size_t i = 0; i < yaml->problem_offset && i < r->bytes; i++)
            place.line += r->text[i] == '\n';
        return oct_node_fail(r->label, &place, path,
                             "not a text file (%s at byte %zu); expected YAML in UTF-8",
                             yaml->problem, yaml->problem_offset);
    }
    if (tab_indents(r, place.line))
        return oct_node_fail(r->label, &place, path, "a tab indents the line; expected spaces");
    if (yaml->context)
        return oct_node_fail(r->label, &place, path, "not valid YAML: %s on line %zu, %s",
                             yaml->context, yaml->context_mark.line + 1, yaml->problem);
    return oct_node_fail(r->label, &place, path, "not valid YAML: %s", yaml->problem);
}

static oct_status next_event(yaml_event_t *event, reader *r, const oct_key_path *path)
{
    return yaml_parser_parse(&r->yaml, event) ? OCT_STATUS_OK : fail_yaml(r, path);
}

static oct_status read_value(oct_node **out, reader *r, const yaml_event_t *event,
                             const oct_key_path *path, int depth);

static oct_status read_next(oct_node **out, reader *r, const oct_key_path *path, int depth)
{
    yaml_event_t event;
    OCT_TRY(next_event(&event, r, path));
    oct_status status = read_value(out, r, &event, path, depth);
    yaml_event_delete(&event);
    return status;
}

/* Anchors make alias bombs, tags make types: scenes need neither. */
static oct_status refuse_extras(const reader *r, const yaml_event_t *event,
                                const oct_key_path *path)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    oct_node place = here(r, event->start_mark);
    char shortened[OCT_SHORT_BYTES];
    if (event->type == YAML_ALIAS_EVENT)
        return oct_node_fail(r->label, &place, path,
                             "the alias '*%s' is not allowed; expected the value itself",
                             oct_node_short(shortened, (const char *)event->data.alias.anchor));
    if (anchor)
        return oct_node_fail(r->label, &place, path,
                             "the anchor '&%s' is not allowed; expected a value without one",
                             oct_node_short(shortened, (const char *)anchor));
    if (tag)
        return oct_node_fail(r->label, &place, path,
                             "the tag '%s' is not allowed; expected a value without one",
                             oct_node_short(shortened, (const char *)tag));
    return OCT_STATUS_OK;
}

static oct_status read_scalar(oct_node *node, const reader *r, const yaml_event_t *event,
                              const oct_key_path *path)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    node->lines = !oct_node_printable(text, length);
    if (node->lines && !oct_node_lines(text, length))
        return oct_node_check_line(r->label, node, path);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return oct_text_copy(&node->text, text);
}

static oct_status read_list(oct_node *node, reader *r, const oct_key_path *path, int depth)
{
    node->kind = OCT_NODE_LIST;
    for (;;) {
        yaml_event_t event;
        oct_key_path inner = {.parent = path, .index = node->n};
        OCT_TRY(next_event(&event, r, path));
        bool end = event.type == YAML_SEQUENCE_END_EVENT;
        oct_node *item = NULL;
        oct_status status = end ? OCT_STATUS_OK : read_value(&item, r, &event, &inner, depth + 1);
        yaml_event_delete(&event);
        if (status != OCT_STATUS_OK || end)
            return status;
        status = oct_node_append(node, item);
        if (status != OCT_STATUS_OK) {
            oct_node_free(item);
            return status;
        }
    }
}

/* Reads one key with its value; *end is set at the end of the map. */
static oct_status read_pair(bool *end, oct_node *map, reader *r, const oct_key_path *path,
                            int depth)
{
    oct_node *key = NULL, *value = NULL;
    yaml_event_t event;
    OCT_TRY(next_event(&event, r, path));
    *end = event.type == YAML_MAPPING_END_EVENT;
    oct_node place = here(r, event.start_mark);
    oct_status status = OCT_STATUS_OK;
    if (!*end &&
        (event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT))
        status =
            oct_node_fail(r->label, &place, path, "a list or a map stands where a key is expected");
    else if (!*end)
        status = read_value(&key, r, &event, path, depth + 1);
    yaml_event_delete(&event);
    if (status == OCT_STATUS_OK && !*end)
        status = oct_node_check_line(r->label, key, path);
    if (*end || status != OCT_STATUS_OK) {
        oct_node_free(key);
        return status;
    }

    oct_key_path inner = {.parent = path, .key = key->text};
    const oct_node *before = oct_node_get(map, key->text);
    if (before)
        status =
            oct_node_fail(r->label, &place, &inner,
                          "duplicate key; it is on line %zu already, expected once", before->line);
    else if (map->n >= MOST_KEYS)
        status =
            oct_node_fail(r->label, &place, path, "too many keys; expected at most %d", MOST_KEYS);
    else
        status = read_next(&value, r, &inner, depth + 1);
    if (status == OCT_STATUS_OK) {
        value->line = place.line;
        status = oct_node_put(map, key->text, value);
    }
    if (status != OCT_STATUS_OK)
        oct_node_free(value);
    oct_node_free(key);
    return status;
}

static oct_status read_map(oct_node *node, reader *r, const oct_key_path *path, int depth)
{
    node->kind = OCT_NODE_MAP;
    for (bool end = false; !end;)
        OCT_TRY(read_pair(&end, node, r, path, depth));
    return OCT_STATUS_OK;
}

static oct_status read_value(oct_node **out, reader *r, const yaml_event_t *event,
                             const oct_key_path *path, int depth)
{
    oct_node place = here(r, event->start_mark);
    if (depth > OCT_SCENE_DEPTH)
        return oct_node_fail(r->label, &place, path, "nested too deep; expected at most %d levels",
                             OCT_SCENE_DEPTH);
    if (++r->nodes > MOST_NODES)
        return oct_node_fail(r->label, &place, path, "too many values; expected at most %d",
                             MOST_NODES);
    OCT_TRY(refuse_extras(r, event, path));
    oct_node *node = NULL;
    OCT_TRY(oct_alloc(&node, 1, sizeof *node, "scene values"));
    *node = place;
    oct_status status;
    if (event->type == YAML_SEQUENCE_START_EVENT)
        status = read_list(node, r, path, depth);
    else if (event->type == YAML_MAPPING_START_EVENT)
        status = read_map(node, r, path, depth);
    else
        status = read_scalar(node, r, event, path);
    if (status != OCT_STATUS_OK) {
        oct_node_free(node);
        return status;
    }
    *out = node;
    return OCT_STATUS_OK;
}

/* Takes the next event, which must be of this type; wrong says what else it means. */
static oct_status expect_event(reader *r, yaml_event_type_t type, const char *wrong)
{
    yaml_event_t event;
    OCT_TRY(next_event(&event, r, r->at));
    oct_node place = here(r, event.start_mark);
    bool found = event.type == type;
    yaml_event_delete(&event);
    return found ? OCT_STATUS_OK : oct_node_fail(r->label, &place, r->at, "%s", wrong);
}

static oct_status read_document(oct_node **out, reader *r)
{
    OCT_TRY(expect_event(r, YAML_STREAM_START_EVENT, "not valid YAML"));
    OCT_TRY(expect_event(r, YAML_DOCUMENT_START_EVENT,
                         "there is nothing in it; expected a scene with models and run"));
    oct_node *root = NULL;
    OCT_TRY(read_next(&root, r, r->at, 0));
    oct_status status = expect_event(r, YAML_DOCUMENT_END_EVENT, "not valid YAML");
    if (status == OCT_STATUS_OK)
        status = expect_event(r, YAML_STREAM_END_EVENT,
                              "a second document starts here; expected one scene");
    if (status == OCT_STATUS_OK)
        *out = root;
    else
        oct_node_free(root);
    return status;
}

oct_status oct_node_read(oct_node **out, const char *text, size_t bytes, const char *label,
                         const oct_key_path *at)
{
    if (bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        bytes -= 3;
    }
    reader r = {.text = text, .bytes = bytes, .label = label, .at = at};
    OCT_CHECK(yaml_parser_initialize(&r.yaml), OCT_STATUS_MEMORY, "no memory to read %s", label);
    yaml_parser_set_encoding(&r.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.yaml, (const unsigned char *)text, bytes);
    oct_status status = read_document(out, &r);
    yaml_parser_delete(&r.yaml);
    return status;
}
