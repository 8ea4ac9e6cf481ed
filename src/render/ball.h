/* A sphere as the camera sees it: an ellipse, lit from one side. */
#ifndef OCT_RENDER_BALL_H
#define OCT_RENDER_BALL_H

#include "render/canvas.h"
#include "render/shadow.h"

typedef struct oct_ball {
    double x, y;         /* middle of the outline, pixels */
    double axes[2];      /* half the lengths of the outline, pixels */
    double direction[2]; /* of the first of them in the picture, x and y */
    double light[3];     /* where light comes from: along both axes and towards the viewer */
    double near;         /* its radius in distances of the eye; 0 in a parallel projection */
    double scale;        /* of lengths at its middle, as in oct_view_place */
    double depth;        /* of two spheres apart, the one with the greater depth is in front */
} oct_ball;

/* Finds the outline; false when no place is there or the eye is inside. light: unit vector towards
 * it along the view's right, up and towards. */
bool oct_ball_project(oct_ball *out, const oct_view *view, const double light[3],
                      const double position[3], double radius);
/* Unit vectors along both axes of the outline of what is at this place from the centre, and to the
 * eye; all along the view's right, up and towards. */
void oct_ball_axes(double out[3][3], const oct_view *view, const double at[3]);
/* Draws the sphere; one smaller than a pixel fades with its area. shade: what others leave of the
 * light, found for a target with the axes of the outline; NULL: all. */
void oct_ball_draw(oct_canvas *canvas, const oct_ball *ball, oct_rgb colour, double alpha,
                   const oct_shade *shade);

#endif
