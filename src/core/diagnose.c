/* Chooses the measurements that apply, lists their columns, and takes one or all of them. */
#include "core/diagnose.h"
#include "core/look.h"
#include "core/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static oct_status add_columns(oct_sim *sim, const oct_column *columns, size_t *n)
{
    for (; columns->name; columns++) {
        OCT_TRY(oct_realloc(&sim->columns, *n + 2, sizeof *sim->columns, "columns"));
        sim->columns[(*n)++] = *columns;
        sim->columns[*n] = (oct_column){0};
        sim->n_values += columns->count;
    }
    return OCT_STATUS_OK;
}

oct_status oct_diagnose_columns(oct_sim *sim)
{
    size_t n_columns = 0;
    const oct_choice *diag;
    for (size_t i = 0; (diag = oct_setup_diag(sim->setup, i)) != NULL; i++)
        OCT_TRY(add_columns(sim, ((const oct_diag *)diag->module)->columns, &n_columns));
    return OCT_STATUS_OK;
}

oct_status oct_diagnose_start(oct_domain *domain)
{
    const oct_choice *settings;
    while ((settings = oct_setup_diag(domain->setup, domain->n_diags)) != NULL) {
        const oct_diag *diag = (const oct_diag *)settings->module;
        OCT_TRY(
            oct_realloc(&domain->diags, domain->n_diags + 1, sizeof *domain->diags, "diagnostics"));
        oct_choice *choice = &domain->diags[domain->n_diags++];
        *choice = (oct_choice){0};
        OCT_TRY(oct_choice_copy(choice, settings));
        if (diag->init)
            OCT_TRY(diag->init(choice->state, domain));
    }
    return OCT_STATUS_OK;
}

void oct_diagnose_end(oct_domain *domain)
{
    for (uint32_t i = 0; i < domain->n_diags; i++)
        oct_choice_end(&domain->diags[i]);
    free(domain->diags);
}

oct_status oct_diagnose_first(oct_sim *sim)
{
    double *values;
    OCT_TRY(oct_alloc(&values, sim->n_values, sizeof *values, "measurements"));
    oct_status status = oct_sim_measure(values, sim);
    free(values);
    return status;
}

const oct_column *oct_sim_columns(const oct_sim *sim)
{
    return sim->columns;
}

static uint32_t values_of(const oct_diag *diag)
{
    uint32_t n = 0;
    for (const oct_column *column = diag->columns; column->name; column++)
        n += column->count;
    return n;
}

static oct_status measure_all(double *out, oct_domain *domain)
{
    double *at = out;
    for (uint32_t i = 0; i < domain->n_diags; i++) {
        const oct_diag *diag = (const oct_diag *)domain->diags[i].module;
        if (diag->measure)
            OCT_TRY(diag->measure(at, domain->diags[i].state, domain));
        at += values_of(diag);
    }
    at = out;
    for (uint32_t i = 0; i < domain->n_diags; i++) {
        const oct_diag *diag = (const oct_diag *)domain->diags[i].module;
        if (diag->derive)
            diag->derive(at, domain, out);
        at += values_of(diag);
    }
    return OCT_STATUS_OK;
}

oct_status oct_sim_measure(double *out, oct_sim *sim)
{
    OCT_TRY(oct_sim_look(sim));
    /* Rates are measured from row to row: the state knows when the last one was. */
    oct_look_open(sim->domain);
    oct_status status = measure_all(out, sim->domain);
    oct_look_close(sim->domain);
    return oct_sim_changed(sim, status);
}

static const oct_column *find_column(size_t *at, const oct_sim *sim, const char *name)
{
    const oct_column *column = sim->columns;
    *at = 0;
    for (; column->name && strcmp(column->name, name) != 0; column++)
        *at += column->count;
    return column->name ? column : NULL;
}

const double *oct_diagnose_value(const oct_sim *sim, const double *values, const char *name)
{
    size_t at;
    return find_column(&at, sim, name) ? values + at : NULL;
}

void oct_column_unit(char *out, size_t bytes, const oct_column *column, const oct_units *units)
{
    oct_dimension dimension = {column->length, column->mass, column->time};
    if (column->unit)
        snprintf(out, bytes, "%s", column->unit);
    else if (dimension.length || dimension.mass || dimension.time)
        oct_units_describe(out, bytes, units, dimension);
    else
        out[0] = '\0';
}

oct_status oct_sim_measure_one(double *out, oct_sim *sim, const char *name)
{
    double *values;
    size_t at;
    OCT_TRY(oct_sim_usable(sim));
    const oct_column *column = find_column(&at, sim, name);
    OCT_CHECK(column, OCT_STATUS_MISSING, "this simulation has no measurement '%.60s'", name);
    OCT_TRY(oct_sim_done(sim, oct_alloc(&values, sim->n_values, sizeof *values, "measurements")));
    oct_status status = oct_sim_measure(values, sim);
    if (status == OCT_STATUS_OK)
        memcpy(out, values + at, column->count * sizeof *out);
    free(values);
    return status;
}
