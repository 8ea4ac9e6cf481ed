/* What GADGET's files have in common, binary or HDF5. */
#ifndef OCT_IO_GADGET_H
#define OCT_IO_GADGET_H

#include "octant/octant.h"

/* What files in GADGET's HDF5 layout have no place for. */
#define OCT_GADGET_LOST "radii, spins, systems, columns and whether bodies are held"

/* Refuses a file of an expanding universe, whose time is a scale factor: what it says of its
 * redshift tells. At redshift 0 comoving numbers are physical ones. */
oct_status oct_gadget_check_time(double time, double redshift, const char *path);
/* The type of a body of GADGET's: gas has no pressure here, and a type beyond ours no meaning. */
uint8_t oct_gadget_type(size_t type);

/* Writes the HDF5 layout, in double precision. */
oct_status oct_gadget_write(const oct_bodies *bodies, const oct_file_info *info, const char *path);

#endif
