/* Tipsy files in the order of bytes of common machines, least significant first. */
#include "io/tipsy.h"

static bool recognise(const oct_format_head *head)
{
    return oct_tipsy_begins(head, false);
}

static oct_status write_native(const oct_bodies *bodies, const oct_file_info *info,
                               const char *path)
{
    return oct_tipsy_write(bodies, info, path, false);
}

const oct_format oct_format_tipsy_native = {
    .about = {.name = "tipsy-native",
              .doc = "Tipsy's files in the order of bytes of common machines, as Bonsai takes them",
              .lost = OCT_TIPSY_LOST,
              .written = true},
    .recognise = recognise,
    .read = oct_tipsy_read,
    .write = write_native,
};
