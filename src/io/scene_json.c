/* A scene's text as JSON, for programs in languages that have a reader of that at hand. */
#include "io/scene_node.h"

#include <ctype.h>
#include <string.h>

#include "octant/octant.h"

static const char *skip_digits(const char *c)
{
    while (isdigit((unsigned char)*c))
        c++;
    return c;
}

/* Whether JSON takes this text for a number: -1, 0.5, 1e-3; not +1, .5, 007 or inf. */
static bool is_number(const char *text)
{
    const char *c = text + (*text == '-'), *digits = c;
    c = skip_digits(c);
    if (c == digits || (*digits == '0' && c > digits + 1))
        return false;
    if (*c == '.') {
        digits = c + 1;
        c = skip_digits(digits);
        if (c == digits)
            return false;
    }
    if (*c == 'e' || *c == 'E') {
        digits = c + 1 + (c[1] == '-' || c[1] == '+');
        c = skip_digits(digits);
        if (c == digits)
            return false;
    }
    return *c == '\0';
}

static bool is_plain(const oct_node *node)
{
    return !node->quoted && !node->lines &&
           (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0 ||
            is_number(node->text));
}

/* The reader of the text has bounded its depth. */
static void add_node(oct_text *out, const oct_node *node)
{
    bool map = node->kind == OCT_NODE_MAP;
    if (node->kind == OCT_NODE_SCALAR) {
        if (is_plain(node))
            oct_text_add(out, "%s", node->text);
        else
            oct_text_add_json(out, node->text);
        return;
    }
    oct_text_add(out, map ? "{" : "[");
    for (size_t i = 0; i < node->n; i++) {
        oct_text_add(out, i ? ", " : "");
        if (map) {
            oct_text_add_json(out, node->keys[i]);
            oct_text_add(out, ": ");
        }
        add_node(out, node->items[i]);
    }
    oct_text_add(out, map ? "}" : "]");
}

oct_status oct_scene_json(char **out, const char *text)
{
    oct_node *root = NULL;
    oct_text json = {0};
    OCT_TRY(oct_node_read(&root, text, strlen(text), "scene", NULL));
    add_node(&json, root);
    oct_node_free(root);
    return oct_text_take(out, &json);
}
