/* Octant's own snapshots. */
#include "io/format.h"
#include "io/snapshot.h"

#include <string.h>

static bool recognise(const oct_format_head *head)
{
    return strcmp(head->sealed, "snapshot") == 0;
}

static oct_status read_snapshot(oct_bodies *out, oct_file_info *info, const char *path)
{
    return oct_snapshot_read(out, info, path, true);
}

static oct_status write_snapshot(const oct_bodies *bodies, const oct_file_info *info,
                                 const char *path)
{
    return oct_snapshot_write(bodies, info, NULL, path);
}

const oct_format oct_format_snapshot = {
    .about = {.name = "snapshot",
              .doc = "Octant's snapshots, HDF5 in the layout of SWIFT",
              .endings = ".hdf5 .h5",
              .written = true,
              .says_units = true},
    .recognise = recognise,
    .read = read_snapshot,
    .write = write_snapshot,
};
