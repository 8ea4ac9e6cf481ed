/* All bodies at a moment, copied off the device, to be drawn or written by whichever thread. */
#ifndef OCT_RUN_STILL_H
#define OCT_RUN_STILL_H

#include "core/sim.h"
#include "core/state.h"
#include "io/snapshot.h"

typedef struct oct_still {
    oct_state state;  /* until they are bodies */
    oct_fetch *fetch; /* what of it is under way; NULL: nothing */
    oct_bodies bodies;
    oct_file_info info; /* what a file says of them */
    double period[3];
    char *scene; /* as resolved */
} oct_still;

/* Copies them, with forces of the moment. Cleared after a failure too. */
oct_status oct_still_take(oct_still *out, oct_sim *sim);
/* The same, but that it is there after oct_ahead_finish; stays where it is until then. */
oct_status oct_still_take_ahead(oct_still *out, oct_sim *sim);
/* Makes bodies of the copy; in any thread. */
oct_status oct_still_develop(oct_still *still);
/* Writes them as a snapshot, in HDF5 or, by the name, CSV; mold: NULL, or that of the run. */
oct_status oct_still_write(const oct_still *still, const char *path, oct_snapshot_mold **mold);
void oct_still_clear(oct_still *still);

#endif
