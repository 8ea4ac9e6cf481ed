/* Checkpoints: the exact state of a simulation in a sealed HDF5 file. */
#ifndef OCT_IO_CHECKPOINT_H
#define OCT_IO_CHECKPOINT_H

#include "core/state.h"
#include "io/seal.h"

/* Writes a checkpoint. The file appears whole or not at all; the one before is kept as
 * PATH.prev. */
oct_status oct_checkpoint_write(const oct_state *state, const char *path);
/* Reads and verifies one; a damaged one is refused, and PATH.prev is offered if it is intact. */
oct_status oct_checkpoint_read(oct_state *out, const char *path);
/* The same by one of several ranks: of one in parts it reads a run of rows, those that it wrote
 * where there are as many. */
typedef struct oct_checkpoint_share {
    uint32_t rank, size; /* 0 of 1: all rows, in the order of the scene */
} oct_checkpoint_share;
oct_status oct_checkpoint_read_share(oct_state *out, const char *path, oct_checkpoint_share share);

/* A checkpoint in parts: files with the rows of one rank's bodies, beside PATH, which has the rest
 * and is written when they are there. A part's name is of its step and rank; it never takes the
 * place of another one. */
typedef struct oct_checkpoint_part {
    char file[256]; /* beside PATH */
    char hash[OCT_SEAL_HASH];
    uint64_t rows;
} oct_checkpoint_part;
/* Writes part number rank, of as many as there are ranks; `own`: the state of a rank's own bodies.
 */
oct_status oct_checkpoint_write_part(oct_checkpoint_part *out, const oct_state *own,
                                     const char *path, oct_checkpoint_share share);
oct_status oct_checkpoint_write_whole(const oct_state *first, const char *path,
                                      const oct_checkpoint_part *parts, uint32_t n);
/* Removes parts that neither PATH nor PATH.prev needs. */
oct_status oct_checkpoint_sweep(const char *path);

#endif
