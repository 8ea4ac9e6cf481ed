/* A scene that clients may change as they like. */
#include "view/viewer.h"

/* The simulation has failed: shows what can be seen of it, and waits for another scene or a new
 * start. */
static void recover(oct_viewer *viewer, oct_sim *sim)
{
    oct_viewer_fail(viewer, sim, oct_last_error());
    viewer->replaced = false;
    while (!viewer->replaced && !oct_viewer_ended(viewer)) {
        (void)oct_viewer_show(viewer, sim);
        (void)oct_viewer_serve(viewer, sim, 0.04);
    }
}

oct_status oct_view_scene(oct_viewer *viewer, oct_device *device, const oct_scene *scene,
                          oct_precision precision)
{
    const oct_run_options options = {.size = sizeof options,
                                     .steps = UINT64_MAX,
                                     .stop = viewer->stop,
                                     .attend = oct_viewer_attend,
                                     .attendant = viewer};
    oct_sim *sim;
    OCT_TRY(oct_sim_create(&sim, device, scene, precision));
    viewer->mode = OCT_VIEW_SCENE;
    oct_status status = oct_run(sim, &options);
    /* One that never could be shown has nobody to wait for. */
    while (status != OCT_STATUS_OK && viewer->cutter && !oct_viewer_ended(viewer)) {
        recover(viewer, sim);
        status = oct_viewer_ended(viewer) ? OCT_STATUS_OK : oct_run(sim, &options);
    }
    oct_sim_free(sim);
    return status;
}
