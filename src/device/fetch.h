/* Copies of buffers that leave the device while it goes on: they are made in memory of the device,
 * between one launch and the next, and read from there through a queue of their own, by whichever
 * thread wants them. */
#ifndef OCT_DEVICE_FETCH_H
#define OCT_DEVICE_FETCH_H

#include "octant/compute.h"

typedef struct oct_fetch oct_fetch;

/* Whether it is worth it: not where buffers are in memory of the host, nor for members of a batch;
 * and lets a test have it there. */
bool oct_fetch_pays(const oct_device *device);
void oct_fetch_always(oct_device *device);
/* Whether it can be had all the same, to read several small buffers with one wait: what is wanted
 * is then as it is when finish is called. */
bool oct_fetch_joins(const oct_device *device);

oct_status oct_fetch_create(oct_fetch **out, oct_device *device);
/* The first `count` elements of a buffer are wanted in `out`, as they are when send is called. */
oct_status oct_fetch_add(oct_fetch *fetch, void *out, const oct_buffer *buffer, size_t count);
/* Enqueues the copies. Where there is no memory for them, all is read at once. */
oct_status oct_fetch_send(oct_fetch *fetch);
/* Whether nobody need wait for what was sent. */
bool oct_fetch_there(const oct_fetch *fetch);
/* Waits for what was sent, and reads it; in any thread, but no two at a time. */
oct_status oct_fetch_finish(oct_fetch *fetch);
/* In any thread; what was sent need not be finished. */
void oct_fetch_free(oct_fetch *fetch);

/* What a device keeps for it. */
void oct_stages_free(oct_device *device);

#endif
