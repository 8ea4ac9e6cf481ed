/* The features that the build was given, by name. */
#include "util/feature.h"

#include <string.h>

#include "util/status.h"

const char *oct_feature_name(size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (!oct_features[i].name)
            return NULL;
    return oct_features[index].name;
}

static const oct_feature *find(const char *name)
{
    for (const oct_feature *feature = oct_features; feature->name; feature++)
        if (strcmp(feature->name, name) == 0)
            return feature;
    return NULL;
}

bool oct_feature_present(const char *name)
{
    const oct_feature *feature = find(name);
    return feature && feature->present;
}

oct_status oct_feature_require(const char *name)
{
    const oct_feature *feature = find(name);
    OCT_CHECK(feature, OCT_STATUS_MISSING, "there is no feature '%s'", name);
    OCT_CHECK(feature->present, OCT_STATUS_ABSENT,
              "this build of Octant has no %s: %s; to have it, install %s (%s in Debian) and build "
              "Octant with -D%s=ON",
              feature->library, feature->missed, feature->library, feature->package,
              feature->option);
    return OCT_STATUS_OK;
}
