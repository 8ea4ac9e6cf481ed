/* The tree that a scene's YAML is read into, and messages that say where in it something is. */
#ifndef OCT_IO_SCENE_NODE_H
#define OCT_IO_SCENE_NODE_H

#include "util/status.h"
#include "util/text.h"

typedef enum oct_node_kind { OCT_NODE_SCALAR, OCT_NODE_LIST, OCT_NODE_MAP } oct_node_kind;

typedef struct oct_node {
    oct_node_kind kind;
    bool assigned; /* by oct_scene_set, and not by a line of the file */
    bool quoted;   /* a scalar in quotes */
    bool lines;    /* a scalar of several lines */
    size_t line;   /* of the key where the node is a value in a map */
    char *text;    /* of a scalar */
    size_t n;
    struct oct_node **items;
    char **keys; /* of a map, one for each item */
} oct_node;

/* The way to a node, from the inside out; an entry of a list has an index and no key. */
typedef struct oct_key_path {
    const struct oct_key_path *parent;
    const char *key;
    size_t index;
} oct_key_path;

enum { OCT_SCENE_DEPTH = 16 };

/* "a.b.0.c" */
void oct_node_add_path(oct_text *out, const oct_key_path *path);

/* Reads one YAML document. The nodes are marked as assigned when it is a value for `at`. */
oct_status oct_node_read(oct_node **out, const char *text, size_t bytes, const char *label,
                         const oct_key_path *at);
void oct_node_free(oct_node *node);

oct_status oct_node_scalar(oct_node **out, const char *text);
/* A map, empty, or with one key that takes the value over when it succeeds. */
oct_status oct_node_map(oct_node **out, const char *key, oct_node *value);
/* A list with one entry, which it takes over when it succeeds. */
oct_status oct_node_list(oct_node **out, oct_node *entry);
/* Adds an entry to a list; takes it over when it succeeds. */
oct_status oct_node_append(oct_node *list, oct_node *entry);
/* Puts a value into a map, in place of one of the same key; takes it over when it succeeds. */
oct_status oct_node_put(oct_node *map, const char *key, oct_node *value);
/* Takes an entry out of a map. */
void oct_node_remove(oct_node *map, size_t index);
/* The value of a key in a map, or NULL. */
oct_node *oct_node_get(const oct_node *map, const char *key);

/* "FILE:LINE: section.key: sentence", or "--set section.key: sentence". path may be NULL. */
oct_status oct_node_fail(const char *label, const oct_node *node, const oct_key_path *path,
                         const char *format, ...) OCT_PRINTF(4, 5);
/* The same place before the sentence of a failure that is being passed on. */
oct_status oct_node_within(oct_status status, const char *label, const oct_node *node,
                           const oct_key_path *path);
/* "unknown WHAT 'name'; expected a, b; did you mean 'a'?" */
oct_status oct_node_fail_unknown(const char *label, const oct_node *node, const oct_key_path *path,
                                 const char *what, const char *name, const char *const *names,
                                 size_t n);

/* Text of any length made fit for a message: one line, with dots for what is left out. */
enum { OCT_SHORT_BYTES = 64 };
const char *oct_node_short(char out[OCT_SHORT_BYTES], const char *text);

/* Whether text is UTF-8 of one line that YAML can hold; of any number of lines, tabs included. */
bool oct_node_printable(const char *text, size_t bytes);
bool oct_node_lines(const char *text, size_t bytes);
/* Refuses a scalar of several lines. */
oct_status oct_node_check_line(const char *label, const oct_node *node, const oct_key_path *path);

#endif
