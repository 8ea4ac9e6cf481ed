/* Modules are found by name: in the lists that the build generates, and among those that a program
 * has added. */
#include "core/module.h"

#include <stdlib.h>
#include <string.h>

#include "util/status.h"

const oct_module *oct_module_find(const void *list, const char *name)
{
    /* Every table starts with the same head, and all pointers to structs are alike in C. */
    for (const oct_module *const *module = list; *module; module++)
        if (strcmp((*module)->name, name) == 0)
            return *module;
    return NULL;
}

const void *oct_module_list(oct_family family)
{
    const void *const lists[] = {
        [OCT_FAMILY_MODEL] = oct_models,           [OCT_FAMILY_FORCE] = oct_forces,
        [OCT_FAMILY_INTEGRATOR] = oct_integrators, [OCT_FAMILY_BOUNDARY] = oct_boundaries,
        [OCT_FAMILY_COLLISION] = oct_collisions,   [OCT_FAMILY_DIAG] = oct_diags};
    return (size_t)family < sizeof lists / sizeof lists[0] ? lists[family] : NULL;
}

const oct_module *oct_added_at(const oct_added *added, const void *list, size_t index)
{
    for (size_t i = 0; i < added->n; i++)
        if (oct_module_list(added->items[i].family) == list && index-- == 0)
            return added->items[i].module;
    return NULL;
}

const oct_diag *oct_added_diag(const oct_added *added, size_t index)
{
    size_t n = 0;
    while (oct_diags[n])
        n++;
    if (index < n)
        return oct_diags[index];
    return added ? (const oct_diag *)oct_added_at(added, oct_diags, index - n) : NULL;
}

static size_t count(const oct_added *added, const void *list)
{
    size_t n = 0, n_added = 0;
    for (const oct_module *const *module = list; module[n];)
        n++;
    while (oct_added_at(added, list, n_added))
        n_added++;
    return n + n_added;
}

/* Whether a table has the functions without which its family does not work. */
static bool is_whole(oct_family family, const void *table)
{
    const oct_model *model = table;
    const oct_force *force = table;
    const oct_integrator *integrator = table;
    const oct_boundary *boundary = table;
    const oct_collision *collision = table;
    const oct_diag *diag = table;
    switch (family) {
    case OCT_FAMILY_MODEL:
        return model->count && model->generate;
    case OCT_FAMILY_FORCE:
        return force->accumulate != NULL;
    case OCT_FAMILY_INTEGRATOR:
        return integrator->step != NULL;
    case OCT_FAMILY_BOUNDARY:
        return boundary->size && (!boundary->image || (boundary->ghosts && boundary->repeats));
    case OCT_FAMILY_COLLISION:
        return collision->collide && (!collision->left || collision->impacts);
    default:
        return diag->columns && (diag->measure || diag->derive);
    }
}

/* A word that stands in a scene as it is. */
static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    return *name && strchr(letters, *name) &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

/* A column is a word of tables that has no other meaning there. */
static oct_status check_columns(const oct_added *added, const oct_diag *diag)
{
    const oct_diag *other;
    for (const oct_column *c = diag->columns; c->name; c++) {
        bool there = strcmp(c->name, "step") == 0 || strcmp(c->name, "time") == 0;
        for (size_t i = 0; (other = oct_added_diag(added, i)) != NULL; i++)
            for (const oct_column *o = other->columns; o->name; o++)
                there = there || strcmp(o->name, c->name) == 0;
        for (const oct_column *o = diag->columns; o < c; o++)
            there = there || strcmp(o->name, c->name) == 0;
        OCT_CHECK(!there, OCT_STATUS_INPUT, "module '%s': there is a column '%s' already",
                  diag->name, c->name);
        OCT_CHECK(oct_field_identifier(c->name) && (c->count == 1 || c->count == 3),
                  OCT_STATUS_INPUT,
                  "module '%s': column '%.40s' has %u numbers; expected a name of letters, digits "
                  "and '_', and 1 or 3 numbers",
                  diag->name, c->name, c->count);
    }
    return OCT_STATUS_OK;
}

oct_status oct_added_check(const oct_added *added, oct_family family, const void *table)
{
    const oct_module *module = table, *there;
    const void *list = oct_module_list(family);
    OCT_CHECK(list, OCT_STATUS_INPUT, "there is no family %d of modules", (int)family);
    OCT_CHECK(module && module->name && is_name(module->name), OCT_STATUS_INPUT,
              "a module has no name that a scene could say; expected a small letter, then small "
              "letters, digits and '-'");
    /* Who adds a module may have been compiled apart from it. */
    OCT_CHECK(module->version == 0 || module->version == OCT_MODULE_VERSION, OCT_STATUS_INPUT,
              "module '%s' was compiled for version %u of the tables, and the library has %d: "
              "compile it anew",
              module->name, module->version, OCT_MODULE_VERSION);
    OCT_CHECK(is_whole(family, table), OCT_STATUS_INPUT,
              "module '%s' lacks functions that its family needs", module->name);
    there = oct_module_find(list, module->name);
    for (size_t i = 0; !there && oct_added_at(added, list, i); i++)
        if (strcmp(oct_added_at(added, list, i)->name, module->name) == 0)
            there = oct_added_at(added, list, i);
    OCT_CHECK(!there, OCT_STATUS_INPUT, "there is a module '%s' in its family already",
              module->name);
    OCT_CHECK(count(added, list) < OCT_MOST_MODULES, OCT_STATUS_INPUT,
              "module '%s' is one too many: its family has %d already", module->name,
              OCT_MOST_MODULES);
    OCT_CHECK(family != OCT_FAMILY_DIAG || !((const oct_diag *)table)->table, OCT_STATUS_INPUT,
              "module '%s' has a table of its own, which only the library's have", module->name);
    return family == OCT_FAMILY_DIAG ? check_columns(added, table) : OCT_STATUS_OK;
}

oct_status oct_added_add(oct_added *added, oct_family family, const void *table)
{
    OCT_TRY(oct_realloc(&added->items, added->n + 1, sizeof *added->items, "modules"));
    added->items[added->n++] = (struct oct_added_module){family, table};
    return OCT_STATUS_OK;
}

oct_status oct_added_copy(oct_added *out, const oct_added *added)
{
    *out = (oct_added){0};
    if (added->n == 0)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&out->items, added->n, sizeof *out->items, "modules"));
    memcpy(out->items, added->items, added->n * sizeof *out->items);
    out->n = added->n;
    return OCT_STATUS_OK;
}

void oct_added_clear(oct_added *added)
{
    free(added->items);
    *added = (oct_added){0};
}
