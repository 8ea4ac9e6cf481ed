/* A folder of its own for a fuzz target, gone when the process ends. */
#ifndef OCT_TESTS_SCRATCH_H
#define OCT_TESTS_SCRATCH_H

#include <stddef.h>

/* The path of a file of that name in the folder, which is made at the first call. */
const char *scratch_path(const char *name);
/* Fills that file; a target that cannot be fed ends here. Returns its path. */
const char *scratch_write(const char *name, const void *data, size_t bytes);

#endif
