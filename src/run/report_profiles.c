/* Profiles as they are at the end, a line for each component. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/diagnose.h"
#include "run/page.h"
#include "run/plot.h"
#include "run/report.h"

/* What is plotted over the outer radius of shells. */
static const struct {
    const char *column;
    bool logarithmic;
} shown[] = {{"density", true},          {"surface_density", true}, {"mass_enclosed", true},
             {"v_circ", false},          {"v_rotation", false},     {"sigma_radial", false},
             {"sigma_tangential", false}};

/* Shells of all components, which have edges in common: x, then a number for each component. */
typedef struct shells {
    size_t n, width;
    double *values;
    const char *names[OCT_PLOT_LINES];
    unsigned n_names;
} shells;

static size_t find_column(const oct_column *columns, const char *name)
{
    size_t k = 0;
    while (strcmp(columns[k].name, name) != 0)
        k++;
    return k;
}

/* Where a component's numbers are in a row of the shells. */
static size_t line_of(shells *s, const char *name)
{
    unsigned k = 0;
    while (k < s->n_names && strcmp(s->names[k], name) != 0)
        k++;
    if (k == s->n_names && k < OCT_PLOT_LINES)
        s->names[s->n_names++] = name;
    return k + 1;
}

static int by_radius(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A row for each radius that any component has; the numbers of the others are gaps. */
static oct_status gather(shells *out, const oct_tabulation *table, size_t x, size_t y)
{
    *out = (shells){.n = table->n, .width = 1 + OCT_PLOT_LINES};
    OCT_TRY(oct_alloc(&out->values, table->n, out->width * sizeof *out->values, "a plot"));
    for (size_t i = 0; i < table->n; i++) {
        double *row = out->values + i * out->width;
        for (size_t k = 0; k < out->width; k++)
            row[k] = NAN;
        row[0] = table->values[i * table->width + x];
        size_t line = line_of(out, table->names[i]);
        if (line < out->width)
            row[line] = table->values[i * table->width + y];
    }
    qsort(out->values, out->n, out->width * sizeof *out->values, by_radius);
    size_t n = 0;
    for (size_t i = 0; i < out->n; i++) {
        const double *row = out->values + i * out->width;
        double *last = n > 0 ? out->values + (n - 1) * out->width : NULL;
        bool same = last && last[0] == row[0];
        if (!same)
            memmove(out->values + n++ * out->width, row, out->width * sizeof *row);
        for (size_t k = 1; k < out->width && same; k++)
            last[k] = isnan(row[k]) ? last[k] : row[k];
    }
    out->n = n;
    return OCT_STATUS_OK;
}

static oct_status add_figure(oct_text *text, const oct_sim *sim, const oct_diag *diag,
                             const oct_tabulation *table, size_t which)
{
    size_t x = find_column(diag->table, "r_outer"),
           y = find_column(diag->table, shown[which].column);
    const oct_column *column = &diag->table[y];
    char unit[OCT_PAGE_UNIT], axis[OCT_PAGE_AXIS];
    shells s;
    OCT_TRY(gather(&s, table, x, y));
    oct_page_unit(unit, oct_sim_units(sim), (oct_dimension){1, 0, 0});
    oct_page_axis(axis, "radius", unit);
    oct_page_unit(unit, oct_sim_units(sim),
                  (oct_dimension){column->length, column->mass, column->time});
    oct_text_add(text, "<figure>\n<figcaption>");
    oct_page_add_caption(text, column->name, unit, column->doc);
    oct_text_add(text, "</figcaption>\n");
    oct_plot plot = {.title = column->name,
                     .x_name = axis,
                     .n = s.n,
                     .stride = s.width,
                     .x = s.values,
                     .n_lines = s.n_names,
                     .logarithmic = shown[which].logarithmic,
                     .x_logarithmic = true};
    for (unsigned k = 0; k < s.n_names; k++) {
        plot.y[k] = s.values + 1 + k;
        plot.y_names[k] = s.names[k];
    }
    oct_plot_lines(text, &plot);
    oct_text_add(text, "</figure>\n");
    free(s.values);
    return OCT_STATUS_OK;
}

static oct_status add_table(oct_text *text, oct_sim *sim, uint32_t index)
{
    const oct_diag *diag = (const oct_diag *)sim->domain->diags[index].module;
    oct_tabulation table;
    OCT_TRY(oct_diagnose_tabulate(&table, sim, index));
    oct_status status = OCT_STATUS_OK;
    oct_text_add(text, "<section>\n<h2>profiles at the end</h2>\n<p>Shells about the centre; "
                       "profiles.csv has those of other times.</p>\n<div class=\"plots\">\n");
    for (size_t i = 0; i < sizeof shown / sizeof shown[0] && status == OCT_STATUS_OK; i++)
        status = add_figure(text, sim, diag, &table, i);
    oct_text_add(text, "</div>\n</section>\n");
    oct_tabulation_clear(&table);
    return status;
}

oct_status oct_report_add_profiles(oct_text *text, oct_sim *sim)
{
    for (uint32_t i = 0; i < sim->domain->n_diags; i++)
        if (oct_diagnose_tabulates(sim, i, OCT_ROW_WHOLE))
            OCT_TRY(add_table(text, sim, i));
    return OCT_STATUS_OK;
}
