/* What programs that time something have in common. */
#ifndef OCT_TESTS_TIMING_H
#define OCT_TESTS_TIMING_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "octant/octant.h"

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void ok(oct_status status)
{
    if (status == OCT_STATUS_OK)
        return;
    fprintf(stderr, "%s\n", oct_last_error());
    exit(1);
}

#endif
