/* Structs of the public header that begin with their size, so that they can grow: a caller may have
 * been compiled with another version of them. */
#ifndef OCT_UTIL_SIZED_H
#define OCT_UTIL_SIZED_H

#include <stddef.h>

#include "util/status.h"

/* Makes a struct of this version from one that a caller has filled in: what its version did not
 * have is 0, and what this one does not know must be. */
oct_status oct_sized_take(void *own, size_t bytes, size_t least, const void *given,
                          const char *type);
/* Looks at one that is to be filled in. */
oct_status oct_sized_check(size_t bytes, size_t least, const void *given, const char *type);
/* Fills it in as far as it goes; what this version does not know becomes 0. */
void oct_sized_give(void *out, const void *own, size_t bytes);

/* `last`: the last member of the struct's first version. */
#define OCT_SIZED_LEAST(type, last) (offsetof(type, last) + sizeof((type *)0)->last)
#define OCT_SIZED_TAKE(type, last, own, given)                                                     \
    oct_sized_take((own), sizeof(type), OCT_SIZED_LEAST(type, last), (given), #type)
#define OCT_SIZED_CHECK(type, last, given)                                                         \
    oct_sized_check(sizeof(type), OCT_SIZED_LEAST(type, last), (given), #type)

#endif
