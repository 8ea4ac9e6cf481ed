/* Files that ranks write together, a part each of its own bodies: none of them ever holds all. */
#ifndef OCT_RUN_PARTS_H
#define OCT_RUN_PARTS_H

#include "core/sim.h"

/* Whether the simulation's files are to be in parts. */
bool oct_parts_wanted(const oct_sim *sim);
/* Writes a snapshot: the parts of all ranks, and when these are there the whole. */
oct_status oct_parts_snapshot(oct_sim *sim, const char *path);
/* The same for a checkpoint; parts that no checkpoint there needs any more go. */
oct_status oct_parts_checkpoint(oct_sim *sim, const char *path);
/* What ranks after the first do meanwhile: oct_sim.write_parts. */
oct_status oct_parts_follow(oct_sim *sim);

#endif
