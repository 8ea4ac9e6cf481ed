/* Where bodies land in the picture: a parallel projection, or one from an eye. */
#ifndef OCT_RENDER_VIEW_H
#define OCT_RENDER_VIEW_H

#include "util/status.h"

typedef struct oct_view {
    double right[3], up[3], towards[3]; /* unit vectors, the last one to the viewer */
    int across, along;                  /* coordinates that grow to the right and up; -1: none */
    double centre[3];
    double extent; /* full width of the plot in units of the bodies, at the centre */
    double slope;  /* half the width over the distance of the eye; 0: a parallel projection */
    double left, top, width, height; /* the plot, pixels */
} oct_view;

typedef struct oct_view_place {
    double x, y;  /* pixels */
    double depth; /* grows towards the viewer, units of the bodies; 0 at the centre */
    double scale; /* lengths here in those at the centre; 1 in a parallel projection */
} oct_view_place;

/* A view along 'x', 'y' or 'z'. Along z: x to the right, y up; along x: y to the right, z up;
 * along y: x to the right, z up. */
oct_status oct_view_init(oct_view *view, char axis);
/* A view from anywhere, degrees. Azimuth and elevation 0, 90 show what is seen along z, 0, 0 what
 * is seen along y, 90, 0 what is seen along x; roll turns the picture counter-clockwise; fov is
 * the angle that the width of the picture spans, 0 for a parallel projection. */
oct_status oct_view_aim(oct_view *view, double azimuth, double elevation, double roll, double fov);
/* Puts angles for the axis of sight where none are set. */
void oct_view_angles(oct_render_options *options);
/* Unit vector towards something at this azimuth and elevation, along right, up and towards. */
void oct_view_direction(double out[3], const oct_view *view, double azimuth, double elevation);

/* Where a position is shown; false when it is not finite or not in front of the eye. */
bool oct_view_project(oct_view_place *out, const oct_view *view, const double position[3]);
/* The position along right, up and towards, from the centre. */
void oct_view_rotate(double out[3], const oct_view *view, const double position[3]);
/* Distance of the eye from the centre; infinite in a parallel projection. */
double oct_view_distance(const oct_view *view);
/* The position in the plane through the centre that a parallel projection shows at these pixels. */
void oct_view_ground(double out[3], const oct_view *view, double x, double y);
/* Units of the bodies for one pixel, at the centre. */
double oct_view_pixel(const oct_view *view);

/* Centre: the barycentre without far escapers. Extent: holds `fraction` of the bodies in a plot of
 * this width / height, around the centre, with a margin; never zero. */
oct_status oct_view_fit_centre(double out[3], const oct_bodies *bodies);
oct_status oct_view_fit_extent(double *out, const oct_view *view, const oct_bodies *bodies,
                               double fraction);

/* The same for a box that repeats itself: the picture shows all of it, but of one that is mostly
 * empty, as with a sheet, only the middle. Boxes are centred on the origin, or start there when
 * that is where the bodies are. */
bool oct_view_is_box(const double box[3]);
void oct_view_box_centre(double out[3], const double box[3], const oct_bodies *bodies);
double oct_view_box_extent(const oct_view *view, const double box[3], const oct_bodies *bodies);

/* Full width and height of the box, seen along an axis; of a sheet from its side a quarter of the
 * width at least, as far as the box goes. */
void oct_view_box_sides(double out[2], const oct_view *view, const double box[3],
                        const oct_bodies *bodies);

/* Whether the body has a place to be shown at. */
bool oct_view_finite(const double position[3]);

#endif
