/* What was measured over what was varied: means of the seeds, a line for each other value. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/page.h"
#include "run/plot.h"
#include "run/survey.h"
#include "run/sweep.h"
#include "util/file.h"
#include "util/number.h"

enum { NAME_BYTES = 160, MOST_ROWS = 2000 };

/* A value of the key that is along x. */
typedef struct place {
    double x;
    size_t value; /* its index */
} place;

/* How the members are laid out in plots. */
typedef struct chart {
    const oct_sweep *sweep;
    size_t key;       /* along x; the number of keys: none is varied, and x is the seed */
    size_t n, others; /* points of a line, and combinations of the other values */
    place *places;
    double *x; /* of these */
    double *y[OCT_PLOT_LINES];
    char names[OCT_PLOT_LINES][NAME_BYTES];
    unsigned n_lines;
} chart;

/* A value as a number, whatever unit it has; NaN where it is none. */
static double number_of(const char *value)
{
    double number;
    const char *end;
    return oct_number_read(&number, &end, value) ? number : NAN;
}

static bool is_numeric(const oct_varied *varied)
{
    bool numeric = varied->n > 1;
    for (size_t i = 0; i < varied->n; i++)
        numeric = numeric && isfinite(number_of(varied->values[i]));
    return numeric;
}

/* The first key that is a number; else the first that has several values. */
static size_t choose_key(const oct_sweep *sweep)
{
    for (size_t k = 0; k < sweep->n_keys; k++)
        if (is_numeric(&sweep->varied[k]))
            return k;
    for (size_t k = 0; k < sweep->n_keys; k++)
        if (sweep->varied[k].n > 1)
            return k;
    return sweep->n_keys > 0 ? 0 : sweep->n_keys;
}

static bool by_seed(const chart *c)
{
    return c->key == c->sweep->n_keys;
}

static const char *last_part(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot ? dot + 1 : key;
}

/* The index of a member: this combination of the other keys, and this value of the one along x. */
static size_t member_at(const chart *c, size_t other, size_t value, size_t seed)
{
    size_t index = 0, scale = 1;
    const oct_sweep *sweep = c->sweep;
    if (by_seed(c))
        return value;
    for (size_t k = sweep->n_keys; k-- > 0;) {
        size_t n = sweep->varied[k].n, at = k == c->key ? value : other % n;
        other = k == c->key ? other : other / n;
        index += at * scale;
        scale *= n;
    }
    return index * sweep->seeds + seed;
}

static void name_line(char out[NAME_BYTES], const chart *c, const oct_sweep_entry *member)
{
    size_t length = 0;
    out[0] = '\0';
    for (size_t k = 0; k < c->sweep->n_keys; k++) {
        if (k == c->key || c->sweep->varied[k].n < 2 || length >= NAME_BYTES - 1)
            continue;
        int added = snprintf(out + length, NAME_BYTES - length, "%s%s %s", length ? ", " : "",
                             last_part(c->sweep->keys[k]), member->values[k]);
        length += added > 0 ? (size_t)added : 0;
    }
}

static int by_x(const void *a, const void *b)
{
    const place *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

/* Where the values of the key are, along x. */
static void place_values(place *out, const chart *c)
{
    const oct_sweep *sweep = c->sweep;
    const oct_varied *varied = by_seed(c) ? NULL : &sweep->varied[c->key];
    bool numeric = varied && is_numeric(varied);
    for (size_t i = 0; i < c->n; i++) {
        out[i] = (place){.x = (double)i, .value = i};
        if (numeric)
            out[i].x = number_of(varied->values[i]);
        else if (!varied)
            out[i].x = (double)sweep->members[i].seed;
    }
    qsort(out, c->n, sizeof *out, by_x);
}

static oct_status lay_out(chart *c, const oct_sweep *sweep)
{
    *c = (chart){.sweep = sweep, .key = choose_key(sweep)};
    c->n = by_seed(c) ? sweep->seeds : sweep->varied[c->key].n;
    c->others = by_seed(c) ? 1 : sweep->n / sweep->seeds / c->n;
    c->n_lines = c->others < OCT_PLOT_LINES ? (unsigned)c->others : OCT_PLOT_LINES;
    OCT_TRY(oct_alloc(&c->places, c->n, sizeof *c->places, "a plot"));
    OCT_TRY(oct_alloc(&c->x, c->n, sizeof *c->x, "a plot"));
    place_values(c->places, c);
    for (size_t i = 0; i < c->n; i++)
        c->x[i] = c->places[i].x;
    for (unsigned k = 0; k < c->n_lines; k++) {
        OCT_TRY(oct_alloc(&c->y[k], c->n, sizeof *c->y[k], "a plot"));
        name_line(c->names[k], c, &sweep->members[member_at(c, k, 0, 0)]);
    }
    return OCT_STATUS_OK;
}

static void clear(chart *c)
{
    free(c->x);
    free(c->places);
    for (unsigned k = 0; k < OCT_PLOT_LINES; k++)
        free(c->y[k]);
}

/* The mean over seeds of those that have a number. */
static double mean(const chart *c, size_t other, size_t value, const char *column)
{
    double sum = 0, n = 0;
    size_t seeds = by_seed(c) ? 1 : c->sweep->seeds;
    for (size_t s = 0; s < seeds; s++) {
        double y = oct_sweep_value(&c->sweep->members[member_at(c, other, value, s)], column);
        sum += isfinite(y) ? y : 0;
        n += isfinite(y);
    }
    return n > 0 ? sum / n : NAN;
}

/* Fills in the lines of a column; false where they have nothing to show: all values are one. */
static bool fill(chart *c, const char *column)
{
    double low = INFINITY, high = -INFINITY;
    for (unsigned k = 0; k < c->n_lines; k++)
        for (size_t i = 0; i < c->n; i++) {
            double y = c->y[k][i] = mean(c, k, c->places[i].value, column);
            low = fmin(low, y);
            high = fmax(high, y);
        }
    return low < high;
}

static oct_plot plot_of(const chart *c, const char *title)
{
    oct_plot plot = {.title = title,
                     .x_name = by_seed(c) ? "seed" : c->sweep->keys[c->key],
                     .n = c->n,
                     .stride = 1,
                     .x = c->x,
                     .n_lines = c->n_lines,
                     .x_logarithmic = c->x[0] > 0 && c->x[c->n - 1] >= 100 * c->x[0]};
    if (!by_seed(c) && !is_numeric(&c->sweep->varied[c->key]))
        plot.x_labels = (const char *const *)c->sweep->varied[c->key].values;
    for (unsigned k = 0; k < c->n_lines; k++) {
        plot.y[k] = c->y[k];
        plot.y_names[k] = c->names[k][0] ? c->names[k] : NULL;
    }
    return plot;
}

static oct_status write_svg(const chart *c, const oct_cell *column, const char *folder)
{
    char path[OCT_FOLDER_PATH], heading[OCT_PAGE_AXIS + 64], *svg;
    oct_text text = {0};
    oct_plot plot = plot_of(c, column->name);
    snprintf(heading, sizeof heading, "%.60s%s%.60s%s%s", column->name, *column->unit ? " [" : "",
             column->unit, *column->unit ? "]" : "",
             c->sweep->seeds > 1 && !by_seed(c) ? ", mean of the seeds" : "");
    oct_plot_file(&text, &plot, heading);
    OCT_TRY(oct_text_take(&svg, &text));
    oct_folder_file(path, folder, "plot.svg");
    oct_status status = oct_file_write(path, svg, strlen(svg), false);
    free(svg);
    return status;
}

static void add_facts(oct_text *out, const oct_sweep *sweep)
{
    size_t counts[OCT_MEMBER_STOPPED + 1] = {0};
    for (size_t i = 0; i < sweep->n; i++)
        counts[sweep->members[i].state]++;
    oct_text_add(out, "<table>\n");
    oct_page_row_begin(out, "members");
    oct_text_add(out, "%zu: %zu done, %zu failed, %zu to do", sweep->n, counts[OCT_MEMBER_DONE],
                 counts[OCT_MEMBER_FAILED],
                 sweep->n - counts[OCT_MEMBER_DONE] - counts[OCT_MEMBER_FAILED]);
    oct_page_row_end(out);
    for (size_t k = 0; k < sweep->n_keys; k++) {
        oct_page_row_begin(out, sweep->keys[k]);
        for (size_t i = 0; i < sweep->varied[k].n && i < MOST_ROWS; i++) {
            oct_text_add(out, i ? ", " : "");
            oct_text_add_html(out, sweep->varied[k].values[i]);
        }
        oct_page_row_end(out);
    }
    oct_page_row_begin(out, "seeds");
    oct_text_add(out, "%" PRIu64, sweep->seeds);
    oct_page_row_end(out);
    oct_page_row(out, "Octant", oct_version());
    oct_text_add(out, "</table>\n");
}

static void add_members(oct_text *out, const oct_sweep *sweep, bool linked)
{
    oct_text_add(out, "<section>\n<h2>members</h2>\n<table>\n<tr><th scope=\"col\">member</th>");
    for (size_t k = 0; k < sweep->n_keys; k++) {
        oct_text_add(out, "<th scope=\"col\">");
        oct_text_add_html(out, last_part(sweep->keys[k]));
        oct_text_add(out, "</th>");
    }
    oct_text_add(out, "<th scope=\"col\">seed</th><th scope=\"col\">status</th></tr>\n");
    for (size_t i = 0; i < sweep->n && i < MOST_ROWS; i++) {
        const oct_sweep_entry *member = &sweep->members[i];
        char name[OCT_SWEEP_NAME];
        oct_sweep_name(name, i);
        bool link = linked && member->state == OCT_MEMBER_DONE;
        oct_text_add(out, "<tr><td>");
        if (link)
            oct_text_add(out, "<a href=\"%s/report.html\">", name);
        oct_text_add(out, "%s%s</td>", name, link ? "</a>" : "");
        for (size_t k = 0; k < sweep->n_keys; k++) {
            oct_text_add(out, "<td>");
            oct_text_add_html(out, member->values[k]);
            oct_text_add(out, "</td>");
        }
        oct_text_add(out, "<td>%" PRIu64 "</td><td>%s", member->seed,
                     oct_member_state_name(member->state));
        oct_text_add(out, member->failure ? ": " : "");
        oct_text_add_html(out, member->failure ? member->failure : "");
        oct_text_add(out, "</td></tr>\n");
    }
    oct_text_add(out, "</table>\n%s</section>\n",
                 sweep->n > MOST_ROWS ? "<p>The rest is in table.csv.</p>\n" : "");
}

static void add_figure(oct_text *out, const chart *c, const oct_cell *column)
{
    oct_plot plot = plot_of(c, column->name);
    oct_text_add(out, "<figure>\n<figcaption>");
    oct_page_add_caption(out, column->name, column->unit,
                         c->sweep->seeds > 1 && !by_seed(c) ? "at the end, mean of the seeds"
                                                            : "at the end");
    oct_text_add(out, "</figcaption>\n");
    oct_plot_lines(out, &plot);
    oct_text_add(out, "</figure>\n");
}

/* Whether a column tells what has become of a member, rather than how it was run. */
static bool is_result(const char *column)
{
    static const char *const others[] = {"wall_s", "step", "time", "n"};
    bool result = !oct_sweep_is_text(column);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        result = result && strcmp(column, others[i]) != 0;
    return result;
}

static oct_status draw(chart *c, const char *folder, const char *wanted, bool linked)
{
    const oct_sweep *sweep = c->sweep;
    oct_cell *columns;
    size_t n;
    bool drawn = false;
    oct_text page = {0};
    oct_status status;
    OCT_TRY_DONE(oct_sweep_columns(&columns, &n, sweep));
    oct_page_begin(&page, "Sweep", "");
    add_facts(&page, sweep);
    oct_text_add(&page, "<div class=\"plots\">\n");
    for (size_t k = 0; k < n; k++) {
        bool named = wanted && strcmp(wanted, columns[k].name) == 0;
        if (!(fill(c, columns[k].name) && is_result(columns[k].name)) && !named)
            continue;
        add_figure(&page, c, &columns[k]);
        if (!drawn && (named || !wanted)) {
            OCT_TRY_DONE(write_svg(c, &columns[k], folder));
            drawn = true;
        }
    }
    oct_text_add(&page, "</div>\n%s",
                 c->others > c->n_lines ? "<p>Plots show the first 8 combinations of the other "
                                          "values; table.csv has all.</p>\n"
                                        : "");
    add_members(&page, sweep, linked);
    oct_page_end(&page);
    OCT_TRY_DONE(oct_page_write(&page, folder));
    OCT_CHECK_DONE(drawn || !wanted || n == 0, OCT_STATUS_MISSING,
                   "there is no column '%.60s' to plot; table.csv in %s has those that there are",
                   wanted, folder);
done:
    oct_text_clear(&page);
    free(columns);
    return status;
}

oct_status oct_sweep_draw(const oct_sweep *sweep, const char *folder, const char *column,
                          bool linked)
{
    chart c;
    oct_status status = lay_out(&c, sweep);
    if (status == OCT_STATUS_OK)
        status = draw(&c, folder, column, linked);
    clear(&c);
    return status;
}
