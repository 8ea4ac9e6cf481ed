/* The HDF5 layout of GADGET and of codes that took it over. */
#include "io/format.h"
#include "io/gadget.h"
#include "io/snapshot.h"

#include <string.h>

static bool recognise(const oct_format_head *head)
{
    return strcmp(head->sealed, "hdf5") == 0;
}

static oct_status read_gadget(oct_bodies *out, oct_file_info *info, const char *path)
{
    return oct_snapshot_read(out, info, path, false);
}

const oct_format oct_format_gadget = {
    .about = {.name = "gadget",
              .doc = "GADGET's HDF5 layout, as GADGET, AREPO and GIZMO take it",
              .lost = OCT_GADGET_LOST,
              .written = true,
              .says_units = true},
    .recognise = recognise,
    .read = read_gadget,
    .write = oct_gadget_write,
};
