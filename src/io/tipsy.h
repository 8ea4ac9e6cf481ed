/* Tipsy files: a header, then gas, dark matter and stars, a record of floats each. */
#ifndef OCT_IO_TIPSY_H
#define OCT_IO_TIPSY_H

#include "io/format.h"

/* What a Tipsy file has no place for. */
#define OCT_TIPSY_LOST                                                                             \
    "ids, radii, spins, systems, columns and whether bodies are held; numbers are floats, disks "  \
    "and bulges become stars"

/* Whether a file begins as one; `big`: in the order of bytes of the standard kind. */
bool oct_tipsy_begins(const oct_format_head *head, bool big);
oct_status oct_tipsy_read(oct_bodies *out, oct_file_info *info, const char *path);
oct_status oct_tipsy_write(const oct_bodies *bodies, const oct_file_info *info, const char *path,
                           bool big);

#endif
