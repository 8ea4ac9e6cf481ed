/* The rotating frame of a sheet, for those who measure in it. */
#ifndef OCT_DIAG_FRAME_H
#define OCT_DIAG_FRAME_H

#include "core/sim.h"

typedef struct oct_frame {
    double omega, size[3];
    double area; /* of the patch, Lx Ly */
} oct_frame;

/* Whether the scene is a patch of a rotating sheet. */
bool oct_frame_rotates(const oct_setup *setup);
/* Whether it is, and its bodies attract each other. */
bool oct_frame_attracts(const oct_setup *setup);
oct_frame oct_frame_of(const oct_domain *domain);

#endif
