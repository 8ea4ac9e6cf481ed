/* Projected density: every body is spread over a smooth spot as wide as its neighbours are apart
 * in the picture, and no mass is lost. */
#ifndef OCT_RENDER_DENSITY_H
#define OCT_RENDER_DENSITY_H

#include "render/ghosts.h"

typedef struct oct_density {
    int width, height;      /* the plot in pixels */
    double *value;          /* mass per area, row after row from the top */
    bool counts;            /* no body has a mass: bodies per area */
    double lowest, highest; /* where colours should begin and end; highest 0 in an empty picture */
} oct_density;

/* `tiles`: boxes outside of which nothing is shown, and whose images are among the bodies so that
 * spots reach through the faces; NULL: there are none. */
oct_status oct_density_init(oct_density *out, const oct_view *view, const oct_bodies *bodies,
                            const oct_tiles *tiles);
/* The pixels around a plot whose bodies reach into it. */
double oct_density_margin(const oct_view *view);
void oct_density_clear(oct_density *density);

#endif
