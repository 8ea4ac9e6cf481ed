/* Where bodies land in the picture: a parallel projection along an axis. */
#ifndef OCT_RENDER_VIEW_H
#define OCT_RENDER_VIEW_H

#include "util/status.h"

typedef struct oct_view {
    int right, up, depth; /* which coordinate is which */
    double nearer;        /* +1 when bodies with a greater depth coordinate are in front */
    double centre[3];
    double extent;                   /* full width of the plot in units of the bodies */
    double left, top, width, height; /* the plot, pixels */
} oct_view;

typedef struct oct_view_place {
    double x, y, depth; /* pixels; depth grows towards the viewer, in units of the bodies */
} oct_view_place;

/* The coordinates of a view along 'x', 'y' or 'z'. Along z: x to the right, y up; along x: y to
 * the right, z up; along y: x to the right, z up. */
oct_status oct_view_init(oct_view *view, char axis);
/* Where a position is shown; false when it is not finite. */
bool oct_view_project(oct_view_place *out, const oct_view *view, const double position[3]);
/* Units of the bodies for one pixel. */
double oct_view_pixel(const oct_view *view);

/* Centre: the barycentre without far escapers. Extent: holds `fraction` of the bodies in a plot of
 * this width / height, around the centre, with a margin; never zero. */
oct_status oct_view_fit_centre(double out[3], const oct_bodies *bodies);
oct_status oct_view_fit_extent(double *out, const oct_view *view, const oct_bodies *bodies,
                               double fraction);

/* The same for a box that repeats itself: the picture shows all of it, but of one that is mostly
 * empty above and below, as with a sheet seen from its side, only the middle. Boxes are centred on
 * the origin, or start there when that is where the bodies are. */
bool oct_view_is_box(const double box[3]);
void oct_view_box_centre(double out[3], const double box[3], const oct_bodies *bodies);
double oct_view_box_extent(const oct_view *view, const double box[3], const oct_bodies *bodies);

/* Whether the body has a place to be shown at. */
bool oct_view_finite(const double position[3]);

#endif
