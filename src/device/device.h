/* The device layer: the only part of Octant that knows OpenCL. One device has one in-order queue,
 * so kernels run in the order they are launched and no one waits but the reader. */
#ifndef OCT_DEVICE_DEVICE_H
#define OCT_DEVICE_DEVICE_H

#include <stddef.h>

#include "octant/compute.h"
#include "octant/octant.h"

/* What was found to be good on it, and on those that share it, since it was opened; a note that
 * there is no memory for is lost. */
bool oct_device_recalls(const oct_device *device, const char *what);
void oct_device_note(oct_device *device, const char *what);
/* Whether its driver compiles for several threads at a time. */
bool oct_device_compiles_together(const oct_device *device);
/* Waits until everything that was launched is done. */
oct_status oct_device_wait(oct_device *device);
/* Starts what was launched, without waiting. */
oct_status oct_device_flush(oct_device *device);
/* The best precision this device has for OCT_PRECISION_AUTO; refuses what it lacks. */
oct_status oct_device_precision(oct_precision *inout, const oct_device *device);
/* A text that changes whenever a compiled program might: with the device, the driver, the version
 * and the source; with that of all kernels where source is NULL. */
oct_status oct_device_fingerprint(char out[33], const oct_device *device, const char *source);

/* Adds to the profile of a device, where there is one, what a thread of the host did from a time to
 * another, in seconds on the clock that is never set. */
oct_status oct_device_note_span(oct_device *device, oct_lane lane, const char *name, double start_s,
                                double end_s);

/* Whether a device is a processor: then work-groups of one work-item suit it. */
bool oct_device_is_cpu(const oct_device_info *info);
/* Whether it takes NVIDIA's instructions. */
bool oct_device_is_nvidia(const oct_device_info *info);

/* Each gets what the other has; who points to them sees it. */
void oct_buffer_exchange(oct_buffer *a, oct_buffer *b);

/* A buffer of the ulongs 1, 2, 3, ..., which takes no memory until it gets others or a kernel takes
 * it; then whether it takes none yet, the numbers behind the first ones of such a buffer, and what
 * gives it its memory. */
oct_status oct_buffer_create_counted(oct_buffer **out, oct_device *device, const char *name,
                                     size_t count);
bool oct_buffer_is_counted(const oct_buffer *buffer);
void oct_buffer_count(uint64_t *out, size_t first, size_t count);
oct_status oct_buffer_settle(oct_buffer *buffer);

/* Copies rows of one buffer to rows of another that has the same elements. */
oct_status oct_buffer_copy_rows(oct_buffer *to, size_t to_first, oct_buffer *from,
                                size_t from_first, size_t count);

oct_memory oct_device_memory(const oct_device *device);
/* Counts a buffer of so many elements, and returns its bytes: an empty one has room for one. */
uint64_t oct_memory_add(oct_memory *memory, uint64_t element, uint64_t count);

/* The folder for what may be remembered between runs, "" when there is none. */
void oct_cache_path(char *out, size_t bytes, const char *file);

#endif
