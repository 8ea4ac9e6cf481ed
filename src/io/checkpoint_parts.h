/* What the whole of a checkpoint and its parts have in common. */
#ifndef OCT_IO_CHECKPOINT_PARTS_H
#define OCT_IO_CHECKPOINT_PARTS_H

#include "io/checkpoint.h"
#include "io/h5.h"

enum { OCT_CHECKPOINT_ELEMENT = 1024 }; /* bytes at most */

typedef enum oct_checkpoint_arrays {
    OCT_CHECKPOINT_ALL,
    OCT_CHECKPOINT_ROWS,  /* those that have an element for each body */
    OCT_CHECKPOINT_OTHERS /* those that have not */
} oct_checkpoint_arrays;

/* Writes arrays of a state to the group Checkpoint, which is there. */
oct_status oct_checkpoint_add_arrays(const oct_h5 *h5, const oct_state *state,
                                     oct_checkpoint_arrays which);
/* The parts that a checkpoint names, which the caller frees; most have none. */
oct_status oct_checkpoint_list_parts(oct_checkpoint_part **out, uint32_t *n, const oct_h5 *h5);
/* Adds rows of the bodies, those of a rank's share, to a state that has the rest. */
oct_status oct_checkpoint_read_rows(oct_state *state, const char *path,
                                    const oct_checkpoint_part *parts, uint32_t n,
                                    oct_checkpoint_share share);

#endif
