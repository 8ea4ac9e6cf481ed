/* The images of a box that repeats itself, as far as a picture shows them. */
#ifndef OCT_RENDER_GHOSTS_H
#define OCT_RENDER_GHOSTS_H

#include "render/view.h"

enum { OCT_GHOSTS_MOST = 20 };

/* The bodies and their images in this many rings of boxes around, those that reach into the plot,
 * or whose shadows may: `cast` is how far these fall, NULL where there are none. Boxes that are
 * patches of a disk (info->orbit) slide past each other and have none above and below. Only what
 * pictures show is filled in. */
oct_status oct_ghosts_make(oct_bodies *out, const oct_view *view, const oct_bodies *bodies,
                           const oct_file_info *info, unsigned rings, const double cast[3]);

#endif
