/* What of a row of measurements the host computes from numbers that it has, without the simulation:
 * it may do so while the device takes the next steps. */
#ifndef OCT_CORE_LATER_H
#define OCT_CORE_LATER_H

#include <stdbool.h>
#include <stdint.h>

#include "octant/fail.h"

enum { OCT_LATER_MOST = 4 };

/* Puts values of a measurement into its place in the row. */
typedef struct oct_later_job {
    oct_status (*run)(double *out, void *context);
    void (*free)(void *context);
    void *context;
} oct_later_job;

/* Starts from {0}. */
typedef struct oct_later {
    bool beside; /* set by who does them while steps go on */
    uint32_t n;
    struct {
        oct_later_job job;
        uint32_t at, values; /* in the row */
        uint64_t blank;      /* bit k: value k is not due */
    } jobs[OCT_LATER_MOST];
} oct_later;

/* Takes the job over, even when it fails; does it at once where `later` is NULL. The place in the
 * row is filled in by who measures it. */
oct_status oct_later_add(oct_later *later, double *out, oct_later_job job);
/* Does them all; the list is empty then, even when it fails. */
oct_status oct_later_finish(oct_later *later, double *row);
/* Forgets them. */
void oct_later_clear(oct_later *later);

#endif
