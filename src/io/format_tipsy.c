/* The standard kind of Tipsy files, whose numbers have their most significant byte first. */
#include "io/tipsy.h"

static bool recognise(const oct_format_head *head)
{
    return oct_tipsy_begins(head, true);
}

static oct_status write_standard(const oct_bodies *bodies, const oct_file_info *info,
                                 const char *path)
{
    return oct_tipsy_write(bodies, info, path, true);
}

const oct_format oct_format_tipsy = {
    .about = {.name = "tipsy",
              .doc = "Tipsy's standard files, as ChaNGa, Gasoline and pynbody take them",
              .endings = ".tipsy .std",
              .lost = OCT_TIPSY_LOST,
              .written = true},
    .recognise = recognise,
    .read = oct_tipsy_read,
    .write = write_standard,
};
