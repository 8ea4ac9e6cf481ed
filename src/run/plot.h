/* Plots as SVG elements for HTML pages. Colours and fonts are the page's: it styles the classes
 * plot, grid, frame, tick, name, line, line-0 to line-7 and bar. Coordinates are whole numbers,
 * tenths of a pixel, so that no locale's decimal point gets in. */
#ifndef OCT_RUN_PLOT_H
#define OCT_RUN_PLOT_H

#include "util/text.h"

enum { OCT_PLOT_LINES = 8 };

/* Round numbers along an axis: first, first + step, and so on. Where they have too many digits in
 * common they are shown as (number - offset) / 10^exponent. */
typedef struct oct_plot_ticks {
    double first, step;
    unsigned count;
    double offset;
    int exponent;
} oct_plot_ticks;

/* Those from low to high > low, at most one more than `most`. */
oct_plot_ticks oct_plot_ticks_choose(double low, double high, unsigned most);

/* Lines over x, one for each y. Values are `stride` apart. Where a value is not finite, or beyond
 * 1e300, its line has a gap. */
typedef struct oct_plot {
    const char *title, *x_name;
    const char *const *x_labels; /* one for each x instead of numbers; NULL: numbers */
    size_t n, stride;
    const double *x, *y[OCT_PLOT_LINES];
    const char *y_names[OCT_PLOT_LINES]; /* NULL: no legend */
    unsigned n_lines;
    bool logarithmic;   /* y by powers of ten, with gaps where it is not above 0 */
    bool x_logarithmic; /* x in the same way */
} oct_plot;

/* Where nothing is above 0 there is no logarithm: the axis is linear then. */
void oct_plot_lines(oct_text *out, const oct_plot *plot);

/* The same as an SVG file that needs no page, with a line of text above it. */
void oct_plot_file(oct_text *out, const oct_plot *plot, const char *heading);

/* Bars between the edges `lower` and `upper`, x and y[0] of the plot, with the heights y[1]. */
void oct_plot_bars(oct_text *out, const oct_plot *plot);

/* A number with so many digits at most: "-0.25", "1.2e-05". */
void oct_plot_number(oct_text *out, double value, int digits);

#endif
