/* The colours of a picture, but for those of its map. */
#ifndef OCT_RENDER_THEME_H
#define OCT_RENDER_THEME_H

#include "render/canvas.h"

enum { OCT_PARTICLE_KINDS = 4 };

/* Dark, for screens, comes first: it is the usual one. */
typedef enum oct_theme { OCT_THEME_DARK, OCT_THEME_LIGHT } oct_theme;

/* Colours as 0xRRGGBB. */
typedef struct oct_palette {
    unsigned page, plot;                /* the grounds around the plot and in it */
    unsigned line, text, dim;           /* borders and ticks, labels, less important ones */
    unsigned kinds[OCT_PARTICLE_KINDS]; /* bodies, stars, black holes, others */
    unsigned ice;                       /* bodies of a ring */
    const char *map;                    /* the colours of a density where none are asked for */
} oct_palette;

/* The theme of that name; NULL: dark. */
oct_status oct_theme_find(oct_theme *out, const char *name);
const oct_palette *oct_theme_palette(oct_theme theme);

#endif
