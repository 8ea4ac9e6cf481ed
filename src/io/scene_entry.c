/* Modules of a section: listed, found by name, and filled from a map of the scene. */
#include "io/scene_bind.h"

#include <string.h>

size_t oct_section_registered(const oct_module **out, size_t most, const oct_section *section,
                              const oct_added *added)
{
    size_t n = 0;
    const oct_module *module;
    for (const oct_module *const *m = section->modules; m && *m && n < most; m++)
        if (!section->takes || section->takes(*m))
            out[n++] = *m;
    for (size_t i = 0; added && n < most; i++) {
        if (!(module = oct_added_at(added, section->modules, i)))
            break;
        if (!section->takes || section->takes(module))
            out[n++] = module;
    }
    return n;
}

size_t oct_section_modules(const oct_module **out, size_t most, const oct_section *section,
                           const oct_added *added)
{
    return section->every ? 0 : oct_section_registered(out, most, section, added);
}

static size_t add_fields(oct_field out[OCT_SECTION_FIELDS], size_t n, const oct_field *fields)
{
    for (; fields && fields->type != OCT_FIELD_END && n + 1 < OCT_SECTION_FIELDS; fields++)
        out[n++] = *fields;
    return n;
}

void oct_section_fields(oct_field out[OCT_SECTION_FIELDS], const oct_section *section,
                        const oct_added *added)
{
    const oct_module *modules[OCT_MOST_MODULES];
    size_t n = add_fields(out, 0, section->fields);
    size_t n_modules =
        section->every ? oct_section_registered(modules, OCT_MOST_MODULES, section, added) : 0;
    for (size_t i = 0; i < n_modules; i++)
        n = add_fields(out, n, modules[i]->fields);
    out[n] = (oct_field){0};
}

oct_status oct_section_find(const oct_module **out, const oct_binder *binder,
                            const oct_section *section, const oct_node *node,
                            const oct_key_path *path, const char *name)
{
    const oct_module *modules[OCT_MOST_MODULES];
    const char *names[OCT_MOST_MODULES];
    size_t n = oct_section_modules(modules, OCT_MOST_MODULES, section, binder->added);
    for (size_t i = 0; i < n; i++) {
        names[i] = modules[i]->name;
        if (strcmp(names[i], name) == 0) {
            *out = modules[i];
            return OCT_STATUS_OK;
        }
    }
    return oct_node_fail_unknown(binder->label, node, path, "name", name, names, n);
}

oct_status oct_bind_module(const oct_binder *binder, const oct_section *section,
                           const oct_module *module, char *base, const oct_node *map,
                           const oct_key_path *path)
{
    oct_part parts[2];
    size_t n = 0;
    if (module) {
        oct_choice *choice = (oct_choice *)(void *)(base + section->choice);
        OCT_TRY(oct_choice_init(choice, module));
        parts[n++] = (oct_part){choice->state, module->fields};
    }
    parts[n++] = (oct_part){base + section->plan, section->fields};
    return oct_bind(binder, map, path, section->selector, parts, n);
}

oct_status oct_bind_entry(const oct_binder *binder, const oct_section *section, char *base,
                          const oct_node *entry, const oct_key_path *path)
{
    if (entry->kind != OCT_NODE_MAP || entry->n == 0)
        return oct_node_fail(binder->label, entry, path,
                             "the entry does not name a module; expected 'NAME: {...}'");
    size_t last = entry->n - 1;
    oct_key_path inner = {.parent = path, .key = entry->keys[last]};
    if (last > 0)
        return oct_node_fail(binder->label, entry->items[last], &inner,
                             "the entry names '%s' already; expected one module in an entry",
                             entry->keys[0]);
    const oct_module *module = NULL;
    OCT_TRY(oct_section_find(&module, binder, section, entry->items[0], &inner, entry->keys[0]));
    return oct_bind_module(binder, section, module, base, entry->items[0], &inner);
}

oct_status oct_bind_model(const oct_binder *binder, oct_model_entry *out, const oct_node *entry,
                          const oct_key_path *path)
{
    const oct_section *models = oct_sections;
    while (models->modules != oct_models)
        models++;
    return oct_bind_entry(binder, models, (char *)out, entry, path);
}
