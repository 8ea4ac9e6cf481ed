/* Pictures and films, as the command line asks for them. */
#ifndef OCT_CLI_PICTURE_H
#define OCT_CLI_PICTURE_H

#include "command.h"

/* Options for what a picture shows, from where and how. */
#define OCT_OPTIONS_PICTURE                                                                        \
    {.name = "mode",                                                                               \
     .value = "MODE",                                                                              \
     .words = "density components particles spheres",                                              \
     .doc = "density (default), components, particles or spheres"},                                \
        {.name = "map", .value = "NAME", .doc = "colour map; bodies then show their speed"},       \
        {.name = "range",                                                                          \
         .value = "LOW:HIGH",                                                                      \
         .doc = "where colours begin and end: 10:1e3 kg/m^2"},                                     \
        {.name = "theme", .value = "THEME", .doc = "dark (default), or light, for print"},         \
        {.name = "font-size", .value = "X", .doc = "height of labels in pixels"},                  \
        {.name = "size", .value = "WxH", .doc = "pixels, 1200x1000 by default"},                   \
        {.name = "axis",                                                                           \
         .value = "AXIS",                                                                          \
         .words = "x y z",                                                                         \
         .doc = "line of sight: x, y or z (default)"},                                             \
        {.name = "azimuth", .value = "A", .doc = "camera's angle around z instead, degrees"},      \
        {.name = "elevation", .value = "A", .doc = "camera's angle over the x-y plane"},           \
        {.name = "roll", .value = "A", .doc = "turns the picture counter-clockwise"},              \
        {.name = "fov", .value = "A", .doc = "perspective: the angle that the width spans"},       \
        {.name = "extent", .value = "X", .doc = "full width shown: 3, '200 m' or '2 x 1 km'"},     \
        {.name = "distance", .value = "X", .doc = "of the eye from the centre, with --fov"},       \
        {.name = "centre", .value = "X,Y,Z", .doc = "what is looked at, as in '0,0,5 kpc'"},       \
        {.name = "follow", .value = "ID", .doc = "keep the body with this id in the centre"},      \
        {.name = "light", .value = "A,E", .doc = "azimuth and elevation of the light"},            \
        {.name = "ghosts", .value = "N", .doc = "rings of images around a box that repeats"},      \
        {.name = "title", .value = "TEXT", .doc = "title instead of the file's own"},              \
        {.name = "text", .value = "TEXT", .doc = "a line of text in the lower right corner"},      \
        {.name = "bare", .doc = "nothing but the bodies: no title, time, axes or scales"},         \
        {.name = "camera",                                                                         \
         .value = "KEY",                                                                           \
         .repeated = true,                                                                         \
         .doc = "key frame of a film: \"t=0.5 azimuth=90 extent=2\", t 0 to 1"},                   \
        {.name = "turn", .value = "A", .doc = "turns the camera by this angle during a film"},     \
    {                                                                                              \
        .name = "fps", .value = "N", .doc = "frames a second of a film, 25 by default"             \
    }

typedef struct oct_picture {
    oct_render_options options;
    oct_path *path; /* NULL: the camera is at rest */
    int fps;        /* 0: the usual */
    bool measured;  /* its lengths and ranges are known, see below */
} oct_picture;

/* Reads these options, but for those that may carry units. False after a sentence on standard
 * error; the texts stay those of the call. */
bool oct_picture_parse(oct_picture *out, const oct_call *call);
/* Reads these in the units of what is drawn, once: extent, distance, centre and range. `counted`:
 * no body has a mass, and a density is one of bodies. */
bool oct_picture_measure(oct_picture *picture, const oct_call *call, const oct_units *units,
                         bool counted);
void oct_picture_clear(oct_picture *picture);
/* The options of frame `index` of `count`. */
oct_render_options oct_picture_frame(const oct_picture *picture, int index, int count);

#endif
