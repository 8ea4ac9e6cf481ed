/* The seal of Octant's HDF5 files. Such a file has a user block of 512 bytes, which HDF5 skips;
 * it holds the kind of the file, the number of bytes that follow, the run that wrote it and an
 * XXH3-128 of it all. A sealed file is verified as a whole before HDF5 looks at it, so that HDF5
 * never parses damaged data; and what HDF5 sees is the same for the same bits of two runs. */
#ifndef OCT_IO_SEAL_H
#define OCT_IO_SEAL_H

#include "util/identity.h"

enum { OCT_SEAL_BYTES = 512, OCT_SEAL_HASH = 33 };

/* Seals a file in memory whose first 512 bytes are free. run: "" for none. */
void oct_seal_add(char *data, size_t bytes, const char *kind, const char *run);

/* Finds out what a file is and verifies a sealed one: "snapshot" or "checkpoint" for ours,
 * "hdf5" for one of another code, "" for anything else. */
oct_status oct_seal_check(char kind[16], const char *path);

/* Reads the seal alone: whether the file has one, and the run in it, "" for none. */
oct_status oct_seal_run(char run[OCT_IDENTITY_TEXT], bool *sealed, const char *path);

/* The hash in the seal of a file, as text; what it was made from is not looked at. */
oct_status oct_seal_hash(char hash[OCT_SEAL_HASH], const char *path);

/* Passes a failure to read `path` on; the sentence then offers PATH.prev if that is intact. */
oct_status oct_seal_offer_previous(oct_status status, const char *path);

#endif
