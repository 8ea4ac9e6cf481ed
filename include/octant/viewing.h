/* A part of octant.h: the viewer, a page in browsers that shows simulations and steers them. */
#ifndef OCTANT_VIEWING_H
#define OCTANT_VIEWING_H

#include "octant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A viewer: a server of a page, in which browsers see a simulation and steer it. Nobody else gets
 * in who does not know its address with the token. */
typedef struct oct_viewer oct_viewer;

/* Where a viewer listens, and what it may do. */
typedef struct oct_viewer_options {
    size_t size;
    const char *address;      /* to listen at, in numbers; NULL: 127.0.0.1, this machine alone */
    unsigned port;            /* 0: a free one */
    const char *token;        /* 32 hexadecimal digits; NULL: drawn at random */
    const char *out;          /* folder for what is saved from the page; NULL: nothing is */
    const char *name;         /* of the scene; may be NULL */
    bool paused;              /* begin at rest */
    const volatile int *stop; /* set from a signal handler: end */
} oct_viewer_options;

/* Starts the server. `options` may be NULL. */
oct_status oct_viewer_open(oct_viewer **out, const oct_viewer_options *options);
/* Ends it, and every connection, before the device is given back that it has shown something of;
 * NULL is none. */
void oct_viewer_free(oct_viewer *viewer);
/* The address to open in a browser, with the token. */
const char *oct_viewer_url(const oct_viewer *viewer);

/* Simulates a scene until clients quit or *stop is set. They may change it as they like. */
oct_status oct_view_scene(oct_viewer *viewer, oct_device *device, const oct_scene *scene,
                          oct_precision precision);
/* Plays files of bodies back. The measurements of a run are shown beside its snapshots where its
 * results folder is given. */
oct_status oct_view_files(oct_viewer *viewer, oct_device *device, const char *const *paths,
                          size_t n, const char *folder);
/* For oct_run_options.attend, with the viewer as the attendant: shows a run. Who only looks does
 * not change a bit of it. */
oct_status oct_viewer_attend(void *viewer, oct_sim *sim, const oct_run_record *record,
                             uint64_t *steps);

#ifdef __cplusplus
}
#endif

#endif
