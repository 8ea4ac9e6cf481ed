/* Between the tree of a scene and the structs of modules, by their field tables. */
#ifndef OCT_IO_SCENE_BIND_H
#define OCT_IO_SCENE_BIND_H

#include "core/setup.h"
#include "io/scene_node.h"
#include "util/text.h"

/* What values are read against. */
typedef struct oct_binder {
    const char *label;  /* of the scene, for messages */
    const char *folder; /* that paths in the file are relative to; NULL: the current one */
    oct_units units;
    double orbit;           /* its length; 0: the scene has none */
    const oct_added *added; /* modules of the program's; NULL: none */
} oct_binder;

/* A struct and the table of its fields, which may be NULL. */
typedef struct oct_part {
    void *state;
    const oct_field *fields;
} oct_part;

/* Fills the structs from a map that may hold the fields of all of them, and `selector` beside
 * (NULL: none); what is missing gets its default. */
oct_status oct_bind(const oct_binder *binder, const oct_node *map, const oct_key_path *path,
                    const char *selector, const oct_part *parts, size_t n_parts);

/* The two halves of it: refuses keys that are not among the names, and fills one struct. */
oct_status oct_bind_keys(const oct_binder *binder, const oct_node *map, const oct_key_path *path,
                         const char *const *names, size_t n);
oct_status oct_bind_fields(const oct_binder *binder, const oct_node *map, const oct_key_path *path,
                           void *state, const oct_field *fields);

/* Looks at the columns that a scene declares, and at the values that its models give them. */
oct_status oct_scene_check_columns(const oct_binder *binder, const oct_node *root,
                                   const oct_setup *setup);

/* A filled setup as the text of a scene. */
oct_status oct_scene_write(char **out, const oct_setup *setup);

/* The sections of a scene beside its head, in the order in which they are written. */
typedef struct oct_section {
    const char *name, *doc;
    const char *selector; /* the key that names the module */
    const char *initial;  /* the module when none is named */
    /* What to ask for where none is named and the scene so far leaves no good choice; NULL where
     * it does. May be NULL. */
    const char *(*asks)(const oct_setup *);
    const void *modules;               /* the registry; NULL: a section without modules */
    bool (*takes)(const oct_module *); /* which modules of the registry; NULL: all */
    size_t choice;                     /* where the oct_choice is in oct_setup */
    const oct_field *fields;           /* beside the module's; may be NULL */
    size_t plan;                       /* where their struct is */
    /* A list with an entry for each module: choice and plan are then within the entry. */
    bool list;
    /* The same, but a map whose keys are names of the user's: entries begin with a char *name. */
    bool named;
    /* All modules at once: their fields stand in one map, after those of the section. */
    bool every;
    /* There is no default, but a program may say it in the scene's place: whether it does. May be
     * NULL. */
    bool (*absent)(const oct_setup *);
    size_t count, items, item_size;
} oct_section;

extern const oct_section oct_sections[]; /* ends with a section without name */

/* title, seed and units, which come before the sections; then G, which has no fixed default. */
extern const oct_field oct_scene_fields[], oct_scene_constants[];

/* The modules a section takes, up to `most` of them, and their number. `added` may be NULL. */
size_t oct_section_modules(const oct_module **out, size_t most, const oct_section *section,
                           const oct_added *added);

/* The same, also where all modules stand in one map. */
size_t oct_section_registered(const oct_module **out, size_t most, const oct_section *section,
                              const oct_added *added);
/* The module of this name, which stands at a node. */
oct_status oct_section_find(const oct_module **out, const oct_binder *binder,
                            const oct_section *section, const oct_node *node,
                            const oct_key_path *path, const char *name);
/* Fills a module's state, and the plan beside it, from one map. base holds both. */
oct_status oct_bind_module(const oct_binder *binder, const oct_section *section,
                           const oct_module *module, char *base, const oct_node *map,
                           const oct_key_path *path);
/* The same from "NAME: {...}", which an entry of a list is; and of a model within another. */
oct_status oct_bind_entry(const oct_binder *binder, const oct_section *section, char *base,
                          const oct_node *entry, const oct_key_path *path);
oct_status oct_bind_model(const oct_binder *binder, oct_model_entry *out, const oct_node *entry,
                          const oct_key_path *path);

enum { OCT_SECTION_FIELDS = 128 };
/* The fields that stand in a section whatever module is chosen, with an end behind them; those past
 * the room are left out. */
void oct_section_fields(oct_field out[OCT_SECTION_FIELDS], const oct_section *section,
                        const oct_added *added);

#endif
