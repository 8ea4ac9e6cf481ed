/* In place of the viewer, which needs libmicrohttpd, in a build without. */
#include "octant/octant.h"

oct_status oct_viewer_open(oct_viewer **out, const oct_viewer_options *options)
{
    (void)options;
    *out = NULL;
    return oct_feature_require("viewer");
}

void oct_viewer_free(oct_viewer *viewer)
{
    (void)viewer;
}

const char *oct_viewer_url(const oct_viewer *viewer)
{
    (void)viewer;
    return "";
}

oct_status oct_view_scene(oct_viewer *viewer, oct_device *device, const oct_scene *scene,
                          oct_precision precision)
{
    (void)viewer, (void)device, (void)scene, (void)precision;
    return oct_feature_require("viewer");
}

oct_status oct_view_files(oct_viewer *viewer, oct_device *device, const char *const *paths,
                          size_t n, const char *folder)
{
    (void)viewer, (void)device, (void)paths, (void)n, (void)folder;
    return oct_feature_require("viewer");
}

oct_status oct_viewer_attend(void *viewer, oct_sim *sim, const oct_run_record *record,
                             uint64_t *steps)
{
    (void)viewer, (void)sim, (void)record, (void)steps;
    return oct_feature_require("viewer");
}
