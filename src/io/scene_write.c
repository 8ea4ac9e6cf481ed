/* The scene as resolved: every field of every module with its value. */
#include "io/scene_bind.h"

#include "util/number.h"

#include <inttypes.h>
#include <string.h>

static void add_real(oct_text *out, double x)
{
    char number[OCT_NUMBER_BYTES];
    oct_number_write(number, x);
    oct_text_add(out, "%s", number);
}

static void add_texts(oct_text *out, const oct_texts *texts)
{
    oct_text_add(out, "[");
    for (size_t i = 0; i < texts->n; i++) {
        oct_text_add(out, "%s", i ? ", " : "");
        oct_text_add_json(out, texts->items[i]);
    }
    oct_text_add(out, "]");
}

static void add_reals(oct_text *out, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        oct_text_add(out, i ? ", " : "[");
        add_real(out, values[i]);
    }
    oct_text_add(out, "]");
}

static void add_numbers(oct_text *out, const oct_parameter *p)
{
    if (p->list)
        add_reals(out, p->values, p->n);
    else
        add_real(out, *p->values);
}

static void add_parameters(oct_text *out, const oct_parameters *parameters)
{
    oct_text_add(out, "{");
    for (size_t i = 0; i < parameters->n; i++) {
        oct_text_add(out, "%s%s: ", i ? ", " : "", parameters->items[i].name);
        add_numbers(out, &parameters->items[i]);
    }
    oct_text_add(out, "}");
}

static void add_value(oct_text *out, const oct_field *f, const void *slot)
{
    const double *real = slot;
    const int64_t *integer = slot;
    switch (f->type) {
    case OCT_FIELD_REAL:
    case OCT_FIELD_SECONDS:
        add_real(out, *real);
        break;
    case OCT_FIELD_REAL3:
        add_reals(out, real, 3);
        break;
    case OCT_FIELD_INT:
        oct_text_add(out, "%" PRId64, *integer);
        break;
    case OCT_FIELD_INT3:
        oct_text_add(out, "[%" PRId64 ", %" PRId64 ", %" PRId64 "]", integer[0], integer[1],
                     integer[2]);
        break;
    case OCT_FIELD_BOOL:
        oct_text_add(out, "%s", *(const bool *)slot ? "true" : "false");
        break;
    case OCT_FIELD_CHOICE:
        oct_text_add(out, "%s", f->choices[*(const int *)slot]);
        break;
    case OCT_FIELD_TEXTS:
        add_texts(out, slot);
        break;
    case OCT_FIELD_PARAMETERS:
        add_parameters(out, slot);
        break;
    case OCT_FIELD_NUMBERS:
        add_numbers(out, slot);
        break;
    case OCT_FIELD_CODE:
        oct_text_add_json(out, ((const oct_code *)slot)->text);
        break;
    default:
        oct_text_add_json(out, *(char *const *)slot);
    }
}

/* The fields of a filled struct, a line each. */
static void add_fields(oct_text *out, int indent, const void *state, const oct_field *fields)
{
    for (const oct_field *f = fields; f && f->type != OCT_FIELD_END; f++) {
        const void *slot = (const char *)state + f->offset;
        oct_text_add(out, "%*s%s:", indent, "", f->name);
        if (f->type == OCT_FIELD_GROUP) {
            oct_text_add(out, "\n");
            add_fields(out, indent + 2, slot, f->group);
        } else if (f->type == OCT_FIELD_MODEL) {
            const oct_model_entry *entry = slot;
            oct_text_add(out, "\n%*s%s:\n", indent + 2, "", entry->model.module->name);
            add_fields(out, indent + 4, entry->model.state, entry->model.module->fields);
            add_fields(out, indent + 4, &entry->placement, oct_placement_fields);
        } else {
            oct_text_add(out, " ");
            add_value(out, f, slot);
            oct_text_add(out, "\n");
        }
    }
}

/* The module at base, and the plan beside it. */
static void add_module(oct_text *out, int indent, const oct_section *section, const char *base)
{
    if (section->modules && !section->every) {
        const oct_choice *choice = (const oct_choice *)(const void *)(base + section->choice);
        if (section->selector)
            oct_text_add(out, "%*s%s: %s\n", indent, "", section->selector, choice->module->name);
        add_fields(out, indent, choice->state, choice->module->fields);
    }
    add_fields(out, indent, base + section->plan, section->fields);
}

static void add_list(oct_text *out, const oct_section *section, const oct_setup *setup)
{
    size_t n;
    const char *items;
    memcpy(&n, (const char *)setup + section->count, sizeof n);
    memcpy(&items, (const char *)setup + section->items, sizeof items);
    oct_text_add(out, "%s:%s\n", section->name, n ? "" : " []");
    for (size_t i = 0; i < n; i++) {
        const char *item = items + i * section->item_size;
        const oct_choice *choice = (const oct_choice *)(const void *)(item + section->choice);
        bool empty = !section->fields &&
                     (!choice->module->fields || choice->module->fields->type == OCT_FIELD_END);
        oct_text_add(out, "  - %s:%s\n", choice->module->name, empty ? " {}" : "");
        add_module(out, 6, section, item);
    }
}

/* The fields of all modules, also of those that do not apply: they may after a change. */
static void add_every(oct_text *out, const oct_section *section, const oct_setup *setup)
{
    size_t n;
    const oct_choice *choices;
    memcpy(&n, (const char *)setup + section->count, sizeof n);
    memcpy(&choices, (const char *)setup + section->items, sizeof choices);
    for (size_t i = 0; i < n; i++)
        add_fields(out, 2, choices[i].state, choices[i].module->fields);
}

static void add_named(oct_text *out, const oct_section *section, const oct_setup *setup)
{
    size_t n;
    const char *item;
    memcpy(&n, (const char *)setup + section->count, sizeof n);
    memcpy(&item, (const char *)setup + section->items, sizeof item);
    oct_text_add(out, "%s:%s\n", section->name, n ? "" : " {}");
    for (; n > 0; n--, item += section->item_size) {
        oct_text_add(out, "  %s:\n", *(char *const *)(const void *)item);
        add_fields(out, 4, item, section->fields);
    }
}

oct_status oct_scene_write(char **out, const oct_setup *setup)
{
    oct_text text = {0};
    oct_text_add(&text, "title: ");
    oct_text_add_json(&text, setup->title);
    oct_text_add(&text, "\nseed: %" PRIu64 "\nunits: %s\n", setup->seed, setup->units.name);
    add_fields(&text, 0, &setup->units, oct_scene_constants);
    for (const oct_section *s = oct_sections; s->name; s++) {
        if (s->absent && s->absent(setup))
            continue;
        if (s->named) {
            add_named(&text, s, setup);
        } else if (s->list) {
            add_list(&text, s, setup);
        } else {
            oct_text_add(&text, "%s:\n", s->name);
            add_module(&text, 2, s, (const char *)setup);
            if (s->every)
                add_every(&text, s, setup);
        }
    }
    return oct_text_take(out, &text);
}
