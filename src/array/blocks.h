/* How the primitives cut an array: into blocks, one a work-group, of whole tiles. A few blocks a
 * compute unit keep a device busy, whatever the size of the array. */
#ifndef OCT_ARRAY_BLOCKS_H
#define OCT_ARRAY_BLOCKS_H

#include "device/device.h"

/* Which code a primitive runs. */
typedef enum oct_variant {
    OCT_VARIANT_AUTO,   /* what suits the device, with its own instructions */
    OCT_VARIANT_SERIAL, /* work-groups of one work-item: CPUs */
    OCT_VARIANT_GROUPS  /* work-groups with barriers alone: any GPU */
} oct_variant;

/* SERIAL or GROUPS for AUTO. */
oct_variant oct_variant_choose(const oct_device_info *info, oct_variant variant);

enum { OCT_MOST_BLOCKS = 1024 };

typedef struct oct_blocks {
    size_t group; /* work-items in a group */
    size_t tile;  /* elements that a group takes at a time */
    size_t most;  /* blocks */
    const char *options;
} oct_blocks;

/* For kernels that take four elements a work-item at a time. */
oct_blocks oct_blocks_choose(const oct_device_info *info, oct_variant variant);
/* The number of blocks, at least one, and the elements in each but the last. */
size_t oct_blocks_cut(size_t *chunk, const oct_blocks *blocks, size_t n);
/* Refuses what 32-bit indices cannot hold, or a buffer does not. */
oct_status oct_blocks_check(const oct_buffer *buffer, size_t element, size_t n);

#endif
