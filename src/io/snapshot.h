/* Snapshots: HDF5 in the layout of SWIFT, which yt, pynbody and swiftsimio read with units. */
#ifndef OCT_IO_SNAPSHOT_H
#define OCT_IO_SNAPSHOT_H

#include "core/setup.h"

/* The particle types that the layout has room for. */
enum { OCT_SNAPSHOT_TYPES = 7 };

/* Writes a snapshot; scene is the scene as resolved, or NULL. The file appears whole or not at
 * all, and the one before is kept as PATH.prev. */
oct_status oct_snapshot_write(const oct_bodies *bodies, const oct_file_info *info,
                              const char *scene, const char *path);

/* What a file says about bodies of this setup, but for time and step. */
void oct_snapshot_describe(oct_file_info *out, const oct_setup *setup);

/* Reads a verified snapshot of ours, or one of another code in the GADGET layout. The
 * numbers are as in the file, in units that may be unknown. `out` has no bodies, but may have
 * columns of the user's, which are looked for. */
oct_status oct_snapshot_read(oct_bodies *out, oct_file_info *info, const char *path, bool ours);

#endif
