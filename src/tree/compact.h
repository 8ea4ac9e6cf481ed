/* Stream compaction on the device. */
#ifndef OCT_TREE_COMPACT_H
#define OCT_TREE_COMPACT_H

#include "tree/blocks.h"

typedef struct oct_compact oct_compact;

/* For flags of one byte or of four. */
oct_status oct_compact_create(oct_compact **out, oct_device *device, size_t flag_bytes,
                              oct_variant variant);
void oct_compact_free(oct_compact *compact);
/* The indices of those of the first n flags that are not zero, in order, and how many there are
 * into the one word of `count`. `indices` has room for n. Enqueues only; never waits. */
oct_status oct_compact_run(oct_compact *compact, oct_buffer *indices, oct_buffer *count,
                           oct_buffer *flags, size_t n);

#endif
