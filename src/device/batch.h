/* Members of a batch share a device and its launches: each is a device of its own, used by one
 * thread at a time, whose commands are listed and not enqueued. When members wait for results they
 * meet, and launches of the same kernel become one, with a row of a table for each member. What a
 * member computes does not depend on whom it meets. */
#ifndef OCT_DEVICE_BATCH_H
#define OCT_DEVICE_BATCH_H

#include "device/device.h"

typedef struct oct_batch oct_batch;

/* The most bytes in the buffers of all members, and the most members. */
#define OCT_BATCH_BYTES ((uint64_t)2000 << 20)
enum { OCT_BATCH_MEMBERS = 256 };

/* A batch on a device that outlives it. */
oct_status oct_batch_create(oct_batch **out, const oct_device *device);
/* After its members. */
void oct_batch_free(oct_batch *batch);
/* A member, which leaves when it is freed; any thread may join at any time. */
oct_status oct_batch_join(oct_device **out, oct_batch *batch);
/* The device that runs what members have listed, with its profile and the count of its launches. To
 * be looked at while no member waits. */
oct_device *oct_batch_device(oct_batch *batch);

#endif
