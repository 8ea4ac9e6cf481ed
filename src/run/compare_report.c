/* The page of a comparison: what differs, how it grew, and which bodies are farthest apart. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "run/compare.h"
#include "run/folder.h"
#include "run/page.h"
#include "run/plot.h"
#include "run/table.h"

/* Columns of compare.csv that are drawn; bodies.csv has the time and then the bodies. */
enum { TIME, MAX, MEAN, TOTAL, ENERGY_A, ENERGY_B };

enum { MOST_NAMED = 10, NAME_BYTES = 32 };

/* The page in the making. */
typedef struct report {
    oct_text text;
    oct_sim *const *sims;
    const oct_compare_record *record;
    oct_page_time time;
    char length[OCT_PAGE_UNIT];
    size_t n_named, named[MOST_NAMED]; /* bodies by their separation at the end, largest first */
} report;

static void name_body(char out[NAME_BYTES], const report *r, size_t body)
{
    snprintf(out, NAME_BYTES, "body %" PRIu64, r->record->ids[body]);
}

static void name_farthest(report *r)
{
    const double *values = r->record->separations;
    for (size_t k = 0; k < MOST_NAMED; k++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < r->record->n; i++) {
            bool taken = false;
            for (size_t j = 0; j < k; j++)
                taken = taken || r->named[j] == i;
            if (!taken && values[i] > 0 && (best == SIZE_MAX || values[i] > values[best]))
                best = i;
        }
        if (best == SIZE_MAX)
            return;
        r->named[r->n_named++] = best;
    }
}

static const char *title_of(const report *r, int side)
{
    const char *title = r->sims[side]->setup->title;
    return title ? title : "";
}

/* The cells of a row are in bold where a and b differ. */
static void begin_cell(oct_text *text, int side, bool same)
{
    if (side == 1)
        oct_page_row_next(text);
    oct_text_add(text, same ? "" : "<b>");
}

static void end_cell(oct_text *text, bool same)
{
    oct_text_add(text, same ? "" : "</b>");
}

static void add_pair(oct_text *text, const char *name, const char *a, const char *b)
{
    const char *const cells[2] = {a, b};
    bool same = strcmp(a, b) == 0;
    oct_page_row_begin(text, name);
    for (int i = 0; i < 2; i++) {
        begin_cell(text, i, same);
        oct_text_add_html(text, cells[i]);
        end_cell(text, same);
    }
    oct_page_row_end(text);
}

static void add_steps(oct_text *text, const report *r)
{
    bool same = oct_sim_dt(r->sims[0]) == oct_sim_dt(r->sims[1]);
    oct_page_row_begin(text, "time step");
    for (int i = 0; i < 2; i++) {
        begin_cell(text, i, same);
        oct_page_add_both_times(text, &r->time, oct_sim_dt(r->sims[i]));
        end_cell(text, same);
    }
    oct_page_row_end(text);
}

/* Bodies that are gone. */
static void add_removed(oct_text *text, const oct_compare_record *record)
{
    const uint64_t removed[2] = {record->removed_a, record->removed_b};
    bool same = removed[0] == removed[1];
    oct_page_row_begin(text, "removed or merged");
    for (int i = 0; i < 2; i++) {
        begin_cell(text, i, same);
        oct_page_add_count(text, removed[i]);
        end_cell(text, same);
    }
    oct_page_row_end(text);
}

static void add_summary(report *r)
{
    oct_text *text = &r->text;
    const oct_compare_record *record = r->record;
    const oct_setup *a = r->sims[0]->setup, *b = r->sims[1]->setup;
    oct_text_add(text,
                 "<table>\n<tr><th></th><th scope=\"col\">a</th><th scope=\"col\">b</th></tr>\n");
    add_pair(text, "scene", title_of(r, 0), title_of(r, 1));
    add_pair(text, "boundary", a->boundary.module->name, b->boundary.module->name);
    add_pair(text, "gravity", a->gravity.module->name, b->gravity.module->name);
    add_pair(text, "collisions", a->collisions.module->name, b->collisions.module->name);
    add_pair(text, "integrator", a->integrator.module->name, b->integrator.module->name);
    add_steps(text, r);
    add_pair(text, "precision", oct_precision_name(r->sims[0]->precision),
             oct_precision_name(r->sims[1]->precision));
    add_pair(text, "device", oct_device_describe(r->sims[0]->domain->device)->name,
             oct_device_describe(r->sims[1]->domain->device)->name);
    add_removed(text, record);
    oct_page_row_begin(text, "bodies compared");
    oct_page_add_count(text, record->compared);
    oct_page_row_end(text);
    oct_page_row_begin(text, "time");
    oct_page_add_both_times(text, &r->time, record->time);
    if (record->stopped) {
        oct_text_add(text, ", stopped before ");
        oct_page_add_time(text, &r->time, record->until);
    }
    oct_page_row_end(text);
    oct_page_row(text, "Octant", oct_version());
    oct_text_add(text, "</table>\n");
}

/* A plot of columns of a table, with their values at the end. */
static void add_figure(report *r, const char *name, const char *unit, const char *doc,
                       const oct_table *table, const oct_plot *lines)
{
    oct_plot plot = *lines;
    oct_text *text = &r->text;
    plot.title = name;
    plot.x_name = r->time.axis;
    plot.n = table->n_rows;
    plot.stride = table->n_columns;
    plot.x = table->values;
    plot.logarithmic = true;
    oct_text_add(text, "<figure>\n<figcaption>");
    oct_page_add_caption(text, name, unit, doc);
    oct_text_add(text, "<span>");
    for (unsigned i = 0; i < plot.n_lines; i++) {
        oct_text_add(text, "%s%s ", i ? ", " : "", plot.y_names[i]);
        oct_page_add_value(text, plot.y[i][(plot.n - 1) * plot.stride]);
    }
    oct_text_add(text, " at the end</span></figcaption>\n");
    oct_plot_lines(text, &plot);
    oct_text_add(text, "</figure>\n");
}

static oct_status read_table(oct_table *out, const report *r, const char *folder, const char *name)
{
    char path[OCT_FOLDER_PATH];
    oct_folder_file(path, folder, name);
    OCT_TRY(oct_table_read(out, path));
    for (size_t i = 0; i < out->n_rows; i++)
        out->values[i * out->n_columns + TIME] /= r->time.size;
    return OCT_STATUS_OK;
}

static oct_status add_course(report *r, const char *folder)
{
    oct_table table;
    OCT_TRY(read_table(&table, r, folder, "compare.csv"));
    double *first = table.values;
    add_figure(r, "separation", r->length, "distance between the same body in a and in b", &table,
               &(oct_plot){.y = {first + TOTAL, first + MAX, first + MEAN},
                           .y_names = {"total", "max", "mean"},
                           .n_lines = 3});
    for (size_t i = 0; i < table.n_rows; i++)
        for (size_t k = ENERGY_A; k <= ENERGY_B; k++)
            first[i * table.n_columns + k] = fabs(first[i * table.n_columns + k]);
    if (!isnan(r->record->energy_error_a) || !isnan(r->record->energy_error_b))
        add_figure(r, "energy error", "", "relative change of the energy since the start, its size",
                   &table,
                   &(oct_plot){.y = {first + ENERGY_A, first + ENERGY_B},
                               .y_names = {"a", "b"},
                               .n_lines = 2});
    oct_table_clear(&table);
    return OCT_STATUS_OK;
}

/* The farthest bodies over time. */
static oct_status add_bodies(report *r, const char *folder)
{
    oct_table table;
    enum { SHOWN = 3 };
    char bodies[SHOWN][NAME_BYTES];
    oct_plot plot = {0};
    if (r->n_named == 0)
        return OCT_STATUS_OK;
    OCT_TRY(read_table(&table, r, folder, "bodies.csv"));
    for (; plot.n_lines < SHOWN && plot.n_lines < r->n_named; plot.n_lines++) {
        size_t body = r->named[plot.n_lines];
        name_body(bodies[plot.n_lines], r, body);
        plot.y[plot.n_lines] = table.values + 1 + body;
        plot.y_names[plot.n_lines] = bodies[plot.n_lines];
    }
    add_figure(r, "bodies", r->length, "separation of those that are farthest apart at the end",
               &table, &plot);
    oct_table_clear(&table);
    return OCT_STATUS_OK;
}

static void add_farthest(report *r)
{
    oct_text *text = &r->text;
    oct_text_add(text, "<section>\n<h2>largest separations at the end</h2>\n<table>\n");
    for (size_t i = 0; i < r->n_named; i++) {
        char name[NAME_BYTES];
        name_body(name, r, r->named[i]);
        oct_page_row_begin(text, name);
        oct_page_add_value(text, r->record->separations[r->named[i]]);
        oct_text_add(text, " ");
        oct_page_add_unit(text, r->length);
        oct_page_row_end(text);
    }
    oct_text_add(text, "</table>\n%s</section>\n",
                 r->n_named ? "" : "<p>No body is at different places in a and b.</p>\n");
}

static bool has_line(const char *text, const char *line, size_t length)
{
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strcspn(text, "\n") == length && strncmp(text, line, length) == 0)
            return true;
    return false;
}

/* The scene of one, with lines in bold that the other does not have. */
static void add_scene(report *r, int which)
{
    const char *other = oct_sim_scene(r->sims[!which]);
    oct_text_add(&r->text, "<pre>");
    for (const char *line = oct_sim_scene(r->sims[which]); *line;) {
        size_t length = strcspn(line, "\n");
        bool same = has_line(other, line, length);
        oct_text_add(&r->text, same ? "" : "<b>");
        for (size_t i = 0; i < length; i++)
            oct_text_add_html(&r->text, (const char[]){line[i], '\0'});
        oct_text_add(&r->text, same ? "\n" : "</b>\n");
        line += length + (line[length] == '\n');
    }
    oct_text_add(&r->text, "</pre>\n");
}

static oct_status add_page(report *r, const char *folder, bool bodies)
{
    const char *title = title_of(r, 0), *end = "a and b compared";
    char heading[256];
    if (*title && strcmp(title, title_of(r, 1)) == 0)
        snprintf(heading, sizeof heading, "%s: %s", title, end);
    else
        snprintf(heading, sizeof heading, "%s", end);
    oct_page_begin(&r->text, heading, "");
    add_summary(r);
    oct_text_add(&r->text, "<section>\n<h2>over time</h2>\n<div class=\"plots\">\n");
    OCT_TRY(add_course(r, folder));
    if (bodies)
        OCT_TRY(add_bodies(r, folder));
    oct_text_add(&r->text, "</div>\n</section>\n");
    add_farthest(r);
    oct_text_add(&r->text, "<section>\n<h2>scenes a and b</h2>\n<div class=\"plots\">\n");
    add_scene(r, 0);
    add_scene(r, 1);
    oct_text_add(&r->text, "</div>\n</section>\n");
    oct_page_end(&r->text);
    return OCT_STATUS_OK;
}

oct_status oct_compare_report(const char *folder, oct_sim *const sims[2],
                              const oct_compare_record *record, bool bodies)
{
    report r = {.sims = sims, .record = record, .time = oct_page_time_of(sims[0])};
    oct_page_unit(r.length, oct_sim_units(sims[0]), OCT_LENGTH);
    name_farthest(&r);
    oct_status status = add_page(&r, folder, bodies);
    if (status == OCT_STATUS_OK)
        status = oct_page_write(&r.text, folder);
    oct_text_clear(&r.text);
    return status;
}
