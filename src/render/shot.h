/* What a picture shows and where, once its options and its bodies are known. */
#ifndef OCT_RENDER_SHOT_H
#define OCT_RENDER_SHOT_H

#include "render/mixture.h"
#include "render/particles.h"

/* A picture with every choice made. */
typedef struct oct_shot {
    oct_render_options options;
    oct_plot_frame frame;
    bool particles;      /* or spheres: not density */
    bool mixed;          /* density of components */
    bool patch;          /* of something larger: the bodies are in a box that repeats itself */
    oct_density density; /* unless particles or mixed */
    oct_mixture mixture; /* where mixed */
    oct_colormap map;
    oct_bodies shown;  /* owned by the caller, or the next */
    oct_bodies ghosts; /* with images */
    unsigned rings;    /* of images around the box */
    bool tiled;        /* the box and its images end at their faces */
    oct_tiles tiles;
} oct_shot;

/* Makes the choices that the options leave open. On failure nothing is left to clear. */
oct_status oct_shot_make(oct_shot *shot, const oct_bodies *bodies, const oct_file_info *info,
                         const oct_render_options *options, oct_face face);
/* How bodies are drawn. */
oct_particles_style oct_shot_style(const oct_shot *shot);
void oct_shot_clear(oct_shot *shot);

#endif
