/* A word that a signal handler or another thread sets, such as `stop` of a run. */
#ifndef OCT_UTIL_FLAG_H
#define OCT_UTIL_FLAG_H

#include <stdatomic.h>
#include <stdbool.h>

_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && sizeof(atomic_int) == sizeof(int),
               "an int can be read as one that another thread writes");

/* Whether it is set; NULL never is. Volatile alone would be a race where a thread sets it. */
static inline bool oct_flag_is_set(const volatile int *flag)
{
    return flag && atomic_load((const volatile atomic_int *)flag) != 0;
}

#endif
