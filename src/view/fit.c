/* Joins how far bodies reach, and widens or narrows the box only when it must. */
#include "view/fit.h"

#include <math.h>
#include <string.h>

#include "core/join.h"

/* The columns of a row, as the kernel writes them. */
enum { COUNT, LOW = 1, HIGH = 4, SUM = 7, SQUARES = 10, RADIUS = 13 };
enum { VALUES = 14, LEAST, MOST, TOTAL, TOTAL_SQUARES };

static double deviation(double sum, double squares, double n)
{
    return n > 0 ? sqrt(fmax(squares / n - (sum / n) * (sum / n), 0)) : 0;
}

static const oct_join_rule rules[OCT_REACH_ROW] = {
    [LOW] = OCT_JOIN_LEAST,   [LOW + 1] = OCT_JOIN_LEAST, [LOW + 2] = OCT_JOIN_LEAST,
    [HIGH] = OCT_JOIN_MOST,   [HIGH + 1] = OCT_JOIN_MOST, [HIGH + 2] = OCT_JOIN_MOST,
    [RADIUS] = OCT_JOIN_MOST, [LEAST] = OCT_JOIN_LEAST,   [MOST] = OCT_JOIN_MOST};

void oct_reach_join(oct_reach *out, const double *rows, size_t n, const double pivot[3])
{
    double all[OCT_REACH_ROW];
    memcpy(all, rows, sizeof all);
    for (size_t i = 1; i < n; i++)
        oct_join_add(all, rows + i * OCT_REACH_ROW, OCT_REACH_ROW, rules, 0, 0);
    double count = all[COUNT], values = all[VALUES];
    *out = (oct_reach){.bodies = count, .radius = all[RADIUS], .values = values};
    for (int k = 0; k < 3 && count > 0; k++) {
        out->low[k] = pivot[k] + all[LOW + k];
        out->high[k] = pivot[k] + all[HIGH + k];
        out->mean[k] = pivot[k] + all[SUM + k] / count;
        out->deviation[k] = deviation(all[SUM + k], all[SQUARES + k], count);
    }
    if (values > 0) {
        out->least = all[LEAST];
        out->most = all[MOST];
        out->value_mean = all[TOTAL] / values;
        out->value_deviation = deviation(all[TOTAL], all[TOTAL_SQUARES], values);
    }
}

void oct_fit_box(oct_fit *fit, const oct_reach *reach)
{
    /* At most one body in a thousand is further out than this (Chebyshev), and with fewer than
     * that none is. */
    const double far = 32, margin = 0.25, widest = 4, flattest = 1.0 / 64;
    double low[3], high[3], largest = 0;
    for (int k = 0; k < 3; k++) {
        low[k] = fmax(reach->low[k], reach->mean[k] - far * reach->deviation[k]);
        high[k] = fmin(reach->high[k], reach->mean[k] + far * reach->deviation[k]);
        largest = fmax(largest, high[k] - low[k]);
    }
    /* A flat system keeps some height, and one body has a box around it. */
    double least = flattest * largest;
    if (!(largest > 0))
        least = reach->radius > 0 ? 4 * reach->radius : fmax(1e-3 * fabs(low[0]), 1e-3);
    bool fits = true;
    for (int k = 0; k < 3; k++) {
        double missing = fmax(least - (high[k] - low[k]), 0) / 2;
        low[k] -= missing;
        high[k] += missing;
        fits = fits && fit->low[k] <= low[k] && high[k] <= fit->high[k] &&
               fit->high[k] - fit->low[k] <= widest * (high[k] - low[k]);
    }
    for (int k = 0; k < 3 && !fits; k++) {
        double more = margin * (high[k] - low[k]);
        fit->low[k] = low[k] - more;
        fit->high[k] = high[k] + more;
    }
}

void oct_fit_radius(oct_fit *fit, const oct_reach *reach)
{
    double shown = 65535 * fit->radius_unit;
    if (!(reach->radius <= shown && shown <= 2 * reach->radius))
        fit->radius_unit = reach->radius > 0 && isfinite(reach->radius) ? reach->radius / 65535 : 0;
}

void oct_fit_colour(oct_fit *fit, const oct_reach *reach)
{
    const double far = 3, tolerance = 0.15;
    double low = 0, high = 1;
    if (reach->values > 0) {
        low = fmax(reach->least, reach->value_mean - far * reach->value_deviation);
        high = fmin(reach->most, reach->value_mean + far * reach->value_deviation);
    }
    /* All the same, but for rounding: it gets the middle of the scale. */
    if (!(high - low > 1e-6 * (fabs(low) + fabs(high)))) {
        double half = low != 0 ? fabs(low) / 2 : 1;
        high = low + half;
        low -= half;
    }
    double slack = tolerance * (fit->colour_high - fit->colour_low);
    if (!(slack > 0 && fabs(low - fit->colour_low) <= slack &&
          fabs(high - fit->colour_high) <= slack)) {
        fit->colour_low = low;
        fit->colour_high = high;
    }
}
