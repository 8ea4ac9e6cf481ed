/* Shadows of spheres in parallel light: which of them stand between a sphere and the lamp, and how
 * much of its light they leave to a point. */
#ifndef OCT_RENDER_SHADOW_H
#define OCT_RENDER_SHADOW_H

#include "render/view.h"

typedef struct oct_shadow_sphere {
    double at[3]; /* along both directions across the light, and towards it */
    double radius;
    size_t index; /* of the body */
} oct_shadow_sphere;

/* Holds the discs of some spheres as the lamp sees them. */
typedef struct oct_shadow_box {
    double low[2], high[2];
    double top;    /* of the middle that is nearest to the light */
    double widest; /* radius */
} oct_shadow_box;

/* All spheres that cast shadows, in an order that keeps neighbours together. */
typedef struct oct_shadows {
    double axes[3][3]; /* unit vectors along right, up and towards; the last one to the light */
    oct_shadow_sphere *spheres;
    size_t count;
    oct_shadow_box *boxes; /* box k holds boxes 2 k and 2 k + 1; the last `leaves` hold spheres */
    size_t leaves;
} oct_shadows;

/* A sphere that is to be drawn. */
typedef struct oct_shade_target {
    double at[3];      /* along the view's right, up and towards, from its centre */
    double axes[3][3]; /* unit vectors of its own x, y and z in the same directions */
    double radius;     /* 0: one value, that at the middle, for all of it */
    double blur;       /* half a pixel there, in units of the bodies */
    size_t index;      /* of the body, which does not shadow itself */
} oct_shade_target;

/* What stands between one sphere and the light. */
typedef struct oct_shade {
    double left;                /* part of the light that reaches any of it */
    double turn[3][3];          /* from places in radii to those of shadows */
    double blur;                /* as in the target */
    oct_shadow_sphere *spheres; /* those that take more from some of its points, from its middle */
    size_t count, room;
} oct_shade;

/* All bodies with a radius cast shadows, seen or not. light: unit vector towards it along the
 * view's right, up and towards. */
oct_status oct_shadows_init(oct_shadows *out, const oct_view *view, const double light[3],
                            const oct_bodies *bodies);
void oct_shadows_clear(oct_shadows *shadows);

/* Fills a shade that is zeroed or was used before; it keeps its memory. */
oct_status oct_shade_find(oct_shade *shade, const oct_shadows *shadows,
                          const oct_shade_target *target);
/* The part of the lamp, 0 to 1, that is seen from a point of the target, in its radii. */
double oct_shade_left(const oct_shade *shade, double x, double y, double z);
void oct_shade_clear(oct_shade *shade);

#endif
