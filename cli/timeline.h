/* What a profile shows in a terminal: host and device on one time line, and the longest kernels. */
#ifndef OCT_CLI_TIMELINE_H
#define OCT_CLI_TIMELINE_H

#include "octant/octant.h"

/* Prints both to standard output. */
oct_status oct_timeline_print(oct_device *device);

#endif
