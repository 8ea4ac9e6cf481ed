/* Bodies as text: a header of id,mass,x,y,z,vx,vy,vz,radius in any order, a body a line. */
#ifndef OCT_IO_CSV_H
#define OCT_IO_CSV_H

#include "octant/octant.h"

/* Writes numbers that read back as the same bits, and columns that are not required only where a
 * body has something to say in them. The time, the step and the units are in a comment before. */
oct_status oct_csv_write(const oct_bodies *bodies, const oct_file_info *info, const char *path);
/* Reads bodies; without a column id they are numbered from 1. Without a comment that says so the
 * units are unknown. `out` has no bodies, but may have columns of the user's, which are looked for
 * beside those that a comment declares. */
oct_status oct_csv_read(oct_bodies *out, oct_file_info *info, const char *path);

#endif
