/* A part of octant.h: pictures and films of bodies. */
#ifndef OCTANT_PICTURES_H
#define OCTANT_PICTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bodies.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a picture shows, from where and how; zeros leave the choice to Octant. */
typedef struct oct_render_options {
    size_t size;
    int width, height; /* pixels; 0: 1200 x 1000, or about as many in the shape of the plot */
    char axis;         /* the line of sight: 'x', 'y' or 'z'; 0: z */
    const char *mode;  /* density (NULL), components, particles or spheres */
    const char *map;   /* colour map; NULL: the first one; bodies: by type, not speed */
    double extent;     /* full width shown, in units of the bodies; 0: fits them or their box */
    double centre[3];
    bool centred;      /* centre is set; otherwise the picture is centred on the bodies */
    double range[2];   /* surface density (or speed) where colours begin and end; 0: fits */
    const char *title; /* NULL: from the file */
    /* A line of sight that is no axis: the camera's azimuth around z and its elevation over the x-y
     * plane, seen from the centre; 0 and 90 see what is seen along z, 0 and 0 along y, 90 and 0
     * along x. Roll turns the picture counter-clockwise. Degrees. */
    bool aimed;
    double azimuth, elevation, roll;
    double fov;       /* degrees that the width spans, seen from the eye; 0: parallel projection */
    bool lit;         /* light is set; otherwise spheres are lit from the upper left */
    double light[2];  /* azimuth and elevation of the light, degrees */
    unsigned ghosts;  /* rings of images shown around a box that repeats itself */
    const char *text; /* a line in the lower right corner; NULL: none */
    bool bare;        /* no title, axes, scales nor legend: the bodies fill the picture */
    /* Full height shown, to go with `extent`: the plot gets the shape of both. 0: it has the shape
     * that the size leaves it, or that of a box that repeats itself seen along an axis. */
    double extent_up;
    const char *theme; /* "dark", or "light": dark on white, for print; NULL: dark */
    double font;       /* size of labels, pixels; 0: one that suits the size of the picture */
    bool follows;      /* the body with this id is the centre; once it is gone, centre is */
    uint64_t follow;
} oct_render_options;

/* Draws bodies into a file: a path that ends in .svg or .pdf gets vectors, in which the plot alone
 * is an image, any other a PNG. Bodies without a finite position are left out, and counted in the
 * picture. info may be NULL. */
oct_status oct_render(const oct_bodies *bodies, const oct_file_info *info,
                      const oct_render_options *options, const char *path);
/* Fills in what the options leave open, as oct_render would choose it for these bodies: pictures
 * with the same options then share their scale. */
oct_status oct_render_fit(oct_render_options *options, const oct_bodies *bodies,
                          const oct_file_info *info);

/* A camera that moves through a film. */
typedef struct oct_path oct_path;
/* Makes one that is at rest. */
oct_status oct_path_create(oct_path **out);
/* Adds a key frame: "t=0.5 azimuth=90 elevation=30", with any of azimuth, elevation, roll, fov,
 * extent and centre (x,y,z); t goes from 0, the first frame, to 1, the last one. Each of them runs
 * smoothly through the key frames that name it, at rest at the first and the last of these, and
 * never beyond two neighbouring ones; angles are plain numbers, so that 0 to 360 is a whole turn,
 * and the extent grows by equal factors. "turn=360" alone turns evenly from start to end. */
oct_status oct_path_add(oct_path *path, const char *key);
/* Sets the camera of a moment; what no key frame names stays. */
void oct_path_apply(oct_render_options *options, const oct_path *path, double t);
/* Gives a path back; NULL is none. */
void oct_path_free(oct_path *path);

/* A film in the making: MP4 with H.264, encoded by the program ffmpeg, which must be in PATH. */
typedef struct oct_film oct_film;
/* Sides are even numbers of pixels, 0: 1200 x 1000; fps: frames a second, 0: 25. */
oct_status oct_film_open(oct_film **out, const char *path, int width, int height, int fps);
/* Adds the picture of these bodies, in the film's size. */
oct_status oct_film_add(oct_film *film, const oct_bodies *bodies, const oct_file_info *info,
                        const oct_render_options *options);
/* Waits for the encoder and puts the file in place, whole. */
oct_status oct_film_finish(oct_film *film);
/* A film that was not finished leaves nothing behind. */
void oct_film_free(oct_film *film);

/* A film of a run, for oct_run_options.film. The first picture chooses what the options leave open,
 * but colours reach as far as those of all frames up to now. A run that is stopped leaves a film up
 * to there, one that fails none; one that goes on from a checkpoint makes a film of its own. */
typedef struct oct_run_film {
    size_t size;
    const char *path; /* refused where there is a file already, unless the run replaces another */
    double interval;  /* simulated time between frames; 0: 250 frames */
    int fps;          /* 0: 25 */
    const oct_render_options *picture; /* NULL: all is left open */
    const oct_path *camera;            /* NULL: at rest */
} oct_run_film;

/* The colour maps by index; NULL past the last. */
const char *oct_render_map(size_t index);

#ifdef __cplusplus
}
#endif
#endif
