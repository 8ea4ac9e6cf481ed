/* The rotating frame of a sheet, for those who measure in it. */
#ifndef OCT_DIAG_PATCH_H
#define OCT_DIAG_PATCH_H

#include "core/sim.h"

typedef struct oct_patch {
    double omega, size[3];
    double area; /* of the patch, Lx Ly */
} oct_patch;

/* Whether the scene is a patch of a rotating sheet. */
bool oct_patch_rotates(const oct_setup *setup);
/* Whether it is, and its bodies attract each other. */
bool oct_patch_attracts(const oct_setup *setup);
oct_patch oct_patch_of(const oct_domain *domain);

#endif
