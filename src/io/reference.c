#include "io/reference.h"

#include "core/units.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MODULES = 128, NAME_BYTES = 96 };

/* Markdown and plain text say the same; they differ in headings and in the form of rows. */
typedef struct page {
    oct_text text;
    bool markdown;
} page;

static void heading(page *p, int level, const char *name, const char *doc)
{
    if (!p->markdown) {
        oct_text_add(&p->text, "%s%*s%s: %s\n", level < 3 && p->text.length ? "\n" : "",
                     2 * (level - 2), "", name, doc);
        return;
    }
    size_t length = strlen(doc);
    const char *stop = length && doc[length - 1] == '.' ? "" : ".";
    oct_text_add(&p->text, "\n%.*s %s\n\n%c%s%s\n", level, "####", name,
                 toupper((unsigned char)doc[0]), length ? doc + 1 : "", stop);
}

static void table_head(page *p, const char *first, const char *second, const char *third)
{
    if (p->markdown)
        oct_text_add(&p->text, "\n| %s | %s | %s | |\n|---|---|---|---|\n", first, second, third);
}

static void row(page *p, const char *name, const char *what, const char *initial, const char *doc)
{
    if (p->markdown) {
        oct_text_add(&p->text, "| `%s` | %s | %s | %s |\n", name, what, initial, doc);
        return;
    }
    oct_text_add(&p->text, "      %-18s %s%s%s\n", name, what, initial[0] ? ", " : "", initial);
    if (doc[0])
        oct_text_add(&p->text, "      %-18s %s\n", "", doc);
}

/* initial stands for the default of fields that have none of their own. */
static void field_rows(page *p, const oct_field *fields, const char *prefix, const char *initial)
{
    for (const oct_field *f = fields; f && f->type != OCT_FIELD_END; f++) {
        char name[NAME_BYTES], what[500], value[300];
        snprintf(name, sizeof name, "%s%s", prefix, f->name);
        if (f->type == OCT_FIELD_GROUP) {
            strncat(name, ".", sizeof name - strlen(name) - 1);
            field_rows(p, f->group, name, initial);
            continue;
        }
        oct_field_expect(what, sizeof what, f);
        const char *quote = p->markdown ? "`" : "";
        if (f->initial)
            snprintf(value, sizeof value, "%s%s%s%s", p->markdown ? "" : "default ", quote,
                     f->initial[0] ? f->initial : "\"\"", quote);
        else
            snprintf(value, sizeof value, "%s", initial);
        row(p, name, what, value, f->doc ? f->doc : "");
    }
}

static void field_table(page *p, const oct_field *fields)
{
    if (!fields || fields->type == OCT_FIELD_END)
        return;
    table_head(p, "key", "value", "default");
    field_rows(p, fields, "", "required");
}

static void section_page(page *p, const oct_section *s)
{
    heading(p, 2, s->name, s->doc);
    const char *tick = p->markdown ? "`" : "", *end = p->markdown ? "\n" : "";
    if (s->selector)
        oct_text_add(&p->text,
                     "%s%s%s%s%s names the module (default %s%s%s); its fields stand "
                     "beside it.\n",
                     end, p->markdown ? "" : "  ", tick, s->selector, tick, tick, s->initial, tick);
    else if (s->list)
        oct_text_add(&p->text,
                     "%s%sEach entry is %s- NAME: {...}%s with the fields of the module "
                     "NAME%s.\n",
                     end, p->markdown ? "" : "  ", tick, tick, s->fields ? " and those here" : "");
    field_table(p, s->fields);
    const oct_module *modules[MOST_MODULES];
    size_t n = oct_section_modules(modules, MOST_MODULES, s);
    for (size_t i = 0; i < n; i++) {
        char title[NAME_BYTES];
        snprintf(title, sizeof title, "%s%s%s", p->markdown ? s->name : "", p->markdown ? ": " : "",
                 modules[i]->name);
        heading(p, 3, title, modules[i]->doc);
        field_table(p, modules[i]->fields);
    }
}

static void units_page(page *p)
{
    heading(p, 2, "Units",
            "a number may carry units, such as 10 yr, 100 m or 400 kg/m^2; plain "
            "numbers are in the units of the scene");
    table_head(p, "unit", "dimension", "in SI");
    const char *symbol;
    oct_dimension dimension;
    double si;
    for (size_t i = 0; oct_units_symbol(i, &symbol, &dimension, &si); i++) {
        char name[64], value[40] = "";
        oct_units_dimension(name, sizeof name, dimension);
        if (si > 0)
            snprintf(value, sizeof value, "%.10g", si);
        row(p, symbol, name, value, si > 0 ? "" : "2 pi / omega of the box");
    }
}

static void diagnostics_page(page *p)
{
    heading(p, 2, "Diagnostics", "what a run measures; the names of columns in diagnostics.csv");
    for (const oct_diag *const *d = oct_diags; *d; d++) {
        heading(p, 3, (*d)->name, (*d)->doc);
        table_head(p, "column", "dimension", "numbers");
        for (const oct_column *c = (*d)->columns; c->name; c++) {
            char dimension[64];
            oct_units_dimension(dimension, sizeof dimension,
                                (oct_dimension){c->length, c->mass, c->time});
            row(p, c->name, dimension, c->count == 3 ? "3" : "1", c->doc);
        }
    }
}

static oct_status write_page(char **out, bool markdown)
{
    page p = {.markdown = markdown};
    if (markdown)
        oct_text_add(&p.text, "# Scene reference\n\nGenerated by `octant list --markdown` "
                              "from the tables that the scene loader reads.\n");
    heading(&p, 2, "Top of a scene", "keys that stand before the sections");
    table_head(&p, "key", "value", "default");
    field_rows(&p, oct_scene_fields, "", "required");
    field_rows(&p, oct_scene_constants, "", "default that of the units");
    for (const oct_section *s = oct_sections; s->name; s++)
        section_page(&p, s);
    units_page(&p);
    diagnostics_page(&p);
    return oct_text_take(out, &p.text);
}

oct_status oct_reference(char **out, const char *format)
{
    static const char *const formats[] = {"text", "json", "markdown"};
    for (int i = 0; i < 3; i++)
        if (strcmp(format, formats[i]) == 0)
            return i == 1 ? oct_reference_json(out) : write_page(out, i == 2);
    const char *nearest = oct_text_nearest(format, formats, 3);
    return OCT_FAIL(OCT_STATUS_INPUT,
                    "'%.40s' is no format of the reference; expected text, json "
                    "or markdown%s%s%s",
                    format, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                    nearest ? "'?" : "");
}
