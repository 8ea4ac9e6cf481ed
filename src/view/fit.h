/* What a frame shows: the box, the unit of radii and the range of colours, chosen from how far the
 * bodies reach, and kept until it fits no longer, so that pictures do not tremble. */
#ifndef OCT_VIEW_FIT_H
#define OCT_VIEW_FIT_H

#include "octant/octant.h"

/* As in kernels/view_frame.cl. */
enum { OCT_REACH_ROW = 19 };

/* How far the bodies reach. */
typedef struct oct_reach {
    double bodies, low[3], high[3], mean[3], deviation[3];
    double radius; /* the largest */
    double values, least, most, value_mean, value_deviation;
} oct_reach;

/* Puts rows of the kernel together; coordinates in them are relative to the pivot. */
void oct_reach_join(oct_reach *out, const double *rows, size_t n, const double pivot[3]);

/* What is shown. All zero: nothing chosen yet. */
typedef struct oct_fit {
    double low[3], high[3];
    double radius_unit;
    double colour_low, colour_high; /* logarithms on a logarithmic scale */
} oct_fit;

/* Each chooses anew only where the one there is does not fit, or fits badly. */
void oct_fit_box(oct_fit *fit, const oct_reach *reach);
void oct_fit_radius(oct_fit *fit, const oct_reach *reach);
void oct_fit_colour(oct_fit *fit, const oct_reach *reach);

#endif
