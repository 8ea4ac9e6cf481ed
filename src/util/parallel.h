/* Loops over particles on all cores of the host. */
#ifndef OCT_UTIL_PARALLEL_H
#define OCT_UTIL_PARALLEL_H

#include "util/status.h"

/* Does the elements [first, end). It may be called from any thread, at the same time as others:
 * what it does must not depend on that. */
typedef oct_status (*oct_parallel_body)(void *context, size_t first, size_t end);

/* Calls body for pieces that make up [0, n); returns when all are done. A failure is that of the
 * first elements that have one; later ones may have been left out then. */
oct_status oct_parallel(size_t n, oct_parallel_body body, void *context);
/* The same on this many threads at most, the calling one included. */
oct_status oct_parallel_on(unsigned threads, size_t n, oct_parallel_body body, void *context);

#endif
