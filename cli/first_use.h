/* The first use of a device by a scene, as commands show it: a note that it takes its time, on a
 * terminal how far it is, and a second process where that helps. */
#ifndef OCT_CLI_FIRST_USE_H
#define OCT_CLI_FIRST_USE_H

#include "assistant.h"
#include "progress.h"

typedef struct oct_first_use {
    bool quiet, alone; /* asked for: no notes; no second process */
    size_t tests;      /* that had to run, known afterwards */
    bool assisted;     /* there was a second process */
    /* Its own. */
    oct_progress progress;
    const oct_device *device;
    oct_assistant assistant;
} oct_first_use;

/* oct_scene_trust. */
oct_status oct_first_use_trust(oct_first_use *use, oct_device *device, const oct_scene *scene,
                               oct_precision precision);
/* oct_sim_resume. */
oct_status oct_first_use_resume(oct_sim **out, oct_first_use *use, oct_device *device,
                                const char *checkpoint, const oct_scene *scene);

#endif
