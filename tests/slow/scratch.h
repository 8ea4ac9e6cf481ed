/* What fuzz targets have in common. Files are in a folder of the target's own, which is gone when
 * the process ends. */
#ifndef OCT_TESTS_SCRATCH_H
#define OCT_TESTS_SCRATCH_H

#include <stddef.h>

/* The path of a file of that name in the folder, which is made at the first call. */
const char *scratch_path(const char *name);
/* Fills that file; a target that cannot be fed ends here. Returns its path. */
const char *scratch_write(const char *name, const void *data, size_t bytes);
/* To be called first in every run: compilers inside drivers put handlers of signals in the place of
 * the fuzzer's, which would not tell then what it has found. */
void scratch_keep_handlers(void);

#endif
