/* The columns that a scene gives to its bodies. */
#include "core/setup.h"

#include "util/status.h"

#include <string.h>

oct_status oct_setup_column_value(double out[3], const oct_column_plan *plan,
                                  const oct_parameter *value)
{
    size_t width = (size_t)plan->width;
    OCT_CHECK(!value->list || value->n == width, OCT_STATUS_INPUT,
              "%zu numbers for a column that has %zu; expected as many, or one for all", value->n,
              width);
    for (size_t k = 0; k < width; k++) {
        out[k] = value->values[value->list ? k : 0];
        OCT_TRY(
            oct_column_check_number(plan->name, plan->type == OCT_COLUMN_CHOICE_INTEGER, out[k]));
    }
    return OCT_STATUS_OK;
}

oct_status oct_setup_add_column(oct_bodies *bodies, const oct_column_plan *plan)
{
    double initial[3] = {0};
    OCT_CHECK(plan->width == 1 || plan->width == 3, OCT_STATUS_INPUT,
              "width is 2; expected 1, or 3 for a vector");
    OCT_CHECK(plan->merge != OCT_COLUMN_MERGE_MEAN || plan->type == OCT_COLUMN_CHOICE_REAL,
              OCT_STATUS_INPUT, "integers have no mean; expected merge: keep or sum");
    OCT_TRY(oct_setup_column_value(initial, plan, &plan->initial));
    return oct_bodies_add_column(bodies, plan->name, plan->unit, (size_t)plan->width,
                                 plan->type == OCT_COLUMN_CHOICE_INTEGER, initial);
}

oct_status oct_setup_add_columns(oct_bodies *bodies, const oct_setup *setup)
{
    for (size_t i = 0; i < setup->n_columns; i++)
        OCT_TRY(oct_setup_add_column(bodies, &setup->columns[i]));
    return OCT_STATUS_OK;
}

oct_status oct_setup_declare(oct_bodies *bodies, const oct_setup *setup)
{
    oct_bodies declared = {0};
    oct_status status = oct_setup_add_columns(&declared, setup);
    if (status == OCT_STATUS_OK)
        status = oct_bodies_declare_as(bodies, &declared);
    oct_bodies_clear(&declared);
    return status;
}

oct_status oct_setup_fill_columns(oct_bodies *bodies, size_t first, size_t count,
                                  const oct_parameters *values, const oct_setup *setup)
{
    for (size_t v = 0; v < values->n; v++)
        for (size_t c = 0; c < setup->n_columns; c++) {
            double numbers[3];
            const oct_user_column *column = &bodies->columns[c];
            if (strcmp(column->name, values->items[v].name) != 0)
                continue;
            OCT_TRY(oct_setup_column_value(numbers, &setup->columns[c], &values->items[v]));
            for (size_t i = first; i < first + count; i++)
                memcpy(column->data + i * column->width, numbers, column->width * sizeof(double));
        }
    return OCT_STATUS_OK;
}
