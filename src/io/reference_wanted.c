/* Which part of the reference a name stands for. */
#include "io/reference.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Behind "0." of "0.plummer.n": an entry of a list goes by its module. */
static const char *behind_index(const char *path)
{
    size_t digits = strspn(path, "0123456789");
    return digits && path[digits] == '.' ? path + digits + 1 : path;
}

const char *oct_wanted_behind(const char *wanted, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; wanted && i < length; i++)
        if (tolower((unsigned char)wanted[i]) != tolower((unsigned char)name[i]))
            return wanted;
    if (!wanted || wanted[length] == '\0')
        return NULL;
    return wanted[length] == '.' ? behind_index(wanted + length + 1) : wanted;
}

static const char *behind_section(const char *wanted, const oct_section *section)
{
    char singular[64];
    const char *inner = oct_wanted_behind(wanted, section->name);
    size_t length = strlen(section->name);
    if (inner && section->selector)
        inner = oct_wanted_behind(inner, section->selector);
    if (inner != wanted || section->name[length - 1] != 's')
        return inner;
    snprintf(singular, sizeof singular, "%.*s", (int)length - 1, section->name);
    return oct_wanted_behind(wanted, singular);
}

bool oct_wanted_field(const char *wanted, const oct_field *field)
{
    const char *inner = oct_wanted_behind(wanted, field->name);
    if (!inner)
        return true;
    for (size_t i = 0; field->choices && field->choices[i]; i++)
        if (!oct_wanted_behind(inner, field->choices[i]))
            return true;
    return field->type == OCT_FIELD_GROUP && oct_wanted_fields(inner, field->group);
}

bool oct_wanted_fields(const char *wanted, const oct_field *fields)
{
    for (const oct_field *f = fields; f && f->type != OCT_FIELD_END; f++)
        if (oct_wanted_field(wanted, f))
            return true;
    return false;
}

bool oct_wanted_module(const char *wanted, const oct_module *module)
{
    const char *inner = oct_wanted_behind(wanted, module->name);
    return !inner || oct_wanted_fields(inner, module->fields);
}

bool oct_wanted_section(oct_offered *out, const oct_section *section, const char *wanted,
                        const oct_added *added)
{
    const char *inner = out->of_fields = out->of_modules = behind_section(wanted, section);
    out->n = oct_section_modules(out->modules, OCT_MOST_MODULES, section, added);
    oct_section_fields(out->fields, section, added);
    bool any = !inner || oct_wanted_fields(inner, out->fields);
    for (size_t i = 0; i < out->n; i++) {
        /* With a module come the fields beside its own. */
        if (!oct_wanted_behind(inner, out->modules[i]->name))
            out->of_fields = NULL;
        any = any || oct_wanted_module(inner, out->modules[i]);
    }
    return any;
}

bool oct_wanted_columns(const char *wanted, const oct_diag *diag)
{
    for (const oct_column *c = diag->columns; c->name; c++)
        if (!oct_wanted_behind(wanted, c->name))
            return true;
    return false;
}

enum { KEY_BYTES = 160 };

/* Adds a line unless it is there. */
static void add_once(oct_text *out, const char *line)
{
    size_t length = strlen(line);
    for (const char *c = out->data; c && *c; c = strchr(c, '\n') + 1)
        if (strncmp(c, line, length) == 0 && c[length] == '\n')
            return;
    oct_text_add(out, "%s\n", line);
}

/* Adds the names of fields, behind a prefix; those within a group as keys where `keys` is set. */
static void add_fields(oct_text *out, const oct_field *fields, const char *prefix, bool keys)
{
    for (const oct_field *f = fields; f && f->type != OCT_FIELD_END; f++) {
        char name[KEY_BYTES];
        snprintf(name, sizeof name, "%s%s", prefix, f->name);
        if (f->type != OCT_FIELD_GROUP || !keys)
            add_once(out, name);
        if (f->type == OCT_FIELD_GROUP) {
            snprintf(name, sizeof name, "%s%s.", prefix, f->name);
            add_fields(out, f->group, keys ? name : "", keys);
        }
    }
}

oct_status oct_reference_names(char **out, const oct_added *added)
{
    const oct_diag *d;
    oct_text text = {0};
    add_fields(&text, oct_scene_fields, "", false);
    add_fields(&text, oct_scene_constants, "", false);
    for (const oct_section *s = oct_sections; s->name; s++) {
        oct_offered all;
        (void)oct_wanted_section(&all, s, NULL, added);
        add_once(&text, s->name);
        add_fields(&text, all.fields, "", false);
        for (size_t i = 0; i < all.n; i++) {
            add_once(&text, all.modules[i]->name);
            add_fields(&text, all.modules[i]->fields, "", false);
        }
    }
    add_once(&text, "diagnostics");
    for (size_t i = 0; (d = oct_added_diag(added, i)) != NULL; i++) {
        add_once(&text, d->name);
        for (const oct_column *c = d->columns; c->name; c++)
            add_once(&text, c->name);
    }
    return oct_text_take(out, &text);
}

oct_status oct_reference_keys(char **out, const oct_added *added)
{
    oct_text text = {0};
    add_fields(&text, oct_scene_fields, "", true);
    add_fields(&text, oct_scene_constants, "", true);
    for (const oct_section *s = oct_sections; s->name; s++) {
        oct_offered all;
        (void)oct_wanted_section(&all, s, NULL, added);
        char prefix[KEY_BYTES];
        snprintf(prefix, sizeof prefix, "%s.", s->name);
        if (s->selector) {
            snprintf(prefix, sizeof prefix, "%s.%s", s->name, s->selector);
            add_once(&text, prefix);
            snprintf(prefix, sizeof prefix, "%s.", s->name);
        }
        if (!s->list && !s->named)
            add_fields(&text, all.fields, prefix, true);
        for (size_t i = 0; i < all.n; i++) {
            if (s->list)
                snprintf(prefix, sizeof prefix, "%s.0.%s.", s->name, all.modules[i]->name);
            add_fields(&text, all.modules[i]->fields, prefix, true);
            if (s->list)
                add_fields(&text, s->fields, prefix, true);
        }
    }
    return oct_text_take(out, &text);
}
