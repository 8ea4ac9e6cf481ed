/* The scene reference, from the same tables that the loader reads. */
#ifndef OCT_IO_REFERENCE_H
#define OCT_IO_REFERENCE_H

#include "io/scene_bind.h"

/* Every writer takes what is wanted: NULL for all, or a name, or a path such as gravity.theta; and
 * the modules that a program has added, which may be NULL. */
oct_status oct_reference_write(char **out, const char *format, const char *wanted,
                               const oct_added *added);
oct_status oct_reference_json(char **out, const char *wanted, const oct_added *added);

/* What is left of the path behind a name: "theta" of "gravity.theta" behind gravity; NULL, which
 * is all there is below, where the path ends there; the path itself where the name is not on it. */
const char *oct_wanted_behind(const char *wanted, const char *name);
/* Whether a field, one of its choices or a field within it is wanted; or any of a table. */
bool oct_wanted_field(const char *wanted, const oct_field *field);
bool oct_wanted_fields(const char *wanted, const oct_field *fields);
/* Whether a module, or a field of it, is wanted. */
bool oct_wanted_module(const char *wanted, const oct_module *module);
bool oct_wanted_columns(const char *wanted, const oct_diag *diag);

/* What stands in a section: fields whatever module is chosen, and the modules. */
typedef struct oct_offered {
    oct_field fields[OCT_SECTION_FIELDS];
    const oct_module *modules[OCT_MOST_MODULES];
    size_t n;
    const char *of_fields, *of_modules; /* what is wanted of them */
} oct_offered;
/* False: nothing of it is wanted. A section also goes by the key that names its module, and in the
 * singular. */
bool oct_wanted_section(oct_offered *out, const oct_section *section, const char *wanted,
                        const oct_added *added);

/* Lists of words, one a line and each once: names that can be wanted, and keys of a scene. */
oct_status oct_reference_names(char **out, const oct_added *added);
oct_status oct_reference_keys(char **out, const oct_added *added);

/* The same text in several forms. */
typedef enum oct_leaf_style { OCT_LEAF_TEXT, OCT_LEAF_MARKDOWN, OCT_LEAF_MAN } oct_leaf_style;

typedef struct oct_leaf {
    oct_text text;
    oct_leaf_style style;
} oct_leaf;

void oct_leaf_title(oct_leaf *leaf);
/* Level 2: a section; 3: a module of it. */
void oct_leaf_heading(oct_leaf *leaf, int level, const char *name, const char *doc);
/* A sentence below a heading; `code` is set apart, between the two halves of it. */
void oct_leaf_sentence(oct_leaf *leaf, const char *before, const char *code, const char *after);
void oct_leaf_columns(oct_leaf *leaf, const char *first, const char *second, const char *third);
void oct_leaf_row(oct_leaf *leaf, const char *name, const char *what, const char *initial,
                  const char *doc);

#endif
