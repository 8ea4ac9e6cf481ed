/* Where drivers and Octant keep compiled kernels, and what to do where that cannot be written. */
#ifndef OCT_CLI_CACHE_H
#define OCT_CLI_CACHE_H

#include "command.h"

/* To be called before the first call of OpenCL. PoCL does not start without a folder to compile in:
 * it gets one that lives as long as the process, and a note says so. */
void oct_cache_prepare(bool quiet);
/* The device that --device asks for, after oct_cache_prepare. */
oct_status oct_call_device(oct_device **out, const oct_call *call);

#endif
