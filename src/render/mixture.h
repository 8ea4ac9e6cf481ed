/* The surface density of several components, each with a colour of its own: how bright a place is
 * says how dense it is, and its colour whose the mass there is. */
#ifndef OCT_RENDER_MIXTURE_H
#define OCT_RENDER_MIXTURE_H

#include "render/density.h"
#include "render/plot_frame.h"

enum { OCT_MIXTURE_MOST = 8 };

typedef struct oct_mixture {
    size_t n;
    oct_plot_frame_entry entries[OCT_MIXTURE_MOST]; /* for the legend */
    oct_density parts[OCT_MIXTURE_MOST];
    oct_density all; /* of those that are shown */
    oct_rgb ground;
} oct_mixture;

/* Components are those that models have named, where bodies have two such numbers or more, else
 * their types. `names` are those of the numbers from 1 on, with blanks between them; may be NULL.
 * Bodies of haloes (type 1) are not shown where there are others. */
oct_status oct_mixture_init(oct_mixture *out, const oct_view *view, const oct_bodies *bodies,
                            const oct_tiles *tiles, const char *names, oct_theme theme);
/* The bodies that are shown, where they are and what they weigh. */
oct_status oct_mixture_shown(oct_bodies *out, const oct_bodies *bodies);
/* The colour of a pixel, with densities from range[0] to range[1] by their logarithm. */
oct_rgb oct_mixture_at(const oct_mixture *mixture, size_t pixel, const double range[2]);
void oct_mixture_clear(oct_mixture *mixture);

#endif
