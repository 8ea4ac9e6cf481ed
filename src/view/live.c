/* A scene that clients may change as they like. */
#include <stdlib.h>

#include "view/viewer.h"

/* The state is no number any more: shows it, and waits for another scene or a new start. */
static oct_status recover(oct_viewer *viewer, oct_sim *sim)
{
    char *sentence;
    OCT_TRY(oct_text_copy(&sentence, oct_last_error()));
    free(viewer->error);
    viewer->error = sentence;
    viewer->paused = true;
    viewer->owed = 0;
    viewer->stale = true;
    viewer->posted_at = 0;
    viewer->replaced = false;
    while (!viewer->replaced && !oct_viewer_ended(viewer)) {
        OCT_TRY(oct_viewer_show(viewer, sim));
        OCT_TRY(oct_viewer_serve(viewer, sim, 0.04));
    }
    return OCT_STATUS_OK;
}

oct_status oct_view_scene(oct_viewer *viewer, oct_device *device, const oct_scene *scene,
                          oct_precision precision)
{
    const oct_run_options options = {.steps = UINT64_MAX,
                                     .stop = viewer->stop,
                                     .attend = oct_viewer_attend,
                                     .attendant = viewer};
    oct_sim *sim;
    OCT_TRY(oct_sim_create(&sim, device, scene, precision));
    viewer->mode = OCT_VIEW_SCENE;
    oct_status status = oct_run(sim, &options);
    while (status == OCT_STATUS_NUMBER) {
        status = recover(viewer, sim);
        if (status == OCT_STATUS_OK && !oct_viewer_ended(viewer))
            status = oct_run(sim, &options);
    }
    oct_sim_free(sim);
    return status;
}
