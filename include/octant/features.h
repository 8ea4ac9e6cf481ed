/* A part of octant.h: what a build of the library may lack.
 *
 * Features need a library of others: hdf5 (snapshots and checkpoints), png (pictures), viewer, and
 * mpi (simulations of several processes).
 * Whatever needs one in a build without it refuses with OCT_STATUS_ABSENT, and everything else is
 * as in other builds. */
#ifndef OCTANT_FEATURES_H
#define OCTANT_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The names of the features by index; NULL past the last. */
const char *oct_feature_name(size_t index);
/* Whether this build has the feature of this name. */
bool oct_feature_present(const char *name);
/* Refuses where it has not, with a sentence that says what is missed and how to get it: for those
 * who would rather know before they begin. */
oct_status oct_feature_require(const char *name);

#ifdef __cplusplus
}
#endif
#endif
