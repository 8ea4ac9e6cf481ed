/* The scene reference as JSON, for programs that make forms. */
#include "io/reference.h"

#include "core/units.h"

#include <math.h>

/* "key": "value", with a null where there is none */
static void add_pair(oct_text *out, const char *before, const char *key, const char *value)
{
    oct_text_add(out, "%s\"%s\": ", before, key);
    if (value)
        oct_text_add_json(out, value);
    else
        oct_text_add(out, "null");
}

/* A limit; null where the number is not limited on that side. */
static void add_limit(oct_text *out, const char *key, double limit, bool ranged)
{
    oct_text_add(out, ", \"%s\": ", key);
    oct_text_add_number(out, ranged && fabs(limit) < 1e300 ? limit : NAN);
}

static const char *type_name(oct_field_type type)
{
    static const char *const names[] = {
        [OCT_FIELD_REAL] = "real",       [OCT_FIELD_REAL3] = "real3",
        [OCT_FIELD_INT] = "int",         [OCT_FIELD_INT3] = "int3",
        [OCT_FIELD_BOOL] = "bool",       [OCT_FIELD_TEXT] = "text",
        [OCT_FIELD_PATH] = "path",       [OCT_FIELD_CHOICE] = "choice",
        [OCT_FIELD_TEXTS] = "texts",     [OCT_FIELD_GROUP] = "group",
        [OCT_FIELD_SECONDS] = "seconds", [OCT_FIELD_PARAMETERS] = "parameters",
        [OCT_FIELD_NUMBERS] = "numbers", [OCT_FIELD_CODE] = "code",
        [OCT_FIELD_MODEL] = "model",
    };
    return names[type];
}

static void add_fields(oct_text *out, const oct_field *fields, const char *wanted)
{
    const char *before = "{";
    oct_text_add(out, ", \"fields\": [");
    for (const oct_field *f = fields; f && f->type != OCT_FIELD_END; f++) {
        char expect[500], dimension[64];
        if (!oct_wanted_field(wanted, f))
            continue;
        oct_field_expect(expect, sizeof expect, f);
        oct_units_dimension(dimension, sizeof dimension, f->unit);
        bool ranged = f->min != 0 || f->max != 0;
        add_pair(out, before, "name", f->name);
        before = ", {";
        add_pair(out, ", ", "type", type_name(f->type));
        add_pair(out, ", ", "default", f->initial);
        add_pair(out, ", ", "dimension", dimension);
        add_pair(out, ", ", "expected", expect);
        add_limit(out, "min", f->min, ranged);
        add_limit(out, "max", f->max, ranged);
        oct_text_add(out, ", \"above_min\": %s, \"choices\": [", f->above_min ? "true" : "false");
        for (size_t i = 0; f->choices && f->choices[i]; i++) {
            oct_text_add(out, "%s", i ? ", " : "");
            oct_text_add_json(out, f->choices[i]);
        }
        oct_text_add(out, "]");
        add_pair(out, ", ", "doc", f->doc);
        if (f->type == OCT_FIELD_GROUP)
            add_fields(out, f->group, oct_wanted_behind(wanted, f->name));
        oct_text_add(out, "}");
    }
    oct_text_add(out, "]");
}

/* *before is what comes before it, and before the next one where it is wanted. */
static void add_section(oct_text *out, const oct_section *s, const char *wanted,
                        const oct_added *added, const char **before)
{
    const char *between = "\n{";
    oct_offered here;
    if (!oct_wanted_section(&here, s, wanted, added))
        return;
    add_pair(out, *before, "name", s->name);
    *before = ",\n{";
    add_pair(out, ", ", "doc", s->doc);
    add_pair(out, ", ", "selector", s->selector);
    add_pair(out, ", ", "default", s->initial);
    oct_text_add(out, ", \"list\": %s, \"named\": %s", s->list ? "true" : "false",
                 s->named ? "true" : "false");
    add_fields(out, here.fields, here.of_fields);
    oct_text_add(out, ", \"modules\": [");
    for (size_t i = 0; i < here.n; i++) {
        const oct_module *module = here.modules[i];
        if (!oct_wanted_module(here.of_modules, module))
            continue;
        add_pair(out, between, "name", module->name);
        between = ",\n{";
        add_pair(out, ", ", "doc", module->doc);
        add_fields(out, module->fields, oct_wanted_behind(here.of_modules, module->name));
        oct_text_add(out, "}");
    }
    oct_text_add(out, "]}");
}

static void add_units(oct_text *out)
{
    const char *symbol;
    oct_dimension dimension;
    double si;
    for (size_t i = 0; oct_units_symbol(i, &symbol, &dimension, &si); i++) {
        char name[64];
        oct_units_dimension(name, sizeof name, dimension);
        add_pair(out, i ? ", {" : "{", "symbol", symbol);
        add_pair(out, ", ", "dimension", name);
        oct_text_add(out, ", \"si\": ");
        oct_text_add_number(out, si > 0 ? si : NAN);
        oct_text_add(out, "}");
    }
}

static void add_diagnostics(oct_text *out, const char *wanted, const oct_added *added)
{
    const char *inner = oct_wanted_behind(wanted, "diagnostics"), *before = "{";
    const oct_diag *d;
    for (size_t i = 0; (d = oct_added_diag(added, i)) != NULL; i++) {
        const char *within = oct_wanted_behind(inner, d->name), *between = "{";
        if (within && !oct_wanted_columns(within, d))
            continue;
        add_pair(out, before, "name", d->name);
        before = ",\n{";
        add_pair(out, ", ", "doc", d->doc);
        oct_text_add(out, ", \"columns\": [");
        for (const oct_column *c = d->columns; c->name; c++) {
            char dimension[64];
            if (oct_wanted_behind(within, c->name))
                continue;
            oct_units_dimension(dimension, sizeof dimension,
                                (oct_dimension){c->length, c->mass, c->time});
            add_pair(out, between, "name", c->name);
            between = ", {";
            oct_text_add(out, ", \"count\": %u", c->count);
            add_pair(out, ", ", "dimension", dimension);
            add_pair(out, ", ", "doc", c->doc);
            oct_text_add(out, "}");
        }
        oct_text_add(out, "]}");
    }
}

oct_status oct_reference_json(char **out, const char *wanted, const oct_added *added)
{
    oct_text text = {0};
    const char *before = "{";
    add_pair(&text, "{", "version", oct_version());
    oct_text_add(&text, ",\n\"top\": {\"doc\": \"keys before the sections\"");
    add_fields(&text, oct_scene_fields, wanted);
    oct_text_add(&text, "},\n\"constants\": {\"doc\": \"of the units where they are not given\"");
    add_fields(&text, oct_scene_constants, wanted);
    oct_text_add(&text, "},\n\"sections\": [");
    for (const oct_section *s = oct_sections; s->name; s++)
        add_section(&text, s, wanted, added, &before);
    oct_text_add(&text, "],\n\"units\": [");
    if (!oct_wanted_behind(wanted, "units") || !oct_wanted_behind(wanted, "unit"))
        add_units(&text);
    oct_text_add(&text, "],\n\"diagnostics\": [");
    add_diagnostics(&text, wanted, added);
    oct_text_add(&text, "]}\n");
    return oct_text_take(out, &text);
}
