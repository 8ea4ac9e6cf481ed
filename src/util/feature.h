/* What this build has of that which needs a library of others. */
#ifndef OCT_UTIL_FEATURE_H
#define OCT_UTIL_FEATURE_H

#include "octant/octant.h"

typedef struct oct_feature {
    const char *name;
    bool present;
    const char *library, *package, *option; /* what it needs, and what turns it on */
    const char *missed;                     /* a clause about a build without */
} oct_feature;

/* Written by the build (cmake/features.cmake); ends with a feature without name. */
extern const oct_feature oct_features[];

#endif
