/* Nodes are made, found, put and removed; messages name a key's path and its line. */
#include "io/scene_node.h"

#include "util/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

oct_status oct_node_scalar(oct_node **out, const char *text)
{
    oct_node *node = NULL;
    OCT_TRY(oct_alloc(&node, 1, sizeof *node, "scene values"));
    oct_status status = oct_text_copy(&node->text, text);
    if (status != OCT_STATUS_OK) {
        free(node);
        return status;
    }
    *out = node;
    return OCT_STATUS_OK;
}

oct_status oct_node_map(oct_node **out, const char *key, oct_node *value)
{
    oct_node *node = NULL;
    OCT_TRY(oct_alloc(&node, 1, sizeof *node, "scene values"));
    node->kind = OCT_NODE_MAP;
    oct_status status = key ? oct_node_put(node, key, value) : OCT_STATUS_OK;
    if (status != OCT_STATUS_OK) {
        oct_node_free(node);
        return status;
    }
    *out = node;
    return OCT_STATUS_OK;
}

oct_status oct_node_list(oct_node **out, oct_node *entry)
{
    oct_node *node = NULL;
    OCT_TRY(oct_alloc(&node, 1, sizeof *node, "scene values"));
    node->kind = OCT_NODE_LIST;
    oct_status status = oct_node_append(node, entry);
    if (status == OCT_STATUS_OK)
        *out = node;
    else
        oct_node_free(node);
    return status;
}

oct_status oct_node_append(oct_node *list, oct_node *entry)
{
    OCT_TRY(oct_realloc(&list->items, list->n + 1, sizeof *list->items, "scene values"));
    list->items[list->n++] = entry;
    return OCT_STATUS_OK;
}

oct_status oct_node_put(oct_node *map, const char *key, oct_node *value)
{
    for (size_t i = 0; i < map->n; i++) {
        if (strcmp(map->keys[i], key) == 0) {
            oct_node_free(map->items[i]);
            map->items[i] = value;
            return OCT_STATUS_OK;
        }
    }
    OCT_TRY(oct_realloc(&map->items, map->n + 1, sizeof *map->items, "scene values"));
    OCT_TRY(oct_realloc(&map->keys, map->n + 1, sizeof *map->keys, "scene keys"));
    OCT_TRY(oct_text_copy(&map->keys[map->n], key));
    map->items[map->n++] = value;
    return OCT_STATUS_OK;
}

void oct_node_remove(oct_node *map, size_t index)
{
    oct_node_free(map->items[index]);
    free(map->keys[index]);
    map->n--;
    memmove(map->items + index, map->items + index + 1, (map->n - index) * sizeof *map->items);
    memmove(map->keys + index, map->keys + index + 1, (map->n - index) * sizeof *map->keys);
}

oct_node *oct_node_get(const oct_node *map, const char *key)
{
    for (size_t i = 0; map->kind == OCT_NODE_MAP && i < map->n; i++)
        if (strcmp(map->keys[i], key) == 0)
            return map->items[i];
    return NULL;
}

void oct_node_free(oct_node *node)
{
    if (!node)
        return;
    for (size_t i = 0; i < node->n; i++) {
        oct_node_free(node->items[i]);
        if (node->keys)
            free(node->keys[i]);
    }
    free(node->items);
    free(node->keys);
    free(node->text);
    free(node);
}

const char *oct_node_short(char out[OCT_SHORT_BYTES], const char *text)
{
    size_t bytes = strlen(text);
    bool cut = bytes >= OCT_SHORT_BYTES;
    if (cut) {
        bytes = OCT_SHORT_BYTES - 4;
        /* Not in the middle of a character: its later bytes are 10xxxxxx. */
        while (bytes > 0 && ((unsigned char)text[bytes] & 0xC0) == 0x80)
            bytes--;
    }
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7F ? ' ' : text[i];
    strcpy(out + bytes, cut ? "..." : "");
    return out;
}

/* Decodes the character at *c; returns -1 where it is no UTF-8. */
static long next_character(const unsigned char **c, const unsigned char *end)
{
    static const long least[] = {0, 0x80, 0x800, 0x10000};
    unsigned char lead = *(*c)++;
    if (lead < 0x80)
        return lead;
    int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC0 || lead >= 0xF8 || end - *c < more)
        return -1;
    long code = lead & (0x3F >> more);
    for (int i = 0; i < more; i++) {
        if ((**c & 0xC0) != 0x80)
            return -1;
        code = (code << 6) | (*(*c)++ & 0x3F);
    }
    return code < least[more] ? -1 : code;
}

static bool is_text(const char *text, size_t bytes, bool lines)
{
    const unsigned char *c = (const unsigned char *)text, *end = c + bytes;
    while (c < end) {
        long code = next_character(&c, end);
        if (lines && (code == '\n' || code == '\t'))
            continue;
        bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
        bool line_break = code == 0x2028 || code == 0x2029;
        bool no_character = (code >= 0xD800 && code <= 0xDFFF) || code == 0xFEFF ||
                            (code & 0xFFFE) == 0xFFFE || code > 0x10FFFF;
        if (control || line_break || no_character)
            return false;
    }
    return true;
}

bool oct_node_printable(const char *text, size_t bytes)
{
    return is_text(text, bytes, false);
}

bool oct_node_lines(const char *text, size_t bytes)
{
    return is_text(text, bytes, true);
}

oct_status oct_node_check_line(const char *label, const oct_node *node, const oct_key_path *path)
{
    return node->lines ? oct_node_fail(label, node, path,
                                       "the value has a line break or a control character; "
                                       "expected one line of text")
                       : OCT_STATUS_OK;
}

void oct_node_add_path(oct_text *out, const oct_key_path *path)
{
    if (!path)
        return;
    oct_node_add_path(out, path->parent);
    oct_text_add(out, "%s", path->parent ? "." : "");
    if (path->key)
        oct_text_add(out, "%s", path->key);
    else
        oct_text_add(out, "%zu", path->index);
}

/* The same with each key made short. */
static void write_path(char *out, size_t bytes, const oct_key_path *path)
{
    out[0] = '\0';
    if (!path)
        return;
    write_path(out, bytes, path->parent);
    size_t used = strlen(out);
    const char *dot = used ? "." : "";
    char shortened[OCT_SHORT_BYTES];
    if (path->key)
        snprintf(out + used, bytes - used, "%s%s", dot, oct_node_short(shortened, path->key));
    else
        snprintf(out + used, bytes - used, "%s%zu", dot, path->index);
}

enum { PLACE_BYTES = 500 };

static void write_place(char out[PLACE_BYTES], const char *label, const oct_node *node,
                        const oct_key_path *path)
{
    char keys[PLACE_BYTES - 220];
    write_path(keys, sizeof keys, path);
    size_t length = strlen(label), most = 180;
    const char *dots = length > most ? "..." : "";
    if (node->assigned)
        snprintf(out, PLACE_BYTES, "--set %s", keys);
    else
        snprintf(out, PLACE_BYTES, "%s%s:%zu%s%s", dots, label + (*dots ? length - most : 0),
                 node->line, keys[0] ? ": " : "", keys);
}

oct_status oct_node_fail(const char *label, const oct_node *node, const oct_key_path *path,
                         const char *format, ...)
{
    char sentence[1500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return oct_node_within(OCT_FAIL(OCT_STATUS_INPUT, "%s", sentence), label, node, path);
}

oct_status oct_node_within(oct_status status, const char *label, const oct_node *node,
                           const oct_key_path *path)
{
    char place[PLACE_BYTES];
    write_place(place, label, node, path);
    return oct_fail_within(status, "%s", place);
}

oct_status oct_node_fail_unknown(const char *label, const oct_node *node, const oct_key_path *path,
                                 const char *what, const char *name, const char *const *names,
                                 size_t n)
{
    char list[600] = "", shortened[OCT_SHORT_BYTES];
    size_t used = 0;
    for (size_t i = 0; i < n && used < sizeof list; i++) {
        int more = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
        used += more > 0 ? (size_t)more : 0;
    }
    const char *nearest = oct_text_nearest(oct_node_short(shortened, name), names, n);
    return oct_node_fail(label, node, path, "unknown %s '%s'; expected %s%s%s%s%s", what, shortened,
                         n > 1 ? "one of " : "", n ? list : "none",
                         nearest ? "; did you mean '" : "", nearest ? nearest : "",
                         nearest ? "'?" : "");
}
