#include "run/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "render/label.h"
#include "run/average.h"
#include "run/folder.h"
#include "run/plot.h"
#include "run/table.h"
#include "util/file.h"

enum {
    DIGITS = 6,
    WHOLE_DIGITS = 15,
    TIME_DIGITS = 10,
    UNIT_BYTES = 80,
    AXIS_BYTES = UNIT_BYTES + 16
};

/* The columns of diagnostics.csv before those that are measured. */
enum { STEP, TIME, FIRST };

static const char style[] =
    ":root { color-scheme: light dark; --page: #fff; --ink: #1c2126; --soft: #626b75;\n"
    "  --rule: #e1e4e8; --line-0: #0b66b8; --line-1: #c2570c; --line-2: #2f8540; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  :root { --page: #14181c; --ink: #e4e7ea; --soft: #98a1ab; --rule: #2c333a;\n"
    "    --line-0: #62b0f4; --line-1: #f39c55; --line-2: #76c987; } }\n"
    "* { box-sizing: border-box; }\n"
    "body { margin: 0 auto; max-width: 84rem; padding: 2.5rem 2rem; background: var(--page);\n"
    "  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }\n"
    "h1 { margin: 0 0 1.25rem; font-size: 1.7rem; font-weight: 600; line-height: 1.25; }\n"
    "h2 { margin: 2.75rem 0 0; padding-bottom: .3rem; border-bottom: 1px solid var(--rule);\n"
    "  font-size: 1.15rem; font-weight: 600; }\n"
    "h2::first-letter { text-transform: uppercase; }\n"
    "sup { line-height: 0; }\n"
    "p { margin: .5rem 0 0; color: var(--soft); }\n"
    "b, td { color: var(--ink); }\n"
    "table { border-collapse: collapse; }\n"
    "th, td { padding: .15rem 2rem .15rem 0; text-align: left; vertical-align: top;\n"
    "  font-variant-numeric: tabular-nums; }\n"
    "th { color: var(--soft); font-weight: 400; }\n"
    ".plots { display: grid; gap: 1.5rem 2.5rem; margin-top: 1.25rem;\n"
    "  grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); }\n"
    "figure { display: flex; flex-direction: column; justify-content: space-between; margin: 0;\n"
    "  break-inside: avoid; }\n"
    "figcaption { color: var(--soft); }\n"
    "figcaption span { display: block; font-variant-numeric: tabular-nums; }\n"
    ".plot { display: block; width: 100%; margin-top: .4rem; }\n"
    ".plot text { font-size: 125px; fill: var(--ink); }\n"
    ".plot .tick { fill: var(--soft); }\n"
    ".plot path { fill: none; vector-effect: non-scaling-stroke; }\n"
    ".plot .grid { stroke: var(--rule); }\n"
    ".plot .frame { stroke: var(--soft); }\n"
    ".plot .line { stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; }\n"
    ".line-0 { stroke: var(--line-0); }\n"
    ".line-1 { stroke: var(--line-1); }\n"
    ".line-2 { stroke: var(--line-2); }\n"
    ".plot .bar { fill: var(--line-0); }\n"
    "pre { margin: 1rem 0 0; overflow-x: auto; white-space: pre-wrap;\n"
    "  font: 13px/1.45 ui-monospace, monospace; }\n"
    "@media print { body { padding: 0; font-size: 11px; }\n"
    "  .plots { grid-template-columns: 1fr 1fr; } h2 { break-after: avoid; } }\n";

typedef struct report {
    oct_text text;
    oct_sim *sim;
    const oct_run_record *record;
    double average;
    oct_table rows;
    double orbit; /* times are shown in orbits; 0: in the scene's unit */
    char time_unit[UNIT_BYTES], time_name[AXIS_BYTES];
} report;

/* "kg m^2/s^2"; "" where there is no unit. */
static void describe_unit(char out[UNIT_BYTES], const report *r, oct_dimension d)
{
    const oct_units *units = oct_sim_units(r->sim);
    out[0] = '\0';
    if (units->physical && (d.length || d.mass || d.time))
        oct_units_describe(out, UNIT_BYTES, units, d);
}

static void column_unit(char out[UNIT_BYTES], const report *r, const oct_column *column)
{
    describe_unit(out, r, (oct_dimension){column->length, column->mass, column->time});
}

/* What stands at the axis of a plot: "time [s]". */
static void axis_name(char out[AXIS_BYTES], const char *name, const char *unit)
{
    snprintf(out, AXIS_BYTES, "%s%s%s%s", name, *unit ? " [" : "", unit, *unit ? "]" : "");
}

/* Orbits where there are any, or the scene's own unit. */
static void choose_time(report *r)
{
    r->orbit = oct_setup_orbit(r->sim->setup);
    if (r->orbit > 0)
        snprintf(r->time_unit, sizeof r->time_unit, "orbit");
    else
        describe_unit(r->time_unit, r, (oct_dimension){.time = 1});
    axis_name(r->time_name, "time", r->time_unit);
}

static double shown_time(const report *r, double time)
{
    return r->orbit > 0 ? time / r->orbit : time;
}

/* A unit with raised powers. */
static void add_unit(oct_text *text, const char *unit)
{
    for (const char *c = unit; *c;) {
        if (*c != '^') {
            oct_text_add_html(text, (char[]){*c++, '\0'});
            continue;
        }
        int digits = (int)strspn(++c, "0123456789");
        oct_text_add(text, "<sup>%.*s</sup>", digits, c);
        c += digits;
    }
}

static void begin_row(oct_text *text, const char *name)
{
    oct_text_add(text, "<tr><th scope=\"row\">%s</th><td>", name);
}

static void end_row(oct_text *text)
{
    oct_text_add(text, "</td></tr>\n");
}

static void add_row(oct_text *text, const char *name, const char *value)
{
    begin_row(text, name);
    oct_text_add_html(text, value);
    end_row(text);
}

static void add_count(oct_text *text, uint64_t count)
{
    char label[OCT_LABEL_BYTES];
    oct_label_count(label, count);
    oct_text_add(text, "%s", label);
}

static void add_time(report *r, double time)
{
    oct_plot_number(&r->text, shown_time(r, time), TIME_DIGITS);
    oct_text_add(&r->text, " ");
    add_unit(&r->text, r->time_unit);
}

static void add_summary(report *r)
{
    oct_text *text = &r->text;
    const oct_setup *setup = r->sim->setup;
    const oct_run_record *record = r->record;
    oct_text_add(text, "<table>\n");
    begin_row(text, "particles");
    add_count(text, oct_sim_count(r->sim));
    end_row(text);
    begin_row(text, "steps");
    add_count(text, record->step);
    if (record->stopped) {
        oct_text_add(text, ", stopped before ");
        add_count(text, record->steps);
    }
    end_row(text);
    begin_row(text, "time");
    add_time(r, record->time);
    end_row(text);
    begin_row(text, "time step");
    add_time(r, oct_sim_dt(r->sim));
    end_row(text);
    add_row(text, "units", setup->units.name);
    add_row(text, "boundary", setup->boundary.module->name);
    add_row(text, "gravity", setup->gravity.module->name);
    add_row(text, "collisions", setup->collisions.module->name);
    add_row(text, "integrator", setup->integrator.module->name);
    add_row(text, "precision", oct_precision_name(oct_sim_precision(r->sim)));
    add_row(text, "device", oct_device_describe(r->sim->device)->name);
    add_row(text, "Octant", oct_version());
    oct_text_add(text, "</table>\n");
}

/* How a value behaves over the run. */
typedef enum course { UNMEASURED, UNCHANGED, CHANGING } course;

static course course_of(const report *r, size_t at, unsigned count)
{
    course found = UNMEASURED;
    const oct_table *rows = &r->rows;
    for (unsigned k = 0; k < count; k++) {
        double first = NAN;
        for (size_t i = 0; i < rows->n_rows; i++) {
            double value = rows->values[i * rows->n_columns + at + k];
            if (isnan(value))
                continue;
            if (!isnan(first) && value != first)
                return CHANGING;
            first = value;
            found = UNCHANGED;
        }
    }
    return found;
}

/* "1.5" or "(0.1, 2, -3)" */
static void add_values(oct_text *text, const double *values, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        oct_text_add(text, k ? ", " : count > 1 ? "(" : "");
        bool whole = values[k] == floor(values[k]); /* a count, to its last digit */
        oct_plot_number(text, values[k], whole ? WHOLE_DIGITS : DIGITS);
    }
    oct_text_add(text, count > 1 ? ")" : "");
}

static void add_figure(report *r, const oct_column *column, size_t at)
{
    oct_text *text = &r->text;
    const double *first = r->rows.values;
    char unit[UNIT_BYTES];
    column_unit(unit, r, column);
    oct_text_add(text, "<figure>\n<figcaption><b>");
    oct_text_add_html(text, column->name);
    oct_text_add(text, *unit ? "</b> [" : "</b>");
    add_unit(text, unit);
    oct_text_add(text, *unit ? "]: " : ": ");
    oct_text_add_html(text, column->doc);
    oct_text_add(text, "<span>");
    add_values(text, r->record->values + at - FIRST, column->count);
    if (r->average > 0 && oct_average_applies(column)) {
        oct_text_add(text, column->squares ? ", root mean square over the last "
                                           : ", mean over the last ");
        add_time(r, r->average);
    } else {
        oct_text_add(text, " at the end");
    }
    oct_text_add(text, "</span></figcaption>\n");
    oct_plot plot = {.title = column->name,
                     .x_name = r->time_name,
                     .n = r->rows.n_rows,
                     .stride = r->rows.n_columns,
                     .x = first + TIME,
                     .n_lines = column->count};
    for (unsigned k = 0; k < column->count; k++) {
        plot.y[k] = first + at + k;
        plot.y_names[k] = column->count == 3 ? (const char *[]){"x", "y", "z"}[k] : NULL;
    }
    oct_plot_lines(text, &plot);
    oct_text_add(text, "</figure>\n");
}

/* The columns of a module that are not worth a plot, in one line. */
static void add_flat(report *r, const oct_column *columns, size_t at, course which)
{
    oct_text *text = &r->text;
    bool any = false;
    for (const oct_column *column = columns; column->name; at += column->count, column++) {
        if (course_of(r, at, column->count) != which)
            continue;
        char unit[UNIT_BYTES];
        column_unit(unit, r, column);
        oct_text_add(text, any                  ? ", <b>"
                           : which == UNCHANGED ? "<p>Unchanged: <b>"
                                                : "<p>Not measured: <b>");
        oct_text_add_html(text, column->name);
        oct_text_add(text, "</b>");
        if (which == UNCHANGED) {
            oct_text_add(text, " ");
            add_values(text, r->record->values + at - FIRST, column->count);
            oct_text_add(text, *unit ? " " : "");
            add_unit(text, unit);
        }
        any = true;
    }
    oct_text_add(text, any ? ".</p>\n" : "");
}

static void add_measurements(report *r)
{
    oct_text *text = &r->text;
    size_t at = FIRST;
    for (uint32_t i = 0; i < r->sim->n_diags; i++) {
        const oct_diag *diag = (const oct_diag *)r->sim->diags[i].module;
        size_t start = at;
        oct_text_add(text, "<section>\n<h2>");
        oct_text_add_html(text, diag->name);
        oct_text_add(text, "</h2>\n<p>");
        oct_text_add_html(text, diag->doc);
        oct_text_add(text, "</p>\n<div class=\"plots\">\n");
        for (const oct_column *column = diag->columns; column->name; column++) {
            if (course_of(r, at, column->count) == CHANGING)
                add_figure(r, column, at);
            at += column->count;
        }
        oct_text_add(text, "</div>\n");
        add_flat(r, diag->columns, start, UNCHANGED);
        add_flat(r, diag->columns, start, UNMEASURED);
        oct_text_add(text, "</section>\n");
    }
}

/* Impact speeds: lower edge, upper edge and count of each bin. */
static oct_status add_impacts(report *r, const char *path)
{
    oct_table table;
    oct_status status = oct_table_read(&table, path);
    if (status == OCT_STATUS_MISSING)
        return OCT_STATUS_OK;
    OCT_TRY(status);
    if (table.n_columns >= 3) {
        char name[AXIS_BYTES], unit[UNIT_BYTES];
        describe_unit(unit, r, (oct_dimension){1, 0, -1});
        axis_name(name, "speed", unit);
        oct_text_add(&r->text, "<section>\n<h2>impacts</h2>\n<div class=\"plots\">\n<figure>\n"
                               "<figcaption><b>impacts</b>: how many collisions there were at each "
                               "impact speed</figcaption>\n");
        oct_plot_bars(&r->text, &(oct_plot){.title = "impacts",
                                            .x_name = name,
                                            .n = table.n_rows,
                                            .stride = table.n_columns,
                                            .x = table.values,
                                            .y = {table.values + 1, table.values + 2}});
        oct_text_add(&r->text, "</figure>\n</div>\n</section>\n");
    }
    oct_table_clear(&table);
    return OCT_STATUS_OK;
}

static oct_status add_page(report *r, const char *impacts)
{
    oct_text *text = &r->text;
    const char *title = r->sim->setup->title;
    title = title && *title ? title : "A run of Octant";
    oct_text_add(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    oct_text_add_html(text, title);
    oct_text_add(text, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
    oct_text_add_html(text, title);
    oct_text_add(text, "</h1>\n");
    add_summary(r);
    add_measurements(r);
    OCT_TRY(add_impacts(r, impacts));
    oct_text_add(text, "<section>\n<h2>scene</h2>\n<pre>");
    oct_text_add_html(text, oct_sim_scene(r->sim));
    oct_text_add(text, "</pre>\n</section>\n</body>\n</html>\n");
    return OCT_STATUS_OK;
}

oct_status oct_report_write(const char *folder, oct_sim *sim, const oct_run_record *record,
                            double average)
{
    report r = {.sim = sim, .record = record, .average = average};
    char path[OCT_FOLDER_PATH], *page = NULL;
    oct_status status;
    choose_time(&r);
    oct_folder_file(path, folder, "diagnostics.csv");
    OCT_TRY_DONE(oct_table_read(&r.rows, path));
    OCT_CHECK_DONE(r.rows.n_columns == FIRST + sim->n_values, OCT_STATUS_INPUT,
                   "%s has %zu columns; expected %" PRIu32, path, r.rows.n_columns,
                   FIRST + sim->n_values);
    for (size_t i = 0; i < r.rows.n_rows; i++)
        r.rows.values[i * r.rows.n_columns + TIME] =
            shown_time(&r, r.rows.values[i * r.rows.n_columns + TIME]);
    oct_folder_file(path, folder, "impacts.csv");
    OCT_TRY_DONE(add_page(&r, path));
    OCT_TRY_DONE(oct_text_take(&page, &r.text));
    oct_folder_file(path, folder, "report.html");
    status = oct_file_write(path, page, strlen(page), false);
done:
    oct_text_free(page);
    oct_text_clear(&r.text);
    oct_table_clear(&r.rows);
    return status;
}
