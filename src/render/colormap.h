/* Colour maps, computed: lightness L* is a straight line by construction (CIE 1976 L*a*b*, D65),
 * hue and chroma follow a spline through a few designed points. */
#ifndef OCT_RENDER_COLORMAP_H
#define OCT_RENDER_COLORMAP_H

#include "render/theme.h"

enum { OCT_COLORMAP_SIZE = 513 };

typedef struct oct_colormap {
    oct_rgb colours[OCT_COLORMAP_SIZE];
} oct_colormap;

/* Computes the map of that name. In the light theme one that is not diverging runs the other way,
 * from white to its dark end. */
oct_status oct_colormap_init(oct_colormap *out, const char *name, oct_theme theme);
/* The colour at t, 0 to 1; values outside get the end colours. */
oct_rgb oct_colormap_at(const oct_colormap *map, double t);
/* Leaves out the colours below `from`. */
void oct_colormap_trim(oct_colormap *map, double from);
/* True for a map with a bright middle and two dark ends. */
bool oct_colormap_diverging(const char *name);

/* CIE lightness of a colour, 0 to 100. */
double oct_rgb_lightness(oct_rgb colour);

#endif
