/* What was measured of members. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/sweep.h"
#include "util/number.h"

void oct_sweep_entry_clear(oct_sweep_entry *member)
{
    for (size_t i = 0; i < member->n_cells; i++) {
        free(member->cells[i].name);
        free(member->cells[i].unit);
        free(member->cells[i].text);
    }
    free(member->cells);
    free(member->failure);
    *member = (oct_sweep_entry){.values = member->values, .seed = member->seed};
}

static oct_cell *find_cell(const oct_sweep_entry *member, const char *name)
{
    for (size_t i = 0; i < member->n_cells; i++)
        if (strcmp(member->cells[i].name, name) == 0)
            return &member->cells[i];
    return NULL;
}

oct_status oct_sweep_cell(oct_sweep_entry *member, const char *name, const char *unit,
                          const char *text)
{
    oct_cell *cell = find_cell(member, name), made = {0};
    oct_status status;
    if (cell) {
        OCT_TRY(oct_text_copy(&made.text, text));
        free(cell->text);
        cell->text = made.text;
        return OCT_STATUS_OK;
    }
    OCT_TRY_DONE(oct_text_copy(&made.name, name));
    OCT_TRY_DONE(oct_text_copy(&made.unit, unit));
    OCT_TRY_DONE(oct_text_copy(&made.text, text));
    OCT_TRY_DONE(oct_realloc(&member->cells, member->n_cells + 1, sizeof *member->cells, "a row"));
    member->cells[member->n_cells++] = made;
    return OCT_STATUS_OK;
done:
    free(made.name);
    free(made.unit);
    free(made.text);
    return status;
}

double oct_sweep_value(const oct_sweep_entry *member, const char *name)
{
    const oct_cell *cell = find_cell(member, name);
    const char *end;
    double value;
    return cell && oct_number_read(&value, &end, cell->text) && !*end ? value : NAN;
}

bool oct_sweep_is_text(const char *name)
{
    return strcmp(name, "state_hash") == 0;
}

/* Whether it is one of the columns that come before what was measured. */
static bool is_fixed(const oct_sweep *sweep, const char *name)
{
    static const char *const names[] = {"member", "seed", "status", "failure"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    for (size_t i = 0; i < sweep->n_keys; i++)
        if (strcmp(sweep->keys[i], name) == 0)
            return true;
    return false;
}

oct_status oct_sweep_put(oct_sweep *sweep, size_t member, const char *name, double value)
{
    char number[OCT_NUMBER_BYTES];
    OCT_CHECK(member < sweep->n, OCT_STATUS_INPUT, "there is no member %zu", member);
    OCT_CHECK(*name && !strpbrk(name, ",\"\n/#") && !is_fixed(sweep, name) &&
                  !oct_sweep_is_text(name),
              OCT_STATUS_INPUT,
              "'%.60s' is no name for a column: expected one that the table does not have, "
              "without commas, quotes and slashes",
              name);
    oct_number_write(number, value);
    return oct_sweep_cell(&sweep->members[member], name, "", number);
}

static void add_column(oct_cell *columns, size_t *n, const oct_cell *cell)
{
    for (size_t i = 0; i < *n; i++) {
        if (strcmp(columns[i].name, cell->name) != 0)
            continue;
        if (strcmp(columns[i].unit, cell->unit) != 0)
            columns[i].unit = ""; /* units that are varied */
        return;
    }
    columns[(*n)++] = (oct_cell){.name = cell->name, .unit = cell->unit};
}

oct_status oct_sweep_columns(oct_cell **out, size_t *n, const oct_sweep *sweep)
{
    size_t most = 0;
    *out = NULL;
    *n = 0;
    for (size_t i = 0; i < sweep->n; i++) {
        const oct_sweep_entry *member = &sweep->members[i];
        /* Mostly a member has the columns of the one before. */
        bool known = i > 0 && member->n_cells == sweep->members[i - 1].n_cells;
        for (size_t k = 0; known && k < member->n_cells; k++)
            known = strcmp(member->cells[k].name, sweep->members[i - 1].cells[k].name) == 0 &&
                    strcmp(member->cells[k].unit, sweep->members[i - 1].cells[k].unit) == 0;
        if (known)
            continue;
        most += member->n_cells;
        OCT_TRY(oct_realloc(out, most + 1, sizeof **out, "columns of a table"));
        for (size_t k = 0; k < member->n_cells; k++)
            add_column(*out, n, &member->cells[k]);
    }
    return *out ? OCT_STATUS_OK : oct_alloc(out, 1, sizeof **out, "columns of a table");
}

oct_status oct_sweep_row(char **out, const oct_sweep *sweep, size_t index)
{
    oct_text text = {0};
    OCT_CHECK(index < sweep->n, OCT_STATUS_INPUT, "there is no member %zu", index);
    const oct_sweep_entry *member = &sweep->members[index];
    oct_text_add(&text, "{\"member\": %zu", index);
    for (size_t k = 0; k < sweep->n_keys; k++) {
        oct_text_add(&text, ", ");
        oct_text_add_json(&text, sweep->keys[k]);
        oct_text_add(&text, ": ");
        oct_text_add_json(&text, member->values[k]);
    }
    oct_text_add(&text, ", \"seed\": %llu, \"status\": \"%s\", \"failure\": ",
                 (unsigned long long)member->seed, oct_member_state_name(member->state));
    oct_text_add_json(&text, member->failure ? member->failure : "");
    for (size_t k = 0; k < member->n_cells; k++) {
        const oct_cell *cell = &member->cells[k];
        oct_text_add(&text, ", ");
        oct_text_add_json(&text, cell->name);
        oct_text_add(&text, ": ");
        if (oct_sweep_is_text(cell->name))
            oct_text_add_json(&text, cell->text);
        else
            oct_text_add_number(&text, oct_sweep_value(member, cell->name));
    }
    oct_text_add(&text, "}");
    return oct_text_take(out, &text);
}
