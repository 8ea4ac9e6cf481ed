/* Writes the rows of a moment at once, with its step and time before each. */
#include "run/tables.h"

#include <inttypes.h>
#include <stdio.h>

#include "run/table.h"
#include "util/number.h"
#include "util/text.h"

const char *oct_table_file(char out[48], const oct_diag *diag)
{
    snprintf(out, 48, "%s.csv", diag->name);
    return diag->table ? out : NULL;
}

static oct_status make_heading(char **out, const oct_sim *sim, const oct_diag *diag)
{
    const oct_units *units = oct_sim_units(sim);
    oct_heading heading = {.run = sim->run};
    oct_heading_add(&heading, &(oct_column){.name = "step"}, "", units);
    oct_heading_add(&heading, &(oct_column){.name = "time", .time = 1}, "", units);
    oct_heading_add(&heading, &(oct_column){.name = "component"}, "", units);
    for (const oct_column *column = diag->table; column->name; column++)
        oct_heading_add(&heading, column, "", units);
    return oct_heading_take(out, &heading);
}

oct_status oct_tables_look(oct_tables *out, const char *folder, const oct_sim *sim,
                           oct_schedule schedule)
{
    char name[48], *heading;
    *out = (oct_tables){0};
    for (uint32_t i = 0; i < sim->domain->n_diags && out->n < OCT_MOST_TABLES; i++) {
        const oct_diag *diag = (const oct_diag *)sim->domain->diags[i].module;
        if (!oct_table_file(name, diag))
            continue;
        oct_status status = make_heading(&heading, sim, diag);
        if (status == OCT_STATUS_OK)
            status = oct_rows_look_table(&out->rows[out->n], folder, name, heading, sim, schedule);
        if (status != OCT_STATUS_OK) {
            oct_tables_close(out);
            return status;
        }
        out->of[out->n++] = i;
    }
    return OCT_STATUS_OK;
}

oct_status oct_tables_open(oct_tables *tables, oct_sim *sim)
{
    for (uint32_t i = 0; i < tables->n; i++)
        OCT_TRY(oct_rows_open(&tables->rows[i], sim));
    return OCT_STATUS_OK;
}

oct_status oct_tables_flush(oct_tables *tables)
{
    for (uint32_t i = 0; i < tables->n; i++)
        if (tables->rows[i].file)
            OCT_TRY(oct_rows_flush(&tables->rows[i]));
    return OCT_STATUS_OK;
}

void oct_tables_close(oct_tables *tables)
{
    for (uint32_t i = 0; i < OCT_MOST_TABLES; i++)
        oct_rows_close(&tables->rows[i]);
    *tables = (oct_tables){0};
}

static oct_status write_rows(oct_rows *rows, const oct_sim *sim, const oct_tabulation *table)
{
    char number[OCT_NUMBER_BYTES], *lines;
    oct_text text = {0};
    for (size_t i = 0; i < table->n; i++) {
        oct_number_write(number, oct_sim_time(sim));
        oct_text_add(&text, "%" PRIu64 ",%s,%s", oct_sim_steps(sim), number, table->names[i]);
        for (size_t k = 0; k < table->width; k++) {
            oct_number_write(number, table->values[i * table->width + k]);
            oct_text_add(&text, ",%s", number);
        }
        oct_text_add(&text, "\n");
    }
    OCT_TRY(oct_text_take(&lines, &text));
    return oct_rows_add_lines(rows, lines);
}

oct_status oct_tables_add(oct_tables *tables, oct_sim *sim, uint64_t row)
{
    for (uint32_t i = 0; i < tables->n; i++) {
        oct_tabulation table;
        if (!oct_diagnose_tabulates(sim, tables->of[i], row))
            continue;
        OCT_TRY(oct_diagnose_tabulate(&table, sim, tables->of[i]));
        oct_status status = table.n > 0 ? write_rows(&tables->rows[i], sim, &table) : OCT_STATUS_OK;
        oct_tabulation_clear(&table);
        OCT_TRY(status);
    }
    return OCT_STATUS_OK;
}
