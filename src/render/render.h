/* Pictures before they become files. */
#ifndef OCT_RENDER_RENDER_H
#define OCT_RENDER_RENDER_H

#include "render/canvas.h"

/* Draws what oct_render draws; the canvas is cleared by the caller. */
oct_status oct_render_draw(oct_canvas *out, const oct_bodies *bodies, const oct_file_info *info,
                           const oct_render_options *options);
/* Puts the usual size for 0, and refuses one that is too small or too large. */
oct_status oct_render_size(int *width, int *height);

#endif
