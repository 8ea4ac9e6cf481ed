/* Goes through the tables section by section; pages for people and for man share the walk. */
#include "io/reference.h"

#include "core/units.h"
#include "io/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 96 };

/* initial stands for the default of fields that have none of their own. */
static void field_rows(oct_leaf *p, const oct_field *fields, const char *wanted, const char *prefix,
                       const char *initial)
{
    for (const oct_field *f = fields; f && f->type != OCT_FIELD_END; f++) {
        char name[NAME_BYTES], what[500], value[300];
        if (!oct_wanted_field(wanted, f))
            continue;
        snprintf(name, sizeof name, "%s%s", prefix, f->name);
        if (f->type == OCT_FIELD_GROUP) {
            strncat(name, ".", sizeof name - strlen(name) - 1);
            field_rows(p, f->group, oct_wanted_behind(wanted, f->name), name, initial);
            continue;
        }
        oct_field_expect(what, sizeof what, f);
        bool markdown = p->style == OCT_LEAF_MARKDOWN;
        const char *quote = markdown ? "`" : "";
        if (f->initial)
            snprintf(value, sizeof value, "%s%s%s%s", markdown ? "" : "default ", quote,
                     f->initial[0] ? f->initial : "\"\"", quote);
        else
            snprintf(value, sizeof value, "%s", initial);
        oct_leaf_row(p, name, what, value, f->doc);
    }
}

static void field_table(oct_leaf *p, const oct_field *fields, const char *wanted)
{
    if (!oct_wanted_fields(wanted, fields))
        return;
    oct_leaf_columns(p, "key", "value", "default");
    field_rows(p, fields, wanted, "", "required");
}

static void section_page(oct_leaf *p, const oct_section *s, const char *wanted,
                         const oct_added *added)
{
    oct_offered here;
    if (!oct_wanted_section(&here, s, wanted, added))
        return;
    oct_leaf_heading(p, 2, s->name, s->doc);
    if (s->selector) {
        char rest[NAME_BYTES];
        const char *tick = p->style == OCT_LEAF_MARKDOWN ? "`" : "";
        snprintf(rest, sizeof rest,
                 " names the module (default %s%s%s); its fields stand beside it.", tick,
                 s->initial, tick);
        oct_leaf_sentence(p, "", s->selector, rest);
    } else if (s->named) {
        oct_leaf_sentence(p, "Each entry is ", "NAME: {...}", ", NAME a word of yours.");
    } else if (s->list) {
        oct_leaf_sentence(p, "Each entry is ", "- NAME: {...}",
                          s->fields ? " with the fields of the module NAME and those here."
                                    : " with the fields of the module NAME.");
    }
    field_table(p, here.fields, here.of_fields);
    for (size_t i = 0; i < here.n; i++) {
        const oct_module *module = here.modules[i];
        char title[NAME_BYTES];
        bool full = p->style == OCT_LEAF_MARKDOWN;
        if (!oct_wanted_module(here.of_modules, module))
            continue;
        snprintf(title, sizeof title, "%s%s%s", full ? s->name : "", full ? ": " : "",
                 module->name);
        oct_leaf_heading(p, 3, title, module->doc);
        field_table(p, module->fields, oct_wanted_behind(here.of_modules, module->name));
    }
}

static void top_page(oct_leaf *p, const char *wanted)
{
    if (!oct_wanted_fields(wanted, oct_scene_fields) &&
        !oct_wanted_fields(wanted, oct_scene_constants))
        return;
    oct_leaf_heading(p, 2, "Top of a scene", "keys that stand before the sections");
    oct_leaf_columns(p, "key", "value", "default");
    field_rows(p, oct_scene_fields, wanted, "", "required");
    field_rows(p, oct_scene_constants, wanted, "", "default that of the units");
}

static void units_page(oct_leaf *p, const char *wanted)
{
    if (oct_wanted_behind(wanted, "units") && oct_wanted_behind(wanted, "unit"))
        return;
    oct_leaf_heading(p, 2, "Units",
                     "a number may carry units, such as 10 yr, 100 m or 400 kg/m^2; plain "
                     "numbers are in the units of the scene");
    oct_leaf_columns(p, "unit", "dimension", "in SI");
    const char *symbol;
    oct_dimension dimension;
    double si;
    for (size_t i = 0; oct_units_symbol(i, &symbol, &dimension, &si); i++) {
        char name[64], value[40] = "";
        oct_units_dimension(name, sizeof name, dimension);
        if (si > 0)
            snprintf(value, sizeof value, "%.10g", si);
        oct_leaf_row(p, symbol, name, value, si > 0 ? "" : "2 pi / omega of the box");
    }
}

static void diagnostics_page(oct_leaf *p, const char *wanted, const oct_added *added)
{
    bool headed = false;
    const char *inner = oct_wanted_behind(wanted, "diagnostics");
    const oct_diag *d;
    for (size_t i = 0; (d = oct_added_diag(added, i)) != NULL; i++) {
        const char *within = oct_wanted_behind(inner, d->name);
        if (within && !oct_wanted_columns(within, d))
            continue;
        if (!headed)
            oct_leaf_heading(p, 2, "Diagnostics",
                             "what a run measures; the names of columns in diagnostics.csv");
        headed = true;
        oct_leaf_heading(p, 3, d->name, d->doc);
        oct_leaf_columns(p, "column", "dimension", "numbers");
        for (const oct_column *c = d->columns; c->name; c++) {
            char dimension[64];
            oct_units_dimension(dimension, sizeof dimension,
                                (oct_dimension){c->length, c->mass, c->time});
            if (!oct_wanted_behind(within, c->name))
                oct_leaf_row(p, c->name, dimension, c->count == 3 ? "3" : "1", c->doc);
        }
    }
}

static oct_status write_page(char **out, oct_leaf_style style, const char *wanted,
                             const oct_added *added)
{
    oct_leaf p = {.style = style};
    if (!wanted)
        oct_leaf_title(&p);
    top_page(&p, wanted);
    for (const oct_section *s = oct_sections; s->name; s++)
        section_page(&p, s, wanted, added);
    units_page(&p, wanted);
    diagnostics_page(&p, wanted, added);
    return oct_text_take(out, &p.text);
}

/* Nothing has that name. */
static oct_status unknown_name(const char *name, const oct_added *added)
{
    char *lines = NULL;
    const char **names = NULL, *line;
    size_t n = 0;
    oct_status status;
    OCT_TRY_DONE(oct_reference_names(&lines, added));
    for (line = lines; (line = strchr(line, '\n')) != NULL; line++)
        n++;
    OCT_TRY_DONE(oct_alloc(&names, n, sizeof *names, "names"));
    line = lines;
    for (size_t i = 0; i < n; i++, line += strlen(line) + 1) {
        names[i] = line;
        lines[(size_t)(strchr(line, '\n') - lines)] = '\0';
    }
    const char *nearest = oct_text_nearest(name, names, n);
    status = OCT_FAIL(
        OCT_STATUS_MISSING,
        "nothing in a scene is called '%.40s'; expected the name of a section, a module, a "
        "key or a column%s%s%s",
        name, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
done:
    free(names);
    oct_text_free(lines);
    return status;
}

oct_status oct_reference_write(char **out, const char *format, const char *wanted,
                               const oct_added *added)
{
    static const char *const formats[] = {"text", "markdown", "man", "json", "names", "keys"};
    enum { PAGES = 3, FORMATS = sizeof formats / sizeof formats[0] };
    size_t i = 0;
    while (i < FORMATS && strcmp(format, formats[i]) != 0)
        i++;
    if (i == FORMATS) {
        const char *nearest = oct_text_nearest(format, formats, FORMATS);
        return OCT_FAIL(OCT_STATUS_INPUT,
                        "'%.40s' is no format of the reference; expected text, markdown, man, "
                        "json, names or keys%s%s%s",
                        format, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                        nearest ? "'?" : "");
    }
    if (i > PAGES)
        return i == PAGES + 1 ? oct_reference_names(out, added) : oct_reference_keys(out, added);
    OCT_TRY(write_page(out, i < PAGES ? (oct_leaf_style)i : OCT_LEAF_TEXT, wanted, added));
    bool found = (*out)[0] != '\0';
    if (found && i < PAGES)
        return OCT_STATUS_OK;
    oct_text_free(*out);
    *out = NULL;
    return found ? oct_reference_json(out, wanted, added) : unknown_name(wanted, added);
}

oct_status oct_reference(char **out, const char *format)
{
    return oct_reference_write(out, format, NULL, NULL);
}

oct_status oct_reference_of(char **out, const char *format, const char *name)
{
    return oct_reference_write(out, format, name, NULL);
}

oct_status oct_scene_reference(char **out, const oct_scene *scene, const char *format,
                               const char *name)
{
    return oct_reference_write(out, format, name, oct_scene_added(scene));
}
