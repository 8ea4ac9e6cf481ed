/* Chooses ticks, thins lines to what can be seen, and writes SVG. */
#include "run/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/label.h"
#include "util/number.h"

/* The drawing and the plotting area in it. */
enum {
    WIDTH = 6400,
    HEIGHT = 2500,
    LEFT = 750,
    RIGHT = 6250,
    TOP = 280,
    BOTTOM = 2050,
    X_TICKS = 9,
    Y_TICKS = 6,
    BUCKETS = 800 /* of rows, where there are more than can be told apart */
};

typedef struct range {
    double low, high;
} range;

enum { MOST_TICKS = 16 };

/* An axis, linear or logarithmic; its range is of log10 of the values then. */
typedef struct axis {
    range range;
    bool logarithmic;
    oct_plot_ticks scale; /* what the labels of a linear axis leave out */
    unsigned n;
    double at[MOST_TICKS];
    char label[MOST_TICKS][OCT_LABEL_BYTES];
} axis;

typedef struct frame {
    axis x, y;
} frame;

static const range nothing = {INFINITY, -INFINITY};

static bool drawable(double value)
{
    return fabs(value) < 1e300;
}

static bool has_logarithm(double value)
{
    return drawable(value) && value > 1e-300;
}

/* Neither a NaN nor a value too large to subtract from another widens it. */
static void include(range *r, double value)
{
    if (!drawable(value))
        return;
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
}

/* A range with room for ticks that differ in double precision; `margin` is left on both sides. */
static range widen(range r, double margin)
{
    if (!(r.low <= r.high))
        return (range){0, 1};
    double largest = fmax(fabs(r.low), fabs(r.high));
    double least = largest > 0 ? fmax(1e-12 * largest, 1e-290) : 1;
    double extra = margin * (r.high - r.low);
    if (r.high - r.low < least)
        extra = 0.5 * (r.low == r.high && largest > 0 ? fmax(0.1 * largest, least) : least);
    return (range){r.low - extra, r.high + extra};
}

oct_plot_ticks oct_plot_ticks_choose(double low, double high, unsigned most)
{
    const double slack = 1e-6, most_steps = 1e4;
    double step = oct_label_above((high - low) / most);
    double first = ceil(low / step - slack), last = floor(high / step + slack);
    oct_plot_ticks ticks = {.first = first * step, .step = step};
    ticks.count = last < first ? 0 : (unsigned)(last - first) + 1;
    double largest = fmax(fabs(first), fabs(last));
    if (largest > most_steps) {
        ticks.offset = ticks.first;
        largest = last - first;
    }
    double order = largest > 0 ? floor(log10(largest * step) + 1e-9) : 0;
    if (order < -3 || order > 4)
        ticks.exponent = (int)order;
    return ticks;
}

static axis linear_axis(range r, unsigned most)
{
    oct_plot_ticks ticks = oct_plot_ticks_choose(r.low, r.high, most);
    axis a = {.range = r, .scale = ticks, .n = ticks.count};
    double unit = pow(10, ticks.exponent);
    for (unsigned i = 0; i < a.n; i++) {
        a.at[i] = ticks.first + i * ticks.step;
        oct_label_number(a.label[i], (a.at[i] - ticks.offset) / unit, ticks.step / unit);
    }
    return a;
}

/* Powers of ten, or every second one and so on where there are too many. */
static axis log_axis(range r, unsigned most)
{
    const double slack = 1e-6;
    axis a = {.range = {log10(r.low), log10(r.high)}, .logarithmic = true};
    int first = (int)ceil(a.range.low - slack), last = (int)floor(a.range.high + slack);
    for (int e = first; e <= last; e += 1 + (last - first) / (int)most) {
        a.at[a.n] = e;
        oct_label_power(a.label[a.n++], e);
    }
    return a;
}

/* A name at each place, these being 1 apart, or at every second and so on where there are many. */
static axis named_axis(range r, const oct_plot *plot)
{
    axis a = {.range = {r.low - 0.5, r.high + 0.5}};
    for (size_t i = 0; i < plot->n; i += 1 + (plot->n - 1) / MOST_TICKS) {
        a.at[a.n] = plot->x[i * plot->stride];
        snprintf(a.label[a.n++], OCT_LABEL_BYTES, "%s", plot->x_labels[i]);
    }
    return a;
}

static int place(const axis *a, double at, int from, int to)
{
    return (int)lround(from + (at - a->range.low) / (a->range.high - a->range.low) * (to - from));
}

static int place_value(const axis *a, double value, int from, int to)
{
    return place(a, a->logarithmic ? log10(value) : value, from, to);
}

static int x_of(const frame *f, double x)
{
    return place_value(&f->x, x, LEFT, RIGHT);
}

static int y_of(const frame *f, double y)
{
    return place_value(&f->y, y, BOTTOM, TOP);
}

void oct_plot_number(oct_text *out, double value, int digits)
{
    /* There and back in one locale; what is left is a short number. */
    char text[OCT_NUMBER_BYTES];
    snprintf(text, sizeof text, "%.*g", digits, value);
    oct_number_write(text, strtod(text, NULL));
    oct_text_add(out, "%s", text);
}

static void add_text(oct_text *out, const char *class, const char *anchor, int x, int y,
                     const char *text)
{
    oct_text_add(out, "<text class=\"%s\" text-anchor=\"%s\" x=\"%d\" y=\"%d\">", class, anchor, x,
                 y);
    oct_text_add_html(out, text);
    oct_text_add(out, "</text>\n");
}

/* What the labels of an axis leave out: " ×10⁻⁷ + 0.25". */
static void add_scale(oct_text *out, const oct_plot_ticks *ticks)
{
    char power[OCT_LABEL_BYTES];
    oct_label_power(power, ticks->exponent);
    if (ticks->exponent != 0)
        oct_text_add(out, " \xc3\x97%s", power);
    if (ticks->offset != 0) {
        oct_text_add(out, " %s ", ticks->offset < 0 ? "\xe2\x88\x92" : "+");
        int digits = (int)ceil(log10(fabs(ticks->offset) / ticks->step)) + 1;
        oct_plot_number(out, fabs(ticks->offset), digits);
    }
}

/* The start of the drawing: everything but the data. */
static void begin(oct_text *out, const oct_plot *plot, const frame *f)
{
    oct_text_add(out, "<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH,
                 HEIGHT);
    oct_text_add_html(out, plot->title);
    oct_text_add(out, "\">\n<path class=\"grid\" d=\"");
    for (unsigned i = 0; i < f->y.n; i++)
        oct_text_add(out, "M%d,%dH%d", LEFT, place(&f->y, f->y.at[i], BOTTOM, TOP), RIGHT);
    for (unsigned i = 0; i < f->x.n; i++)
        oct_text_add(out, "M%d,%dV%d", place(&f->x, f->x.at[i], LEFT, RIGHT), TOP, BOTTOM);
    oct_text_add(out, "\"/>\n<path class=\"frame\" d=\"M%d,%dV%dH%d\"/>\n", LEFT, TOP, BOTTOM,
                 RIGHT);
    for (unsigned i = 0; i < f->y.n; i++)
        add_text(out, "tick", "end", LEFT - 80, place(&f->y, f->y.at[i], BOTTOM, TOP) + 40,
                 f->y.label[i]);
    for (unsigned i = 0; i < f->x.n; i++)
        add_text(out, "tick", "middle", place(&f->x, f->x.at[i], LEFT, RIGHT), BOTTOM + 180,
                 f->x.label[i]);
    oct_text_add(out, "<text class=\"tick\" x=\"%d\" y=\"%d\">", LEFT, TOP - 100);
    add_scale(out, &f->y.scale);
    oct_text_add(out, "</text>\n<text class=\"name\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">",
                 (LEFT + RIGHT) / 2, HEIGHT - 60);
    oct_text_add_html(out, plot->x_name);
    add_scale(out, &f->x.scale);
    oct_text_add(out, "</text>\n");
}

/* A line that is being drawn: a point that stands alone becomes a dot. */
typedef struct pen {
    oct_text *out;
    const frame *frame;
    unsigned points; /* since the last gap */
} pen;

static void pen_up(pen *p)
{
    if (p->points == 1)
        oct_text_add(p->out, "h0");
    p->points = 0;
}

static void pen_to(pen *p, double x, double y)
{
    bool shown = p->frame->y.logarithmic ? has_logarithm(y) : drawable(y);
    if (!(p->frame->x.logarithmic ? has_logarithm(x) : drawable(x)) || !shown) {
        pen_up(p);
        return;
    }
    oct_text_add(p->out, "%c%d,%d", p->points++ ? 'L' : 'M', x_of(p->frame, x), y_of(p->frame, y));
}

/* Draws rows [first, end) as their lowest and their highest point, in the order they came in. */
static void draw_bucket(pen *p, const oct_plot *plot, const double *y, size_t first, size_t end)
{
    size_t low = first, high = first;
    for (size_t i = first; i < end; i++) {
        double value = y[i * plot->stride];
        /* The comparisons are false where the point so far is a gap. */
        if (drawable(value) && !(value >= y[low * plot->stride]))
            low = i;
        if (drawable(value) && !(value <= y[high * plot->stride]))
            high = i;
    }
    size_t one = low < high ? low : high, other = low < high ? high : low;
    pen_to(p, plot->x[one * plot->stride], y[one * plot->stride]);
    if (other != one)
        pen_to(p, plot->x[other * plot->stride], y[other * plot->stride]);
}

static void add_line(oct_text *out, const oct_plot *plot, unsigned line, const frame *f)
{
    pen p = {.out = out, .frame = f};
    size_t size = plot->n / BUCKETS / 2 ? (plot->n + BUCKETS - 1) / BUCKETS : 1;
    oct_text_add(out, "<path class=\"line line-%u\" d=\"", line);
    for (size_t i = 0; i < plot->n; i += size)
        draw_bucket(&p, plot, plot->y[line], i, i + size < plot->n ? i + size : plot->n);
    pen_up(&p);
    oct_text_add(out, "\"/>\n");
}

/* In a line that ends at the right; in two from the left where there is no room for that. */
static void add_legend(oct_text *out, const oct_plot *plot)
{
    enum { LETTER = 75, SAMPLE = 425 };
    int wide = 0, x, y = TOP - 140;
    for (unsigned i = 0; i < plot->n_lines; i++)
        wide += plot->y_names[i] ? SAMPLE + LETTER * (int)strlen(plot->y_names[i]) : 0;
    x = RIGHT - wide;
    if (x < 0) {
        x = 0;
        y -= 80;
    }
    for (unsigned i = 0; i < plot->n_lines; i++) {
        if (!plot->y_names[i])
            continue;
        int each = SAMPLE + LETTER * (int)strlen(plot->y_names[i]);
        if (x + each > WIDTH) {
            x = 0;
            y += 150;
        }
        oct_text_add(out, "<path class=\"line line-%u\" d=\"M%d,%dh200\"/>\n", i, x, y);
        add_text(out, "name", "start", x + 260, y + 40, plot->y_names[i]);
        x += each;
    }
}

/* Whole decades, one at least. */
static range decades(range r)
{
    double low = floor(log10(r.low)), high = ceil(log10(r.high));
    return (range){pow(10, low), pow(10, high > low ? high : low + 1)};
}

void oct_plot_lines(oct_text *out, const oct_plot *plot)
{
    range x = nothing, y = nothing, positive = nothing;
    for (size_t i = 0; i < plot->n; i++) {
        double at = plot->x[i * plot->stride];
        include(&x, plot->x_logarithmic && !has_logarithm(at) ? NAN : at);
        for (unsigned k = 0; k < plot->n_lines; k++) {
            double value = plot->y[k][i * plot->stride];
            include(&y, value);
            include(&positive, has_logarithm(value) ? value : NAN);
        }
    }
    bool logarithmic = plot->logarithmic && positive.low <= positive.high;
    bool wide = plot->x_logarithmic && x.low < x.high;
    axis across = wide ? log_axis(x, X_TICKS) : linear_axis(widen(x, 0), X_TICKS);
    frame f = {plot->x_labels ? named_axis(x, plot) : across,
               logarithmic ? log_axis(decades(positive), Y_TICKS)
                           : linear_axis(widen(y, 0.06), Y_TICKS)};
    begin(out, plot, &f);
    for (unsigned k = 0; k < plot->n_lines; k++)
        add_line(out, plot, k, &f);
    add_legend(out, plot);
    oct_text_add(out, "</svg>\n");
}

/* In colours as they are: programs for drawings know no variables. */
static const char file_style[] =
    "text { font: 125px sans-serif; fill: #1c2126; } .tick { fill: #626b75; }\n"
    "path { fill: none; stroke-width: 10; } .grid { stroke: #e1e4e8; } .frame { stroke: #626b75; "
    "}\n"
    ".line { stroke-width: 18; stroke-linejoin: round; stroke-linecap: round; }\n"
    ".line-0 { stroke: #0b66b8; } .line-1 { stroke: #c2570c; } .line-2 { stroke: #2f8540; }\n"
    ".line-3 { stroke: #8e44ad; } .line-4 { stroke: #b8860b; } .line-5 { stroke: #0f8b8d; }\n"
    ".line-6 { stroke: #c0275d; } .line-7 { stroke: #6b7280; }\n";

void oct_plot_file(oct_text *out, const oct_plot *plot, const char *heading)
{
    enum { ABOVE = 300, SCALE = 10 };
    oct_text lines = {0};
    oct_plot_lines(&lines, plot);
    oct_text_add(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                 "viewBox=\"0 %d %d %d\">\n<style>\n%s</style>\n"
                 "<rect y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                 WIDTH / SCALE, (HEIGHT + ABOVE) / SCALE, -ABOVE, WIDTH, HEIGHT + ABOVE, file_style,
                 -ABOVE, WIDTH, HEIGHT + ABOVE);
    add_text(out, "name", "start", LEFT, -ABOVE / 3, heading);
    oct_text_add(out, "<svg width=\"%d\" height=\"%d\"%s</svg>\n", WIDTH, HEIGHT,
                 lines.data ? lines.data + strlen("<svg") : ">");
    out->failed = out->failed || lines.failed;
    oct_text_clear(&lines);
}

void oct_plot_bars(oct_text *out, const oct_plot *plot)
{
    const double *lower = plot->x, *upper = plot->y[0], *height = plot->y[1];
    const double wide = 100; /* edges so far apart are shown on a logarithmic axis */
    range x = nothing, y = {0, 0};
    for (size_t i = 0; i < plot->n * plot->stride; i += plot->stride) {
        if (!(height[i] > 0))
            continue;
        include(&x, lower[i]);
        include(&x, upper[i]);
        include(&y, height[i]);
    }
    y.high = y.high > 0 ? 1.06 * y.high : 1;
    bool logarithmic = x.low > 0 && x.high >= wide * x.low;
    frame f = {logarithmic ? log_axis(x, X_TICKS) : linear_axis(widen(x, 0), X_TICKS),
               linear_axis(y, Y_TICKS)};
    begin(out, plot, &f);
    oct_text_add(out, "<path class=\"bar\" d=\"");
    for (size_t i = 0; i < plot->n * plot->stride; i += plot->stride)
        if (drawable(lower[i]) && drawable(upper[i]) && drawable(height[i]) && height[i] > 0)
            oct_text_add(out, "M%d,%dV%dH%dV%dz", x_of(&f, lower[i]), BOTTOM, y_of(&f, height[i]),
                         x_of(&f, upper[i]), BOTTOM);
    oct_text_add(out, "\"/>\n</svg>\n");
}
