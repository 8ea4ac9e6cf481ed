/* Names of models: components, which bodies carry as a number in a column. */
#include "core/setup.h"

#include "util/status.h"
#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char column_name[] = "component";

/* The number of a name among an entry and the models within it; 0: it is not there. */
static int64_t find_within(const oct_model_entry *entry, const char *name)
{
    const oct_model_entry *inner;
    if (strcmp(entry->placement.name, name) == 0)
        return entry->placement.component;
    for (size_t i = 0; (inner = oct_choice_within(&entry->model, i, NULL)) != NULL; i++) {
        int64_t found = find_within(inner, name);
        if (found)
            return found;
    }
    return 0;
}

int64_t oct_setup_component(const oct_setup *setup, const char *name)
{
    int64_t found = 0;
    for (size_t i = 0; i < setup->n_models && !found && name[0]; i++)
        found = find_within(&setup->models[i], name);
    return found;
}

/* `around` is the component of the model that an entry is in. */
static void name_entry(int64_t *count, oct_model_entry *entry, int64_t around,
                       const oct_setup *setup)
{
    oct_placement *placement = &entry->placement;
    oct_model_entry *inner;
    placement->component = around;
    if (placement->name[0]) {
        placement->component = 0; /* not to be found as itself */
        int64_t found = oct_setup_component(setup, placement->name);
        placement->component = found ? found : ++*count;
    }
    for (size_t i = 0; (inner = oct_choice_within(&entry->model, i, NULL)) != NULL; i++)
        name_entry(count, inner, placement->component, setup);
}

/* Adds the name of an entry and those within it, where they are the next. */
static void add_names(char *out, size_t bytes, int64_t *last, const oct_model_entry *entry)
{
    const oct_placement *placement = &entry->placement;
    const oct_model_entry *inner;
    size_t used = strlen(out), length = strlen(placement->name) + (used > 0);
    if (placement->name[0] && placement->component == *last + 1 && length < bytes - used) {
        snprintf(out + used, bytes - used, "%s%s", used > 0 ? " " : "", placement->name);
        ++*last;
    }
    for (size_t i = 0; (inner = oct_choice_within(&entry->model, i, NULL)) != NULL; i++)
        add_names(out, bytes, last, inner);
}

void oct_setup_component_names(char *out, size_t bytes, const oct_setup *setup)
{
    int64_t last = 0;
    *out = '\0';
    for (size_t i = 0; i < setup->n_models; i++)
        add_names(out, bytes, &last, &setup->models[i]);
}

/* A scene as resolved has the column declared already. */
static oct_status declare(oct_setup *setup)
{
    for (size_t i = 0; i < setup->n_columns; i++) {
        const oct_column_plan *plan = &setup->columns[i];
        if (strcmp(plan->name, column_name) != 0)
            continue;
        OCT_CHECK(plan->width == 1 && plan->type == OCT_COLUMN_CHOICE_INTEGER, OCT_STATUS_INPUT,
                  "columns.%s: models with names have their numbers there; expected one integer",
                  column_name);
        return OCT_STATUS_OK;
    }
    OCT_CHECK(setup->n_columns < OCT_USER_COLUMNS, OCT_STATUS_INPUT,
              "columns: there are %zu, and names of models need one more; expected at most %d",
              setup->n_columns, OCT_USER_COLUMNS - 1);
    oct_column_plan *columns =
        realloc(setup->columns, (setup->n_columns + 1) * sizeof *setup->columns);
    OCT_CHECK(columns, OCT_STATUS_MEMORY, "not enough memory for columns");
    setup->columns = columns;
    oct_column_plan *plan = &columns[setup->n_columns++];
    *plan = (oct_column_plan){.width = 1, .type = OCT_COLUMN_CHOICE_INTEGER, .initial.n = 1};
    OCT_TRY(oct_text_copy(&plan->name, column_name));
    OCT_TRY(oct_text_copy(&plan->unit, ""));
    return oct_alloc(&plan->initial.values, 1, sizeof(double), "columns");
}

oct_status oct_setup_name_models(oct_setup *setup)
{
    int64_t count = 0;
    for (size_t i = 0; i < setup->n_models; i++)
        name_entry(&count, &setup->models[i], 0, setup);
    return count > 0 ? declare(setup) : OCT_STATUS_OK;
}
