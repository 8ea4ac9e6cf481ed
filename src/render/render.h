/* Pictures before they become files. */
#ifndef OCT_RENDER_RENDER_H
#define OCT_RENDER_RENDER_H

#include "render/canvas.h"

/* Draws what oct_render draws; the canvas is cleared by the caller. */
oct_status oct_render_draw(oct_canvas *out, const oct_bodies *bodies, const oct_file_info *info,
                           const oct_render_options *options);
/* Puts the usual size for 0, and refuses one that is too small or too large. */
oct_status oct_render_size(int *width, int *height);

/* Makes structs of this version from those that a caller has handed in; *info_given then points to
 * the one here, or is NULL as before. */
oct_status oct_render_take(oct_render_options *options, oct_file_info *info,
                           const oct_render_options *options_given,
                           const oct_file_info **info_given);

#endif
