/* The profiles of components at the last measurement, for the page. */
#include <inttypes.h>

#include "core/diagnose.h"
#include "view/viewer.h"

static void add_columns(oct_text *out, const oct_column *columns, const oct_units *units)
{
    for (const oct_column *column = columns; column->name; column++) {
        char unit[64];
        oct_column_unit(unit, sizeof unit, column, units);
        oct_text_add(out, "%s{\"name\": \"%s\", \"unit\": ", column == columns ? "" : ", ",
                     column->name);
        oct_text_add_json(out, unit);
        oct_text_add(out, ", \"doc\": ");
        oct_text_add_json(out, column->doc);
        oct_text_add(out, "}");
    }
}

static void add_rows(oct_text *out, const oct_tabulation *table)
{
    for (size_t i = 0; i < table->n; i++) {
        oct_text_add(out, i ? ",\n[" : "\n[");
        oct_text_add_json(out, table->names[i]);
        for (size_t k = 0; k < table->width; k++) {
            oct_text_add(out, ", ");
            oct_text_add_number(out, table->values[i * table->width + k]);
        }
        oct_text_add(out, "]");
    }
}

oct_status oct_viewer_write_profiles(char **out, oct_sim *sim)
{
    oct_text text = {0};
    *out = NULL;
    for (uint32_t i = 0; i < sim->domain->n_diags; i++) {
        oct_tabulation table;
        if (!oct_diagnose_tabulates(sim, i, OCT_ROW_WHOLE))
            continue;
        OCT_TRY(oct_diagnose_tabulate(&table, sim, i));
        oct_text_add(&text, "{\"step\": %" PRIu64 ", \"time\": ", oct_sim_steps(sim));
        oct_text_add_number(&text, oct_sim_time(sim));
        oct_text_add(&text, ", \"columns\": [");
        add_columns(&text, ((const oct_diag *)sim->domain->diags[i].module)->table,
                    oct_sim_units(sim));
        oct_text_add(&text, "], \"rows\": [");
        add_rows(&text, &table);
        oct_text_add(&text, "]}\n");
        oct_tabulation_clear(&table);
        return oct_text_take(out, &text);
    }
    return OCT_STATUS_OK;
}
