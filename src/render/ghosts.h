/* The images of a box that repeats itself, as far as a picture shows them. */
#ifndef OCT_RENDER_GHOSTS_H
#define OCT_RENDER_GHOSTS_H

#include "render/view.h"

enum { OCT_GHOSTS_MOST = 20 };

/* Which images there are. */
typedef struct oct_ghosts {
    int rings[3];       /* boxes on both sides, along each coordinate */
    double margin;      /* pixels around the plot in which they count as well */
    const double *cast; /* how far shadows fall; NULL: there are none */
    const double *home; /* bodies are moved into the box around here first; NULL: they stay */
} oct_ghosts;

/* This many rings of boxes around one. Boxes that are patches of a disk (info->orbit) have none
 * above and below. */
void oct_ghosts_rings(int out[3], const oct_file_info *info, unsigned rings);
/* The bodies and their images that reach into the plot, or whose shadows may. Boxes that are
 * patches of a disk slide past each other. Only what pictures show is filled in. */
oct_status oct_ghosts_make(oct_bodies *out, const oct_view *view, const oct_bodies *bodies,
                           const oct_file_info *info, const oct_ghosts *which);

/* A box that repeats itself and its rings of images, seen along an axis. */
typedef struct oct_tiles {
    const oct_file_info *info;
    double centre[3]; /* of the box */
    int rings;
} oct_tiles;

/* Whether a place in the picture is in one of them. */
bool oct_tiles_hold(const oct_tiles *tiles, const oct_view *view, const double position[3]);

#endif
