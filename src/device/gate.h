/* Launches, past a fault of PoCL. It keeps loaded kernels in one list for the process and counts
 * the launches that use each. For a wider launch than any before it loads a kernel once more, but
 * what ends is counted off the one that was loaded last, whatever its width: where two queues have
 * the same kernel under way meanwhile, a count falls below zero and an assertion ends the process
 * (seen with 3.1). So a launch that is wider than those of its kernel before it goes when nothing
 * else of the process is under way. With one queue there is nothing to wait for. */
#ifndef OCT_DEVICE_GATE_H
#define OCT_DEVICE_GATE_H

#include "device/cl.h"

/* Where a device has got a queue, and before it loses it. */
void oct_gate_join(oct_device *device);
void oct_gate_leave(oct_device *device);

/* Puts a kernel on the device's queue, once for each of so many members of a batch; 1: there is
 * none. */
oct_status oct_gate_launch(oct_device *device, cl_kernel kernel, const char *name,
                           oct_gate_width *widest, size_t items, size_t group, size_t members);

#endif
