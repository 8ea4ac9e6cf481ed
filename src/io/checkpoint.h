/* Checkpoints: the exact state of a simulation in a sealed HDF5 file. */
#ifndef OCT_IO_CHECKPOINT_H
#define OCT_IO_CHECKPOINT_H

#include "core/state.h"

/* Writes a checkpoint. The file appears whole or not at all; the one before is kept as
 * PATH.prev. */
oct_status oct_checkpoint_write(const oct_state *state, const char *path);
/* Reads and verifies one; a damaged one is refused, and PATH.prev is offered if it is intact. */
oct_status oct_checkpoint_read(oct_state *out, const char *path);

#endif
