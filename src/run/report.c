/* Sections in order: facts, changes, course of the measurements, impacts, the scene. */
#include "run/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/diagnose.h"
#include "run/average.h"
#include "run/finish.h"
#include "run/page.h"
#include "run/plot.h"
#include "run/table.h"

/* The columns of diagnostics.csv before those that are measured. */
enum { STEP, TIME, FIRST };

typedef struct report {
    oct_text text;
    oct_sim *sim;
    const oct_run_record *record;
    double average;
    oct_table rows;
    oct_page_time time;
} report;

static void column_unit(char out[OCT_PAGE_UNIT], const report *r, const oct_column *column)
{
    bool known = column->unit || oct_sim_units(r->sim)->physical;
    if (known)
        oct_column_unit(out, OCT_PAGE_UNIT, column, oct_sim_units(r->sim));
    else
        out[0] = '\0';
}

static void add_summary(report *r)
{
    oct_text *text = &r->text;
    const oct_setup *setup = r->sim->setup;
    const oct_run_record *record = r->record;
    oct_text_add(text, "<table>\n");
    oct_page_row_begin(text, "particles");
    oct_page_add_count(text, oct_sim_count(r->sim));
    oct_page_row_end(text);
    oct_page_row_begin(text, "steps");
    oct_page_add_count(text, record->step);
    if (record->stopped) {
        oct_text_add(text, ", stopped before ");
        oct_page_add_count(text, record->steps);
    }
    oct_page_row_end(text);
    oct_page_row_begin(text, "time");
    oct_page_add_both_times(text, &r->time, record->time);
    oct_page_row_end(text);
    oct_page_row_begin(text, "time step");
    oct_page_add_both_times(text, &r->time, oct_sim_dt(r->sim));
    oct_page_row_end(text);
    oct_page_row(text, "units", setup->units.name);
    oct_page_row(text, "boundary", setup->boundary.module->name);
    oct_page_row(text, "gravity", setup->gravity.module->name);
    oct_page_row(text, "collisions", setup->collisions.module->name);
    oct_page_row(text, "integrator", setup->integrator.module->name);
    char relaxed[512];
    oct_sim_say_relaxed(relaxed, sizeof relaxed, r->sim);
    if (*relaxed)
        oct_page_row(text, "start", relaxed);
    oct_page_row(text, "precision", oct_precision_name(oct_sim_precision(r->sim)));
    oct_page_row(text, "device", oct_device_describe(r->sim->domain->device)->name);
    oct_page_row(text, "Octant", oct_version());
    oct_page_row(text, "run", r->sim->run);
    oct_text_add(text, "</table>\n");
}

/* The comments that a scene begins with: what was changed when the run was resumed. */
static void add_changes(report *r)
{
    oct_text *text = &r->text;
    const char *line = oct_sim_scene(r->sim);
    if (*line != '#')
        return;
    oct_text_add(text, "<section>\n<h2>changed on the way</h2>\n<ul>\n");
    for (size_t length; *line == '#'; line += length + (line[length] != '\0')) {
        char change[256];
        length = strcspn(line, "\n");
        snprintf(change, sizeof change, "%.*s", (int)(length > 2 ? length - 2 : 0), line + 2);
        oct_text_add(text, "<li>");
        oct_text_add_html(text, change);
        oct_text_add(text, "</li>\n");
    }
    oct_text_add(text, "</ul>\n</section>\n");
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
        oct_page_add_value(text, values[k]);
    }
    oct_text_add(text, count > 1 ? ")" : "");
}

/* A plot over time: a vector, or a column of all its parts. */
typedef struct figure {
    const oct_column *column;
    const char *name;
    unsigned n_lines;
    size_t at[OCT_PLOT_LINES]; /* in a row */
    const char *names[OCT_PLOT_LINES];
} figure;

static figure vector_figure(const oct_column *column, size_t at)
{
    figure f = {.column = column, .name = column->name, .n_lines = column->count};
    for (unsigned k = 0; k < column->count; k++) {
        f.at[k] = at + k;
        f.names[k] = column->count == 3 ? (const char *[]){"x", "y", "z"}[k] : NULL;
    }
    return f;
}

static void add_figure(report *r, const figure *f)
{
    oct_text *text = &r->text;
    const double *first = r->rows.values;
    const oct_column *column = f->column;
    double last[OCT_PLOT_LINES];
    char unit[OCT_PAGE_UNIT];
    column_unit(unit, r, column);
    oct_text_add(text, "<figure>\n<figcaption>");
    oct_page_add_caption(text, f->name, unit, column->doc);
    oct_text_add(text, "<span>");
    for (unsigned k = 0; k < f->n_lines; k++)
        last[k] = r->record->values[f->at[k] - FIRST];
    add_values(text, last, f->n_lines);
    if (r->average > 0 && oct_average_applies(column)) {
        oct_text_add(text, column->squares ? ", root mean square over the last "
                                           : ", mean over the last ");
        oct_page_add_time(text, &r->time, r->average);
    } else {
        oct_text_add(text, " at the end");
    }
    oct_text_add(text, "</span></figcaption>\n");
    oct_plot plot = {.title = f->name,
                     .x_name = r->time.axis,
                     .n = r->rows.n_rows,
                     .stride = r->rows.n_columns,
                     .x = first + TIME,
                     .n_lines = f->n_lines};
    for (unsigned k = 0; k < f->n_lines; k++) {
        plot.y[k] = first + f->at[k];
        plot.y_names[k] = f->names[k];
    }
    oct_plot_lines(text, &plot);
    oct_text_add(text, "</figure>\n");
}

/* The columns of a measurement in a row, part after part. */
typedef struct block {
    const oct_diag *diag;
    const oct_column *columns; /* of the simulation */
    size_t n, each, at;        /* all of them, those of one part, and where they begin */
} block;

static size_t place_of(const block *b, size_t index)
{
    size_t at = b->at;
    for (size_t i = 0; i < index; i++)
        at += b->columns[i].count;
    return at;
}

/* A line for each part that the k-th column is measured of. */
static void add_parts(report *r, const block *b, size_t k)
{
    figure f = {.column = &b->columns[k], .name = b->diag->columns[k].name};
    bool changing = false;
    for (size_t i = k; i < b->n && f.n_lines < OCT_PLOT_LINES; i += b->each, f.n_lines++) {
        f.at[f.n_lines] = place_of(b, i);
        f.names[f.n_lines] = b->columns[i].part;
        changing = changing || course_of(r, f.at[f.n_lines], 1) == CHANGING;
    }
    if (changing)
        add_figure(r, &f);
}

static void add_figures(report *r, const block *b)
{
    for (size_t k = 0; k < b->each; k++) {
        bool lines = b->diag->part && b->columns[k].count == 1 && b->n / b->each <= OCT_PLOT_LINES;
        for (size_t i = k; i < b->n && !lines; i += b->each) {
            const figure f = vector_figure(&b->columns[i], place_of(b, i));
            if (course_of(r, f.at[0], f.n_lines) == CHANGING)
                add_figure(r, &f);
        }
        if (lines)
            add_parts(r, b, k);
    }
}

/* The columns of a module that are not worth a plot, in one line. */
static void add_flat(report *r, const block *b, course which)
{
    oct_text *text = &r->text;
    bool any = false;
    for (size_t i = 0; i < b->n; i++) {
        const oct_column *column = &b->columns[i];
        size_t at = place_of(b, i);
        if (course_of(r, at, column->count) != which)
            continue;
        char unit[OCT_PAGE_UNIT];
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
            oct_page_add_unit(text, unit);
        }
        any = true;
    }
    oct_text_add(text, any ? ".</p>\n" : "");
}

static void add_measurements(report *r)
{
    oct_text *text = &r->text;
    block b = {.columns = r->sim->columns, .at = FIRST};
    for (uint32_t i = 0; i < r->sim->domain->n_diags; i++) {
        const oct_choice *choice = &r->sim->domain->diags[i];
        b.diag = (const oct_diag *)choice->module;
        for (b.each = 0; b.diag->columns[b.each].name;)
            b.each++;
        b.n = b.each * oct_diagnose_parts(choice, r->sim->setup);
        /* What all plots are drawn over is not drawn itself. */
        if (b.n > 0 && !(r->time.column && strcmp(b.diag->name, r->time.column) == 0)) {
            oct_text_add(text, "<section>\n<h2>");
            oct_text_add_html(text, b.diag->name);
            oct_text_add(text, "</h2>\n<p>");
            oct_text_add_html(text, b.diag->doc);
            oct_text_add(text, "</p>\n<div class=\"plots\">\n");
            add_figures(r, &b);
            oct_text_add(text, "</div>\n");
            add_flat(r, &b, UNCHANGED);
            add_flat(r, &b, UNMEASURED);
            oct_text_add(text, "</section>\n");
        }
        b.at = place_of(&b, b.n);
        b.columns += b.n;
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
        char name[OCT_PAGE_AXIS], unit[OCT_PAGE_UNIT];
        oct_page_unit(unit, oct_sim_units(r->sim), OCT_SPEED);
        oct_page_axis(name, "speed", unit);
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
    char mark[160];
    oct_finish_mark(mark, r->sim->run, r->record->step, r->record->stopped);
    oct_page_begin(text, title && *title ? title : "A run of Octant", mark);
    add_summary(r);
    add_changes(r);
    add_measurements(r);
    OCT_TRY(oct_report_add_profiles(text, r->sim));
    OCT_TRY(add_impacts(r, impacts));
    oct_text_add(text, "<section>\n<h2>scene</h2>\n<pre>");
    oct_text_add_html(text, oct_sim_scene(r->sim));
    oct_text_add(text, "</pre>\n</section>\n");
    oct_page_end(text);
    return OCT_STATUS_OK;
}

oct_status oct_report_write(const char *folder, oct_sim *sim, const oct_run_record *record,
                            double average)
{
    report r = {.sim = sim, .record = record, .average = average, .time = oct_page_time_of(sim)};
    char path[OCT_FOLDER_PATH];
    oct_status status;
    oct_folder_file(path, folder, "diagnostics.csv");
    OCT_TRY_DONE(oct_table_read(&r.rows, path));
    OCT_CHECK_DONE(r.rows.n_columns == FIRST + sim->n_values, OCT_STATUS_INPUT,
                   "%s has %zu columns; expected %" PRIu32, path, r.rows.n_columns,
                   FIRST + sim->n_values);
    for (size_t i = 0; i < r.rows.n_rows; i++)
        r.rows.values[i * r.rows.n_columns + TIME] /= r.time.size;
    oct_folder_file(path, folder, "impacts.csv");
    OCT_TRY_DONE(add_page(&r, path));
    status = oct_page_write(&r.text, folder);
done:
    oct_text_clear(&r.text);
    oct_table_clear(&r.rows);
    return status;
}
